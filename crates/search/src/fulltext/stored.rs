//! Indexes as they lie in a directory, without opening them.

use std::path::Path;

use crate::{IndexFile, StoredFile};

use crate::fulltext::base::{listed, payload_of};
use crate::fulltext::definition::TextDefinition;
use crate::fulltext::error::TextError;
use crate::fulltext::full_text::{FullText, KIND};

/// An index that lies in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredText {
    /// Its name, and its files.
    pub place: StoredFile,
    /// Header of the files; `None` if it cannot be read: then the next opening builds the
    /// index anew.
    pub about: Option<AboutText>,
}

/// Header of an index's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AboutText {
    /// Definition that the files were built for.
    pub definition: TextDefinition,
    /// All commits of the graph up to this one are in it.
    pub csn: u64,
    /// Texts in it.
    pub texts: u64,
    /// Texts among them that no node has any more, about.
    pub superseded: u64,
}

impl FullText<'_> {
    /// The indexes in a directory, by name. Reads the header of each; whether its files
    /// are sound, and of which database, is found out when it is opened.
    ///
    /// # Errors
    /// I/O errors.
    pub fn stored(directory: impl AsRef<Path>) -> Result<Vec<StoredText>, TextError> {
        let places = IndexFile::all(directory.as_ref(), KIND)?;
        let stored = places.into_iter().map(|place| StoredText {
            about: about(&place),
            place,
        });
        Ok(stored.collect())
    }

    /// Removes an index that is not open.
    ///
    /// # Errors
    /// If there is none of this name, or it is open elsewhere; I/O errors.
    pub fn remove(directory: impl AsRef<Path>, name: &str) -> Result<StoredFile, TextError> {
        Ok(IndexFile::remove(directory.as_ref(), name, KIND)?)
    }
}

fn about(place: &StoredFile) -> Option<AboutText> {
    let (_, metas) = listed(&place.path).ok()??;
    let payload = payload_of(&metas)?;
    let texts = metas
        .segments
        .iter()
        .map(|segment| u64::from(segment.num_docs()));
    Some(AboutText {
        definition: TextDefinition::of_identity(&place.name, &payload.mark.identity)?,
        csn: payload.mark.csn,
        texts: texts.sum(),
        superseded: payload.superseded,
    })
}
