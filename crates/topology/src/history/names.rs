//! The table of named snapshots, and what of it is not stored yet.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use evergraph_storage::StorageError;
use evergraph_storage::failpoint;
use evergraph_storage::layout::WALKED_AT_MOST;

use super::name::check_name;
use crate::error::TopologyError;
use crate::published::Published;
use crate::record::Op;

/// A named commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Its name.
    pub name: String,
    /// The commit: the snapshot shows the graph at its end.
    pub csn: u64,
    /// Event time, as its creator gave it: microseconds since 1970; the wall clock's if
    /// none was given.
    pub time_us: i64,
    /// Wall time of the commit, microseconds since 1970.
    pub wall_us: i64,
    /// Vertices are `0..vertex_count`.
    pub vertex_count: u64,
    /// Live entries of the out-lists.
    pub arc_count: u64,
}

impl Snapshot {
    /// State of the graph that a view of it publishes.
    pub(crate) fn published(&self) -> Published {
        Published {
            vertex_count: self.vertex_count,
            arc_count: self.arc_count,
            wall_us: self.wall_us,
        }
    }
}

/// A change of the table that happened with a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NameEvent {
    Created(Snapshot),
    Dropped { csn: u64, name: String },
}

impl NameEvent {
    pub(crate) fn csn(&self) -> u64 {
        match self {
            NameEvent::Created(snapshot) => snapshot.csn,
            NameEvent::Dropped { csn, .. } => *csn,
        }
    }
}

/// Names of snapshots, in DRAM.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// By commit and name.
    snapshots: BTreeMap<(u64, String), Snapshot>,
    /// The commit of each name.
    commits: HashMap<String, u64>,
    /// Names that commits on their way create or drop.
    reserved: HashSet<String>,
    /// The stored table includes the changes up to this commit; those after it are in
    /// `pending`, ascending.
    stored_csn: u64,
    pending: Vec<NameEvent>,
}

impl Names {
    /// Number of snapshots.
    pub(crate) fn len(&self) -> usize {
        self.snapshots.len()
    }

    /// All snapshots, ascending by commit.
    pub(crate) fn snapshots(&self) -> impl Iterator<Item = &Snapshot> {
        self.snapshots.values()
    }

    /// The commits that have names, ascending, each once.
    pub(crate) fn kept(&self) -> Arc<Vec<u64>> {
        let mut kept: Vec<u64> = self.snapshots.keys().map(|key| key.0).collect();
        kept.dedup();
        Arc::new(kept)
    }

    /// A snapshot of one commit.
    pub(crate) fn at(&self, csn: u64) -> Option<&Snapshot> {
        self.snapshots_of(csn).next()
    }

    /// The snapshots of one commit.
    pub(crate) fn snapshots_of(&self, csn: u64) -> impl Iterator<Item = &Snapshot> {
        let from = self.snapshots.range((csn, String::new())..);
        from.map(|(_, snapshot)| snapshot)
            .take_while(move |snapshot| snapshot.csn == csn)
    }

    /// The commits with names before and after one.
    pub(crate) fn around(&self, csn: u64) -> (Option<u64>, Option<u64>) {
        let key = (csn, String::new());
        let before = self.snapshots.range(..key.clone()).next_back();
        let after = self.snapshots.range(key..).next();
        (before.map(|(k, _)| k.0), after.map(|(k, _)| k.0))
    }

    /// The commit of a name.
    pub(crate) fn commit_of(&self, name: &str) -> Option<u64> {
        self.commits.get(name).copied()
    }

    /// Checks that operations, in order, create only names that are not there and
    /// drop only names that are, and sets these names aside until
    /// [`Names::release`], so that no other commit comes between. Returns them.
    pub(crate) fn reserve<'a>(
        &mut self,
        ops: impl Iterator<Item = &'a Op>,
    ) -> Result<Vec<String>, TopologyError> {
        let mut changed: HashMap<&str, bool> = HashMap::new();
        for op in ops {
            let (name, creates) = match op {
                Op::CreateSnapshot { name, .. } => (name, true),
                Op::DropSnapshot { name } => (name, false),
                _ => continue,
            };
            if self.reserved.contains(name) {
                return Err(TopologyError::SnapshotBusy(name.clone()));
            }
            let is_there = changed.get(name.as_str()).copied();
            let is_there = is_there.unwrap_or_else(|| self.commits.contains_key(name));
            match (creates, is_there) {
                (true, true) => return Err(TopologyError::SnapshotExists(name.clone())),
                (false, false) => return Err(TopologyError::UnknownSnapshot(name.clone())),
                _ => {}
            }
            if creates {
                check_name(name)?;
            }
            changed.insert(name, creates);
        }
        let names: Vec<String> = changed.into_keys().map(str::to_string).collect();
        self.reserved.extend(names.iter().cloned());
        Ok(names)
    }

    /// Ends what [`Names::reserve`] began.
    pub(crate) fn release(&mut self, names: &[String]) {
        for name in names {
            self.reserved.remove(name);
        }
    }

    /// Applies an operation of commit `csn`, which published this state. Returns
    /// the commit that has one name more, or one less.
    pub(crate) fn apply(&mut self, op: &Op, csn: u64, published: &Published) -> Option<Change> {
        if csn <= self.stored_csn {
            return None;
        }
        let event = match op {
            Op::CreateSnapshot { name, time_us } => NameEvent::Created(Snapshot {
                name: name.clone(),
                csn,
                time_us: time_us.unwrap_or(published.wall_us),
                wall_us: published.wall_us,
                vertex_count: published.vertex_count,
                arc_count: published.arc_count,
            }),
            Op::DropSnapshot { name } => NameEvent::Dropped {
                csn,
                name: name.clone(),
            },
            _ => return None,
        };
        let change = self.enter(event.clone());
        self.pending.push(event);
        self.invariants();
        change
    }

    fn enter(&mut self, event: NameEvent) -> Option<Change> {
        match event {
            // No program creates one of a name that there is; a damaged log may.
            NameEvent::Created(snapshot) if self.commits.contains_key(&snapshot.name) => None,
            NameEvent::Created(snapshot) => {
                let csn = snapshot.csn;
                self.commits.insert(snapshot.name.clone(), csn);
                self.snapshots
                    .insert((csn, snapshot.name.clone()), snapshot);
                Some(Change::Kept(csn))
            }
            NameEvent::Dropped { name, .. } => {
                let csn = self.commits.remove(&name)?;
                self.snapshots.remove(&(csn, name));
                Some(Change::Released(csn))
            }
        }
    }

    /// Takes in what is stored; `until` is the commit up to which it is complete.
    pub(crate) fn load(&mut self, events: Vec<NameEvent>, until: u64) {
        for event in events {
            self.enter(event);
        }
        self.stored_csn = self.stored_csn.max(until);
    }

    /// The commit up to which changes are stored.
    pub(crate) fn stored_csn(&self) -> u64 {
        self.stored_csn
    }

    /// The changes up to a commit that are not stored.
    pub(crate) fn pending_until(&self, csn: u64) -> &[NameEvent] {
        let count = self.pending.partition_point(|event| event.csn() <= csn);
        &self.pending[..count]
    }

    /// Everything up to a commit is stored.
    pub(crate) fn stored(&mut self, csn: u64) {
        self.pending.retain(|event| event.csn() > csn);
        self.stored_csn = self.stored_csn.max(csn);
        self.invariants();
    }

    /// Panics in debug builds if both tables of names, or what is stored and what is
    /// not, contradict each other, as far as it is cheap to see.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        assert_eq!(
            self.snapshots.len(),
            self.commits.len(),
            "each snapshot has a name, and each name one snapshot"
        );
        if self.snapshots.len() <= WALKED_AT_MOST {
            let keys = self.snapshots.keys();
            let strays: Vec<_> = keys
                .filter(|(csn, name)| self.commits.get(name) != Some(csn))
                .collect();
            assert!(
                strays.is_empty(),
                "snapshots without their name: {strays:?}"
            );
        }
        if self.pending.len() <= WALKED_AT_MOST {
            assert!(
                self.pending.is_sorted_by_key(NameEvent::csn)
                    && self
                        .pending
                        .first()
                        .is_none_or(|first| first.csn() > self.stored_csn),
                "changes after commit {} wait in their order: {:?}",
                self.stored_csn,
                self.pending
            );
        }
    }
}

/// Effect of a change of the table on a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// It has one name more.
    Kept(u64),
    /// It has one name less.
    Released(u64),
}

/// The shortest list of changes that says the same. If `all` are there, nothing
/// has to be said of what was dropped.
pub(crate) fn reduce(events: Vec<NameEvent>, all: bool) -> Vec<NameEvent> {
    let mut created: HashMap<String, usize> = HashMap::new();
    let mut reduced: Vec<Option<NameEvent>> = Vec::new();
    for event in events {
        match &event {
            NameEvent::Created(snapshot) => {
                created.insert(snapshot.name.clone(), reduced.len());
            }
            NameEvent::Dropped { name, .. } => {
                if let Some(at) = created.remove(name) {
                    reduced[at] = None;
                    continue;
                }
                if all || failpoint!("history.drop-forgotten") {
                    continue;
                }
            }
        }
        reduced.push(Some(event));
    }
    reduced.into_iter().flatten().collect()
}

const CREATED: u32 = 1;
const DROPPED: u32 = 2;
const CREATED_BYTES: usize = 48;
const DROPPED_BYTES: usize = 16;

/// Appends the stored form of changes: kind, length of the name, commit; of a
/// creation also time, wall time, vertices and arcs; then the name, and zeros to
/// a multiple of 8.
pub(crate) fn encode<'a>(events: impl Iterator<Item = &'a NameEvent>, bytes: &mut Vec<u8>) {
    for event in events {
        let (kind, name) = match event {
            NameEvent::Created(snapshot) => (CREATED, &snapshot.name),
            NameEvent::Dropped { name, .. } => (DROPPED, name),
        };
        bytes.extend_from_slice(&kind.to_le_bytes());
        bytes.extend_from_slice(&(name.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&event.csn().to_le_bytes());
        if let NameEvent::Created(snapshot) = event {
            for word in [
                snapshot.time_us as u64,
                snapshot.wall_us as u64,
                snapshot.vertex_count,
                snapshot.arc_count,
            ] {
                bytes.extend_from_slice(&word.to_le_bytes());
            }
        }
        bytes.extend_from_slice(name.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
}

/// Reads back what [`encode`] wrote; `offset` is where it lies in `extents`.
pub(crate) fn decode(mut bytes: &[u8], offset: u64) -> Result<Vec<NameEvent>, StorageError> {
    let damaged = |what: &str| StorageError::damaged("extents", offset, what);
    let mut events = Vec::new();
    while !bytes.is_empty() {
        let cut = || damaged("a table of snapshots is shorter than it says");
        let u32_at = |at: usize| {
            bytes
                .get(at..at + 4)
                .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        };
        let u64_at = |at: usize| {
            let word = bytes.get(at..at + 8)?;
            Some(u64::from_le_bytes(word.try_into().ok()?))
        };
        let kind = u32_at(0).ok_or_else(cut)?;
        let name_len = u32_at(4).ok_or_else(cut)? as usize;
        let csn = u64_at(8).ok_or_else(cut)?;
        let header = match kind {
            CREATED => CREATED_BYTES,
            DROPPED => DROPPED_BYTES,
            _ => return Err(damaged("a table of snapshots has an unknown entry")),
        };
        let name = bytes.get(header..header + name_len).ok_or_else(cut)?;
        let name = std::str::from_utf8(name)
            .map_err(|_| damaged("the name of a snapshot is not UTF-8"))?
            .to_string();
        events.push(match kind {
            CREATED => NameEvent::Created(Snapshot {
                name,
                csn,
                time_us: u64_at(16).ok_or_else(cut)? as i64,
                wall_us: u64_at(24).ok_or_else(cut)? as i64,
                vertex_count: u64_at(32).ok_or_else(cut)?,
                arc_count: u64_at(40).ok_or_else(cut)?,
            }),
            _ => NameEvent::Dropped { csn, name },
        });
        let len = (header + name_len).next_multiple_of(8);
        bytes = bytes.get(len..).ok_or_else(cut)?;
    }
    Ok(events)
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::{Names, Op, Published};

    fn names() -> Names {
        let mut names = Names::default();
        for (name, csn) in [("a", 3), ("b", 5)] {
            let op = Op::CreateSnapshot {
                name: name.to_string(),
                time_us: None,
            };
            names.apply(&op, csn, &Published::default());
        }
        names
    }

    #[test]
    #[should_panic(expected = "each name one snapshot")]
    fn a_snapshot_has_a_name() {
        let mut names = names();
        names.commits.remove("a");
        names.invariants();
    }

    #[test]
    #[should_panic(expected = "snapshots without their name")]
    fn a_name_has_the_commit_of_its_snapshot() {
        let mut names = names();
        names.commits.insert("a".to_string(), 4);
        names.invariants();
    }

    #[test]
    #[should_panic(expected = "wait in their order")]
    fn what_is_stored_does_not_wait() {
        let mut names = names();
        names.stored_csn = 3;
        names.invariants();
    }
}
