//! A store without any isolation: each case shows its anomaly.

use std::collections::BTreeMap;

use evergraph_isolation::{
    Anomaly, Element, Key, Level, Stop, Subject, check, scenarios, workload::Workload,
};
use evergraph_storage::failpoint;
use parking_lot::Mutex;

/// A store in which every transaction sees every write at once.
#[derive(Default)]
struct Naive(Mutex<Objects>);

#[derive(Default)]
struct Objects {
    lists: BTreeMap<Key, Vec<Element>>,
    sets: BTreeMap<Key, Vec<Element>>,
}

/// Undone on drop, unless committed.
struct Writes<'a> {
    store: &'a Naive,
    written: Vec<Element>,
}

impl Drop for Writes<'_> {
    fn drop(&mut self) {
        let objects = &mut *self.store.0.lock();
        let lists = objects.lists.values_mut().chain(objects.sets.values_mut());
        lists.for_each(|list| list.retain(|element| !self.written.contains(element)));
    }
}

impl<'s> Subject for &'s Naive {
    type Transaction = Writes<'s>;
    type Pending = ();

    fn begin(&self, _: Level) -> Writes<'s> {
        Writes {
            store: self,
            written: Vec::new(),
        }
    }

    fn snapshot(&self, _: &Writes<'s>) -> Option<u64> {
        None
    }

    fn append(&self, tx: &mut Writes<'s>, list: Key, element: Element) -> Result<(), Stop> {
        failpoint!("naive.append-forgotten" => {
            return Ok(());
        });
        tx.written.push(element);
        self.0.lock().lists.entry(list).or_default().push(element);
        Ok(())
    }

    fn read(&self, _: &mut Writes<'s>, list: Key) -> Result<Vec<Element>, Stop> {
        Ok(self.0.lock().lists.get(&list).cloned().unwrap_or_default())
    }

    fn insert(&self, tx: &mut Writes<'s>, set: Key, element: Element) -> Result<(), Stop> {
        tx.written.push(element);
        self.0.lock().sets.entry(set).or_default().push(element);
        Ok(())
    }

    fn remove(&self, _: &mut Writes<'s>, set: Key, element: Element) -> Result<(), Stop> {
        let objects = &mut *self.0.lock();
        objects
            .sets
            .entry(set)
            .or_default()
            .retain(|&other| other != element);
        Ok(())
    }

    fn scan(&self, _: &mut Writes<'s>, set: Key) -> Result<Vec<Element>, Stop> {
        Ok(self.0.lock().sets.get(&set).cloned().unwrap_or_default())
    }

    fn enqueue(&self, mut tx: Writes<'s>) -> Result<(), Stop> {
        tx.written.clear();
        Ok(())
    }

    fn finish(&self, (): ()) -> Result<Option<u64>, Stop> {
        Ok(None)
    }
}

#[test]
fn every_case_shows_its_anomaly_in_a_store_without_isolation() {
    for scenario in scenarios::all(Level::Snapshot) {
        let mut is_found = false;
        scenario.run(
            3000,
            || &*Box::leak(Box::<Naive>::default()),
            |_, history| is_found |= check(&history).has(scenario.anomaly),
        );
        assert!(
            is_found,
            "{} never shows {:?}",
            scenario.name, scenario.anomaly
        );
    }
}

#[test]
fn threads_have_the_failpoints_of_their_starter() {
    let workload = Workload {
        removals: 0,
        ..Workload::default()
    };
    let loses = || {
        let store = Naive::default();
        check(&workload.threaded(&&store, 1)).has(Anomaly::Lost)
    };
    assert!(!loses());
    let _armed = failpoint::Scope::armed("naive.append-forgotten").enter();
    assert!(loses());
}
