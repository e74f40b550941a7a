//! What one question to vectors costs, for each metric and for short and long rows.
//!
//! `cargo bench -p kmedian --bench kernels -- 784` runs those whose name has 784 in it. Divide the
//! time of a question by the items it is about for the time of a pair.

#![allow(missing_docs)] // Of the function that a macro of criterion makes.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use kmedian::space::{Among, Caps, Groups};
use kmedian::{Hit, Metric, Question, Seed, Space, Vectors};
use rand::RngExt;

/// The items of a space.
const ITEMS: usize = 10_000;
/// So few items that even their longest rows stay in the cache of a core.
const FEW: usize = 400;
/// The clusters that the items come from, and the centers that typical caps come from.
const CLUSTERS: usize = 100;
/// Each benchmark asks from this many sources in turn.
const SOURCES: usize = 64;

/// Items scattered round the centers of clusters.
fn clustered(dims: usize, metric: Metric) -> Vectors {
    let mut rng = Seed(1).stream("kernels");
    let centers: Vec<f32> = (0..CLUSTERS * dims).map(|_| rng.random_range(-80.0..80.0)).collect();
    let values: Vec<f32> = (0..ITEMS * dims)
        .map(|at| {
            let center = centers[at / dims % CLUSTERS * dims + at % dims];
            let value: f32 = center + rng.random_range(-10.0..10.0);
            // Categories, of which many agree.
            if metric == Metric::Hamming { (value / 10.0).round() } else { value }
        })
        .collect();
    Vectors::new(dims, &values, metric).expect("the values are finite")
}

/// For each item the nearest of the centers, the distance to it, and to the second-nearest.
fn two_nearest(space: &dyn Space) -> Vec<(usize, f32, f32)> {
    let mut asker = space.asker();
    let of_item = |item: usize| {
        let mut near = (0, f32::INFINITY, f32::INFINITY);
        for center in 0..CLUSTERS {
            let distance = asker.distance(item, center);
            if distance < near.1 {
                near = (center, distance, near.1);
            } else {
                near.2 = near.2.min(distance);
            }
        }
        near
    };
    (0..ITEMS).map(of_item).collect()
}

/// Times a question from one source after the other.
fn time(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, space: &Vectors, question: Question) {
    let items = match question.among {
        Among::All => space.len(),
        Among::Listed(items) => items.len(),
        Among::Grouped(groups) => groups.items().count(),
    };
    group.throughput(Throughput::Elements(items as u64));
    let mut asker = space.asker();
    let mut hits: Vec<Hit> = Vec::new();
    let mut source = 0;
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            source = (source + 1) % SOURCES;
            asker.ask(source, black_box(&question), &mut hits);
            hits.len()
        });
    });
}

fn questions(criterion: &mut Criterion) {
    for metric in Metric::ALL {
        let dims: &[usize] = if metric == Metric::Haversine { &[2] } else { &[2, 16, 784] };
        for &dims in dims {
            let space = clustered(dims, metric);
            let near = two_nearest(&space);
            let caps: Vec<f32> = near.iter().map(|near| near.2).collect();
            let everyone: Vec<u32> = (0..ITEMS as u32).collect();
            let mut mixed = everyone.clone();
            mixed.sort_unstable_by_key(|item| item.wrapping_mul(0x9E37_79B1));
            let slack = 1.0 + space.relative_error();
            let mut groups = Groups::new((0..CLUSTERS as u32).collect());
            for center in 0..CLUSTERS {
                let served = |item: &u32| near[*item as usize].0 == center;
                let members: Vec<u32> = everyone.iter().copied().filter(served).collect();
                groups.set(center, center as u32, &members, |item| {
                    let (_, first, second) = near[item as usize];
                    (first + second) * slack
                });
            }
            let capped = |cap| Question { caps: Caps::Uniform(cap), ..Question::everything() };
            let few = |cap| Question { among: Among::Listed(&mixed[..FEW]), ..capped(cap) };

            let mut group = criterion.benchmark_group(format!("{metric}-{dims}"));
            time(&mut group, "none", &space, capped(0.0));
            time(&mut group, "all", &space, capped(f32::INFINITY));
            time(&mut group, "typical", &space, Question::all(&caps));
            time(&mut group, "mixed", &space, Question::listed(&mixed, &caps));
            time(&mut group, "grouped", &space, Question::grouped(&groups, &caps));
            time(&mut group, "few-none", &space, few(0.0));
            time(&mut group, "few-all", &space, few(f32::INFINITY));
            group.finish();
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400));
    targets = questions
}
criterion_main!(benches);
