//! How far an import is, as its commits record it, so that one that was killed goes
//! on exactly behind its last durable commit.
//!
//! Every commit of an import carries two facts: where it ends in the files, and which
//! rows became which nodes. A resumed import reads all files again from their beginnings,
//! which rebuilds what ids mean, and writes only the rows behind.

use std::path::PathBuf;

use evergraph_storage::{StorageError, failpoint};
use evergraph_topology::{Batch, Store};

use super::files::{Defaults, Source};
use super::{NodeId, PropertyGraph};
use crate::Error;
use crate::import::identity_of;

/// Key of the position of the newest import; a colon and a number follow for the nodes of
/// each of its commits.
const KEY: &str = "graph-import";

/// Key of the identities of imports that ended before the newest one, the last ones last.
const ENDED: &str = "graph-imports-ended";

/// Key of the identities of imports of which a part is in, where others came behind them.
const CUT_OFF: &str = "graph-imports-cut-off";

/// How many of either are remembered: 32 KiB.
const MOST_REMEMBERED: usize = 4096;

/// Facts that one commit takes away: some tens of KiB of the log.
const FORGOTTEN_AT_ONCE: usize = 1000;

/// The rows of one kind that a pass over the files takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Pass {
    Nodes,
    Relationships,
}

/// A row of the files: nodes come before relationships, then by file and place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub pass: Pass,
    pub file: u32,
    /// Rows of the file before it, bad ones included.
    pub row: u64,
}

impl Place {
    /// The first row of all.
    pub const BEGIN: Place = Place {
        pass: Pass::Nodes,
        file: 0,
        row: 0,
    };
}

impl Default for Place {
    fn default() -> Self {
        Place::BEGIN
    }
}

/// Position that the commits of an import so far have recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    /// Of the files and how they are read.
    identity: u64,
    /// Rows before this one are in, unless they were bad.
    pub next: Place,
    /// Commits that tell which rows are which nodes.
    commits: u64,
    pub nodes: u64,
    pub relationships: u64,
    pub done: bool,
}

/// Rows one after another that became nodes with ids one after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: Place,
    node: u32,
    count: u32,
}

/// Node ids of the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Assigned(Vec<Run>);

impl Position {
    /// Of an import that begins; `rules` are those of its rows that are not the usual ones.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn begin(
        store: &Store,
        files: &[Source],
        defaults: &Defaults,
        rules: &str,
    ) -> Result<Self, Error> {
        let paths: Vec<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
        let each: Vec<String> = files.iter().map(Source::identity).collect();
        let how = format!("[{}]", each.join(", "));
        let defaults = defaults.identity();
        let mut parts = vec![how.as_bytes(), defaults.as_bytes()];
        // The usual rules are those of imports that were interrupted before there were others.
        if !rules.is_empty() {
            parts.push(rules.as_bytes());
        }
        let newest = store.meta(KEY.as_bytes());
        let newest = newest.and_then(|stored| Position::decode(&stored));
        let is_known = |identity| {
            newest
                .as_ref()
                .is_some_and(|newest| newest.identity == identity)
                || [ENDED, CUT_OFF]
                    .iter()
                    .any(|key| remembered(store, key).contains(&identity))
        };
        Ok(Position {
            identity: identity_of(&parts, &paths)?.known(is_known),
            ..Position::default()
        })
    }

    /// Of the import of the same files that was interrupted, with the nodes that it
    /// made; as it is, if nothing of one was committed. Where the newest import was of other
    /// files and is not cut off, an import begins only if `or_begin` says so; what has ended
    /// before is done.
    ///
    /// # Errors
    /// If the newest import was of other files, or these were cut off before it.
    pub fn resume(self, graph: &PropertyGraph, or_begin: bool) -> Result<(Self, Assigned), Error> {
        let store = graph.store();
        let Some(stored) = store.meta(KEY.as_bytes()) else {
            return Ok((self, Assigned::default()));
        };
        let found = Position::decode(&stored).ok_or_else(unreadable)?;
        if found.identity != self.identity {
            self.check_may_begin(store, &found, or_begin)?;
            let done = remembered(store, ENDED).contains(&self.identity);
            if !done {
                self.record_beginning(graph)?;
            }
            return Ok((Position { done, ..self }, Assigned::default()));
        }
        let mut assigned = Assigned::default();
        if !found.done {
            for commit in 0..found.commits {
                let stored = store.meta(&key(commit)).ok_or_else(unreadable)?;
                let nodes = Assigned::decode(&stored).ok_or_else(unreadable)?;
                assigned.extend(nodes);
            }
        }
        Ok((found, assigned))
    }

    /// Refuses to begin behind the newest import, which was of other files.
    fn check_may_begin(&self, store: &Store, found: &Self, or_begin: bool) -> Result<(), Error> {
        let has_ended = || remembered(store, ENDED).contains(&self.identity);
        if !or_begin || found.is_cut_off() && !has_ended() {
            return Err(Error::usage(
                "the newest import of this database is of other files",
                "give the same files, unchanged and with the same options, or --append without --resume",
            ));
        }
        if remembered(store, CUT_OFF).contains(&self.identity) {
            return Err(Error::usage(
                "an import of these files was cut off, and others came behind it: a part is in",
                "delete that part, and give --append without --resume",
            ));
        }
        Ok(())
    }

    /// Whether a part of it is in, and not all.
    fn is_cut_off(&self) -> bool {
        !self.done && (self.commits, self.nodes, self.relationships) != (0, 0, 0)
    }

    /// Records that the import has begun where another was before it: else the position of
    /// that one would be found if this one is killed before its first commit.
    ///
    /// # Errors
    /// Errors of committing.
    pub fn record_beginning(&self, graph: &PropertyGraph) -> Result<(), Error> {
        let store = graph.store();
        if let Some(before) = store.meta(KEY.as_bytes()) {
            let mut batch = Batch::new();
            batch.set_meta(KEY.as_bytes(), &self.encode());
            let before = Position::decode(&before).unwrap_or_default();
            let is_behind = before.identity != self.identity;
            for (key, is_of) in [(ENDED, before.done), (CUT_OFF, before.is_cut_off())] {
                let known = remembered(store, key);
                let mut now = known.clone();
                now.retain(|&one| one != self.identity && one != before.identity);
                now.extend((is_behind && is_of).then_some(before.identity));
                if now != known {
                    remember(&mut batch, key, &now);
                }
            }
            store.commit(batch)?;
        }
        Ok(())
    }

    /// Position after a commit of so many nodes and relationships, the rows before `next`.
    pub fn advance(&self, nodes: u64, relationships: u64, assigns: bool, next: Place) -> Self {
        Position {
            next,
            commits: self.commits + u64::from(assigns),
            nodes: self.nodes + nodes,
            relationships: self.relationships + relationships,
            ..self.clone()
        }
    }

    /// The facts, by name, that record with a commit that it gets from here to
    /// `after`, and which nodes its rows are; none if it gets nowhere.
    pub fn facts(&self, after: &Position, assigned: &Assigned) -> Vec<(Vec<u8>, Vec<u8>)> {
        if after == self {
            return Vec::new();
        }
        let mut facts = vec![(KEY.as_bytes().to_vec(), after.encode())];
        if after.commits > self.commits {
            facts.push((key(self.commits), assigned.encode()));
        }
        facts
    }

    /// Records that nothing is left to read, and forgets which rows are which nodes: the
    /// last first, and in several commits, as a small log has no space for one.
    ///
    /// # Errors
    /// Errors of committing.
    pub fn finish(self, store: &Store) -> Result<(), Error> {
        let mut batch = Batch::new();
        let done = Position { done: true, ..self };
        batch.set_meta(KEY.as_bytes(), &done.encode());
        store.commit(batch)?;
        failpoint!("import.ended");
        let known = (0..).map(key).take_while(|key| store.meta(key).is_some());
        let mut known: Vec<Vec<u8>> = known.collect();
        known.reverse();
        for keys in known.chunks(FORGOTTEN_AT_ONCE) {
            let mut batch = Batch::new();
            for key in keys {
                batch.set_meta(key, b"");
            }
            store.commit(batch)?;
        }
        Ok(())
    }

    fn encode(&self) -> Vec<u8> {
        let Place { pass, file, row } = self.next;
        let numbers = [
            self.identity,
            match pass {
                Pass::Nodes => 0,
                Pass::Relationships => 1,
            },
            file.into(),
            row,
            self.commits,
            self.nodes,
            self.relationships,
            self.done.into(),
        ];
        numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (words, []) = bytes.as_chunks::<8>() else {
            return None;
        };
        let numbers: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let &[
            identity,
            pass,
            file,
            row,
            commits,
            nodes,
            relationships,
            done,
        ] = &numbers[..]
        else {
            return None;
        };
        Some(Position {
            identity,
            next: Place {
                pass: match pass {
                    0 => Pass::Nodes,
                    1 => Pass::Relationships,
                    _ => return None,
                },
                file: file.try_into().ok()?,
                row,
            },
            commits,
            nodes,
            relationships,
            done: done != 0,
        })
    }
}

impl Assigned {
    /// Appends the nodes of rows behind all of these.
    pub fn extend(&mut self, behind: Assigned) {
        behind.0.into_iter().for_each(|run| self.push_run(run));
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes the node of a row; rows come in their order.
    pub fn push(&mut self, place: Place, node: NodeId) {
        self.push_run(Run {
            first: place,
            node: node.0,
            count: 1,
        });
    }

    fn push_run(&mut self, run: Run) {
        if let Some(last) = self.0.last_mut() {
            let count = u64::from(last.count);
            let follows = run.first.pass == last.first.pass
                && run.first.file == last.first.file
                && run.first.row == last.first.row + count
                && u64::from(run.node) == u64::from(last.node) + count;
            if let (true, Some(count)) = (follows, last.count.checked_add(run.count)) {
                last.count = count;
                return;
            }
        }
        self.0.push(run);
    }

    /// The node that a row became; `None` if it was left out.
    pub fn node(&self, place: Place) -> Option<NodeId> {
        let after = self.0.partition_point(|run| run.first <= place);
        let run = self.0.get(after.checked_sub(1)?)?;
        let is_of = run.first.pass == place.pass && run.first.file == place.file;
        let offset = u32::try_from(place.row - run.first.row.min(place.row)).ok()?;
        (is_of && offset < run.count).then(|| NodeId(run.node.wrapping_add(offset)))
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.0.len() * 20);
        for run in &self.0 {
            bytes.extend_from_slice(&run.first.file.to_le_bytes());
            bytes.extend_from_slice(&run.first.row.to_le_bytes());
            bytes.extend_from_slice(&run.node.to_le_bytes());
            bytes.extend_from_slice(&run.count.to_le_bytes());
        }
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (runs, []) = bytes.as_chunks::<20>() else {
            return None;
        };
        let short = |run: &[u8; 20], at: usize| {
            u32::from_le_bytes([run[at], run[at + 1], run[at + 2], run[at + 3]])
        };
        let run = |run: &[u8; 20]| Run {
            first: Place {
                pass: Pass::Nodes,
                file: short(run, 0),
                row: u64::from(short(run, 4)) | u64::from(short(run, 8)) << 32,
            },
            node: short(run, 12),
            count: short(run, 16),
        };
        Some(Assigned(runs.iter().map(run).collect()))
    }
}

/// Identities of imports before the newest one, as far as they are remembered.
fn remembered(store: &Store, key: &str) -> Vec<u64> {
    let stored = store.meta(key.as_bytes()).unwrap_or_default();
    let (words, _) = stored.as_chunks::<8>();
    words.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

fn remember(batch: &mut Batch, key: &str, identities: &[u64]) {
    let forgotten = identities.len().saturating_sub(MOST_REMEMBERED);
    let kept = identities[forgotten..].iter();
    let bytes: Vec<u8> = kept.flat_map(|identity| identity.to_le_bytes()).collect();
    batch.set_meta(key.as_bytes(), &bytes);
}

fn key(commit: u64) -> Vec<u8> {
    format!("{KEY}:{commit}").into_bytes()
}

fn unreadable() -> StorageError {
    StorageError::damaged("extents", 0, "the position of an import cannot be read")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(file: u32, row: u64) -> Place {
        Place {
            pass: Pass::Nodes,
            file,
            row,
        }
    }

    /// Stored with every commit of an import.
    #[test]
    fn the_bytes_of_a_position_are_pinned() {
        let position = Position {
            identity: 0x0102_0304_0506_0708,
            next: Place {
                pass: Pass::Relationships,
                file: 2,
                row: 3,
            },
            commits: 4,
            nodes: 5,
            relationships: 6,
            done: true,
        };
        let mut pinned = vec![8, 7, 6, 5, 4, 3, 2, 1];
        for number in [1, 2, 3, 4, 5, 6, 1] {
            pinned.extend([number, 0, 0, 0, 0, 0, 0, 0]);
        }
        assert_eq!(position.encode(), pinned);
        let begun = Position {
            next: place(0, 0),
            ..position
        };
        assert_eq!(begun.encode()[8..16], [0; 8]);
        let mut assigned = Assigned::default();
        assigned.push(place(1, 2), NodeId(3));
        assigned.push(place(1, 3), NodeId(4));
        let pinned = [1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0];
        assert_eq!(assigned.encode(), pinned);
        assert_eq!(KEY, "graph-import");
        assert_eq!(ENDED, "graph-imports-ended");
        assert_eq!(CUT_OFF, "graph-imports-cut-off");
        assert_eq!(key(12), b"graph-import:12");
    }

    #[test]
    fn of_very_many_imports_the_last_are_remembered() {
        let options = crate::Options {
            medium: crate::MediumKind::Dram,
            property_graph: true,
            ..crate::Options::default()
        };
        let db = crate::Database::create("anywhere", &options).unwrap();
        let store = db.store();
        let most = MOST_REMEMBERED as u64;
        for (imports, kept) in [(3, 0..3), (most, 0..most), (most + 2, 2..most + 2)] {
            let mut batch = Batch::new();
            let identities: Vec<u64> = (0..imports).collect();
            remember(&mut batch, ENDED, &identities);
            store.commit(batch).unwrap();
            assert!(remembered(store, ENDED).into_iter().eq(kept), "{imports}");
        }
    }

    #[test]
    fn what_is_recorded_comes_back() {
        let position = Position {
            identity: u64::MAX,
            next: Place {
                pass: Pass::Relationships,
                file: 3,
                row: 1 << 40,
            },
            commits: 4,
            nodes: 5,
            relationships: 6,
            done: true,
        };
        assert_eq!(Position::decode(&position.encode()), Some(position));
        assert_eq!(Position::decode(&[0; 63]), None);
        assert_eq!(Position::decode(&[0xff; 64]), None);
        let mut assigned = Assigned::default();
        let rows = [
            (0, 0, 7),
            (0, 1, 8),
            (0, 3, 9),
            (0, 4, 2),
            (1, 5, 3),
            (2, 1 << 33, 4),
        ];
        for (file, row, node) in rows {
            assigned.push(place(file, row), NodeId(node));
        }
        assert_eq!(assigned.0.len(), 5);
        assert_eq!(Assigned::decode(&assigned.encode()), Some(assigned.clone()));
        assert_eq!(Assigned::decode(&[0; 19]), None);
        for (file, row, node) in rows {
            assert_eq!(assigned.node(place(file, row)), Some(NodeId(node)));
        }
        for (file, row) in [(0, 2), (0, 5), (1, 0), (1, 4), (2, 0), (3, 0)] {
            assert_eq!(assigned.node(place(file, row)), None, "{file} {row}");
        }
    }
}
