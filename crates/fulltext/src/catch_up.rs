//! Bringing the index to the newest commit.
//!
//! An index at commit C has, for every view that anybody can have of a commit up to
//! C, every text that the view shows. That is all that answers need to be complete:
//! what a view shows beyond C is read from the nodes that changed since, and what the
//! index has too much is found out when a hit is held against its node.
//!
//! To go from C to N, the newest commit, the nodes are looked at that changed in
//! between. Their texts as of N are added, and their texts as of the commits between C
//! and N that live views or named snapshots show. No other commit of that time can be
//! asked for later: views begin at the newest commit or at that of a snapshot. A
//! text that no node has any more goes if no view and no snapshot is older than N, and
//! else with a sweep, which holds every text of the index against all of them.

use std::collections::HashSet;

use evergraph_derived::{Watch, unwatched};
use evergraph_property_graph::graph::{ChangedNodes, NodeId, View, Work};
use tantivy::{IndexWriter, Searcher};

use crate::base::Documents;
use crate::error::TextError;
use crate::full_text::FullText;
use crate::payload::Payload;
use crate::version::{Text, Version};

/// Changed nodes that are many. Then the mark is written even if no text has changed,
/// so that they are not looked at again after the next opening.
const LARGE: u64 = 1 << 12;

/// Nodes after which somebody who watches is told.
const WATCHED: u64 = 1 << 10;

/// Threads of the library for many nodes, at most.
const THREADS: usize = 4;

/// The least that the library takes for a thread.
const LEAST_MEMORY: usize = 15 << 20;

/// The most that it takes for one.
const MOST_MEMORY: usize = 2 << 30;

/// One time of bringing the index up to date.
struct Round<'a, 'g> {
    index: &'a FullText<'g>,
    searcher: Searcher,
    newest: View,
    /// Whether somebody may see older texts.
    is_watched: bool,
    /// Whether there is more to do than one thread should.
    is_large: bool,
    superseded: u64,
    writer: Option<IndexWriter>,
}

impl FullText<'_> {
    /// Takes in all that is committed. Searches do it when they have to; commits and
    /// other searches go on meanwhile.
    ///
    /// # Errors
    /// What the graph and the files of the index say.
    pub fn catch_up(&self) -> Result<(), TextError> {
        self.catch_up_watched(&unwatched)
    }

    /// As [`FullText::catch_up`]; `watch` is told how far it is.
    ///
    /// # Errors
    /// As [`FullText::catch_up`]; [`TextError::Stopped`] if `watch` says so.
    pub fn catch_up_watched(&self, watch: &Watch<'_>) -> Result<(), TextError> {
        self.catch_up_to(u64::MAX, watch)
    }

    /// As [`FullText::catch_up`], unless somebody has just done it up to `csn`.
    pub(crate) fn catch_up_to(&self, csn: u64, watch: &Watch<'_>) -> Result<(), TextError> {
        let mut left = self.writing.lock();
        let current = self.current.lock().clone();
        let Payload {
            mut mark,
            superseded,
        } = current.payload;
        if mark.csn >= csn {
            return Ok(());
        }
        let newest = self.graph.view();
        // Before it is asked which commits are shown: those are of somebody who watches.
        let is_watched = !self.graph.shown_before(newest.csn()).is_empty();
        let work = self.graph.work_since(&self.changes, mark.csn, &newest);
        mark.csn = newest.csn();
        let mut round = Round {
            index: self,
            searcher: current.searcher,
            is_watched,
            newest,
            is_large: work.node_count() >= LARGE,
            superseded,
            writer: None,
        };
        round.take_in(&work, watch)?;
        let room = self.options.superseded + round.searcher.num_docs() / 4;
        if round.superseded > room + 2 * *left {
            *left = round.sweep()?;
        }
        let payload = Payload {
            mark,
            superseded: round.superseded,
        };
        let searcher = round.commit(&payload.encode())?;
        let mut current = self.current.lock();
        current.searcher = searcher;
        current.payload = payload;
        self.changes.forget(current.payload.mark.csn);
        Ok(())
    }
}

impl Round<'_, '_> {
    fn take_in(&mut self, work: &Work, watch: &Watch<'_>) -> Result<(), TextError> {
        let (mut done, all) = (0, work.node_count());
        for changed in &work.nodes {
            for node in changed.nodes.clone() {
                if done % WATCHED == 0 && !watch(done, all) {
                    return Err(TextError::Stopped);
                }
                self.take_in_node(node, changed, work)?;
                done += 1;
            }
        }
        Ok(())
    }

    fn take_in_node(
        &mut self,
        node: u32,
        changed: &ChangedNodes,
        work: &Work,
    ) -> Result<(), TextError> {
        let index = self.index;
        let mut there = match self.searcher.num_docs() {
            0 => Vec::new(),
            _ => {
                let versions = index.base.versions_of(&self.searcher, node);
                versions.map_err(|error| index.failed(error))?
            }
        };
        // All but one, which the node had until now.
        let old_before = there.len().saturating_sub(1) as u64;
        let newest = self.newest_text(node)?;
        for csn in work.moments(changed) {
            let text = index.graph.node_at(NodeId(node), csn)?;
            let text = text.and_then(|node| index.texts.of(&node));
            let is_newest = newest.as_ref() == text.as_ref();
            if let Some(text) = text.filter(|text| !is_newest && !there.contains(&text.version)) {
                self.add(&text)?;
                there.push(text.version);
            }
        }
        let version = newest.as_ref().map(|text| text.version);
        if let Some(text) = newest.filter(|text| !there.contains(&text.version)) {
            self.add(&text)?;
        }
        there.retain(|&old| Some(old) != version);
        if self.is_watched {
            self.superseded += (there.len() as u64).saturating_sub(old_before);
            return Ok(());
        }
        there.into_iter().try_for_each(|old| self.delete(old))
    }

    fn newest_text(&self, node: u32) -> Result<Option<Text>, TextError> {
        let node = self.newest.node(NodeId(node))?;
        Ok(node.and_then(|node| self.index.texts.of(&node)))
    }

    /// Drops the texts that nobody sees, and gives the number of those that only
    /// older views and snapshots see.
    fn sweep(&mut self) -> Result<u64, TextError> {
        let index = self.index;
        let shown = index.graph.shown_before(self.newest.csn());
        let searcher = self.searcher.clone();
        let mut left = 0;
        for segment in searcher.segment_readers() {
            let documents = Documents::of(segment).map_err(|error| index.failed(error))?;
            let mut twice = HashSet::new();
            for document in segment.doc_ids_alive() {
                let Some((node, version)) = documents.get(document) else {
                    continue;
                };
                let newest = self.newest_text(node)?;
                if newest.is_some_and(|text| text.version == version) {
                    continue;
                }
                if self.is_shown(node, version, &shown)? {
                    left += 1;
                } else if twice.insert(version) {
                    self.delete(version)?;
                }
            }
        }
        self.superseded = left;
        Ok(left)
    }

    fn is_shown(&self, node: u32, version: Version, shown: &[u64]) -> Result<bool, TextError> {
        let index = self.index;
        for &csn in shown {
            let text = index.graph.node_at(NodeId(node), csn)?;
            let text = text.and_then(|node| index.texts.of(&node));
            if text.is_some_and(|text| text.version == version) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn add(&mut self, text: &Text) -> Result<(), TextError> {
        let (index, document) = (self.index, self.index.base.fields.document(text));
        let added = self.writer()?.add_document(document);
        added.map_err(|error| index.failed(error)).map(drop)
    }

    fn delete(&mut self, version: Version) -> Result<(), TextError> {
        let term = self.index.base.fields.term_of(version);
        self.writer()?.delete_term(term);
        Ok(())
    }

    fn writer(&mut self) -> Result<&mut IndexWriter, TextError> {
        let index = self.index;
        if self.writer.is_none() {
            let memory = index.options.memory.clamp(LEAST_MEMORY, MOST_MEMORY);
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            let threads = match self.is_large {
                true => cores.min(memory / LEAST_MEMORY).min(THREADS),
                false => 1,
            };
            let writer = index.base.index.writer_with_num_threads(threads, memory);
            self.writer = Some(writer.map_err(|error| index.failed(error))?);
        }
        Ok(self.writer.as_mut().expect("just made"))
    }

    /// Makes it durable, if anything has changed, and gives what is to be searched.
    fn commit(mut self, mark: &str) -> Result<Searcher, TextError> {
        let index = self.index;
        if self.is_large {
            self.writer()?;
        }
        let Some(mut writer) = self.writer.take() else {
            return Ok(self.searcher);
        };
        let committed = writer.prepare_commit().and_then(|mut prepared| {
            prepared.set_payload(mark);
            prepared.commit()
        });
        committed
            .and_then(|_| writer.wait_merging_threads())
            .and_then(|()| index.base.newest())
            .map_err(|error| index.failed(error))
    }
}
