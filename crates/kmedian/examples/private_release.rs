//! A private release of visits to public stops, and centers that follow from it for any k at no
//! further ε: `cargo run --release --example private_release`.

use std::error::Error;

use kmedian::privacy::{Entropy, Method, PrivateTree, Recipe};
use kmedian::{Metric, Objective, Run, Vectors};

fn main() -> Result<(), Box<dyn Error>> {
    // The stops are public: a grid of 20 × 20.
    let stops: Vec<f32> =
        (0..400).flat_map(|stop| [(stop % 20) as f32, (stop / 20) as f32]).collect();
    let stops = Vectors::new(2, &stops, Metric::L2)?;
    // How often each stop was visited is private: mostly in one corner.
    let visits: Vec<u64> =
        (0..400).map(|stop| if stop % 20 < 5 && stop / 20 < 5 { 60 } else { 1 }).collect();

    // All of ε is spent here. What is released may be published.
    let recipe = Recipe::new("1".parse()?);
    let run = &mut Run::default();
    let release = PrivateTree::release(&stops, &visits, &recipe, &mut Entropy::system(), run)?;

    let estimator = release.estimator(&stops, run)?;
    let plan = release.plan(Method::Refined);
    for found in estimator.centers(&[2, 4, 8], Objective::Median, &plan, run)? {
        let (k, range) = (found.centers.len(), found.cost_interval);
        println!(
            "k = {k}: the cost is between {:.0} and {:.0}, in nine of ten releases",
            range.low, range.high
        );
    }
    Ok(())
}
