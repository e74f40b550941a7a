//! Every space answers the one question as a plain look at all distances does.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod common;

use common::{all_distances, graph, roads, spaces};
use kmedian::space::Groups;
use kmedian::{
    Assignment, Custom, ErrorKind, Graph, Hit, LentVectors, Matrix, Metric, Question, Seed, Space,
    Vectors,
};
use rand::RngExt;

fn answer(space: &dyn Space, source: usize, question: &Question<'_>) -> Vec<Hit> {
    let mut hits = Vec::new();
    space.asker().ask(source, question, &mut hits);
    hits.sort_by_key(|hit| hit.item);
    hits
}

#[test]
fn questions_are_answered_as_by_a_scan() {
    for seed in 0..5 {
        for (name, space) in spaces(60, seed) {
            let table = all_distances(&*space);
            let mut rng = Seed(seed).stream("questions");
            for _ in 0..30 {
                let source = rng.random_range(0..60);
                let anchors = [rng.random_range(0..60), rng.random_range(0..60)];
                // The distance to the nearest of a few items: a 1-Lipschitz cap.
                let caps: Vec<f32> = (0..60)
                    .map(|item| table[anchors[0]][item].min(table[anchors[1]][item]))
                    .collect();
                let some: Vec<u32> = (0..60).filter(|_| rng.random()).collect();
                let expected = |among: &[u32], cap: &dyn Fn(usize) -> f32| -> Vec<Hit> {
                    let hit = |&item: &u32| Hit { item, distance: table[source][item as usize] };
                    among
                        .iter()
                        .map(hit)
                        .filter(|hit| hit.distance < cap(hit.item as usize))
                        .collect()
                };
                let everyone: Vec<u32> = (0..60).collect();
                let all = answer(&*space, source, &Question::all(&caps));
                assert_eq!(all, expected(&everyone, &|item| caps[item]), "{name}");
                let listed = answer(&*space, source, &Question::listed(&some, &caps));
                assert_eq!(listed, expected(&some, &|item| caps[item]), "{name}");
                let mut groups = Groups::new(anchors.map(|item| item as u32).to_vec());
                for (group, anchor) in anchors.into_iter().enumerate() {
                    let nearest = |item: &u32| {
                        let [a, b] = anchors.map(|anchor| table[anchor][*item as usize]);
                        usize::from(b < a) == group
                    };
                    let members: Vec<u32> = some.iter().copied().filter(nearest).collect();
                    groups.set(group, anchor as u32, &members, |item| {
                        (table[anchor][item as usize] + caps[item as usize]) * (1.0 + 1e-4)
                    });
                }
                let grouped = answer(&*space, source, &Question::grouped(&groups, &caps));
                assert_eq!(grouped, listed, "{name}");
                let radius = caps[7];
                let ball = answer(&*space, source, &Question::ball(&some, radius));
                assert_eq!(ball, expected(&some, &|_| radius.next_up()), "{name}");
            }
        }
    }
}

#[test]
fn threads_do_not_change_the_order_of_hits() {
    let space = common::vectors(40_000, 2, Metric::L2, 1);
    let mixed: Vec<u32> = (0..40_000).map(|item| item * 7 % 40_000).collect();
    for question in [Question::everything(), Question::ball(&mixed, 20.0)] {
        let with_threads = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut hits = Vec::new();
            pool.install(|| space.asker().ask(0, &question, &mut hits));
            hits
        };
        assert!(!with_threads(1).is_empty());
        assert_eq!(with_threads(1), with_threads(3));
    }
}

#[test]
fn distances_are_those_of_the_textbook() {
    let values = [1.0, 2.0, 4.0, 6.0];
    let distance = |metric| Vectors::new(2, &values, metric).unwrap().asker().distance(0, 1);
    assert_eq!(distance(Metric::L1), 7.0);
    assert_eq!(distance(Metric::L2), 5.0);
    assert_eq!(distance(Metric::Linf), 4.0);
    assert_eq!(distance(Metric::Hamming), 2.0);
    let right_angle = Vectors::new(2, &[3.0, 0.0, 0.0, 0.1], Metric::Angular).unwrap();
    assert_eq!(right_angle.asker().distance(0, 1), 0.5);
    let square = |vectors: &[f32]| {
        let distance = Vectors::new(2, vectors, Metric::RootCosine).unwrap().asker().distance(0, 1);
        distance * distance
    };
    assert!((square(&[3.0, 0.0, 0.0, 0.1]) - 1.0).abs() < 1e-6);
    assert!((square(&[3.0, 0.0, -1.0, 0.0]) - 2.0).abs() < 1e-6);
    let opposite = Vectors::new(2, &[3.0, 0.0, -1.0, 0.0], Metric::Angular).unwrap();
    assert_eq!(opposite.asker().distance(0, 1), 1.0);
    // Paris to New York: 5,837 km on a sphere of the Earth's mean radius.
    let cities = Vectors::new(2, &[48.8566, 2.3522, 40.7128, -74.006], Metric::Haversine).unwrap();
    assert!((cities.asker().distance(0, 1) - 5837.2).abs() < 1.0);
}

#[test]
fn extents_bound_all_distances() {
    for n in [2, 60, 1500] {
        for (name, space) in spaces(n, 3) {
            if n > 1000 && name == "matrix" {
                continue;
            }
            let distances = all_distances(&*space).concat();
            let largest = distances.iter().copied().fold(0.0, f32::max);
            let bound = space.diameter_bound();
            assert!(
                largest <= bound && bound <= 2.1 * largest,
                "{name}, {n}: {largest} and {bound}"
            );
            let smallest = distances.iter().copied().filter(|&d| d > 0.0).reduce(f32::min);
            assert_eq!(space.smallest_distance(), smallest, "{name}, {n}");
        }
    }
}

#[test]
fn equal_items_have_no_smallest_distance() {
    let same = Vectors::new(3, &[1.0; 30], Metric::L2).unwrap();
    assert_eq!(same.smallest_distance(), None);
    assert_eq!(same.diameter_bound(), 0.0);
}

#[test]
fn a_function_is_a_space() {
    let line = Custom::new(5, |a, b| a.abs_diff(b) as f32).unwrap();
    assert_eq!(
        answer(&line, 2, &Question::ball(&[0, 1, 4], 1.0)),
        [Hit { item: 1, distance: 1.0 }]
    );
    let kind =
        |len, metric: fn(usize, usize) -> f32| Custom::new(len, metric).err().unwrap().kind();
    assert_eq!(kind(5, |a, b| a as f32 - b as f32), ErrorKind::NotAMetric);
    assert_eq!(kind(5, |_, _| 1.0), ErrorKind::NotAMetric);
    assert_eq!(kind(5, |_, _| f32::NAN), ErrorKind::NotAMetric);
    assert_eq!(kind(0, |_, _| 0.0), ErrorKind::Empty);
}

#[test]
fn bad_vectors_are_refused() {
    let kind =
        |dims, values: &[f32], metric| Vectors::new(dims, values, metric).err().unwrap().kind();
    assert_eq!(kind(2, &[], Metric::L2), ErrorKind::Empty);
    assert_eq!(kind(2, &[1.0, 2.0, 3.0], Metric::L2), ErrorKind::Shape);
    assert_eq!(kind(1, &[1.0, f32::NAN], Metric::L2), ErrorKind::Value);
    assert_eq!(kind(3, &[1.0, 2.0, 3.0], Metric::Haversine), ErrorKind::Shape);
    assert_eq!(kind(2, &[91.0, 2.0], Metric::Haversine), ErrorKind::Value);
    assert_eq!(kind(2, &[0.0, 0.0], Metric::Angular), ErrorKind::Value);
    assert_eq!(kind(1, &[-1e20, 1e20], Metric::L2), ErrorKind::Value);
    assert_eq!(kind(1, &[-3e38, 3e38], Metric::L1), ErrorKind::Value);
}

#[test]
fn bad_graphs_are_refused() {
    let error = |nodes, edges: &[(u32, u32, f32)]| Graph::new(nodes, edges).err().unwrap();
    assert_eq!(error(0, &[]).kind(), ErrorKind::Empty);
    assert_eq!(error(2, &[(0, 2, 1.0)]).kind(), ErrorKind::Value);
    assert_eq!(error(2, &[(0, 1, -1.0)]).kind(), ErrorKind::Value);
    assert_eq!(error(2, &[(0, 1, 0.0)]).kind(), ErrorKind::Value);
    assert_eq!(error(3, &[(0, 1, 3e38), (1, 2, 3e38)]).kind(), ErrorKind::Value);
    let apart = error(6, &[(0, 1, 1.0), (1, 2, 1.0), (3, 4, 1.0)]);
    assert_eq!(apart.kind(), ErrorKind::Disconnected);
    assert!(apart.to_string().contains("3 components (of 3, 2, 1 nodes)"), "{apart}");
}

#[test]
fn the_largest_component_keeps_its_distances() {
    let edges = [(0, 3, 1.0), (1, 2, 1.0), (2, 4, 0.5), (4, 1, 9.0)];
    let component = Graph::largest_component(5, &edges).unwrap();
    assert_eq!(component.nodes, [1, 2, 4]);
    assert_eq!(component.sizes, [3, 2]);
    assert_eq!(component.graph.asker().distance(0, 2), 1.5);
}

#[test]
fn bad_matrices_are_refused_and_broken_triangles_found() {
    let kind = |n, values: &[f32]| Matrix::new(n, values.to_vec()).err().unwrap().kind();
    assert_eq!(kind(0, &[]), ErrorKind::Empty);
    assert_eq!(kind(2, &[0.0, 1.0, 1.0]), ErrorKind::Shape);
    assert_eq!(kind(2, &[0.0, 1.0, 2.0, 0.0]), ErrorKind::NotAMetric);
    assert_eq!(kind(2, &[1.0, 1.0, 1.0, 0.0]), ErrorKind::NotAMetric);
    assert_eq!(kind(2, &[0.0, -1.0, -1.0, 0.0]), ErrorKind::Value);
    assert_eq!(kind(2, &[0.0, f32::NAN, f32::NAN, 0.0]), ErrorKind::Value);
    let broken = Matrix::new(3, vec![0.0, 1.0, 5.0, 1.0, 0.0, 2.0, 5.0, 2.0, 0.0]).unwrap();
    let violation = broken.triangle_violation().unwrap();
    assert_eq!((violation.items, violation.direct, violation.detour), ([0, 1, 2], 5.0, 3.0));
    assert_eq!(common::matrix(50, 1).triangle_violation(), None);
    assert_eq!(common::matrix(300, 1).triangle_violation(), None);
}

#[test]
fn node_numbers_that_are_no_numbers_from_zero_are_refused() {
    let error = Graph::new(4_000_000_001, &[(0, 4_000_000_000, 1.0)]).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Value);
}

/// Labels that are repaired swap by swap are those that are found from scratch.
#[test]
fn territories_are_kept_up_to_date_over_swaps() {
    for seed in 0..20 {
        let n = 60;
        let graphs: [Graph; 2] = [graph(n, 60, seed), roads(n, seed)];
        for space in graphs {
            let table = all_distances(&space);
            for k in [1, 2, 3, 9] {
                let mut rng = Seed(seed).stream("swaps");
                let mut centers: Vec<usize> = (0..k).map(|slot| slot * n / k).collect();
                let mut kept = space.territories(&centers);
                for _ in 0..40 {
                    let before: Vec<_> = (0..n).map(|item| kept.pair(item)).collect();
                    for (item, pair) in before.iter().enumerate() {
                        let to = |&center: &usize| table[center][item];
                        let mut distances: Vec<f32> = centers.iter().map(to).collect();
                        for (slot, distance) in pair.slots.iter().zip(pair.distances).take(k) {
                            assert_eq!(distances[*slot as usize], distance);
                        }
                        distances.sort_by(f32::total_cmp);
                        distances.push(f32::INFINITY);
                        assert_eq!(pair.distances, distances[..2]);
                        assert_ne!(pair.slots[0], pair.slots[1]);
                    }
                    let (slot, newcomer) = (rng.random_range(0..k), rng.random_range(0..n));
                    if centers.contains(&newcomer) {
                        continue;
                    }
                    centers[slot] = newcomer;
                    let touched = kept.replace(slot, newcomer);
                    for item in (0..n).filter(|&item| !touched.contains(&(item as u32))) {
                        assert_eq!(kept.pair(item), before[item]);
                    }
                }
            }
        }
    }
}

/// A node on a chain is as far from everything outside as by way of its ends.
#[test]
fn chains_are_left_by_their_ends() {
    for seed in 0..20 {
        let n = 60;
        let space = roads(n, seed);
        let table = all_distances(&space);
        let chains: Vec<_> = (0..n).map(|item| space.chain(item)).collect();
        assert!(chains.iter().flatten().count() > n / 4);
        for (item, chain) in chains.iter().enumerate() {
            let Some(chain) = chain else { continue };
            let ways = [chain.along as f32, (chain.length - chain.along) as f32];
            for other in 0..n {
                let outside = chains[other].is_none_or(|of| of.number != chain.number);
                if outside {
                    let by = |end: usize| table[chain.ends[end] as usize][other] + ways[end];
                    let distance = table[item][other];
                    assert!((by(0).min(by(1)) - distance).abs() < 1e-5 * distance, "{seed}");
                }
            }
        }
    }
}

/// Shares are the nearest centers, and a search through a region stays there.
#[test]
fn a_graph_is_shared_among_centers() {
    for seed in 0..10 {
        let space = roads(50, seed);
        let table = all_distances(&space);
        let everyone: Vec<u32> = (0..50).collect();
        let centers = [3, 17, 40];
        let mut asker = space.asker();
        let shares = asker.share(&everyone, &centers);
        for (item, share) in shares.iter().enumerate() {
            let nearest = centers.map(|center| table[center as usize][item]);
            assert_eq!(share.distance, nearest.iter().copied().fold(f32::INFINITY, f32::min));
            assert_eq!(share.distance, nearest[share.item as usize]);
        }
        for (part, &center) in centers.iter().enumerate() {
            let region: Vec<u32> =
                (0..50).filter(|&item| shares[item as usize].item == part as u32).collect();
            let mut hits = Vec::new();
            asker.ask_inside(center as usize, &region, &region, &mut hits);
            assert_eq!(hits.len(), region.len());
            for hit in hits {
                assert_eq!(hit.distance, table[center as usize][hit.item as usize]);
            }
        }
    }
}

/// Items that came later are as far from the centers as if they had been there before, to the last
/// bit.
#[test]
fn new_items_and_old_centers() {
    for metric in Metric::ALL {
        for dims in [2, 4, 5, 16, 40] {
            let dims = if metric == Metric::Haversine { 2 } else { dims };
            let mut rng = Seed(dims as u64).stream("values");
            let values: Vec<f32> =
                (0..1100 * dims).map(|_| rng.random_range(-40.0..40.0f32).round() + 0.5).collect();
            let (all, centers) = (Vectors::new(dims, &values, metric).unwrap(), [3, 700, 1099]);
            let chosen: Vec<f32> =
                centers.iter().flat_map(|&c| values[c * dims..][..dims].to_vec()).collect();
            let chosen = Vectors::new(dims, &chosen, metric).unwrap();
            let lent = LentVectors::borrowing(dims, &values, metric).unwrap();
            let (near, far) =
                (lent.nearest_of(&chosen).unwrap(), lent.distances_to(&chosen).unwrap());
            assert_eq!(near, Assignment::new(&all, &centers), "{metric}, {dims}");
            for item in 0..1100 {
                let told = &far[item * 3..][..3];
                let asked = centers.map(|center| all.asker().distance(item, center));
                assert_eq!(told, asked, "{metric}, {dims}, item {item}");
            }
        }
    }
    let [plane, line] = [2, 1].map(|dims| Vectors::new(dims, &[1.0, 2.0], Metric::L2).unwrap());
    assert_eq!(plane.nearest_of(&line).unwrap_err().kind(), ErrorKind::Shape);
}

/// A lent matrix is used where it is, and is checked like any other.
#[test]
fn a_matrix_can_be_lent() {
    let n = 150;
    let mut values: Vec<f32> =
        (0..n * n).map(|at: usize| (at / n).abs_diff(at % n) as f32).collect();
    assert_eq!(Matrix::new(n, &values[..]).unwrap().asker().distance(3, 140), 137.0);
    for (at, wrong) in [(0, 1.0), (n + 3, 9.0), (3 * n + 140, f32::NAN), (140 * n + 3, -1.0)] {
        let right = std::mem::replace(&mut values[at], wrong);
        assert!(Matrix::new(n, &values[..]).is_err(), "{at}");
        values[at] = right;
    }
}

/// Directions have 32 bits, so a small angle is off by no more than `Metric::Angular` says.
#[test]
fn angles_of_nearly_parallel_vectors_are_off_by_little() {
    let mut rng = Seed(3).stream("angles");
    for dims in [2, 3, 50] {
        for apart in [0.1, 1e-3, 1e-5, 1e-6] {
            let base: Vec<f32> = (0..dims).map(|_| rng.random_range(-1.0..1.0f32)).collect();
            let near: Vec<f32> =
                base.iter().map(|x| x + apart * rng.random_range(-1.0..1.0f32)).collect();
            let unit = |row: &[f32]| -> Vec<f64> {
                let length = row.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
                row.iter().map(|&x| f64::from(x) / length).collect()
            };
            let (u, v) = (unit(&base), unit(&near));
            let chord = u.iter().zip(&v).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
            let exact = 2.0 * (chord / 2.0).asin() / std::f64::consts::PI;
            let both = Vectors::new(dims, &[base, near].concat(), Metric::Angular).unwrap();
            let off = (f64::from(both.asker().distance(0, 1)) - exact).abs();
            assert!(off <= 4e-8 + 1e-6 * exact, "{dims}, {apart}: {exact} is off by {off}");
        }
    }
}
