//! Exemplars of points, for several k at once, and how near to the best possible they are proven to
//! be: `cargo run --release --example exemplars`.

use kmedian::{KMedian, Metric, Problem, Proof, Run, Seed, Vectors};
use rand::RngExt;

fn main() -> Result<(), kmedian::Error> {
    // 600 points round 6 places of the plane.
    let mut rng = Seed(1).stream("points");
    let places: Vec<[f32; 2]> = (0..6).map(|_| rng.random()).collect();
    let mut near = |place: f32| place + rng.random_range(-0.1..0.1);
    let values: Vec<f32> = (0..600).flat_map(|point| places[point % 6]).map(&mut near).collect();

    let points = Vectors::new(2, &values, Metric::L2)?;
    let problem = Problem::of(&points).build()?;
    let plan = KMedian { proof: Proof::Gap(0.01), ..KMedian::default() };
    let run = &mut Run::default();
    let fits = plan.prepare(&problem, run)?.fit_each(&[4, 5, 6, 7, 8], run)?;

    println!("k   cost  silhouette  at most above the best possible");
    for found in &fits {
        let (k, cost) = (found.centers.len(), found.cost);
        let silhouette = found.silhouette.unwrap_or(f64::NAN);
        let excess = 100.0 * found.excess().unwrap_or(f64::INFINITY);
        println!("{k}  {cost:5.1}       {silhouette:.3}  {excess:.2} %");
    }
    let exemplar = fits[2].centers[0];
    println!("one of six: point {exemplar}, at {:?}", &values[2 * exemplar..][..2]);
    Ok(())
}
