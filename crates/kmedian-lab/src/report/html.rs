//! Writes the report as an HTML page in one file, without scripts.

use std::fmt::Write;

use kmedian_plot::draw::{self, FONT, HEIGHT, KEY, panel_width};
use kmedian_plot::sheet;
use kmedian_plot::text::escape;

use super::claims::{Claim, RULE, Source, Verdict};
use super::figure::{Figure, Part};
use super::stats::geometric_mean;
use super::{Contents, MAP};

/// The style sheet of the page.
const STYLE: &str = include_str!("style.css");

/// The report as HTML.
pub fn page(contents: &Contents) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>kmedian: the paper’s experiments</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    header(&mut out, contents);
    out.push_str("<main>\n");
    claims(
        &mut out,
        "Claims of the paper, and what was measured",
        "paper-claims",
        contents,
        Source::Paper,
    );
    claims(&mut out, "Our own limits", "our-claims", contents, Source::Ours);
    for (title, id, part) in [
        ("Figures of the paper", "paper", Part::Paper),
        ("Beyond the paper", "beyond", Part::Beyond),
    ] {
        let _ = writeln!(out, "<section id=\"{id}\">\n<h2>{title}</h2>");
        for shown in contents.figures.iter().filter(|figure| figure.part == part) {
            figure(&mut out, shown, contents);
        }
        out.push_str("</section>\n");
    }
    if !contents.map.rows.is_empty() {
        let _ = writeln!(
            out,
            "<section id=\"accuracy\">\n<h2>Private accuracy</h2>\n<p class=\"soft\">{}</p>\n{}</section>",
            escape(MAP),
            contents.map.html()
        );
    }
    let _ = writeln!(
        out,
        "<section id=\"runs\">\n<h2>What was run</h2>\n{}</section>",
        contents.runs.html()
    );
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn header(out: &mut String, contents: &Contents) {
    let date = contents.origin.date.as_ref().map_or(String::new(), |date| format!(" on {date}"));
    let _ = write!(
        out,
        "<header>\n<h1>k-median via metric embedding: the experiments, run again</h1>\n\
         <p>{} runs{date}, by <code>{}</code>. Every number here is computed from their rows. Axes do not begin at \
         zero.</p>\n{}<p class=\"tally\">",
        contents.count,
        escape(&contents.origin.command),
        summary(contents)
    );
    for (title, source) in [("Paper", Source::Paper), ("Ours", Source::Ours)] {
        let of = |verdict| {
            contents
                .claims
                .iter()
                .filter(|claim| claim.source == source && claim.verdict == verdict)
                .count()
        };
        let counts: Vec<String> =
            [Verdict::Holds, Verdict::Partly, Verdict::DoesNotHold, Verdict::NotMeasured]
                .into_iter()
                .map(|verdict| (verdict, of(verdict)))
                .filter(|(_, count)| *count > 0)
                .map(|(verdict, count)| format!("{count} {}", badge(verdict)))
                .collect();
        let _ = write!(out, "<span><b>{title}</b> {}</span> ", counts.join(" "));
    }
    out.push_str("</p>\n<nav>");
    for figure in contents.figures.iter().filter(|figure| !figure.panels.is_empty()) {
        let _ = write!(out, "<a href=\"#{}\">{}</a> ", figure.name, escape(&figure.title));
    }
    out.push_str("</nav>\n</header>\n");
}

/// The main result in a sentence; empty if it was not measured.
fn summary(contents: &Contents) -> String {
    let average = |claim: &str| {
        let claim = contents.claims.iter().find(|known| known.name == claim)?;
        geometric_mean(&claim.cells.iter().map(|cell| cell.ratio.mean).collect::<Vec<_>>())
    };
    let (Some(hst), Some(free)) = (average("below-dp-hst"), average("below-data-free-imbalanced"))
    else {
        return String::new();
    };
    format!(
        "<p>At ε = 1 our private centers cost {hst:.2} × those of the paper’s DP-HST, on average over all cells, and \
         {free:.2} × centers without data where the demand is imbalanced.</p>\n"
    )
}

/// A verdict as HTML. Its words and its sign tell it, not only its color.
fn badge(verdict: Verdict) -> String {
    let (class, sign) = match verdict {
        Verdict::Holds => ("yes", "✓"),
        Verdict::Partly => ("partly", "◐"),
        Verdict::DoesNotHold => ("no", "✗"),
        Verdict::NotMeasured => ("unknown", "·"),
    };
    format!("<span class=\"verdict {class}\">{sign} {}</span>", verdict.words())
}

fn claims(out: &mut String, title: &str, id: &str, contents: &Contents, source: Source) {
    let _ = writeln!(out, "<section id=\"{id}\">\n<h2>{title}</h2>");
    if source == Source::Paper {
        let _ = writeln!(out, "<p class=\"soft\">{}</p>", escape(RULE));
    }
    out.push_str("<ul class=\"claims\">\n");
    for claim in contents.claims.iter().filter(|claim| claim.source == source) {
        let Claim { name, statement, verdict, evidence, cells, .. } = claim;
        let _ = write!(
            out,
            "<li id=\"claim-{name}\">{}<p>{}</p><p class=\"soft\">{}</p>",
            badge(*verdict),
            escape(statement),
            escape(evidence)
        );
        if cells.len() > 1 {
            out.push_str("<details><summary>every cell</summary><ul class=\"cells\">");
            for cell in cells {
                let _ = write!(
                    out,
                    "<li>{} <b>{:.3}</b> ± {:.3}</li>",
                    escape(&cell.cell),
                    cell.ratio.mean,
                    cell.ratio.error
                );
            }
            out.push_str("</ul></details>");
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n</section>\n");
}

fn figure(out: &mut String, figure: &Figure, contents: &Contents) {
    let (name, title) = (figure.name, &figure.title);
    let _ = writeln!(out, "<figure id=\"{name}\">\n<h3>{}</h3>", escape(title));
    if !figure.panels.is_empty() {
        legend(out, figure);
        let columns = match figure.columns.min(figure.panels.len()) {
            1 if figure.columns == 1 => "one",
            1 | 2 => "two",
            _ => "four",
        };
        let _ = writeln!(out, "<div class=\"panels {columns}\">");
        let wide = panel_width(figure);
        for panel in &figure.panels {
            let label = if panel.title.is_empty() { title } else { &panel.title };
            let _ = write!(
                out,
                "<svg class=\"panel\" viewBox=\"0 0 {wide} {HEIGHT}\" role=\"img\" aria-label=\"{}\" \
                 font-size=\"{FONT}\">\n{}</svg>\n",
                escape(label),
                draw::panel(figure, panel)
            );
        }
        let _ =
            writeln!(out, "</div>\n<figcaption>{}</figcaption>", escape(&sheet::caption(figure)));
        let table = contents.table(figure).html();
        // Many readers look for the gain of every cell, so that table is shown.
        let open = if name == "gain" { " open" } else { "" };
        let _ = writeln!(out, "<details{open}><summary>numbers</summary>\n{table}</details>");
    }
    if !figure.missing.is_empty() {
        let _ = writeln!(
            out,
            "<p class=\"missing\">No rows of: {}.</p>",
            escape(&figure.missing.join("; "))
        );
    }
    out.push_str("</figure>\n");
}

fn legend(out: &mut String, figure: &Figure) {
    out.push_str("<ul class=\"legend\">");
    for series in figure.legend() {
        let _ = write!(
            out,
            "<li><svg viewBox=\"0 0 {KEY} 14\" width=\"{KEY}\" height=\"14\" aria-hidden=\"true\">{}</svg>{}</li>",
            draw::key(series, figure.joined, 0.0, 0.0),
            escape(&series.label)
        );
    }
    out.push_str("</ul>\n");
}
