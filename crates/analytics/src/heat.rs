//! Choice of the snapshot that should read fastest.
//!
//! Runs on past commits are counted in windows of time. At the end of each window a
//! commit's count enters its mean, weighted exponentially, so that recent reads count
//! most. A commit is hot if its mean is a multiple of that of the other commits that are
//! read; if it stays hot for some windows in a row, and the machine is idle, its snapshot
//! is rebased. The paper (NVGraph, section III-B) says "significantly and consistently
//! higher" and gives no figures.

use std::collections::BTreeMap;
use std::time::Duration;

/// When a snapshot is rebased by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RebasePolicy {
    /// How long runs are counted before they enter the mean.
    pub window: Duration,
    /// Weight of a new window in the mean, between 0 and 1; those before have the rest.
    pub weight: f64,
    /// Runs in a window, in the mean, below which nothing is hot.
    pub least: f64,
    /// How many times the mean of the other commits that are read a hot commit has.
    pub ratio: f64,
    /// Windows in a row that it has to stay hot.
    pub windows: u32,
    /// Share of the machine's processors that may be busy when one is rebased.
    pub load: f64,
    /// Snapshots that are rebased by themselves at a time. One more takes the place
    /// of the coldest of them, if it is [`RebasePolicy::ratio`] times as hot.
    pub most: usize,
}

impl Default for RebasePolicy {
    /// Twice as hot as the others for three minutes.
    fn default() -> Self {
        RebasePolicy {
            window: Duration::from_secs(60),
            weight: 0.5,
            least: 1.0,
            ratio: 2.0,
            windows: 3,
            load: 0.3,
            most: 2,
        }
    }
}

/// Decision of one look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    /// The commit whose snapshot is to be rebased...
    pub rebase: u64,
    /// ...and the one whose sealed graph goes for it.
    pub instead_of: Option<u64>,
}

/// A commit colder than this is forgotten.
const COLD: f64 = 0.01;

/// How often past commits are read.
pub(crate) struct Heat {
    policy: RebasePolicy,
    /// When the window began, on a clock that is the caller's.
    began: Duration,
    commits: BTreeMap<u64, Commit>,
}

#[derive(Clone, Copy, Default)]
struct Commit {
    /// Runs a window.
    mean: f64,
    /// Runs in this window.
    runs: u32,
    /// Windows in a row in which it was hot.
    hot: u32,
}

impl Heat {
    /// Begins to count at `now`.
    pub(crate) fn new(policy: RebasePolicy, now: Duration) -> Self {
        Heat {
            policy,
            began: now,
            commits: BTreeMap::new(),
        }
    }

    /// Counts a run on a past commit.
    pub(crate) fn note(&mut self, csn: u64, now: Duration) {
        self.advance(now);
        self.commits.entry(csn).or_default().runs += 1;
    }

    /// Decides at `now`, when the share `load` of the processors is busy, all of `sealed`
    /// have a sealed graph, and those of `automatic` were chosen here.
    pub(crate) fn decide(
        &mut self,
        now: Duration,
        load: f64,
        sealed: &[u64],
        automatic: &[u64],
    ) -> Option<Decision> {
        self.advance(now);
        if load > self.policy.load {
            return None;
        }
        let (&csn, hottest) = self
            .commits
            .iter()
            .filter(|(csn, commit)| commit.hot >= self.policy.windows && !sealed.contains(csn))
            .max_by(|a, b| a.1.mean.total_cmp(&b.1.mean))?;
        let mut decision = Decision {
            rebase: csn,
            instead_of: None,
        };
        if automatic.len() >= self.policy.most {
            let mean = |csn: u64| self.commits.get(&csn).map_or(0.0, |commit| commit.mean);
            let mut others = automatic.iter().copied();
            let coldest = others
                .by_ref()
                .min_by(|&a, &b| mean(a).total_cmp(&mean(b)))?;
            if hottest.mean < self.policy.ratio * mean(coldest) {
                return None;
            }
            decision.instead_of = Some(coldest);
        }
        Some(decision)
    }

    /// Ends the windows that have passed.
    fn advance(&mut self, now: Duration) {
        while now.saturating_sub(self.began) >= self.policy.window {
            if self.commits.is_empty() {
                self.began = now;
                return;
            }
            self.began += self.policy.window;
            self.end_window();
        }
    }

    fn end_window(&mut self) {
        let RebasePolicy {
            weight,
            least,
            ratio,
            ..
        } = self.policy;
        for commit in self.commits.values_mut() {
            commit.mean += weight * (f64::from(commit.runs) - commit.mean);
            commit.runs = 0;
        }
        self.commits.retain(|_, commit| commit.mean >= COLD);
        let sum: f64 = self.commits.values().map(|commit| commit.mean).sum();
        let others = self.commits.len().saturating_sub(1).max(1) as f64;
        for commit in self.commits.values_mut() {
            let mean_of_others = (sum - commit.mean) / others;
            commit.hot = match commit.mean >= least && commit.mean >= ratio * mean_of_others {
                true => commit.hot + 1,
                false => 0,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: f64 = 0.1;

    /// Minutes of a clock that only the test moves.
    fn minutes(count: u64) -> Duration {
        Duration::from_secs(60 * count)
    }

    fn heat() -> Heat {
        Heat::new(RebasePolicy::default(), minutes(0))
    }

    fn read(heat: &mut Heat, csn: u64, times: u32, minute: u64) {
        (0..times).for_each(|_| heat.note(csn, minutes(minute)));
    }

    fn rebase(csn: u64) -> Option<Decision> {
        Some(Decision {
            rebase: csn,
            instead_of: None,
        })
    }

    #[test]
    fn a_commit_is_rebased_when_it_is_hot_for_long_and_the_machine_idle() {
        let mut heat = heat();
        for minute in 0..3 {
            read(&mut heat, 7, 4, minute);
            read(&mut heat, 9, 1, minute);
            // Not before three windows have ended.
            assert_eq!(heat.decide(minutes(minute), IDLE, &[], &[]), None);
        }
        let at = minutes(3);
        assert_eq!(heat.decide(at, 0.31, &[], &[]), None, "the machine is busy");
        assert_eq!(heat.decide(at, 0.3, &[], &[]), rebase(7));
        assert_eq!(heat.decide(at, IDLE, &[7], &[7]), None, "it is done");
    }

    #[test]
    fn a_burst_and_reads_of_all_alike_are_no_reason() {
        let mut heat = heat();
        read(&mut heat, 7, 100, 0);
        for minute in 1..5 {
            // The burst stays in the mean, but 9 catches up.
            read(&mut heat, 9, 60, minute);
            assert_eq!(heat.decide(minutes(minute), IDLE, &[], &[]), None);
        }
        assert_eq!(heat.decide(minutes(5), IDLE, &[], &[]), rebase(9));
        let mut heat = self::heat();
        for minute in 0..20 {
            (0..5).for_each(|csn| read(&mut heat, csn, 10, minute));
            assert_eq!(heat.decide(minutes(minute), IDLE, &[], &[]), None);
        }
    }

    #[test]
    fn one_run_an_hour_is_never_hot_and_is_forgotten() {
        let mut heat = heat();
        for hour in 0..50 {
            read(&mut heat, 7, 1, 60 * hour);
            assert_eq!(heat.decide(minutes(60 * hour + 9), IDLE, &[], &[]), None);
        }
        heat.advance(minutes(60 * 60));
        assert!(heat.commits.is_empty());
        // A clock that stood still for ever costs no work when it goes on.
        heat.advance(Duration::MAX);
    }

    #[test]
    fn the_coldest_makes_room_for_what_is_twice_as_hot() {
        let mut heat = heat();
        for minute in 0..4 {
            read(&mut heat, 1, 2, minute);
            read(&mut heat, 2, 4, minute);
            read(&mut heat, 3, 20, minute);
        }
        let at = minutes(4);
        let instead = Decision {
            rebase: 3,
            instead_of: Some(1),
        };
        assert_eq!(heat.decide(at, IDLE, &[1, 2], &[1, 2]), Some(instead));
        // A graph that the user rebased is never dropped automatically.
        assert_eq!(heat.decide(at, IDLE, &[1, 2], &[2]), rebase(3));
        for minute in 4..12 {
            read(&mut heat, 1, 15, minute);
            read(&mut heat, 2, 15, minute);
            read(&mut heat, 3, 20, minute);
        }
        assert_eq!(heat.decide(minutes(12), IDLE, &[1, 2], &[1, 2]), None);
    }
}
