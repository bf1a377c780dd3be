//! Stored results of algorithms.

use std::collections::BTreeSet;
use std::sync::Arc;

use evergraph_snapshots::state::{ResultStore, StateError};
use evergraph_storage::Storage;
use evergraph_storage::failpoint;
use parking_lot::Mutex;

use crate::{Database, Error};

/// The results of a database, opened when they are first asked for.
pub(crate) struct Results {
    storage: Arc<dyn Storage>,
    read_only: bool,
    pub opened: Mutex<Option<Arc<ResultStore>>>,
    /// States of runs that go on in this process: their snapshots are needed before
    /// the first state is there.
    pub running: Mutex<BTreeSet<String>>,
}

impl Results {
    pub fn new(storage: Arc<dyn Storage>, read_only: bool) -> Self {
        Results {
            storage,
            read_only,
            opened: Mutex::new(None),
            running: Mutex::default(),
        }
    }

    /// The files of the database. They are locked as long as it lives.
    pub fn storage(&self) -> &dyn Storage {
        &*self.storage
    }

    /// Refuses every later write.
    pub fn close(&self) {
        if let Some(store) = &*self.opened.lock() {
            store.close();
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
        // An update beside it would write the result again, without its snapshot.
        let _no_update = self.maintaining.lock();
        failpoint!("results.dropping");
        let results = self.results()?;
        let states: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| results.get(name).is_some_and(|s| !s.description().finished))
            .collect();
        if failpoint!("maintain.dropped-first") {
            for name in names {
                crate::maintain::release(self, name)?;
            }
        }
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
            StateError::Storage(error) => error.into(),
            other => {
                let (message, hint) = crate::error::split(&other.to_string());
                Error::usage(message, hint.unwrap_or_default())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use evergraph_storage::failpoint::Scope;

    use crate::maintain::Request;
    use crate::{Control, Database, MediumKind, Options};

    /// An update that is not at its end would write a result again that has no
    /// snapshot any more.
    #[test]
    fn results_are_dropped_when_no_update_goes_on() {
        let options = Options {
            medium: MediumKind::Dram,
            ..Options::default()
        };
        let db = Database::create("in memory", &options).unwrap();
        db.insert_edges(&[(0, 1)]).unwrap();
        let request = Request {
            name: "d".to_string(),
            algorithm: "degrees".to_string(),
            ..Request::default()
        };
        db.maintain(&request, &Control::new()).unwrap();
        let (happens, order) = channel();
        let (db, dropped) = (&db, happens.clone());
        std::thread::scope(|scope| {
            let update = db.maintaining.lock();
            let dropping = scope.spawn(move || {
                let told = move |_| dropped.send("results dropped").unwrap();
                let _armed = Scope::calling("results.dropping", told).enter();
                db.drop_results(&["d"])
            });
            assert_eq!(db.maintained().unwrap(), ["d"]);
            happens.send("update over").unwrap();
            drop((update, happens));
            dropping.join().unwrap().unwrap();
        });
        let order: Vec<&str> = order.iter().collect();
        assert_eq!(order, ["update over", "results dropped"]);
        assert!(db.maintained().unwrap().is_empty());
        assert_eq!(db.snapshots(), []);
    }
}
