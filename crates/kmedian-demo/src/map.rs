//! Draws the map as SVG: what all pictures share, and what one choice of depots adds.

use std::fmt::Write;

use super::areas::Area;
use super::city::City;
use super::draw::{Pen, SIZE, UNIT, line, to_units};
use super::geometry::{Point, distance};
use super::plan::{District, EXTENT, Use};
use super::text::{grouped, meters};

/// For each of the four sizes of dots, the number of people above which a junction has it.
const DOT_STEPS: [f64; 4] = [0.0, 50.0, 110.0, 180.0];

/// The definitions that every picture refers to: land, water, main roads, people, names.
pub fn shared(city: &City) -> String {
    let mut out = String::new();
    let [width, height] = SIZE;
    let greens: String = city.greens.iter().map(|green| line(green) + "z").collect();
    let _ = write!(
        out,
        "<rect id=\"land\" class=\"land\" width=\"{width}\" height=\"{height}\"/>\n\
         <path id=\"green\" class=\"green\" d=\"{greens}\"/>\n\
         <path id=\"river\" class=\"river\" stroke-width=\"{:.0}\" d=\"{}\"/>\n\
         <path id=\"main\" class=\"main\" d=\"{}\"/>\n<g id=\"people\" class=\"people\">",
        city.river_width / UNIT,
        line(&city.river),
        main_roads(city),
    );
    for (class, &above) in DOT_STEPS.iter().enumerate() {
        let below = DOT_STEPS.get(class + 1).copied().unwrap_or(f64::INFINITY);
        let mut pen = Pen::default();
        for (p, &people) in city.junctions.iter().zip(&city.people) {
            if people > above && people <= below {
                pen.dot(to_units(p.map(f64::from)));
            }
        }
        let _ = write!(out, "<path class=\"d{class}\" d=\"{}\"/>", pen.finish());
    }
    out.push_str("</g>\n");
    out
}

fn main_roads(city: &City) -> String {
    let mut pen = Pen::default();
    for (&(a, b, _), _) in city.roads.iter().zip(&city.main).filter(|(_, main)| **main) {
        pen.move_to(to_units(city.junctions[a as usize].map(f64::from)));
        pen.line_to(to_units(city.junctions[b as usize].map(f64::from)));
    }
    pen.finish()
}

/// The names of the districts and of the river.
pub fn names(city: &City) -> String {
    let mut out = String::from("<g class=\"names\">");
    for district in &city.districts {
        let [x, y] = to_units(label(city, district));
        let _ = write!(out, "<text x=\"{x}\" y=\"{y}\">{}</text>", district.name);
    }
    let _ = write!(
        out,
        "<text class=\"water\" dy=\"11\"><textPath href=\"#river\" startOffset=\"{:.0}%\">River {}\
         </textPath></text></g>",
        100.0 * quiet_reach(city),
        city.river_name
    );
    out
}

/// Where the name of a district is written, in meters: above or below a suburb, away from the city
/// but on the map.
fn label(city: &City, district: &District) -> Point {
    let [x, y] = district.shape.center;
    let junctions = city.junctions.iter().map(|p| p.map(f64::from));
    let rows = junctions.filter(|&p| district.shape.contains(p)).map(|p| p[1]);
    match district.land {
        Use::Garden if y < EXTENT[1] / 2.0 => [x, (rows.fold(y, f64::min) - 120.0).max(170.0)],
        Use::Garden => [x, (rows.fold(y, f64::max) + 210.0).min(EXTENT[1] - 80.0)],
        _ => [x, y],
    }
}

/// The share of the way along the river of its point that is farthest from all junctions, well
/// inside the map: the name of the river goes there.
fn quiet_reach(city: &City) -> f64 {
    let inside = |p: &Point| (500.0..EXTENT[0] - 500.0).contains(&p[0]);
    let quiet = |p: Point| {
        let ways = city.junctions.iter().map(|q| distance(p, q.map(f64::from)));
        ways.fold(f64::INFINITY, f64::min)
    };
    let reaches = city.river.iter().enumerate().filter(|(_, p)| inside(p));
    let best = reaches.max_by(|a, b| quiet(*a.1).total_cmp(&quiet(*b.1)));
    best.map_or(0.5, |(i, _)| i as f64 / city.river.len() as f64)
}

/// The definitions of one choice of depots: its colored roads, and its depots as plain dots.
pub fn state(id: &str, areas: &[Area]) -> String {
    let mut out = format!("<g id=\"{id}\">");
    for area in areas {
        let _ = write!(out, "<path class=\"c{}\" d=\"{}\"/>", area.color, area.roads);
    }
    let mut pen = Pen::default();
    areas.iter().for_each(|area| pen.dot(area.depot));
    let dots = pen.finish();
    let _ = write!(
        out,
        "</g>\n<g id=\"{id}-dots\"><path class=\"rim\" d=\"{dots}\"/><path class=\"core\" d=\"{dots}\"/></g>\n"
    );
    out
}

/// The depots with their numbers.
pub fn depots(areas: &[Area]) -> String {
    let mut out = String::from("<g class=\"depots\">");
    for (i, Area { depot: [x, y], color, people, way, .. }) in areas.iter().enumerate() {
        let number = i + 1;
        let _ = write!(
            out,
            "<g transform=\"translate({x} {y})\"><g class=\"depot\"><title>Depot {number}: {} people, \
             {} on average</title><circle class=\"c{color}\" r=\"50\"/><text dy=\"20\">{number}</text>\
             </g></g>",
            grouped(*people),
            meters(*way)
        );
    }
    out.push_str("</g>");
    out
}

/// A scale bar of one kilometer in the lower left corner.
pub fn scale_bar() -> String {
    let [x, y] = [90, SIZE[1] - 90];
    let km = (1000.0 / UNIT) as i32;
    format!(
        "<g class=\"scale\" role=\"img\" aria-label=\"Scale bar: one kilometer\">\
         <path d=\"M{x} {y}v-24v24h{km}v-24\"/><path d=\"M{} {y}v-14\"/>\
         <text x=\"{}\" y=\"{}\">1 km</text></g>",
        x + km / 2,
        x + km + 30,
        y + 4
    )
}
