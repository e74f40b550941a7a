"""How Sphinx makes the site: `cargo xtask docs` runs it, with warnings as errors.

Sphinx with the PyData theme, as it is what NumPy, pandas and scikit-learn are documented with, so that people who come from
there know their way about; and as it is well kept, where Material for MkDocs ends in 2027. Pages are Markdown (MyST), so that
one text serves the checkout and the site.
"""

from importlib import metadata

project = "kmedian"
author = "The kmedian maintainers"
copyright = "the kmedian maintainers, under MIT or Apache-2.0"  # noqa: A001 (the name that Sphinx knows)
release = metadata.version("kmedian")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]

# Links to headings, as in the checkout: `docs/PROOF.md#rounding`.
myst_heading_anchors = 4

# What estimators have of scikit-learn is documented there.
autodoc_default_options = {
    "members": True,
    "inherited-members": "BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin",
    "exclude-members": "get_metadata_routing, set_fit_request, set_output, set_predict_request, set_score_request, set_transform_request",
    "member-order": "bysource",
}
napoleon_use_ivar = True
autodoc_typehints = "signature"
# `bool | Snap` reads better than where each class is defined.
python_use_unqualified_type_names = True

html_theme = "pydata_sphinx_theme"
html_title = "kmedian"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
# A page without a tree of its own has nothing to show at its left.
html_sidebars = {"index": []}
