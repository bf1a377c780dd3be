//! Bringing the index to the newest commit.
//!
//! An index at commit C has, for every view that can be taken of a commit up to C, every
//! vector that the view shows. That is all that answers need to be complete but for what
//! the library misses: vectors that a view shows beyond C are read from the nodes that
//! changed since, and surplus entries of the index are found out when a vector is held
//! against its node.
//!
//! To go from C to N, the newest commit, the nodes are looked at that changed in
//! between. Their vectors as of N are added, and their vectors as of the commits
//! between C and N that live views or named snapshots show. No other commit of that
//! time can be asked for later: views begin at the newest commit or at that of a
//! snapshot. A vector that no node has any more goes if no view and no snapshot is
//! older than N, and else with a sweep, which holds the old vectors against all of
//! them.

use crate::refresh::{self, Refresh, is_shown, refresh};
use crate::{Watch, unwatched};
use evergraph_property_graph::graph::{Node, PropertyGraph, View, Work};

use crate::vector::error::VectorError;
use crate::vector::items::{Items, Key, node_of};
use crate::vector::vectors::{Vectors, Writing};

/// Vectors that are added and removed at once, while searches wait.
const TOGETHER: usize = 512;

/// One time of bringing the index up to date.
struct Round<'a, 'g> {
    index: &'a Vectors<'g>,
    items: &'a mut Items,
    newest: View,
    /// Whether an open view or transaction may read older vectors.
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
    /// Errors of the graph and of the index's file.
    pub fn refresh(&self) -> Result<(), VectorError> {
        self.refresh_watched(&unwatched)
    }

    /// As [`Vectors::refresh`]; `watch` is told how far it is.
    ///
    /// # Errors
    /// As [`Vectors::refresh`]; [`VectorError::Stopped`] if `watch` says so.
    pub fn refresh_watched(&self, watch: &Watch<'_>) -> Result<(), VectorError> {
        self.refresh_to(u64::MAX, watch)
    }

    /// As [`Vectors::refresh`], unless another search has just done it up to `csn`.
    pub(crate) fn refresh_to(&self, csn: u64, watch: &Watch<'_>) -> Result<(), VectorError> {
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
        // Read before `work_since` asks which commits are shown: if that finds any, this is
        // true.
        let is_watched = !self.graph.shown_before(csn).is_empty();
        let work = self.graph.work_since(&self.changes, known, &newest);
        let mut round = Round {
            index: self,
            items: &mut writing.items,
            is_watched,
            newest,
            added: Vec::new(),
            removed: Vec::new(),
            count: 0,
        };
        let done = round.all(&work, watch, self.options.superseded, &mut writing.left);
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
}

impl Refresh for Round<'_, '_> {
    type Error = VectorError;
    type Item = Vec<f32>;
    type Stored = (Key, Vec<f32>);

    fn graph(&self) -> &PropertyGraph {
        self.index.graph
    }

    fn newest(&self) -> &View {
        &self.newest
    }

    fn item_of(&self, node: &Node) -> Option<Vec<f32>> {
        self.index.definition.vector_of(node)
    }

    fn stored(&self, node: u32) -> Result<Vec<(Key, Vec<f32>)>, VectorError> {
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

    fn is_same(stored: &(Key, Vec<f32>), vector: &Vec<f32>) -> bool {
        stored.1 == *vector
    }

    fn add(&mut self, node: u32, vector: Vec<f32>) -> Result<(Key, Vec<f32>), VectorError> {
        let key = self.items.key(node).ok_or_else(|| {
            VectorError::Library("all numbers of vectors are used; search again".to_string())
        })?;
        self.added.push((key, vector.clone()));
        Ok((key, vector))
    }

    fn supersede(
        &mut self,
        node: u32,
        items: refresh::Items<(Key, Vec<f32>)>,
    ) -> Result<(), VectorError> {
        self.items.old.extend(items.older.iter().map(|old| old.0));
        let newest = items.newest.map(|newest| newest.0);
        self.items.set_newest(node, newest);
        if !self.is_watched {
            for old in self.items.of(node) {
                if Some(old) != newest {
                    self.remove(old);
                }
            }
        }
        self.flush_many()
    }

    fn stopped() -> VectorError {
        VectorError::Stopped
    }
}

impl Round<'_, '_> {
    fn all(
        &mut self,
        work: &Work,
        watch: &Watch<'_>,
        room: usize,
        left: &mut usize,
    ) -> Result<(), VectorError> {
        refresh(self, work, watch)?;
        let room = room + self.items.newest.len() / 4;
        if self.items.old.len() > room + 2 * *left {
            self.sweep()?;
            *left = self.items.old.len();
        }
        self.flush()
    }

    /// Drops the old vectors that no view and no snapshot shows.
    fn sweep(&mut self) -> Result<(), VectorError> {
        // Some of them are only about to be added.
        self.flush()?;
        let shown = self.index.graph.shown_before(self.newest.csn());
        for key in self.items.old.clone() {
            let vector = self.index.library.read().get(key)?;
            let is_shown = match vector {
                Some(vector) => is_shown(self, node_of(key), &(key, vector), &shown)?,
                None => false,
            };
            if !is_shown {
                self.remove(key);
                self.flush_many()?;
            }
        }
        Ok(())
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
