//! Indexes as they lie in a directory, without opening them.

use std::path::Path;

use evergraph_derived::{Place, Placed};

use crate::base::{listed, payload_of};
use crate::definition::TextDefinition;
use crate::error::TextError;
use crate::full_text::{FullText, KIND};

/// An index that lies in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredText {
    /// Its name, and its files.
    pub place: Placed,
    /// What it says about itself; `None` if that cannot be read, and then it is built
    /// anew when somebody opens it.
    pub about: Option<AboutText>,
}

/// What the files of an index say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AboutText {
    /// What it is about.
    pub definition: TextDefinition,
    /// All commits of the graph up to this one are in it.
    pub csn: u64,
    /// Texts in it.
    pub texts: u64,
    /// Texts among them that no node has any more, about.
    pub superseded: u64,
}

impl FullText<'_> {
    /// The indexes in a directory, by name. Reads what each says about itself; whether
    /// its files are sound, and of which database, is found out when it is opened.
    ///
    /// # Errors
    /// What the system says.
    pub fn stored(directory: impl AsRef<Path>) -> Result<Vec<StoredText>, TextError> {
        let places = Place::all(directory.as_ref(), KIND)?;
        let stored = places.into_iter().map(|place| StoredText {
            about: about(&place),
            place,
        });
        Ok(stored.collect())
    }

    /// Removes an index that nobody has open.
    ///
    /// # Errors
    /// If there is none of this name, or somebody has it open; what the system says.
    pub fn remove(directory: impl AsRef<Path>, name: &str) -> Result<Placed, TextError> {
        Ok(Place::remove(directory.as_ref(), name, KIND)?)
    }
}

fn about(place: &Placed) -> Option<AboutText> {
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
