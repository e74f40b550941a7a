//! Writes the report as Markdown, to be kept in the repository.

use std::fmt::Write;

use kmedian_plot::sheet;

use super::claims::{Claim, RULE, Source};
use super::figure::{Figure, Part};
use super::table::in_markdown;
use super::{Contents, MAP};

/// The report as Markdown.
pub fn page(contents: &Contents) -> String {
    let mut out = String::from(
        "# Results\n\nThe experiments of the paper, run again, and what they do not show. Every table and figure is made \
         from the rows of\n\n",
    );
    let _ = writeln!(out, "```sh not-run: takes 40 minutes; tests/quick.rs runs small experiments");
    let _ = writeln!(out, "{}\n```", contents.origin.command);
    let date = contents.origin.date.as_ref().map_or(String::new(), |date| format!(" on {date}"));
    let _ = writeln!(out, "\n{} runs{date}.\n", contents.count);
    let _ = writeln!(out, "## Claims\n\n{RULE}\n");
    claims(&mut out, "Of the paper", contents, Source::Paper);
    claims(&mut out, "Ours", contents, Source::Ours);
    for (title, part) in
        [("## Figures of the paper", Part::Paper), ("## Beyond the paper", Part::Beyond)]
    {
        let _ = writeln!(out, "{title}\n");
        for figure in contents.figures.iter().filter(|figure| figure.part == part) {
            write_figure(&mut out, figure, contents);
        }
    }
    if !contents.map.rows.is_empty() {
        let _ = writeln!(out, "## Private accuracy\n\n{MAP}\n\n{}", contents.map.markdown());
    }
    let _ = writeln!(out, "## What was run\n\n{}", contents.runs.markdown());
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn claims(out: &mut String, title: &str, contents: &Contents, source: Source) {
    let _ = writeln!(out, "| {title} | verdict | measured |\n|---|---|---|");
    for Claim { statement, verdict, evidence, .. } in
        contents.claims.iter().filter(|claim| claim.source == source)
    {
        let [statement, evidence] = [*statement, evidence.as_str()].map(in_markdown);
        let _ = writeln!(out, "| {statement} | **{}** | {evidence} |", verdict.words());
    }
    out.push('\n');
}

fn write_figure(out: &mut String, figure: &Figure, contents: &Contents) {
    let _ = writeln!(out, "### {}\n", figure.title);
    if !figure.panels.is_empty() {
        let table = contents.table(figure).markdown();
        let _ = writeln!(
            out,
            "![{}](figures/{}.svg)\n\n{}\n\n{}",
            figure.title,
            figure.name,
            sheet::caption(figure),
            table
        );
    }
    if !figure.missing.is_empty() {
        let _ = writeln!(out, "No rows of: {}.\n", figure.missing.join("; "));
    }
}
