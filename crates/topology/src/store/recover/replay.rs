//! Recovery: what the log's tail says is applied again.

use std::collections::BTreeMap;
use std::sync::Arc;

use evergraph_storage::failpoint;
use evergraph_storage::{LogRecord, Needed, StorageError};

use crate::adjacencies::Adjacencies;
use crate::error::TopologyError;
use crate::extension::Extension;
use crate::front::sharding::NO_ORIGIN;
use crate::history::names::{Change, Names};
use crate::ids::IdTable;
use crate::published::Published;
use crate::record::{self, Op};
use crate::section::Commits;
use crate::section::resources::Resources;
use crate::store::config::Config;
use crate::store::fits::fits;
use crate::store::group::{GroupEdges, set_meta};

/// Edges replayed from the log at a time.
const REPLAY_EDGES: usize = 1 << 20;

/// Tables that records are applied to.
pub(in crate::store) struct Target<'a> {
    pub config: &'a Config,
    pub resources: &'a Resources,
    pub adjacencies: &'a Adjacencies,
    pub extension: &'a Extension,
}

/// External ids, named facts and snapshots.
pub(in crate::store) struct Tables {
    pub ids: IdTable,
    pub meta: BTreeMap<Vec<u8>, Vec<u8>>,
    pub names: Names,
}

/// Applies what the log's tail says while a store is being opened.
pub(in crate::store) struct Replayer<'a> {
    target: Target<'a>,
    tables: &'a mut Tables,
    /// Commits up to which some section is merged, ascending: what is applied
    /// together lies between two of them.
    merged: Vec<u64>,
    waiting: Vec<Op>,
    waiting_edges: usize,
    /// The commits that `waiting` holds.
    commits: Commits,
    published: Published,
    entries: u64,
    /// Commits whose lengths have to be told from those after them.
    kept: Arc<Vec<u64>>,
}

impl<'a> Replayer<'a> {
    /// From the root's commit `csn` on, which published `published`.
    pub(in crate::store) fn new(
        target: Target<'a>,
        merged: Vec<u64>,
        csn: u64,
        published: Published,
        tables: &'a mut Tables,
    ) -> Self {
        Replayer {
            target,
            merged,
            waiting: Vec::new(),
            waiting_edges: 0,
            commits: Commits {
                first: csn + 1,
                last: csn,
            },
            published,
            entries: 0,
            kept: tables.names.kept(),
            tables,
        }
    }

    /// Recovery step R4, one record: indexed, not merged.
    pub(in crate::store) fn replay(&mut self, record: &LogRecord<'_>) -> Result<(), TopologyError> {
        let mut snapshots = Vec::new();
        // A section that is merged up to here skips whole groups: the entries behind its
        // merge must not share one with those before.
        if self.merged.binary_search(&self.commits.last).is_ok() {
            self.apply()?;
        }
        let ops = record::decode(record.payload, record.lsn)?;
        for op in &ops {
            fits(self.target.config, op)
                .map_err(|error| StorageError::damaged("log", record.lsn, error.to_string()))?;
        }
        self.apply_extension(record.csn, &ops)?;
        for op in ops {
            match op {
                Op::Insert(_)
                | Op::Delete(_)
                | Op::InsertRelationships(_)
                | Op::DeleteRelationships(_) => self.wait(op),
                Op::Vertices(count) => self.reach(count),
                Op::Meta { key, value } => set_meta(&mut self.tables.meta, &key, &value),
                Op::Ids(assigned) => {
                    let fits = self.tables.ids.replay(&assigned)?;
                    fits.map_err(|what| StorageError::damaged("log", record.lsn, what))?;
                    // Not the length of the table: commits that a merge did not wait for
                    // may be stored in it already.
                    let reached = failpoint!(
                        "replay.stored-ids-counted",
                        self.tables.ids.len(),
                        else assigned.end()
                    );
                    self.reach(reached as u64);
                }
                Op::CreateSnapshot { .. } | Op::DropSnapshot { .. } => snapshots.push(op),
                Op::Payload(_) => {}
            }
        }
        self.commits.last = record.csn;
        if !failpoint!("replay.wall-time-forgotten") {
            self.published.wall_us = record.wall_us;
        }
        if !snapshots.is_empty() {
            // A snapshot shows its own commit, and nothing after it.
            self.apply()?;
            for op in &snapshots {
                self.rename(op);
            }
        }
        if self.waiting_edges >= REPLAY_EDGES {
            self.apply()?;
        }
        Ok(())
    }

    /// Gives the extension its part of a commit.
    fn apply_extension(&self, csn: u64, ops: &[Op]) -> Result<(), TopologyError> {
        let mut payloads = record::payloads(ops);
        if failpoint!("extension.replayed-twice") {
            payloads = payloads.repeat(2);
        }
        if payloads.is_empty() || failpoint!("extension.not-replayed") {
            return Ok(());
        }
        match self.target.extension {
            Some(extension) => Ok(extension.apply(csn, &payloads, &self.needed())?),
            None => Err(TopologyError::WithoutExtension),
        }
    }

    /// CSNs that may be asked for later: no view exists before the store is open.
    fn needed(&self) -> Needed {
        match failpoint!("replay.snapshots-jumped") {
            true => Needed::default(),
            false => Needed::new(Vec::new(), Arc::clone(&self.kept)),
        }
    }

    fn rename(&mut self, op: &Op) {
        let names = &mut self.tables.names;
        match names.apply(op, self.commits.last, &self.published) {
            Some(Change::Kept(csn)) if self.kept.last() != Some(&csn) => {
                Arc::make_mut(&mut self.kept).push(csn);
            }
            Some(Change::Released(_)) => self.kept = names.kept(),
            _ => {}
        }
    }

    fn reach(&mut self, count: u64) {
        self.published.vertex_count = self.published.vertex_count.max(count);
    }

    fn wait(&mut self, op: Op) {
        self.waiting_edges += match &op {
            Op::Insert(edges) | Op::Delete(edges) => edges.sources.len(),
            Op::InsertRelationships(some) | Op::DeleteRelationships(some) => some.ids.len(),
            _ => 0,
        };
        self.waiting.push(op);
    }

    fn apply(&mut self) -> Result<(), TopologyError> {
        let mut edges = GroupEdges::new(self.target.config);
        for op in &self.waiting {
            edges.add(op, NO_ORIGIN);
        }
        let per_edge = 1 + u64::from(edges.undirected || edges.both);
        self.entries += self.waiting_edges as u64 * per_edge;
        let needed = self.needed();
        let published = &mut self.published;
        let Target {
            resources,
            adjacencies,
            ..
        } = self.target;
        edges.apply(
            resources,
            adjacencies,
            self.commits,
            &needed,
            published,
            |_| {},
        )?;
        self.waiting.clear();
        self.waiting_edges = 0;
        self.commits.first = self.commits.last + 1;
        Ok(())
    }

    /// Applies the rest; returns what the newest commit publishes, and the
    /// entries that were indexed, both directions counted.
    pub(in crate::store) fn finish(mut self) -> Result<(Published, u64), TopologyError> {
        self.apply()?;
        Ok((self.published, self.entries))
    }
}
