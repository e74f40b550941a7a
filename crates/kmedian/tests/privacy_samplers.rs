//! The exact samplers against their exact probabilities, at α = 10⁻⁶.

#![allow(clippy::unwrap_used)] // A test that cannot go on has failed.

mod stats;

use kmedian::Seed;
use kmedian::privacy::{Entropy, Epsilon, Rate, Selection, bernoulli_exp, discrete_laplace};
use stats::assert_fits;

const DRAWS: u64 = 400_000;

fn rate(epsilon: &str, sensitivity: u128) -> Rate {
    Rate::new(epsilon.parse::<Epsilon>().unwrap(), 1, 1, sensitivity).unwrap()
}

#[test]
fn a_rate_is_rounded_down() {
    for (epsilon, sensitivity) in [("0.1", 1), ("1", 3), ("0.7", 11), ("2.5", 1), ("0.000001", 7)] {
        let Rate::Finite(rate) = rate(epsilon, sensitivity) else { panic!("ε is finite") };
        let rate = rate.get();
        let (above, below) = epsilon.parse::<Epsilon>().unwrap().fraction().unwrap();
        let exact = |rate: u64| u128::from(rate) * u128::from(below) * sensitivity;
        assert!(exact(rate) <= u128::from(above) << Rate::BITS);
        assert!(exact(rate + 1) > u128::from(above) << Rate::BITS);
    }
    assert!(Rate::new("0.000000001".parse().unwrap(), 1, 1 << 32, 1 << 20).is_err());
}

#[test]
fn discrete_laplace_has_its_probabilities() {
    for (epsilon, sensitivity) in [("1", 1), ("0.3", 1), ("4", 1), ("1", 50)] {
        let rate = rate(epsilon, sensitivity);
        let ratio = (-rate.approximate()).exp();
        let reach = (12.0 / rate.approximate()).ceil() as i64 + 1;
        let mut counts = vec![0; 2 * reach as usize + 1];
        let mut entropy = Entropy::seeded_not_private(Seed(1));
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..DRAWS {
            let noise = discrete_laplace(rate, &mut entropy).unwrap();
            counts[(noise.clamp(-reach, reach) + reach) as usize] += 1;
            sum += noise as f64;
            squares += (noise * noise) as f64;
        }
        // P(x) = (1 − ratio) / (1 + ratio) · ratio^|x|; both ends hold all that is farther out.
        let probability = |x: i64| match x.abs() == reach {
            false => (1.0 - ratio) / (1.0 + ratio) * ratio.powi(x.abs() as i32),
            true => ratio.powi(reach as i32) / (1.0 + ratio),
        };
        let expected: Vec<f64> = (-reach..=reach).map(probability).collect();
        assert!((expected.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert_fits(&counts, &expected, &format!("discrete Laplace of {epsilon}/{sensitivity}"));
        let (mean, variance) = (sum / DRAWS as f64, squares / DRAWS as f64);
        assert!(mean.abs() < 6.0 * (rate.variance() / DRAWS as f64).sqrt(), "mean {mean}");
        assert!((variance / rate.variance() - 1.0).abs() < 0.03, "variance {variance}");
    }
}

#[test]
fn the_operating_system_draws_the_same_noise() {
    let rate = rate("1", 1);
    let ratio = (-1f64).exp();
    let mut counts = [0; 3];
    let mut entropy = Entropy::system();
    assert!(!entropy.is_seeded());
    for _ in 0..DRAWS {
        let noise = discrete_laplace(rate, &mut entropy).unwrap();
        counts[(noise.signum() + 1) as usize] += 1;
    }
    let zero = (1.0 - ratio) / (1.0 + ratio);
    assert_fits(&counts, &[(1.0 - zero) / 2.0, zero, (1.0 - zero) / 2.0], "signs");
}

#[test]
fn bernoulli_of_an_exponential() {
    let mut entropy = Entropy::seeded_not_private(Seed(2));
    for (epsilon, steps) in [("0.5", 1), ("0.5", 2), ("0.5", 3), ("0.01", 1), ("0.3", 10), ("1", 0)]
    {
        let rate = rate(epsilon, 1);
        let mut counts = [0; 2];
        for _ in 0..DRAWS {
            counts[usize::from(bernoulli_exp(rate, steps, &mut entropy).unwrap())] += 1;
        }
        let yes = (-rate.approximate() * steps as f64).exp();
        if steps == 0 {
            assert_eq!(counts[0], 0);
        } else {
            assert_fits(&counts, &[1.0 - yes, yes], &format!("e^(-{epsilon} · {steps})"));
        }
    }
    // An exponent beyond 64 bits is never reached, and does not overflow.
    assert!(!bernoulli_exp(rate("100", 1), u64::MAX, &mut entropy).unwrap());
}

#[test]
fn selections_have_their_probabilities() {
    let mut entropy = Entropy::seeded_not_private(Seed(3));
    for costs in [vec![0, 1, 2, 3], vec![7, 7, 9, 20], vec![5], vec![100, 0, 1, 0, 3]] {
        for selection in [Selection::PermuteAndFlip, Selection::Exponential] {
            let rate = rate("0.6", 1);
            let mut counts = vec![0; costs.len()];
            for _ in 0..DRAWS {
                counts[selection.choose(&costs, rate, &mut entropy).unwrap()] += 1;
            }
            let exact = stats::selection(selection, &costs, rate.approximate());
            if costs.len() > 1 {
                assert_fits(&counts, &exact, &format!("{} of {costs:?}", selection.name()));
            }
        }
    }
    assert!(Selection::default().choose(&[], rate("1", 1), &mut entropy).is_err());
    // Without a limit, the least cost is chosen.
    assert_eq!(Selection::default().choose(&[3, 1, 2], Rate::Unlimited, &mut entropy), Ok(1));
}

/// About a quarter of a second for a million; the limit leaves room for a busy machine.
#[test]
fn a_million_variates_take_no_time() {
    let mut entropy = Entropy::system();
    let rate = rate("0.05", 1);
    let started = std::time::Instant::now();
    let sum: i64 = (0..1_000_000).map(|_| discrete_laplace(rate, &mut entropy).unwrap()).sum();
    let took = started.elapsed();
    println!("10^6 discrete Laplace variates: {took:.2?} (sum {sum})");
    assert!(took.as_secs() < 5, "{took:?}");
}
