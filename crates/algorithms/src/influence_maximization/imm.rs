//! How many sketches are enough (IMM), and the seeds that cover most of them.
//!
//! With probability 1 − 1/n the seeds' spread is at least 1 − 1/e − ε of the
//! largest. A first phase guesses the largest spread, from n/2 downwards by halves,
//! and draws as many sketches as would confirm the guess; the second draws as many
//! as the confirmed bound asks for, keeping those of the first. That they are kept
//! makes the sketches depend on their number; so the bound of failure is that of
//! Chen, who adds to ℓ what a union over all possible numbers takes.

use std::f64::consts::LN_2;

use evergraph_graph::{Graph, VertexId};

use super::chances::Chances;
use super::sketches::Sketches;
use crate::{Control, RunError};

/// The result holds with probability 1 − n^−ELL.
const ELL: f64 = 1.0;
/// 1 − 1/e.
const SHARE: f64 = 1.0 - 1.0 / std::f64::consts::E;

/// The `k` seeds, each with its estimated spread beside those before, and how many
/// sketches were drawn.
pub(super) fn choose<G: Graph>(
    chances: &Chances<'_, G>,
    k: usize,
    epsilon: f64,
    seed: u64,
    limit: u64,
    control: &Control,
) -> Result<(Vec<(VertexId, f64)>, u64), RunError> {
    let n = chances.graph.vertex_count();
    if n == 1 {
        // No number of sketches fails with probability 1 / n.
        return Ok((vec![(0, 1.0)], 0));
    }
    let bounds = Bounds::new(n, k, epsilon);
    let mut sketches = Sketches::new(chances, seed, limit, control)?;
    // `k` seeds reach at least themselves.
    let mut largest = k as f64;
    let mut guess = bounds.n / 2.0;
    while guess > largest {
        sketches.draw_up_to(bounds.to_confirm(guess), control)?;
        report(&sketches, control);
        let spread = bounds.n * sketches.cover(k, control)?.share();
        if spread >= (1.0 + bounds.guess_epsilon) * guess {
            largest = largest.max(spread / (1.0 + bounds.guess_epsilon));
            break;
        }
        guess /= 2.0;
    }
    sketches.draw_up_to(bounds.enough(bounds.ell) / largest, control)?;
    report(&sketches, control);
    let coverage = sketches.cover(k, control)?;
    let of_a_set = bounds.n / coverage.sets as f64;
    let seeds = coverage.seeds.iter();
    let seeds = seeds.map(|&(v, sets)| (v, f64::from(sets) * of_a_set));
    Ok((seeds.collect(), coverage.sets as u64))
}

fn report<G: Graph>(sketches: &Sketches<'_, '_, G>, control: &Control) {
    control.report("sketches", sketches.len() as u64, None);
}

/// The numbers of sketches of Tang, Shi and Xiao's theorems 1 and 2.
struct Bounds {
    n: f64,
    /// ln of the number of possible results.
    ln_results: f64,
    epsilon: f64,
    /// ε of the first phase.
    guess_epsilon: f64,
    ell: f64,
}

impl Bounds {
    fn new(n: usize, k: usize, epsilon: f64) -> Self {
        let ln_results = (0..k).map(|i| ((n - i) as f64 / (i + 1) as f64).ln()).sum();
        let mut bounds = Self {
            n: n as f64,
            ln_results,
            epsilon,
            guess_epsilon: std::f64::consts::SQRT_2 * epsilon,
            ell: ELL,
        };
        let ln_n = bounds.n.ln();
        // Chen: the smallest γ such that the sketches, each number of them failing
        // with probability n^−(ℓ + γ), fail together with n^−ℓ.
        let mut gamma = 0.0;
        // Each phase may fail with half of that, for which it draws more.
        let half = LN_2 / ln_n;
        while bounds.enough(ELL + gamma + half).ceil().ln() > gamma * ln_n {
            gamma = bounds.enough(ELL + gamma + half).ceil().ln() / ln_n + 1e-6;
        }
        bounds.ell = ELL + gamma + half;
        bounds
    }

    /// λ*: so many sketches, divided by the largest spread, are enough.
    fn enough(&self, ell: f64) -> f64 {
        let failure = ell * self.n.ln() + LN_2;
        let alpha = failure.sqrt();
        let beta = (SHARE * (self.ln_results + failure)).sqrt();
        2.0 * self.n * (SHARE * alpha + beta).powi(2) / self.epsilon.powi(2)
    }

    /// θ: so many sketches confirm that the largest spread is above `guess`.
    fn to_confirm(&self, guess: f64) -> f64 {
        let failure = self.ell * self.n.ln() + self.n.log2().max(1.0).ln();
        let epsilon = self.guess_epsilon;
        let lambda =
            (2.0 + 2.0 / 3.0 * epsilon) * (self.ln_results + failure) * self.n / epsilon.powi(2);
        lambda / guess
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_the_theorems() {
        let bounds = Bounds::new(1000, 10, 0.5);
        assert!(
            (bounds.ln_results - 53.928).abs() < 1e-3,
            "{}",
            bounds.ln_results
        );
        assert!(
            (bounds.enough(1.0) / 509_343.6 - 1.0).abs() < 1e-3,
            "{}",
            bounds.enough(1.0)
        );
    }

    #[test]
    fn failures_of_all_numbers_together_are_bounded() {
        for (n, k, epsilon) in [
            (2, 1, 0.5),
            (3, 1, 0.9),
            (100, 7, 0.1),
            (1_000_000, 50, 0.01),
        ] {
            let bounds = Bounds::new(n, k, epsilon);
            let gamma = bounds.ell - ELL - LN_2 / bounds.n.ln();
            let numbers = bounds.enough(bounds.ell).ceil();
            let failure = numbers.ln() - (ELL + gamma) * bounds.n.ln();
            assert!(failure <= -ELL * bounds.n.ln() + 1e-9, "{n}: {failure}");
            assert!(bounds.ell < 60.0, "{n}: {}", bounds.ell);
        }
    }
}
