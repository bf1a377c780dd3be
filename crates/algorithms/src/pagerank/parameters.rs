//! Parameters and results of PageRank.

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Iterations {
    /// After so many.
    Fixed(u32),
    /// When an iteration changed the ranks by less than `tolerance` in total (L1
    /// norm), or after `at_most`.
    Until {
        /// Sum over all vertices of the absolute change of rank.
        tolerance: f64,
        /// Iterations at most.
        at_most: u32,
    },
}

/// In what ranks and contributions are kept between iterations, and up to 8,192
/// contributions are summed; longer sums are formed in double precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32 bits: half the memory and faster; ranks good to some 6 digits.
    Single,
    /// 64 bits.
    Double,
}

/// The parameters of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Probability of following an edge, 0 up to but without 1.
    pub damping: f64,
    /// When to stop.
    pub iterations: Iterations,
    /// In what to compute.
    pub precision: Precision,
}

impl Default for Parameters {
    /// Damping 0.85, until the change is below 10^−6 or 100 iterations are done, double.
    fn default() -> Self {
        Self {
            damping: 0.85,
            iterations: Iterations::Until {
                tolerance: 1e-6,
                at_most: 100,
            },
            precision: Precision::Double,
        }
    }
}

/// The ranks of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct PageRank {
    /// For each vertex its probability.
    pub ranks: Vec<f64>,
    /// Iterations done.
    pub iterations: u32,
    /// Sum of absolute changes in the last iteration.
    pub change: f64,
    /// Sum of the ranks: 1 but for rounding, 0 in an empty graph.
    pub sum: f64,
}
