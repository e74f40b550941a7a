//! Writes the page: the map, the six pictures that it can show, and the comparison. It has no
//! scripts: radio buttons pick a picture, and the style sheet shows it.

use std::fmt::Write;

use kmedian::{Demand, Graph};

use super::areas::{self, Area};
use super::city::City;
use super::compare::RUNS;
use super::draw::SIZE;
use super::map;
use super::style::{STYLE, picking};
use super::text::{grouped, meters, spelled};
use super::{Options, Row, lesson};

/// What the page is about.
pub struct Subject<'a> {
    /// The options of the demo.
    pub options: &'a Options,
    /// The city.
    pub city: &'a City,
    /// The roads of the city.
    pub graph: &'a Graph,
    /// The people of the city, at its junctions.
    pub demand: &'a Demand,
    /// The comparison.
    pub rows: &'a [Row<'a>],
}

/// A picture of one choice of depots.
struct Picture<'a> {
    /// The number of the picture, which its ids and classes contain.
    number: usize,
    /// The name of the initialization.
    init: &'a str,
    /// When the depots were so: at the start or the end of the search.
    moment: &'static str,
    areas: Vec<Area>,
    /// The mean distance by road of a person from the nearest depot, in meters.
    cost: f64,
}

/// The page as HTML.
pub fn page(subject: &Subject<'_>) -> String {
    let pictures = pictures(subject);
    let Subject { options, city, .. } = subject;
    let title = format!(
        "{} {} for a city that does not exist",
        spelled(options.k),
        if options.k == 1 { "depot" } else { "depots" }
    );
    let mut defs = map::shared(city);
    for picture in &pictures {
        defs += &map::state(&format!("a{}", picture.number), &picture.areas);
    }
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>{STYLE}{}</style>\n</head>\n<body>\n",
        picking(pictures.len())
    );
    for Picture { number, init, moment, .. } in &pictures {
        let checked = if number + 1 == pictures.len() { " checked" } else { "" };
        let _ = writeln!(
            out,
            "<input class=\"pick\" type=\"radio\" name=\"picture\" id=\"p{number}\" \
             aria-label=\"Show {init}, {moment}\"{checked}>"
        );
    }
    let _ = write!(
        out,
        "<header>\n<h1>{title}</h1>\n<p>Every road has the color of the depot that is nearest along the \
         streets and bridges, and the dots are the homes of {} people. The depots, chosen among {} \
         junctions to make the mean way to the nearest one short, are numbered by how many people \
         they serve.</p>\n</header>\n<main>\n\
         <svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs>\n{defs}</defs></svg>\n",
        grouped(city.people.iter().sum()),
        grouped(city.junctions.len() as f64),
    );
    out += &chips(&pictures);
    out += &large(city, &pictures);
    out += &panels(subject, &pictures);
    out += &table(subject);
    let _ = write!(
        out,
        "</main>\n<footer class=\"soft\">Made by <code>kmedian demo</code> with seed {}: the same seed \
         makes the same city and the same depots.</footer>\n</body>\n</html>\n",
        options.seed
    );
    out
}

/// The pictures: the start and the end of the first run of each initialization.
fn pictures<'a>(subject: &Subject<'a>) -> Vec<Picture<'a>> {
    let Subject { city, graph, demand, rows, .. } = *subject;
    let mut pictures = Vec::new();
    for Row { outcome, .. } in rows {
        for run in outcome.runs.iter().take(1) {
            let moments =
                [("start", &run.start, run.end.init_cost), ("end", &run.end.centers, run.end.cost)];
            for (moment, depots, cost) in moments {
                pictures.push(Picture {
                    number: pictures.len(),
                    init: &outcome.name,
                    moment,
                    areas: areas::areas(city, graph, demand, depots),
                    cost: cost / demand.total(),
                });
            }
        }
    }
    pictures
}

fn chips(pictures: &[Picture<'_>]) -> String {
    let mut out = String::from("<div class=\"chips\" aria-hidden=\"true\">");
    for pair in pictures.chunks(2) {
        let _ = write!(out, "<span><b>{}</b>", pair[0].init);
        for Picture { number, moment, .. } in pair {
            let _ = write!(out, "<label for=\"p{number}\">{moment}</label>");
        }
        out.push_str("</span>");
    }
    out.push_str("</div>\n");
    out
}

/// The large map, with all pictures in it and one of them shown.
fn large(city: &City, pictures: &[Picture<'_>]) -> String {
    let [width, height] = SIZE;
    let layer = |class: &str| -> String {
        let one = |&Picture { number, .. }: &Picture<'_>| {
            format!("<use class=\"s s{number}\" href=\"#a{number}\"/>")
        };
        format!("<g class=\"areas {class}\">{}</g>\n", pictures.iter().map(one).collect::<String>())
    };
    let depots = |picture: &Picture<'_>| {
        format!("<g class=\"s s{}\">{}</g>\n", picture.number, map::depots(&picture.areas))
    };
    let caption = |&Picture { number, init, moment, cost, .. }: &Picture<'_>| {
        format!(
            "<span class=\"s s{number}\">Shown: {init}, {moment}. The mean way to the nearest depot is \
             {}.</span>",
            meters(cost)
        )
    };
    format!(
        "<figure>\n<div class=\"frame\"><svg viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"Map of a made-up city on the river {}: roads colored by the nearest of {} numbered \
         depots\">\n<use href=\"#land\"/>\n{}<use href=\"#green\"/>\n<use href=\"#river\"/>\n<use href=\"#main\"/>\n{}\
         <use href=\"#people\"/>\n{}\n{}{}\n</svg></div>\n<figcaption>{}</figcaption>\n</figure>\n",
        city.river_name,
        pictures.first().map_or(0, |picture| picture.areas.len()),
        layer("wash"),
        layer("line"),
        map::names(city),
        pictures.iter().map(depots).collect::<String>(),
        map::scale_bar(),
        pictures.iter().map(caption).collect::<String>(),
    )
}

/// The small maps: start above end, one column for each initialization.
fn panels(subject: &Subject<'_>, pictures: &[Picture<'_>]) -> String {
    let [width, height] = SIZE;
    let mut out = String::from(
        "<h2>Where the search begins, and where it ends</h2>\n<p class=\"soft\">The first of the runs that \
         the table sums up. Press a map to see it large.</p>\n<div class=\"panels\">\n",
    );
    for (pair, Row { outcome, .. }) in pictures.chunks(2).zip(subject.rows) {
        let _ = writeln!(
            out,
            "<section class=\"pair\"><h3>{}</h3><p class=\"soft\">{}</p>",
            outcome.name, outcome.what
        );
        for Picture { number, init, moment, cost, .. } in pair {
            let cost = meters(*cost);
            let _ = writeln!(
                out,
                "<label class=\"frame\" for=\"p{number}\"><svg class=\"small\" viewBox=\"0 0 {width} \
                 {height}\" role=\"img\" aria-label=\"{init}, {moment}: mean way {cost}\">\
                 <use href=\"#land\"/><g class=\"areas wash\"><use href=\"#a{number}\"/></g>\
                 <use href=\"#green\"/><use href=\"#river\"/><g class=\"areas line\"><use href=\"#a{number}\"/></g>\
                 <use href=\"#a{number}-dots\"/></svg>\
                 <span class=\"cost\"><span>{moment}</span><b>{cost}</b></span></label>"
            );
        }
        out.push_str("</section>\n");
    }
    out.push_str("</div>\n");
    out
}

fn table(subject: &Subject<'_>) -> String {
    let mut out = String::from(
        "<h2>The comparison</h2>\n<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">init</th>\
         <th scope=\"col\">start</th><th scope=\"col\">swaps</th><th scope=\"col\">end</th>\
         <th scope=\"col\">passes</th><th scope=\"col\">time</th></tr></thead>\n<tbody>\n",
    );
    for Row { outcome, means } in subject.rows {
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{:.1}</td><td>{}</td><td>{:.1}</td>\
             <td>{:.0} ms</td></tr>",
            outcome.name,
            meters(means.start),
            means.swaps,
            meters(means.end),
            means.passes,
            means.millis
        );
    }
    let _ = write!(
        out,
        "</tbody></table></div>\n<p class=\"soft\">Means over {RUNS} seeds. Start and end: the way by road \
         from a person to the nearest depot. A swap moves one depot; a pass tries all junctions once.</p>\n\
         <p>What to see: {}</p>\n",
        lesson(subject.rows)
    );
    out
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::LazyLock;

    use crate::{Options, Report, run};

    fn report(k: usize) -> Report {
        let options = Options { seed: 3, k, page: "city.html".into() };
        run(&options, &mut |_| ()).unwrap()
    }

    static TWELVE: LazyLock<Report> = LazyLock::new(|| report(12));

    /// All values of an attribute in a page.
    fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
        let start = format!(" {attribute}=\"");
        html.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
    }

    #[test]
    fn the_page_needs_nothing_else() {
        let html = &TWELVE.html;
        for outside in ["http://", "https://", "url(", "@import", "<script", "src="] {
            assert!(!html.contains(outside), "{outside}");
        }
        assert!(!html.contains("NaN") && !html.contains("inf"));
        assert!(html.len() < 1_500_000);
    }

    #[test]
    fn every_reference_has_its_target() {
        let html = &TWELVE.html;
        let ids = values(html, "id");
        let unique: HashSet<&str> = ids.iter().copied().collect();
        assert_eq!(unique.len(), ids.len());
        assert!(
            values(html, "href").iter().all(|href| unique.contains(href.trim_start_matches('#')))
        );
        assert!(values(html, "for").iter().all(|target| unique.contains(target)));
    }

    #[test]
    fn the_text_begins_with_what_it_is_and_ends_with_the_page() {
        let text = &TWELVE.text;
        assert!(text.starts_with("kmedian demo: 12 depots"));
        assert!(text.ends_with("city.html\n"));
        for name in ["random", "plusplus", "hst"] {
            assert_eq!(text.lines().filter(|line| line.starts_with(name)).count(), 1);
        }
    }

    #[test]
    fn one_depot_is_enough_and_none_is_an_error() {
        assert!(report(1).html.contains("One depot for a city"));
        let options = Options { seed: 3, k: 0, page: "city.html".into() };
        assert!(run(&options, &mut |_| ()).is_err());
    }
}
