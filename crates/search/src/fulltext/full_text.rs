//! An open index.

use std::path::Path;
use std::sync::Arc;

use crate::{IndexFile, IndexPosition, unwatched};
use evergraph_property_graph::graph::{Changes, PropertyGraph};
use parking_lot::Mutex;
use tantivy::{Searcher, TantivyError};

use crate::fulltext::base::Base;
use crate::fulltext::definition::TextDefinition;
use crate::fulltext::error::TextError;
use crate::fulltext::payload::Payload;
use crate::fulltext::version::Texts;

/// The ending of its directory.
pub(crate) const KIND: &str = "text";

/// Options of one opening of a full-text index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// Nodes changed since the index was brought up to date that a search reads itself,
    /// at most; if there are more, it brings the index up to date first.
    pub direct: usize,
    /// Changes of the graph that are held for the index, 16 bytes each; when there are
    /// more, it finds them by looking through the graph.
    pub queue: usize,
    /// Texts that no view shows any more and that may stay in the index before a sweep; a
    /// quarter of the index comes on top.
    pub superseded: u64,
    /// Bytes of DRAM for taking texts in, while that is done; 15 MiB at least.
    pub memory: usize,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions {
            direct: 256,
            queue: 1 << 18,
            superseded: 1000,
            memory: 64 << 20,
        }
    }
}

/// Facts about a full-text index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextStatistics {
    /// All commits of the graph up to this one are in it.
    pub csn: u64,
    /// Texts in it.
    pub texts: u64,
    /// Texts among them that no node has any more, about.
    pub superseded: u64,
    /// Changes of the graph that wait to be taken in.
    pub waiting: usize,
    /// Whether its files could be used when it was opened, or were made anew.
    pub was_usable: bool,
}

/// An open full-text index of a graph: see the [module](self). Share it between threads by
/// reference.
pub struct FullText<'g> {
    pub(crate) graph: &'g PropertyGraph,
    pub(crate) texts: Texts,
    pub(crate) options: TextOptions,
    pub(crate) base: Base,
    /// Told before each commit is visible.
    pub(crate) changes: Arc<Changes>,
    pub(crate) current: Mutex<Current>,
    /// Held while the index is refreshed; the number of texts that the last sweep had to
    /// leave.
    pub(crate) writing: Mutex<u64>,
    place: IndexFile,
    was_usable: bool,
}

/// The searcher and the commit that its files are up to.
#[derive(Clone)]
pub(crate) struct Current {
    pub(crate) searcher: Searcher,
    pub(crate) payload: Payload,
}

impl<'g> FullText<'g> {
    /// Opens an index in a directory, in which it has a directory and a lock of its
    /// own name. If there is none, or none that can be used, it is made empty; the first
    /// search fills it. Reads all of its files once, as they are verified.
    ///
    /// # Errors
    /// A definition that cannot be; an index that is open already; what the system
    /// says.
    pub fn open(
        graph: &'g PropertyGraph,
        directory: impl AsRef<Path>,
        definition: TextDefinition,
    ) -> Result<Self, TextError> {
        Self::open_with(graph, directory, definition, TextOptions::default())
    }

    /// As [`FullText::open`], with other sizes.
    ///
    /// # Errors
    /// As [`FullText::open`].
    pub fn open_with(
        graph: &'g PropertyGraph,
        directory: impl AsRef<Path>,
        definition: TextDefinition,
        options: TextOptions,
    ) -> Result<Self, TextError> {
        definition.check()?;
        let place = IndexFile::take(directory.as_ref(), &definition.name, KIND)?;
        let changes = graph.follow(options.queue);
        let now = IndexPosition::of(graph, definition.identity());
        let (base, found) = Base::open(&place, &definition, &now, graph.store().is_read_only())?;
        let payload = Payload {
            superseded: found.as_ref().map_or(0, |found| found.superseded),
            mark: IndexPosition {
                csn: found.as_ref().map_or(0, |found| found.mark.csn),
                ..now
            },
        };
        let searcher = base.newest().map_err(|source| TextError::Index {
            path: place.path().to_path_buf(),
            source,
        })?;
        Ok(FullText {
            graph,
            texts: Texts::new(definition, payload.mark.uuid),
            options,
            base,
            changes,
            current: Mutex::new(Current { searcher, payload }),
            writing: Mutex::new(0),
            place,
            was_usable: found.is_some(),
        })
    }

    /// The index's definition.
    pub fn definition(&self) -> &TextDefinition {
        self.texts.definition()
    }

    /// Facts.
    pub fn statistics(&self) -> TextStatistics {
        let current = self.current.lock();
        TextStatistics {
            csn: current.payload.mark.csn,
            texts: current.searcher.num_docs(),
            superseded: current.payload.superseded,
            waiting: self.changes.len(),
            was_usable: self.was_usable,
        }
    }

    pub(crate) fn failed(&self, source: TantivyError) -> TextError {
        TextError::Index {
            path: self.place.path().to_path_buf(),
            source,
        }
    }

    /// Returns a searcher, and the nodes for which the index may lack a text that a view
    /// of this commit shows; the search reads those itself.
    pub(crate) fn up_to(&self, csn: u64) -> Result<(Searcher, Vec<u32>), TextError> {
        loop {
            {
                let current = self.current.lock();
                let known = current.payload.mark.csn;
                let nodes = self.changes.between(known, csn, self.options.direct);
                if let Some(nodes) = nodes {
                    return Ok((current.searcher.clone(), nodes));
                }
            }
            self.refresh_to(csn, &unwatched)?;
        }
    }
}
