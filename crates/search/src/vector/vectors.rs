//! An open index.

use std::path::Path;
use std::sync::Arc;

use crate::{IndexFile, IndexFileError, IndexPosition, unwatched};
use evergraph_property_graph::graph::{Changes, PropertyGraph};
use parking_lot::{Mutex, RwLock};

use crate::vector::definition::VectorDefinition;
use crate::vector::error::VectorError;
use crate::vector::items::Items;
use crate::vector::library::Library;
use crate::vector::stored::{decode, encode, read};

/// Numbers given to vectors after which the next opening builds the index anew, long
/// before there are none left.
const MOST_NUMBERS: u32 = 1 << 31;

/// The ending of its file.
pub(crate) const KIND: &str = "vectors";

/// Options of one opening of a vector index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorOptions {
    /// Nodes changed since the index was brought up to date that a search measures
    /// itself, at most; if there are more, it brings the index up to date first.
    pub direct: usize,
    /// Changes of the graph that are held for the index, 16 bytes each; when there are
    /// more, it finds them by looking through the graph.
    pub queue: usize,
    /// Vectors that no view shows any more and that may stay in the index before a sweep;
    /// a quarter of the index comes on top.
    pub superseded: usize,
    /// Vectors taken in after which the file is written anew; a quarter of the index
    /// comes on top.
    pub unsaved: usize,
}

impl Default for VectorOptions {
    fn default() -> Self {
        VectorOptions {
            direct: 1024,
            queue: 1 << 18,
            superseded: 1000,
            unsaved: 1000,
        }
    }
}

/// Facts about a vector index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorStatistics {
    /// All commits of the graph up to this one are in it.
    pub csn: u64,
    /// Vectors in it.
    pub vectors: usize,
    /// Vectors among them that no node has any more.
    pub superseded: usize,
    /// Changes of the graph that wait to be taken in.
    pub waiting: usize,
    /// Vectors taken in or dropped since the file was written.
    pub unsaved: usize,
    /// Whether its file could be used when it was opened, or is made anew.
    pub was_usable: bool,
}

/// An open vector index of a graph: see the [module](self). Share it between threads by
/// reference.
pub struct Vectors<'g> {
    pub(crate) graph: &'g PropertyGraph,
    pub(crate) definition: VectorDefinition,
    pub(crate) options: VectorOptions,
    pub(crate) library: RwLock<Library>,
    /// Told before each commit is visible.
    pub(crate) changes: Arc<Changes>,
    /// All commits up to this one are in the library.
    pub(crate) known: Mutex<u64>,
    /// Held while the index is refreshed.
    pub(crate) writing: Mutex<Writing>,
    place: IndexFile,
    was_usable: bool,
}

/// State of the thread that refreshes the index; searches do not read it.
pub(crate) struct Writing {
    pub(crate) items: Items,
    /// Old vectors that the last sweep had to leave.
    pub(crate) left: usize,
    /// Vectors taken in since the file was written.
    pub(crate) unsaved: usize,
}

impl<'g> Vectors<'g> {
    /// Opens an index in a directory, in which it has a file and a lock of its own name.
    /// If there is none, or none that can be used, it is empty; the first search fills
    /// it. Reads all of its file.
    ///
    /// # Errors
    /// A definition that cannot be; an index that is open already; what the system
    /// says.
    pub fn open(
        graph: &'g PropertyGraph,
        directory: impl AsRef<Path>,
        definition: VectorDefinition,
    ) -> Result<Self, VectorError> {
        Self::open_with(graph, directory, definition, VectorOptions::default())
    }

    /// As [`Vectors::open`], with other sizes.
    ///
    /// # Errors
    /// As [`Vectors::open`].
    pub fn open_with(
        graph: &'g PropertyGraph,
        directory: impl AsRef<Path>,
        definition: VectorDefinition,
        options: VectorOptions,
    ) -> Result<Self, VectorError> {
        definition.check()?;
        let place = IndexFile::take(directory.as_ref(), &definition.name, KIND)?;
        let changes = graph.follow(options.queue);
        let now = IndexPosition::of(graph, definition.identity());
        let bytes = read(place.path())?;
        let stored = decode(&bytes);
        let is_ahead = stored
            .as_ref()
            .is_some_and(|stored| stored.mark.is_ahead_of(&now));
        if is_ahead && graph.store().is_read_only() {
            let path = place.path().to_path_buf();
            return Err(IndexFileError::Ahead { path }.into());
        }
        let stored = stored.filter(|stored| stored.mark.leads_to(&now));
        let found = stored.and_then(|stored| {
            // Bytes that the library refuses count as no file: the index is built anew.
            let library = Library::of_bytes(&definition, stored.library).ok()?;
            let count = stored.items.newest.len() + stored.items.old.len();
            let is_sound = library.len() == count && stored.items.next < MOST_NUMBERS;
            is_sound.then_some((library, stored.items, stored.mark.csn))
        });
        let was_usable = found.is_some();
        let (library, items, csn) = match found {
            Some(found) => found,
            None => (Library::new(&definition)?, Items::default(), 0),
        };
        let writing = Writing {
            left: items.old.len(),
            items,
            unsaved: 0,
        };
        Ok(Vectors {
            graph,
            definition,
            options,
            library: RwLock::new(library),
            changes,
            known: Mutex::new(csn),
            writing: Mutex::new(writing),
            place,
            was_usable,
        })
    }

    /// The index's definition.
    pub fn definition(&self) -> &VectorDefinition {
        &self.definition
    }

    /// Facts. Waits while the index is brought up to date.
    pub fn statistics(&self) -> VectorStatistics {
        let writing = self.writing.lock();
        VectorStatistics {
            csn: *self.known.lock(),
            vectors: self.library.read().len(),
            superseded: writing.items.old.len(),
            waiting: self.changes.len(),
            unsaved: writing.unsaved,
            was_usable: self.was_usable,
        }
    }

    /// Writes the file, so that the next opening finds what is there now. Searches do it
    /// when enough has changed; without it, the next opening reads the nodes that
    /// changed since. Takes the index twice in DRAM meanwhile.
    ///
    /// # Errors
    /// I/O errors; the file is then the old one or the new one.
    pub fn save(&self) -> Result<(), VectorError> {
        self.save_with(&mut self.writing.lock())
    }

    pub(crate) fn save_with(&self, writing: &mut Writing) -> Result<(), VectorError> {
        let mark = IndexPosition {
            csn: *self.known.lock(),
            ..IndexPosition::of(self.graph, self.definition.identity())
        };
        let library = |bytes: &mut Vec<u8>| self.library.read().write(bytes);
        self.place
            .replace(&encode(&mark, &writing.items, library)?)?;
        writing.unsaved = 0;
        Ok(())
    }

    /// The nodes of which the index may not have what a view of this commit shows.
    pub(crate) fn up_to(&self, csn: u64) -> Result<Vec<u32>, VectorError> {
        loop {
            {
                let known = self.known.lock();
                let nodes = self.changes.between(*known, csn, self.options.direct);
                if let Some(nodes) = nodes {
                    return Ok(nodes);
                }
            }
            self.refresh_to(csn, &unwatched)?;
        }
    }
}
