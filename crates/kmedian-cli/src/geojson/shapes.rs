//! Shapes of GeoJSON: convex hulls and roads, which are cut where they cross the 180th meridian
//! (RFC 7946, section 3.1.9).

use serde_json::{Value, json};

/// A point as GeoJSON has it: longitude and latitude on the globe.
type Point = [f64; 2];

/// A longitude from -180 to 180, to seven digits after the point, which are a centimeter.
pub(super) fn wrapped(longitude: f64) -> f64 {
    if (-180.0..=180.0).contains(&longitude) {
        return longitude;
    }
    let turned = (longitude + 180.0).rem_euclid(360.0) - 180.0;
    (turned * 1e7).round() / 1e7
}

/// The convex hull of points: a polygon, or a line or a point if they are few or in a line. On the
/// globe it is round the points the shorter way, and in two parts if that is across the 180th
/// meridian.
pub(super) fn area(mut points: Vec<Point>, globe: bool) -> Value {
    if globe {
        unwrap(&mut points);
    }
    let hull = hull(points);
    let crosses = globe && hull.iter().any(|point| point[0] > 180.0);
    match hull.as_slice() {
        [] => Value::Null,
        [point] => json!({"type": "Point", "coordinates": [wrapped(point[0]), point[1]]}),
        &[a, b] if crosses => json!({"type": "MultiLineString", "coordinates": cut([a, b])}),
        [_, _] => json!({"type": "LineString", "coordinates": hull}),
        _ if crosses => {
            let west = clipped(&hull, |x| 180.0 - x);
            let east = clipped(&hull, |x| x - 180.0);
            let east = east.into_iter().map(back).collect();
            // A part that only touches the meridian has no area.
            let parts = [west, east].into_iter().filter(|part: &Vec<Point>| part.len() > 2);
            let rings: Vec<[Vec<Point>; 1]> = parts.map(|part| [ring(&part)]).collect();
            json!({"type": "MultiPolygon", "coordinates": rings})
        }
        _ => json!({"type": "Polygon", "coordinates": [ring(&hull)]}),
    }
}

/// A road in one part; in two if it crosses the 180th meridian of the globe.
pub(super) fn segments([a, b]: [Point; 2], globe: bool) -> Vec<[Point; 2]> {
    if !globe || (a[0] - b[0]).abs() <= 180.0 {
        return vec![[a, b]];
    }
    let on = |[x, y]: Point| if x < 0.0 { [x + 360.0, y] } else { [x, y] };
    cut([on(a), on(b)])
}

/// Lets longitudes count on beyond 180, if the points are then in a narrower strip: the widest gap
/// between them is left out.
fn unwrap(points: &mut [Point]) {
    let mut longitudes: Vec<f64> = points.iter().map(|point| point[0]).collect();
    longitudes.sort_by(f64::total_cmp);
    let [first, .., last] = longitudes.as_slice() else { return };
    let (outer, mut widest, mut before) = (first + 360.0 - last, 0.0, *first);
    for pair in longitudes.windows(2) {
        if pair[1] - pair[0] > widest {
            (widest, before) = (pair[1] - pair[0], pair[0]);
        }
    }
    if widest > outer {
        for point in points.iter_mut().filter(|point| point[0] <= before) {
            point[0] += 360.0;
        }
    }
}

/// A point whose longitude counts on beyond 180, on the other side of the meridian.
fn back([x, y]: Point) -> Point {
    [((x - 360.0) * 1e7).round() / 1e7, y]
}

/// Where the way between two points crosses the 180th meridian.
fn crossing([a, b]: [Point; 2]) -> Point {
    let share = (180.0 - a[0]) / (b[0] - a[0]);
    [180.0, a[1] + share * (b[1] - a[1])]
}

/// A line that crosses the 180th meridian as two lines, or one if it ends there.
fn cut([a, b]: [Point; 2]) -> Vec<[Point; 2]> {
    let [a, b] = if a[0] <= b[0] { [a, b] } else { [b, a] };
    if a[0] >= 180.0 {
        return vec![[back(a), back(b)]];
    }
    if b[0] <= 180.0 {
        return vec![[a, b]];
    }
    let middle = crossing([a, b]);
    vec![[a, middle], [back(middle), back(b)]]
}

/// The part of a convex polygon on one side of the 180th meridian: where `inside` is not negative.
fn clipped(polygon: &[Point], inside: impl Fn(f64) -> f64) -> Vec<Point> {
    let mut part = Vec::new();
    for (at, &point) in polygon.iter().enumerate() {
        let next = polygon[(at + 1) % polygon.len()];
        let sides = [inside(point[0]), inside(next[0])];
        if sides[0] >= 0.0 {
            part.push(point);
        }
        if sides[0] * sides[1] < 0.0 {
            part.push(crossing([point, next]));
        }
    }
    part
}

/// A polygon with its first corner once more at the end.
fn ring(polygon: &[Point]) -> Vec<Point> {
    polygon.iter().chain(polygon.first()).copied().collect()
}

/// The corners of the convex hull, counterclockwise (Andrew's monotone chain).
fn hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let turn = |a: Point, b: Point, c: Point| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let half = |points: &mut dyn Iterator<Item = Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..]
                && turn(a, b, point) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut corners = half(&mut points.iter().copied());
    corners.extend(half(&mut points.iter().rev().copied()));
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hulls_have_the_outer_corners() {
        let square = vec![[0.0, 0.0], [2.0, 2.0], [1.0, 1.0], [2.0, 0.0], [0.0, 2.0], [1.0, 0.0]];
        assert_eq!(hull(square.clone()), [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
        for globe in [false, true] {
            let ring = &area(square.clone(), globe)["coordinates"][0];
            assert_eq!(ring.as_array().map(Vec::len), Some(5));
            assert_eq!(ring[0], ring[4], "a ring is closed");
            assert_eq!(area(vec![[1.0, 1.0], [1.0, 1.0]], globe)["type"], "Point");
            assert_eq!(area(vec![[0.0, 0.0], [1.0, 1.0]], globe)["type"], "LineString");
            assert_eq!(area(Vec::new(), globe), Value::Null);
        }
        assert_eq!(hull(vec![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), [[0.0, 0.0], [2.0, 2.0]]);
    }

    #[test]
    fn what_crosses_the_180th_meridian_is_cut() {
        assert_eq!([181.25, -180.0, 540.0, -190.5].map(wrapped), [-178.75, -180.0, -180.0, 169.5]);
        let fiji = vec![[179.0, 0.0], [-179.0, 0.0], [-179.0, 2.0], [179.0, 2.0]];
        let found = area(fiji.clone(), true);
        assert_eq!(found["type"], "MultiPolygon");
        let west = json!([[179.0, 0.0], [180.0, 0.0], [180.0, 2.0], [179.0, 2.0], [179.0, 0.0]]);
        assert_eq!(found["coordinates"][0][0], west);
        for point in found["coordinates"][1][0].as_array().into_iter().flatten() {
            let x = point[0].as_f64().unwrap_or_default();
            assert!((-180.0..=-179.0).contains(&x), "{found}");
        }
        assert_eq!(area(fiji, false)["type"], "Polygon", "plain coordinates have no meridian");
        let line = area(vec![[179.0, 1.0], [-179.0, 3.0]], true);
        let parts = json!([[[179.0, 1.0], [180.0, 2.0]], [[-180.0, 2.0], [-179.0, 3.0]]]);
        assert_eq!((&line["type"], &line["coordinates"]), (&json!("MultiLineString"), &parts));
        let road = [[-179.0, 3.0], [179.0, 1.0]];
        assert_eq!(json!(segments(road, true)), parts);
        assert_eq!(segments(road, false), [road]);
        assert_eq!(segments([[1.0, 0.0], [2.0, 0.0]], true).len(), 1);
        // Round the globe, and only up to the meridian.
        let round = vec![[-170.0, 0.0], [0.0, 1.0], [170.0, 0.0], [-60.0, 3.0], [60.0, -3.0]];
        assert!(area(round, true)["type"].as_str().is_some_and(|kind| kind.ends_with("Polygon")));
        let touching = vec![[178.0, 0.0], [180.0, 1.0], [178.0, 2.0]];
        assert_eq!(area(touching, true)["type"], "Polygon");
    }
}
