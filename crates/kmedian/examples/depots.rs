//! Depots on a road network: three more beside the one that is there, on junctions that are for
//! sale, near to people: `cargo run --release --example depots`.

use kmedian::{Demand, Graph, KMedian, Problem, Seed, Space};
use rand::RngExt;

/// Junctions on each side of the town.
const SIDE: u32 = 20;

fn main() -> Result<(), kmedian::Error> {
    let mut rng = Seed(1).stream("town");
    let mut roads = Vec::new();
    for junction in 0..SIDE * SIDE {
        let mut road = |to: u32| roads.push((junction, to, rng.random_range(0.5..2.0f32)));
        if junction % SIDE + 1 < SIDE {
            road(junction + 1);
        }
        if junction + SIDE < SIDE * SIDE {
            road(junction + SIDE);
        }
    }
    let town = Graph::new((SIDE * SIDE) as usize, &roads)?;
    let people = (0..town.len()).map(|_| f64::from(rng.random_range(0..200u8))).collect();
    let people = Demand::new(people)?;
    let there = 0;
    let for_sale = (0..town.len()).step_by(7);

    let problem = Problem::of(&town).demand(&people).candidates(for_sale).fixed([there]).build()?;
    let found = KMedian::default().fit(&problem, 4)?;

    println!("depots at junctions {:?}, {} km in all", found.centers, found.cost.round());
    let service = found.assignment.service(found.centers.len(), &people);
    println!("mean way {:.2} km, longest {:.2} km", service.overall.mean, service.overall.largest);
    Ok(())
}
