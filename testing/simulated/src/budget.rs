//! How much is explored, and what was.

/// `deep` asks for whole campaigns.
pub const DEPTH_VARIABLE: &str = "EVERGRAPH_CAMPAIGN";

/// How much of a campaign is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Seconds: for every change.
    Short,
    /// Hours.
    Deep,
}

impl Depth {
    /// As the environment says.
    pub fn asked() -> Self {
        match std::env::var(DEPTH_VARIABLE).is_ok_and(|depth| depth == "deep") {
            true => Depth::Deep,
            false => Depth::Short,
        }
    }
}

/// How much is explored, in executions of `recover`, so that a run is
/// deterministic. Arrays are by order: a crash of the workload, of its
/// recovery, of the recovery's recovery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Executions of one crash point up to which its choices are enumerated.
    pub exhaustive: [u64; 3],
    /// Executions that sample a point whose choices are more than that.
    pub sampled: [u64; 3],
    /// Executions of a point that are cut off in turn (from order 1 to 2, 2 to 3).
    pub sources: [usize; 2],
    /// Executions in all.
    pub executions: u64,
}

impl Default for Budget {
    /// For every change: seconds.
    fn default() -> Self {
        Self {
            exhaustive: [4_000, 500, 16],
            sampled: [2_000, 100, 8],
            sources: [32, 1],
            executions: 1_000_000,
        }
    }
}

impl Budget {
    /// First order only, and little of it.
    pub fn quick() -> Self {
        Self {
            exhaustive: [500, 0, 0],
            sampled: [300, 0, 0],
            sources: [0, 0],
            executions: 100_000,
        }
    }

    /// To look for what kills a mutant.
    pub fn hunt() -> Self {
        Self {
            exhaustive: [300, 16, 4],
            sampled: [120, 8, 2],
            sources: [4, 1],
            executions: 60_000,
        }
    }

    /// With another bound on all of them.
    pub fn with_executions(mut self, executions: u64) -> Self {
        self.executions = executions;
        self
    }

    /// The workload alone.
    pub fn nothing() -> Self {
        Self {
            exhaustive: [0; 3],
            sampled: [0; 3],
            sources: [0; 2],
            executions: 0,
        }
    }

    /// For the night.
    pub fn thorough() -> Self {
        Self {
            exhaustive: [100_000, 4_000, 200],
            sampled: [50_000, 1_000, 50],
            sources: [256, 8],
            executions: u64::MAX,
        }
    }
}

/// The choices of the executions of one point.
#[derive(Default)]
pub(super) struct Tried {
    options: Vec<u32>,
    ends: Vec<usize>,
    /// Most choices in one execution.
    pub widest: usize,
    /// Numbers of the executions that failed.
    pub failed: Vec<usize>,
}

impl Tried {
    pub fn add(&mut self, options: impl Iterator<Item = u32>) {
        let start = self.options.len();
        self.options.extend(options);
        self.widest = self.widest.max(self.options.len() - start);
        self.ends.push(self.options.len());
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, number: usize) -> &[u32] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.options[start..self.ends[number]]
    }
}
