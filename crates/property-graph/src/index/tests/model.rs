//! Random commits, views, snapshots, checkpoints and openings.

use std::collections::BTreeMap;

use evergraph_storage::medium::DramStorage;
use evergraph_storage::{Storage, ViewToken};
use proptest::prelude::*;

use super::host::{Commit, Host, TINY, UUID, apply, text};
use crate::index::{KeyRange, Kind};

#[derive(Clone, Debug)]
enum Step {
    Commit(Commit, bool),
    View,
    DropView(usize),
    Release(usize),
    /// With commits before it is written, commits before it is published, and whether it
    /// is.
    Checkpoint(Vec<Commit>, Vec<Commit>, bool),
    Reopen,
    /// With commits while records are scanned.
    Rebuild(Vec<Commit>),
    /// The same, while a checkpoint goes on.
    RebuildInRound(Commit),
}

fn keys() -> impl Strategy<Value = Option<Vec<u8>>> {
    prop_oneof![
        1 => Just(None),
        4 => (0u8..12).prop_map(|n| Some(vec![7, n])),
        2 => "[ab]{0,4}".prop_map(|text| Some(text.into_bytes())),
        // Longer than a stored key.
        1 => "[ab]{2}".prop_map(|end| Some([&[9; 33], end.as_bytes()].concat())),
    ]
}

fn commits() -> impl Strategy<Value = Commit> {
    // A commit gives the outcome of each record once, not the steps to it.
    prop::collection::btree_map(0u32..150, keys(), 0..12)
        .prop_map(|commit| commit.into_iter().collect())
}

/// Some content.
fn starts() -> impl Strategy<Value = Commit> {
    let keys = prop::collection::vec(keys(), 0..150);
    keys.prop_map(|keys| (0u32..).zip(keys).collect())
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let several = || prop::collection::vec(commits(), 0..3);
    let step = prop_oneof![
        8 => (commits(), prop::bool::weighted(0.2)).prop_map(|(c, keep)| Step::Commit(c, keep)),
        2 => Just(Step::View),
        2 => any::<usize>().prop_map(Step::DropView),
        1 => any::<usize>().prop_map(Step::Release),
        4 => (several(), several(), prop::bool::weighted(0.8))
            .prop_map(|(before, between, publish)| Step::Checkpoint(before, between, publish)),
        1 => Just(Step::Reopen),
        1 => several().prop_map(Step::Rebuild),
        1 => commits().prop_map(Step::RebuildInRound),
    ];
    prop::collection::vec(step, 1..30)
}

struct Run {
    storage: DramStorage,
    kind: Kind,
    host: Host,
    views: Vec<ViewToken<()>>,
    kept: Vec<u64>,
    /// Changes by commit, since the superblock.
    log: Log,
}

impl Run {
    fn new(kind: Kind) -> Result<Self, String> {
        let storage = DramStorage::new();
        Ok(Run {
            host: Host::create(&storage, kind, TINY)?,
            storage,
            kind,
            views: Vec::new(),
            kept: Vec::new(),
            log: BTreeMap::new(),
        })
    }

    fn commit(host: &mut Host, log: &mut Log, commit: &Commit, keep: bool) {
        let csn = host.csn() + 1;
        let mut truth = host.truth.clone();
        log.insert(csn, truth.commit(csn, commit));
        host.commit(commit, keep);
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Commit(commit, keep) => {
                Self::commit(&mut self.host, &mut self.log, commit, *keep);
                if *keep {
                    self.kept.push(self.host.csn());
                }
            }
            Step::View => self.views.push(self.host.registry.register()),
            Step::DropView(n) if !self.views.is_empty() => {
                self.views.swap_remove(n % self.views.len());
            }
            Step::Release(n) if !self.kept.is_empty() => {
                let csn = self.kept.remove(n % self.kept.len());
                self.host.registry.release(csn);
            }
            Step::DropView(_) | Step::Release(_) => {}
            Step::Checkpoint(before, commits, publish) => {
                self.checkpoint(before, |run_host, log| {
                    for commit in commits {
                        Self::commit(run_host, log, commit, false);
                    }
                    Ok(*publish)
                })?;
            }
            Step::Reopen => self.reopen()?,
            Step::Rebuild(commits) => {
                let view = self.host.registry.register();
                self.host.index.clear();
                for commit in commits {
                    Self::commit(&mut self.host, &mut self.log, commit, false);
                }
                self.host.build(view.csn())?;
            }
            Step::RebuildInRound(commit) => self.checkpoint(&[], |host, log| {
                let view = host.registry.register();
                Self::commit(host, log, commit, false);
                host.build(view.csn())?;
                Ok(true)
            })?,
        }
        self.compare()
    }

    fn checkpoint(
        &mut self,
        before: &[Commit],
        between: impl FnOnce(&mut Host, &mut Log) -> Result<bool, String>,
    ) -> Result<(), String> {
        let log = std::cell::RefCell::new(&mut self.log);
        let mut failed = None;
        let commit = |host: &mut Host| {
            for commit in before {
                Self::commit(host, &mut log.borrow_mut(), commit, false);
            }
        };
        self.host.checkpoint_after(commit, |host| {
            between(host, &mut log.borrow_mut()).unwrap_or_else(|error| {
                failed = Some(error);
                false
            })
        })?;
        match failed {
            Some(error) => Err(error),
            None => {
                // The log is freed as far as the superblock allows, or not quite.
                let root = self.host.root_csn();
                self.log.retain(|&csn, _| csn + 3 > root);
                Ok(())
            }
        }
    }

    fn reopen(&mut self) -> Result<(), String> {
        self.views.clear();
        let (truth, csn) = (self.host.truth.clone(), self.host.csn());
        self.kept.retain(|&kept| kept <= csn);
        let storage: &dyn Storage = &self.storage;
        self.host = Host::open(storage, self.kind, TINY, &self.kept)?.expect("created");
        self.host.restored.clone()?;
        self.host.truth = truth;
        // Replay may bring changes that are merged already.
        for (&csn, changes) in &self.log {
            apply(&self.host.index, csn, changes);
            self.host.registry.publish(csn.max(self.host.csn()), ());
        }
        self.host.registry.publish(csn, ());
        if !self.host.index.is_built() {
            self.host.build(csn)?;
        }
        Ok(())
    }

    fn compare(&self) -> Result<(), String> {
        let views = self.views.iter().map(ViewToken::csn);
        let csns = views.chain(self.kept.iter().copied());
        for csn in csns.chain([self.host.csn()]) {
            if self.host.index.covers(csn) {
                self.host.compare(csn)?;
            }
        }
        if !self.host.index.covers(self.host.csn()) {
            return Err("the newest commit is not covered".to_string());
        }
        let is_named = self.host.index.state.read().named.is_some();
        let root = self.host.root_csn();
        let is_missing = |(csn, changes): &(&u64, &Changes)| **csn > root && !changes.is_empty();
        let mut missing = self.log.iter().filter(is_missing);
        if is_named
            && self.kind != Kind::Volatile
            && let Some((&csn, _)) = missing.next()
        {
            let since = self.host.index.unmerged_since();
            if since.is_none_or(|since| since > csn) {
                return Err(format!("{csn} is not merged, and it says {since:?}"));
            }
        }
        self.host.check()
    }

    /// Without views and snapshots, nothing of the version history is left.
    fn finish(&mut self) -> Result<(), String> {
        self.views.clear();
        for csn in self.kept.drain(..) {
            self.host.registry.release(csn);
        }
        for _ in 0..2 {
            self.checkpoint(&[], |_, _| Ok(true))?;
        }
        self.compare()?;
        let usage = self.host.index.usage();
        let wanted = self.host.truth.at(self.host.csn()).len() as u64;
        if (usage.entries, usage.removed) != (wanted, 0) {
            return Err(format!("{wanted} entries, and {usage:?}"));
        }
        if usage.unmerged_bytes + usage.watched_bytes > 0 || !self.host.is_all_merged() {
            return Err(format!("something is left: {usage:?}"));
        }
        let used = self.host.region.used_bytes();
        let named = usage.stored_bytes + self.host.directory.bytes();
        match used == named {
            true => Ok(()),
            false => Err(format!("{used} bytes are used, {named} are named")),
        }
    }
}

impl Host {
    fn is_all_merged(&self) -> bool {
        self.index.unmerged_since().is_none()
    }
}

type Changes = Vec<(Vec<u8>, u32, bool)>;
type Log = BTreeMap<u64, Changes>;

fn run(kind: Kind, start: &Commit, steps: &[Step]) -> Result<(), String> {
    let mut run = Run::new(kind)?;
    run.step(&Step::Commit(start.clone(), false))?;
    for (number, step) in steps.iter().enumerate() {
        run.step(step)
            .map_err(|error| format!("step {number}: {error}"))?;
    }
    run.finish().map_err(text)
}

/// A dropped index stays named until a superblock without it is durable.
#[test]
fn a_dropped_index_gives_its_space_back() {
    let storage = DramStorage::new();
    let mut host = Host::create(&storage, Kind::Hybrid, TINY).unwrap();
    host.commit(&vec![(1, Some(vec![1]))], false);
    assert!(!host.index.is_stored());
    // Dropped while it is being stored for the first time.
    let drop_it = |host: &mut Host| {
        host.index.clear();
        true
    };
    host.checkpoint(drop_it).unwrap();
    assert!(host.index.is_stored());
    // A round that is abandoned changes nothing of it.
    host.checkpoint(|_| false).unwrap();
    assert!(host.index.is_stored());
    host.checkpoint(|_| true).unwrap();
    assert!(!host.index.is_stored());
    assert_eq!(host.region.used_bytes(), host.directory.bytes());
}

/// A reader in the middle of a range keeps its place over a merge.
#[test]
fn a_range_goes_on_over_a_checkpoint() {
    let storage = DramStorage::new();
    let mut host = Host::create(&storage, Kind::Hybrid, TINY).unwrap();
    let commit = |host: &mut Host, ids: std::ops::Range<u32>| {
        let key = |id: u32| Some(id.to_be_bytes().to_vec());
        host.commit(&ids.map(|id| (id, key(id))).collect(), false);
    };
    commit(&mut host, 0..100);
    host.checkpoint(|_| true).unwrap();
    commit(&mut host, 100..200);
    let view = host.registry.register();
    // The reader borrows the index, which others use meanwhile.
    let Host { index, .. } = &host;
    let mut found = index.range(view.csn(), &KeyRange::all()).unwrap();
    assert_eq!(found.next().unwrap().unwrap(), 0);
    let mut directory = evergraph_storage::Directory::default();
    let needed = host.registry.needed();
    let written = index.write(view.csn(), &needed, &host.region, &UUID, &mut directory);
    written.unwrap();
    assert_eq!(found.next().unwrap().unwrap(), 1);
    index.published(&|| host.registry.needed());
    let rest: Result<Vec<u32>, _> = found.collect();
    assert_eq!(rest.unwrap(), (2..200).collect::<Vec<u32>>());
}

/// Changes that no build can need do not pile up.
#[test]
fn an_index_that_nobody_builds_forgets_changes() {
    let storage = DramStorage::new();
    let mut host = Host::create(&storage, Kind::Hybrid, TINY).unwrap();
    host.index.clear();
    let view = host.registry.register();
    for number in 1..9 {
        host.commit(&vec![(1, Some(vec![number]))], false);
    }
    host.checkpoint(|_| true).unwrap();
    assert!(host.index.usage().unmerged_bytes > 0);
    assert_eq!(host.index.unmerged_bytes(), 0);
    // A build as of the oldest view still works.
    host.build(view.csn()).unwrap();
    host.compare(host.csn()).unwrap();
    host.index.clear();
    drop(view);
    host.commit(&vec![(1, Some(vec![99]))], false);
    host.checkpoint(|_| true).unwrap();
    assert_eq!(host.index.usage().unmerged_bytes, 0);
    host.build(host.csn()).unwrap();
    host.compare(host.csn()).unwrap();
}

/// A record whose key changes again and again, under a snapshot from before.
#[test]
fn what_no_snapshot_shows_is_not_kept() {
    let storage = DramStorage::new();
    let mut host = Host::create(&storage, Kind::Hybrid, TINY).unwrap();
    host.commit(&vec![(1, Some(vec![1]))], true);
    for number in 2..20 {
        host.commit(&vec![(1, Some(vec![number]))], false);
        host.checkpoint(|_| true).unwrap();
        host.compare(1).unwrap();
        let usage = host.index.usage();
        assert_eq!((usage.entries, usage.removed), (2, 1), "{usage:?}");
    }
    host.registry.release(1);
    host.checkpoint(|_| true).unwrap();
    let usage = host.index.usage();
    assert_eq!((usage.entries, usage.removed), (1, 0), "{usage:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_hybrid_index_finds_what_views_see(start in starts(), steps in steps()) {
        run(Kind::Hybrid, &start, &steps).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn one_on_the_medium_finds_the_same(start in starts(), steps in steps()) {
        run(Kind::OnMedium, &start, &steps).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn one_in_memory_finds_the_same(start in starts(), steps in steps()) {
        run(Kind::Volatile, &start, &steps).map_err(TestCaseError::fail)?;
    }
}

/// A mutant: changes that a round of a checkpoint has not published are dropped.
#[test]
fn changes_that_are_dropped_before_the_root_are_missed() {
    use evergraph_storage::failpoint;
    let run = || {
        let storage = DramStorage::new();
        let mut host = Host::create(&storage, Kind::Hybrid, TINY)?;
        host.commit(&vec![(1, Some(b"one".to_vec()))], false);
        host.checkpoint(|_| true)?;
        host.commit(&vec![(2, Some(b"two".to_vec()))], false);
        let mut seen = Ok(());
        host.checkpoint(|host| {
            seen = host.compare(host.csn());
            false
        })?;
        seen?;
        host.compare(host.csn())
    };
    run().expect("nothing is missed");
    let _armed = failpoint::Scope::armed("index.delta-dropped-first").enter();
    assert!(run().is_err(), "the mutant survives");
}
