//! What algorithms have left in a database.

use std::sync::Arc;

use evergraph_persistence::Storage;
use evergraph_snapshots::state::{ResultStore, StateError};
use parking_lot::Mutex;

use crate::{Database, Error};

/// The results of a database, opened when they are first asked for.
pub(crate) struct Results {
    storage: Arc<dyn Storage>,
    read_only: bool,
    opened: Mutex<Option<Arc<ResultStore>>>,
}

impl Results {
    pub fn new(storage: Arc<dyn Storage>, read_only: bool) -> Self {
        Results {
            storage,
            read_only,
            opened: Mutex::new(None),
        }
    }
}

impl Database {
    /// Results of algorithms, and the states of runs that go on: columns under
    /// names. They lie beside the graph; the first one makes their files.
    ///
    /// # Errors
    /// If the files are damaged or belong to another database. The graph is not
    /// concerned.
    pub fn results(&self) -> Result<Arc<ResultStore>, Error> {
        let results = &self.results;
        let mut opened = results.opened.lock();
        if let Some(store) = &*opened {
            return Ok(Arc::clone(store));
        }
        let storage = Arc::clone(&results.storage);
        let store = ResultStore::open(storage, *self.store().uuid(), results.read_only)?;
        Ok(Arc::clone(opened.insert(Arc::new(store))))
    }

    /// Removes results, all of them or none. The state of a run takes with it the
    /// snapshot that the run would have gone on from, a maintained result that of its
    /// commit.
    ///
    /// # Errors
    /// If one of them does not exist.
    pub fn drop_results(&self, names: &[&str]) -> Result<(), Error> {
        let results = self.results()?;
        let states: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| results.get(name).is_some_and(|s| !s.description().finished))
            .collect();
        results.remove(names)?;
        for state in states {
            crate::run::drop_snapshot(self, state)?;
        }
        for name in names {
            crate::maintain::release(self, name)?;
        }
        Ok(())
    }
}

impl From<StateError> for Error {
    fn from(error: StateError) -> Self {
        match error {
            StateError::Persistence(error) => error.into(),
            other => {
                let (message, hint) = crate::error::split(&other.to_string());
                Error::usage(message, hint.unwrap_or_default())
            }
        }
    }
}
