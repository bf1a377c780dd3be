//! Indexes as they lie in a directory, without opening them.

use std::fs;
use std::path::Path;

use evergraph_derived::{Place, Placed};

use crate::definition::VectorDefinition;
use crate::error::VectorError;
use crate::stored::decode;
use crate::vectors::{KIND, Vectors};

/// An index that lies in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredVectors {
    /// Its name, and its file.
    pub place: Placed,
    /// What it says about itself; `None` if that cannot be read, and then it is built
    /// anew when somebody opens it.
    pub about: Option<AboutVectors>,
}

/// What the file of an index says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AboutVectors {
    /// What it is about.
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
    /// What the system says.
    pub fn stored(directory: impl AsRef<Path>) -> Result<Vec<StoredVectors>, VectorError> {
        let places = Place::all(directory.as_ref(), KIND)?;
        let stored = places.into_iter().map(|place| StoredVectors {
            about: about(&place),
            place,
        });
        Ok(stored.collect())
    }

    /// Removes an index that nobody has open.
    ///
    /// # Errors
    /// If there is none of this name, or somebody has it open; what the system says.
    pub fn remove(directory: impl AsRef<Path>, name: &str) -> Result<Placed, VectorError> {
        Ok(Place::remove(directory.as_ref(), name, KIND)?)
    }
}

fn about(place: &Placed) -> Option<AboutVectors> {
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
