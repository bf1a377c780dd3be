//! Indexes as they lie in a directory, without opening them.

use std::fs;
use std::path::Path;

use crate::{IndexFile, StoredFile};

use crate::vector::definition::VectorDefinition;
use crate::vector::error::VectorError;
use crate::vector::stored::decode;
use crate::vector::vectors::{KIND, Vectors};

/// An index that lies in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredVectors {
    /// Its name, and its file.
    pub place: StoredFile,
    /// Header of the file; `None` if it cannot be read: then the next opening builds the
    /// index anew.
    pub about: Option<AboutVectors>,
}

/// Header of an index's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AboutVectors {
    /// Definition that the file was built for.
    pub definition: VectorDefinition,
    /// All commits of the graph up to this one are in it.
    pub csn: u64,
    /// Vectors in it.
    pub vectors: usize,
    /// Vectors among them that no node has any more.
    pub superseded: usize,
}

impl Vectors<'_> {
    /// The indexes in a directory, by name. Reads their files once; of which database
    /// they are is found out when they are opened.
    ///
    /// # Errors
    /// I/O errors.
    pub fn stored(directory: impl AsRef<Path>) -> Result<Vec<StoredVectors>, VectorError> {
        let places = IndexFile::all(directory.as_ref(), KIND)?;
        let stored = places.into_iter().map(|place| StoredVectors {
            about: about(&place),
            place,
        });
        Ok(stored.collect())
    }

    /// Removes an index that is not open.
    ///
    /// # Errors
    /// If there is none of this name, or it is open elsewhere; I/O errors.
    pub fn remove(directory: impl AsRef<Path>, name: &str) -> Result<StoredFile, VectorError> {
        Ok(IndexFile::remove(directory.as_ref(), name, KIND)?)
    }
}

fn about(place: &StoredFile) -> Option<AboutVectors> {
    let bytes = fs::read(&place.path).ok()?;
    let stored = decode(&bytes)?;
    let superseded = stored.items.old.len();
    Some(AboutVectors {
        definition: VectorDefinition::of_identity(&place.name, &stored.mark.identity)?,
        csn: stored.mark.csn,
        vectors: stored.items.newest.len() + superseded,
        superseded,
    })
}
