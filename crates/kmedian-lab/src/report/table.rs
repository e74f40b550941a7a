//! Tables of the report, as Markdown and as HTML.

use std::fmt::Write;

use kmedian_plot::text::escape;

use super::cells::paper_cells;
use super::figure::Figure;
use super::names::{data_kind, data_label, method_label};
use super::select::{self, Rows};
use super::stats::Summary;
use super::text::{number, percent, plus_minus};
use crate::row::Row;

/// A table of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The names of the columns.
    pub head: Vec<String>,
    /// The number of columns, from the left, that hold words. The others are aligned to the right.
    pub words: usize,
    /// The rows.
    pub rows: Vec<Vec<Entry>>,
}

/// One entry of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The text of the entry.
    pub text: String,
    /// Whether the entry is the best of its row, and is printed bold.
    pub best: bool,
    /// Who wins here, by which the entry is colored.
    pub tone: Tone,
}

/// Who wins in an entry of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Nobody: the entry is no cell of a map.
    Plain,
    /// Private centers.
    Wins,
    /// Neither private centers nor those without data.
    Even,
    /// Centers without data.
    Loses,
}

impl Tone {
    /// A sign beside the number, for whoever sees no colors.
    pub fn sign(self) -> &'static str {
        match self {
            Tone::Plain => "",
            Tone::Wins => "▼",
            Tone::Even => "=",
            Tone::Loses => "▲",
        }
    }

    /// The class of the entry on the page.
    fn class(self) -> &'static str {
        match self {
            Tone::Plain => "",
            Tone::Wins => " class=\"yes\"",
            Tone::Even => " class=\"unknown\"",
            Tone::Loses => " class=\"no\"",
        }
    }
}

/// A text for a table in Markdown, where a plain bar, as in |D|, would begin the next column.
pub(super) fn in_markdown(text: &str) -> String {
    text.replace('|', "\\|")
}

/// An entry that is not the best of anything.
pub(super) fn plain(text: impl Into<String>) -> Entry {
    Entry { text: text.into(), best: false, tone: Tone::Plain }
}

impl Table {
    /// The numbers of a figure: a row for each x of each panel, a column for each series.
    pub fn of(figure: &Figure) -> Self {
        let legend = figure.legend();
        let mut x_names: Vec<&str> = figure.panels.iter().map(|panel| panel.x_name).collect();
        x_names.dedup();
        let mut head = vec![figure.y_name.to_owned(), x_names.join(" or ")];
        head.extend(legend.iter().map(|series| series.label.clone()));
        let mut rows = Vec::new();
        for panel in &figure.panels {
            for x in panel.xs() {
                let runs: Vec<Option<Summary>> = legend
                    .iter()
                    .map(|known| {
                        panel.series.iter().find(|series| series.label == known.label)?.at(x)
                    })
                    .collect();
                let competing = legend.iter().zip(&runs).filter(|(series, _)| !series.reference);
                let best = competing
                    .filter_map(|(_, runs)| runs.map(|runs| runs.mean))
                    .min_by(f64::total_cmp)
                    .filter(|_| figure.less_is_better);
                let mut row = vec![plain(panel.title.as_str()), plain(figure.x_label(x))];
                row.extend(legend.iter().zip(runs).map(|(series, runs)| Entry {
                    text: runs.map_or("–".into(), plus_minus),
                    best: !series.reference && best.is_some() && runs.map(|runs| runs.mean) == best,
                    tone: Tone::Plain,
                }));
                rows.push(row);
            }
        }
        let mut table = Self { head, words: 1, rows };
        table.drop_empty_first_column();
        table
    }

    /// Removes the first column, of panel titles, if all of its entries are empty.
    fn drop_empty_first_column(&mut self) {
        if self.rows.iter().all(|row| row.first().is_some_and(|entry| entry.text.is_empty())) {
            self.head.remove(0);
            for row in &mut self.rows {
                row.remove(0);
            }
        }
    }

    /// A table that compares our private method with the others, in every cell of the paper's
    /// comparison.
    pub fn of_gains(rows: &[Row]) -> Self {
        let ours = method_label("dp-refined");
        let paper = method_label("dp-hst");
        let head = [
            "data",
            "demand",
            "k",
            ours,
            &format!("{paper}, output"),
            "gain",
            &format!("{paper}, mean over T"),
            "gain",
            method_label("data-free"),
            "gain",
            method_label("ndp-exact"),
            "ours is ×",
        ]
        .map(str::to_owned)
        .to_vec();
        let all = Rows::all(rows);
        let mut lines = Vec::new();
        for cell in paper_cells(&all) {
            let Some(ours) = cell.get("dp-refined", select::output) else { continue };
            let mut line = vec![
                plain(data_label(cell.data)),
                plain(cell.demand),
                plain(cell.k.to_string()),
                plain(plus_minus(ours)),
            ];
            for (method, measure) in [
                ("dp-hst", select::output as select::Measure),
                ("dp-hst", select::mean_over_iterations),
                ("data-free", select::output),
            ] {
                let other = cell.get(method, measure);
                line.push(plain(other.map_or("–".into(), plus_minus)));
                line.push(plain(
                    other.map_or("–".into(), |other| {
                        percent((1.0 - ours.over(other).mean) * 100.0)
                    }),
                ));
            }
            let free = cell.get("ndp-exact", select::output);
            line.push(plain(free.map_or("–".into(), plus_minus)));
            line.push(plain(free.map_or("–".into(), |free| number(ours.over(free).mean))));
            lines.push(line);
        }
        Self { head, words: 2, rows: lines }
    }

    /// A table of what was run: a line for each experiment, data set and demand.
    pub fn of_runs(rows: &[Row]) -> Self {
        let head = [
            "experiment",
            "data",
            "demand",
            "n",
            "k",
            "|D|",
            "ε",
            "repetitions",
            "runs",
            "seconds",
        ];
        let all = Rows::all(rows);
        let range = |values: Vec<f64>| match values[..] {
            [] => "–".to_owned(),
            [only] => format!("{only}"),
            [first, .., last] => format!("{first} … {last}"),
        };
        let mut lines = Vec::new();
        for experiment in all.distinct(|row| row.experiment.as_str()) {
            let rows = all.experiment(experiment);
            // All instances of the OR-Library are one line.
            let kinds = rows.distinct(|row| (data_kind(&row.data), row.demand.as_str()));
            for (kind, demand) in kinds {
                let rows = rows.that(|row| data_kind(&row.data) == kind && row.demand == demand);
                let seconds: f64 = rows.iter().map(|row| row.seconds).sum();
                let numbers = [
                    range(rows.distinct_numbers(|row| Some(row.n as f64))),
                    range(rows.distinct_numbers(|row| Some(row.k as f64).filter(|k| *k > 0.0))),
                    range(rows.distinct_numbers(|row| {
                        Some(row.records as f64).filter(|size| *size > 0.0)
                    })),
                    range(rows.distinct_numbers(|row| row.epsilon)),
                    rows.distinct(|row| row.seed).len().to_string(),
                    rows.iter().count().to_string(),
                    number(seconds),
                ];
                let mut line = vec![plain(experiment), plain(data_label(kind)), plain(demand)];
                line.extend(numbers.map(plain));
                lines.push(line);
            }
        }
        Self { head: head.map(str::to_owned).to_vec(), words: 3, rows: lines }
    }

    /// The table as Markdown.
    pub fn markdown(&self) -> String {
        let head: Vec<String> = self.head.iter().map(|name| in_markdown(name)).collect();
        let mut out = format!("| {} |\n|", head.join(" | "));
        for place in 0..self.head.len() {
            out.push_str(if place < self.words { "---|" } else { "---:|" });
        }
        for row in &self.rows {
            out.push_str("\n|");
            for Entry { text, best, .. } in row {
                let text = in_markdown(text);
                let _ = if *best { write!(out, " **{text}** |") } else { write!(out, " {text} |") };
            }
        }
        out.push('\n');
        out
    }

    /// The table as HTML.
    pub fn html(&self) -> String {
        let mut out = String::from("<div class=\"wide\"><table>\n<thead><tr>");
        let class = |place: usize| if place < self.words { " class=\"w\"" } else { "" };
        for (place, name) in self.head.iter().enumerate() {
            let _ = write!(out, "<th{}>{}</th>", class(place), escape(name));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for (place, Entry { text, best, tone }) in row.iter().enumerate() {
                let text = escape(text);
                let text = if *best { format!("<b>{text}</b>") } else { text };
                let _ = write!(out, "<td{}{}>{text}</td>", class(place), tone.class());
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div>\n");
        out
    }
}
