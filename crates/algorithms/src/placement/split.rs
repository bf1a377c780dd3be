//! How to divide fast memory between a cache of the graph and the state of an
//! algorithm.
//!
//! NVGraph, section III-D, with its slips corrected (`docs/placement.md`): a share α
//! caches the graph's lists, which replace one another; 1 − α holds the state of hot
//! vertices, which stays. Each access costs the latency of where it goes.
//!
//! * graph: the mean over the snapshots that are read, reads · (hit · Lᵣ + (1 − hit) ·
//!   (Mᵣ + L_w)), as what is missed is read from the medium and put into the cache;
//! * state: reads · (hit · Lᵣ + (1 − hit) · Mᵣ) + writes · (hit · L_w + (1 − hit) · M_w).

use super::curve::HitCurve;

/// Nanoseconds of an access.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latencies {
    /// Lᵣ: reading fast memory.
    pub fast_read: f64,
    /// L_w: writing it.
    pub fast_write: f64,
    /// Mᵣ: reading the medium.
    pub medium_read: f64,
    /// M_w: writing it.
    pub medium_write: f64,
}

/// Reads and writes of a run, and how well fast memory of a size serves them.
#[derive(Clone, Debug)]
pub struct Load {
    /// Reads of the graph's lists, for each snapshot that is read.
    pub graph_reads: Vec<u64>,
    /// Bytes of the graph.
    pub graph_bytes: u64,
    /// Hits of the cache by the share of the graph that has room.
    pub graph_hits: HitCurve,
    /// Reads of state.
    pub state_reads: u64,
    /// Writes of state.
    pub state_writes: u64,
    /// Bytes of the state of all vertices.
    pub state_bytes: u64,
    /// Hits of reads by the share of the state that has room.
    pub state_read_hits: HitCurve,
    /// Hits of writes.
    pub state_write_hits: HitCurve,
}

/// Cost of accesses, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Cost of the graph's accesses.
    pub graph: f64,
    /// Cost of the state's accesses.
    pub state: f64,
}

impl Cost {
    /// All of them; what is to be small.
    pub fn total(&self) -> f64 {
        self.graph + self.state
    }
}

impl Load {
    /// Cost of the accesses with `fast_bytes` of fast memory, a share `alpha` of them for
    /// the cache.
    pub fn cost(&self, alpha: f64, fast_bytes: u64, latencies: &Latencies) -> Cost {
        let share = |part: f64, of: u64| match of {
            0 => 1.0,
            of => (part * fast_bytes as f64 / of as f64).min(1.0),
        };
        let Latencies {
            fast_read,
            fast_write,
            medium_read,
            medium_write,
        } = *latencies;
        let mean = |hit: f64, fast: f64, medium: f64| hit * fast + (1.0 - hit) * medium;
        let snapshots = self.graph_reads.len().max(1) as f64;
        let graph_reads = self.graph_reads.iter().sum::<u64>() as f64 / snapshots;
        let graph_hit = self.graph_hits.at(share(alpha, self.graph_bytes));
        let room = share(1.0 - alpha, self.state_bytes);
        let reads = mean(self.state_read_hits.at(room), fast_read, medium_read);
        let writes = mean(self.state_write_hits.at(room), fast_write, medium_write);
        Cost {
            graph: graph_reads * mean(graph_hit, fast_read, medium_read + fast_write),
            state: self.state_reads as f64 * reads + self.state_writes as f64 * writes,
        }
    }

    /// The share for the cache at which all accesses together cost least, the smallest
    /// of several, and what they cost. Exact: between two points of the curves the
    /// cost is a straight line, so the least is at a point.
    pub fn best(&self, fast_bytes: u64, latencies: &Latencies) -> (f64, Cost) {
        let fast = fast_bytes.max(1) as f64;
        let of_graph = self.graph_hits.points().iter();
        let of_graph = of_graph.map(|point| point.0 * self.graph_bytes as f64 / fast);
        let curves = [&self.state_read_hits, &self.state_write_hits];
        let of_state = curves.into_iter().flat_map(HitCurve::points);
        let of_state = of_state.map(|point| 1.0 - point.0 * self.state_bytes as f64 / fast);
        let mut shares: Vec<f64> = of_graph.chain(of_state).chain([0.0, 1.0]).collect();
        shares.retain(|share| (0.0..=1.0).contains(share));
        shares.sort_by(f64::total_cmp);
        let costs = shares
            .into_iter()
            .map(|share| (share, self.cost(share, fast_bytes, latencies)));
        costs
            .reduce(|best, next| match next.1.total() < best.1.total() {
                true => next,
                false => best,
            })
            .expect("0 and 1 are among the shares")
    }
}
