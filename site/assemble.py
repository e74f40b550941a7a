"""Puts the pages of the site together: the documents of the checkout, and pages that are made from the program itself.

``python assemble.py PAGES COMMAND`` fills the folder PAGES. The documents keep their places (``docs/PROOF.md``), so that their
links work on the site as they do in the checkout. ``command.md`` is what the command COMMAND says of itself,
``python.md`` the docstrings of the package, which must be installed, and ``index.md`` is the README with
the tree of all pages.
"""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import kmedian

ROOT = Path(__file__).resolve().parent.parent

DOCUMENTS = ["*.md", "docs/*.md", "docs/python/*.md", "bench/README.md"]
# What documents show or link to.
BESIDE = ["LICENSE-*", "CITATION.cff", "docs/*.png", "docs/figures/*", "docs/notebooks/*.ipynb"]

# The tree of pages: a title for each part, and what is in it. A document that is not here is a warning, and so an error.
PARTS = {
    "Use it": [
        "docs/HOW-IT-WORKS",
        "docs/cookbook",
        "docs/command",
        "docs/python/quickstart",
        "docs/python/migrating",
        "docs/python/choosing",
        "docs/REPORT",
        "docs/python/privacy",
        "docs/SCALE",
    ],
    "Reference": ["command", "docs/python/api", "python", "docs/GLOSSARY"],
    "How good it is": [
        "COMPARE",
        "docs/PERFORMANCE",
        "docs/PROOF",
        "docs/PRIVATE-ACCURACY",
        "docs/INITIALIZATION",
        "docs/RESULTS",
        "docs/EXPERIMENTS",
        "bench/README",
    ],
    "Privacy": ["PRIVACY", "SECURITY"],
    "Inside": ["ARCHITECTURE", "CONTRIBUTING", "docs/FUZZING", "CODE_OF_CONDUCT", "CHANGELOG"],
}


def main() -> None:
    pages, command = Path(sys.argv[1]), sys.argv[2]
    shutil.rmtree(pages, ignore_errors=True)
    for pattern in [*DOCUMENTS, *BESIDE]:
        for path in ROOT.glob(pattern):
            place = pages / path.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".md":
                place.write_text(for_readers(path.read_text(encoding="utf-8")), encoding="utf-8")
            else:
                shutil.copyfile(path, place)
    (pages / "README.md").unlink()
    made = {
        "index.md": index_page(),
        "command.md": command_page(command),
        "python.md": python_page(),
    }
    for place, text in made.items():
        (pages / place).write_text(text, encoding="utf-8")
    for part, inside in PARTS.items():
        (pages / f"{slug(part)}.md").write_text(part_page(part, inside), encoding="utf-8")


def for_readers(document: str) -> str:
    """A document without words for the tests: why snippets are not run, or that they print something; a reader runs them."""
    return re.sub(r"^(\s*```\w+) (?:not-run: .*|printed)$", r"\1", document, flags=re.MULTILINE)


def slug(part: str) -> str:
    """The page of a part."""
    return part.lower().replace(" ", "-")


def toctree(pages: list[str], *options: str) -> str:
    """A tree of pages, as MyST writes it."""
    return "\n".join(["```{toctree}", *options, "", *pages, "```", ""])


def index_page() -> str:
    """The README, with the parts of the site behind it."""
    readme = for_readers((ROOT / "README.md").read_text(encoding="utf-8"))
    return f"{readme}\n{toctree([slug(part) for part in PARTS], ':hidden:')}"


def part_page(part: str, inside: list[str]) -> str:
    """A part of the site: what it holds."""
    return f"# {part}\n\n{toctree(inside, ':maxdepth: 2')}"


def command_page(command: str) -> str:
    """All help texts of the command, a section for each subcommand."""
    overview = help_of(command)
    parts = ["# The command", "What `kmedian help` says, of the command as a whole and of each of its parts."]
    parts += ["## `kmedian`", fenced(overview)]
    for name in subcommands(overview):
        text = help_of(command, name)
        parts += [f"## `kmedian {name}`", fenced(text)]
        for inner in subcommands(text):
            parts += [f"### `kmedian {name} {inner}`", fenced(help_of(command, name, inner))]
    return "\n\n".join(parts) + "\n"


def help_of(command: str, *words: str) -> str:
    """What the command prints as its help."""
    wide = {**os.environ, "COLUMNS": "100"}
    return subprocess.run([command, *words, "--help"], check=True, capture_output=True, text=True, env=wide).stdout


def subcommands(text: str) -> list[str]:
    """The names under ``Commands:`` of a help text."""
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", text, flags=re.MULTILINE)
    names = re.findall(r"^  (\S+)", listed.group(1), flags=re.MULTILINE) if listed else []
    return [name for name in names if name != "help"]


def fenced(text: str) -> str:
    """A help text as a terminal shows it."""
    return f"```text\n{text.rstrip()}\n```"


def python_page() -> str:
    """Every public name of the Python package, by its docstring."""
    parts = ["# Python by docstrings"]
    for name in sorted(kmedian.__all__, key=str.lower):
        what = getattr(kmedian, name)
        kind = "autoclass" if inspect.isclass(what) else "automodule" if inspect.ismodule(what) else "autofunction"
        parts.append(f"```{{eval-rst}}\n.. {kind}:: kmedian.{name}\n```")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
