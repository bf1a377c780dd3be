//! Stored results of algorithms.

use std::collections::BTreeSet;
use std::sync::Arc;

use evergraph_results::{ResultStore, StateError};
use evergraph_storage::Storage;
use evergraph_storage::failpoint;
use parking_lot::Mutex;

use crate::{Error, Session};

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
    pub(crate) fn new(storage: Arc<dyn Storage>, read_only: bool) -> Self {
        Results {
            storage,
            read_only,
            opened: Mutex::new(None),
            running: Mutex::default(),
        }
    }

    /// Refuses every later write.
    pub(crate) fn close(&self) {
        if let Some(store) = &*self.opened.lock() {
            store.close();
        }
    }
}

impl Session {
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

    use super::*;
    use crate::maintain::Request;
    use crate::{Opened, Settings};
    use evergraph_algorithms::Control;
    use evergraph_storage::medium::DramStorage;
    use evergraph_topology::{Config, Store};

    /// An update that is not at its end would write a result again that has no
    /// snapshot any more.
    #[test]
    fn results_are_dropped_when_no_update_goes_on() {
        let storage: Arc<dyn Storage> = Arc::new(DramStorage::new());
        let store = Store::create(&*storage, Config::default(), [7; 16]).unwrap();
        let settings = Settings {
            read_only: false,
            background: false,
            rebase: None,
            sealed_bytes: 0,
        };
        let session = Session::new(Opened::Edges(Box::new(store)), storage, None, &settings);
        session.insert_edges(&[(0, 1)]).unwrap();
        let request = Request {
            name: "d".to_string(),
            algorithm: "degrees".to_string(),
            ..Request::default()
        };
        session.maintain(&request, &Control::new()).unwrap();
        let (happens, order) = channel();
        let (session, dropped) = (&session, happens.clone());
        std::thread::scope(|scope| {
            let update = session.maintaining.lock();
            let dropping = scope.spawn(move || {
                let told = move |_| dropped.send("results dropped").unwrap();
                let _armed = Scope::calling("results.dropping", told).enter();
                session.drop_results(&["d"])
            });
            assert_eq!(session.maintained().unwrap(), ["d"]);
            happens.send("update over").unwrap();
            drop((update, happens));
            dropping.join().unwrap().unwrap();
        });
        let order: Vec<&str> = order.iter().collect();
        assert_eq!(order, ["update over", "results dropped"]);
        assert!(session.maintained().unwrap().is_empty());
        assert_eq!(session.snapshots(), []);
    }
}
