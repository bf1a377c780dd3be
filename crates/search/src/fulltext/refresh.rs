//! Bringing the index to the newest commit.
//!
//! An index at commit C has, for every view that can be taken of a commit up to C, every
//! text that the view shows. That is all that answers need to be complete: texts that a
//! view shows beyond C are read from the nodes that changed since, and surplus entries of
//! the index are found out when a hit is held against its node.
//!
//! To go from C to N, the newest commit, the nodes are looked at that changed in
//! between. Their texts as of N are added, and their texts as of the commits between C
//! and N that live views or named snapshots show. No other commit of that time can be
//! asked for later: views begin at the newest commit or at that of a snapshot. A
//! text that no node has any more goes if no view and no snapshot is older than N, and
//! else with a sweep, which holds every text of the index against all of them.

use std::collections::HashSet;

use crate::refresh::{Items, Refresh, is_shown, newest_item, refresh};
use crate::{Watch, unwatched};
use evergraph_property_graph::graph::{Node, PropertyGraph, View};
use tantivy::{IndexWriter, Searcher};

use crate::fulltext::base::{Documents, payload_of};
use crate::fulltext::error::TextError;
use crate::fulltext::full_text::FullText;
use crate::fulltext::payload::Payload;
use crate::fulltext::version::{Text, Version};

/// Changed nodes that are many. Then the mark is written even if no text has changed,
/// so that they are not looked at again after the next opening.
const LARGE: u64 = 1 << 12;

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
    /// Whether an open view or snapshot may show older texts.
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
    /// Errors of the graph and of the index's files.
    pub fn refresh(&self) -> Result<(), TextError> {
        self.refresh_watched(&unwatched)
    }

    /// As [`FullText::refresh`]; `watch` is told how far it is.
    ///
    /// # Errors
    /// As [`FullText::refresh`]; [`TextError::Stopped`] if `watch` says so.
    pub fn refresh_watched(&self, watch: &Watch<'_>) -> Result<(), TextError> {
        self.refresh_to(u64::MAX, watch)
    }

    /// As [`FullText::refresh`], unless another search has just done it up to `csn`.
    pub(crate) fn refresh_to(&self, csn: u64, watch: &Watch<'_>) -> Result<(), TextError> {
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
        // Read before `work_since` asks which commits are shown: if that finds any, this is
        // true.
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
        refresh(&mut round, &work, watch)?;
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

impl Refresh for Round<'_, '_> {
    type Error = TextError;
    type Item = Text;
    type Stored = Version;

    fn graph(&self) -> &PropertyGraph {
        self.index.graph
    }

    fn newest(&self) -> &View {
        &self.newest
    }

    fn item_of(&self, node: &Node) -> Option<Text> {
        self.index.texts.of(node)
    }

    fn stored(&self, node: u32) -> Result<Vec<Version>, TextError> {
        if self.searcher.num_docs() == 0 {
            return Ok(Vec::new());
        }
        let versions = self.index.base.versions_of(&self.searcher, node);
        versions.map_err(|error| self.index.failed(error))
    }

    fn is_same(stored: &Version, text: &Text) -> bool {
        *stored == text.version
    }

    fn add(&mut self, _node: u32, text: Text) -> Result<Version, TextError> {
        let (index, document) = (self.index, self.index.base.fields.document(&text));
        let added = self.writer()?.add_document(document);
        added.map_err(|error| index.failed(error))?;
        Ok(text.version)
    }

    fn supersede(&mut self, _node: u32, items: Items<Version>) -> Result<(), TextError> {
        if self.is_watched {
            // All but one, which the node had until now.
            let old_before = items.before.saturating_sub(1);
            self.superseded += items.older.len().saturating_sub(old_before) as u64;
            return Ok(());
        }
        items.older.into_iter().try_for_each(|old| self.delete(old))
    }

    fn stopped() -> TextError {
        TextError::Stopped
    }
}

impl Round<'_, '_> {
    /// Drops the texts that no view and no snapshot shows, and returns the number of
    /// those that only older views and snapshots show.
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
                let newest = newest_item(self, node)?;
                if newest.is_some_and(|text| text.version == version) {
                    continue;
                }
                if is_shown(self, node, &version, &shown)? {
                    left += 1;
                } else if twice.insert(version) {
                    self.delete(version)?;
                }
            }
        }
        self.superseded = left;
        Ok(left)
    }

    fn delete(&mut self, version: Version) -> Result<(), TextError> {
        let term = self.index.base.fields.term_of(version);
        self.writer()?.delete_term(term);
        Ok(())
    }

    /// Whether the files say what they are: not before their first commit.
    fn is_marked(&self) -> Result<bool, TextError> {
        let metas = self.index.base.index.load_metas();
        let metas = metas.map_err(|error| self.index.failed(error))?;
        Ok(payload_of(&metas).is_some())
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
        if self.is_large || self.writer.is_none() && !self.is_marked()? {
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
