//! Bringing the index to the newest commit.
//!
//! An index at commit C has, for every view that anybody can have of a commit up to
//! C, every vector that the view shows. That is all that answers need to be complete
//! but for what the library misses: what a view shows beyond C is read from the nodes
//! that changed since, and what the index has too much is found out when a vector is
//! held against its node.
//!
//! To go from C to N, the newest commit, the nodes are looked at that changed in
//! between. Their vectors as of N are added, and their vectors as of the commits
//! between C and N that live views or named snapshots show. No other commit of that
//! time can be asked for later: views begin at the newest commit or at that of a
//! snapshot. A vector that no node has any more goes if no view and no snapshot is
//! older than N, and else with a sweep, which holds the old vectors against all of
//! them.

use evergraph_derived::{Watch, unwatched};
use evergraph_property_graph::graph::{ChangedNodes, NodeId, View, Work};

use crate::definition::VectorDefinition;
use crate::error::VectorError;
use crate::items::{Items, Key, node_of};
use crate::vectors::{Vectors, Writing};

/// Vectors that are added and removed at once, while searches wait.
const TOGETHER: usize = 512;

/// Nodes after which somebody who watches is told.
const WATCHED: u64 = 1 << 10;

/// One time of bringing the index up to date.
struct Round<'a, 'g> {
    index: &'a Vectors<'g>,
    watch: &'a Watch<'a>,
    items: &'a mut Items,
    newest: View,
    /// Whether somebody may see older vectors.
    is_watched: bool,
    added: Vec<(Key, Vec<f32>)>,
    removed: Vec<Key>,
    /// Vectors added and removed.
    count: usize,
}

impl Vectors<'_> {
    /// Takes in all that is committed. Searches do it when they have to; commits go on
    /// meanwhile, other searches wait for some hundred vectors at most.
    ///
    /// # Errors
    /// What the graph and the file of the index say.
    pub fn catch_up(&self) -> Result<(), VectorError> {
        self.catch_up_watched(&unwatched)
    }

    /// As [`Vectors::catch_up`]; `watch` is told how far it is.
    ///
    /// # Errors
    /// As [`Vectors::catch_up`]; [`VectorError::Stopped`] if `watch` says so.
    pub fn catch_up_watched(&self, watch: &Watch<'_>) -> Result<(), VectorError> {
        self.catch_up_to(u64::MAX, watch)
    }

    /// As [`Vectors::catch_up`], unless somebody has just done it up to `csn`.
    pub(crate) fn catch_up_to(&self, csn: u64, watch: &Watch<'_>) -> Result<(), VectorError> {
        let mut writing = self.writing.lock();
        let known = *self.known.lock();
        if known >= csn {
            return Ok(());
        }
        self.take_in(&mut writing, known, watch)?;
        let room = self.options.unsaved + writing.items.newest.len() / 4;
        match writing.unsaved > room {
            true => self.save_with(&mut writing),
            false => Ok(()),
        }
    }

    fn take_in(
        &self,
        writing: &mut Writing,
        known: u64,
        watch: &Watch<'_>,
    ) -> Result<(), VectorError> {
        let newest = self.graph.view();
        let csn = newest.csn();
        // Before it is asked which commits are shown: those are of somebody who watches.
        let is_watched = !self.graph.shown_before(csn).is_empty();
        let work = self.graph.work_since(&self.changes, known, &newest);
        let mut round = Round {
            index: self,
            watch,
            items: &mut writing.items,
            is_watched,
            newest,
            added: Vec::new(),
            removed: Vec::new(),
            count: 0,
        };
        let done = round.all(&work, self.options.superseded, &mut writing.left);
        writing.unsaved += round.count;
        if done.is_err() {
            round.forget_added();
        }
        done?;
        let mut known = self.known.lock();
        *known = csn;
        self.changes.forget(csn);
        Ok(())
    }

    fn vector_at(&self, node: u32, csn: u64) -> Result<Option<Vec<f32>>, VectorError> {
        let node = self.graph.node_at(NodeId(node), csn)?;
        Ok(node.and_then(|node| self.definition.vector_of(&node)))
    }
}

impl Round<'_, '_> {
    fn all(&mut self, work: &Work, room: usize, left: &mut usize) -> Result<(), VectorError> {
        self.take_in(work)?;
        let room = room + self.items.newest.len() / 4;
        if self.items.old.len() > room + 2 * *left {
            self.sweep()?;
            *left = self.items.old.len();
        }
        self.flush()
    }

    fn take_in(&mut self, work: &Work) -> Result<(), VectorError> {
        let (mut done, all) = (0, work.node_count());
        for changed in &work.nodes {
            for node in changed.nodes.clone() {
                if done % WATCHED == 0 && !(self.watch)(done, all) {
                    return Err(VectorError::Stopped);
                }
                self.take_in_node(node, changed, work)?;
                done += 1;
                self.flush_many()?;
            }
        }
        Ok(())
    }

    fn take_in_node(
        &mut self,
        node: u32,
        changed: &ChangedNodes,
        work: &Work,
    ) -> Result<(), VectorError> {
        let mut there = self.vectors_of(node)?;
        let newest = self.newest.node(NodeId(node)).map_err(VectorError::Graph)?;
        let definition: &VectorDefinition = &self.index.definition;
        let newest = newest.and_then(|node| definition.vector_of(&node));
        for csn in work.moments(changed) {
            let vector = self.index.vector_at(node, csn)?;
            let vector = vector.filter(|vector| newest.as_ref() != Some(vector));
            if let Some(vector) = vector.filter(|vector| !has(&there, vector)) {
                let key = self.add(node, vector.clone())?;
                self.items.old.insert(key);
                there.push((key, vector));
            }
        }
        let key = match newest {
            None => None,
            Some(vector) => match there.iter().find(|entry| entry.1 == vector) {
                Some(entry) => Some(entry.0),
                None => Some(self.add(node, vector)?),
            },
        };
        self.items.set_newest(node, key);
        if !self.is_watched {
            for old in self.items.of(node) {
                if Some(old) != key {
                    self.remove(old);
                }
            }
        }
        Ok(())
    }

    /// The vectors of a node that the library has.
    fn vectors_of(&self, node: u32) -> Result<Vec<(Key, Vec<f32>)>, VectorError> {
        let keys = self.items.of(node);
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let library = self.index.library.read();
        let mut vectors = Vec::new();
        for key in keys {
            vectors.extend(library.get(key)?.map(|vector| (key, vector)));
        }
        Ok(vectors)
    }

    /// Drops the old vectors that nobody sees.
    fn sweep(&mut self) -> Result<(), VectorError> {
        // Some of them are only about to be added.
        self.flush()?;
        let shown = self.index.graph.shown_before(self.newest.csn());
        for key in self.items.old.clone() {
            let vector = self.index.library.read().get(key)?;
            let mut is_shown = false;
            for &csn in shown.iter().filter(|_| vector.is_some()) {
                is_shown |= self.index.vector_at(node_of(key), csn)? == vector;
            }
            if !is_shown {
                self.remove(key);
                self.flush_many()?;
            }
        }
        Ok(())
    }

    fn add(&mut self, node: u32, vector: Vec<f32>) -> Result<Key, VectorError> {
        let key = self.items.key(node).ok_or_else(|| {
            VectorError::Library("all numbers of vectors are used; search again".to_string())
        })?;
        self.added.push((key, vector));
        Ok(key)
    }

    fn remove(&mut self, key: Key) {
        self.items.old.remove(&key);
        self.removed.push(key);
    }

    /// After a failure: what the library may not have is added again another time.
    fn forget_added(&mut self) {
        for (key, _) in self.added.drain(..) {
            self.items.forget(key);
        }
    }

    /// Gives the library what there is for it, if that is enough.
    fn flush_many(&mut self) -> Result<(), VectorError> {
        match self.added.len() + self.removed.len() >= TOGETHER {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Gives the library what there is for it.
    fn flush(&mut self) -> Result<(), VectorError> {
        self.count += self.added.len() + self.removed.len();
        let mut library = self.index.library.write();
        library.remove(&self.removed)?;
        library.add(&self.added)?;
        self.added.clear();
        self.removed.clear();
        Ok(())
    }
}

fn has(vectors: &[(Key, Vec<f32>)], vector: &[f32]) -> bool {
    vectors.iter().any(|entry| entry.1 == *vector)
}
