//! The writer of each element, and the reads of each transaction.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::anomaly::{Anomaly, Report};
use crate::history::{Element, Fate, History, Key, Operation};

/// A list or a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Object {
    List(Key),
    Set(Key),
}

/// One read of one object, without what the reader had written itself.
#[derive(Debug)]
pub(crate) struct Seen {
    pub object: Object,
    pub elements: Vec<Element>,
}

/// A history, indexed.
pub(crate) struct Index<'a> {
    pub history: &'a History,
    /// Transaction that wrote an element, and the object.
    pub writer: HashMap<Element, (usize, Object)>,
    /// Transaction that removed an element and was not aborted.
    pub remover: HashMap<Element, usize>,
    /// Elements that each transaction wrote to each object, in order.
    pub written: Vec<BTreeMap<Object, Vec<Element>>>,
    /// Reads of each transaction, in order.
    pub seen: Vec<Vec<Seen>>,
    /// Whether each is in the database: acknowledged, or seen by another.
    pub is_committed: Vec<bool>,
    /// Elements of each list in the order in which they were appended.
    pub order: BTreeMap<Key, Vec<Element>>,
}

impl<'a> Index<'a> {
    /// Indexes a history, and reports what single reads show.
    pub fn new(history: &'a History, report: &mut Report) -> Self {
        let mut index = Index {
            history,
            writer: HashMap::new(),
            remover: HashMap::new(),
            written: Vec::new(),
            seen: Vec::new(),
            is_committed: Vec::new(),
            order: BTreeMap::new(),
        };
        index.index_writes();
        for at in 0..history.transactions.len() {
            let seen = index.seen_by(at, report);
            index.seen.push(seen);
        }
        index.decide_fates();
        index.derive_orders(report);
        index
    }

    fn index_writes(&mut self) {
        for (at, transaction) in self.history.transactions.iter().enumerate() {
            let mut written: BTreeMap<Object, Vec<Element>> = BTreeMap::new();
            for operation in &transaction.operations {
                let (object, element) = match *operation {
                    Operation::Append(key, element) => (Object::List(key), element),
                    Operation::Insert(key, element) => (Object::Set(key), element),
                    Operation::Remove(_, element) => {
                        if transaction.fate != Fate::Aborted {
                            self.remover.insert(element, at);
                        }
                        continue;
                    }
                    Operation::Read(..) | Operation::Scan(..) => continue,
                };
                written.entry(object).or_default().push(element);
                self.writer.insert(element, (at, object));
            }
            self.written.push(written);
        }
    }

    /// Reads of a transaction without its own writes, which are checked and taken
    /// away.
    fn seen_by(&self, at: usize, report: &mut Report) -> Vec<Seen> {
        let mut own: BTreeMap<Object, Vec<Element>> = BTreeMap::new();
        let mut removed = HashSet::new();
        let mut seen = Vec::new();
        for operation in &self.history.transactions[at].operations {
            let (object, elements) = match operation {
                Operation::Append(key, element) => {
                    own.entry(Object::List(*key)).or_default().push(*element);
                    continue;
                }
                Operation::Insert(key, element) => {
                    own.entry(Object::Set(*key)).or_default().push(*element);
                    continue;
                }
                Operation::Remove(_, element) => {
                    removed.insert(*element);
                    continue;
                }
                Operation::Read(key, elements) => (Object::List(*key), elements),
                Operation::Scan(key, elements) => (Object::Set(*key), elements),
            };
            let mine = own.get(&object).map_or(&[][..], Vec::as_slice);
            if !shows_own(object, elements, mine, &removed) {
                report.add(Anomaly::OwnWrites, || {
                    format!("transaction {at} wrote {mine:?} to {object:?} and saw {elements:?}")
                });
            }
            let is_other = |element: &&Element| !mine.contains(element);
            let mut others: Vec<Element> = elements.iter().filter(is_other).copied().collect();
            // It had seen the elements that it removed.
            if let Object::Set(key) = object {
                others.extend(self.removed_before(at, key, operation));
                others.sort_unstable();
            }
            seen.push(Seen {
                object,
                elements: others,
            });
        }
        seen
    }

    /// Elements of others in a set that the transaction removed before one of its
    /// operations.
    fn removed_before(&self, at: usize, set: Key, until: &Operation) -> Vec<Element> {
        let operations = self.history.transactions[at].operations.iter();
        let before = operations.take_while(|operation| !std::ptr::eq(*operation, until));
        let removed = before.filter_map(|operation| match *operation {
            Operation::Remove(key, element) if key == set => Some(element),
            _ => None,
        });
        let is_other = |element: &Element| self.writer.get(element).is_none_or(|w| w.0 != at);
        removed.filter(is_other).collect()
    }

    /// A transaction whose fate is not known is committed if another saw
    /// any of its writes.
    fn decide_fates(&mut self) {
        let all = self.seen.iter().flatten().flat_map(|seen| &seen.elements);
        let observed: HashSet<usize> = all
            .filter_map(|element| self.writer.get(element).map(|writer| writer.0))
            .collect();
        let transactions = self.history.transactions.iter().enumerate();
        self.is_committed = transactions
            .map(|(at, transaction)| match transaction.fate {
                Fate::Committed(_) => true,
                Fate::Aborted => false,
                Fate::Unknown => observed.contains(&at),
            })
            .collect();
    }

    /// The order of each list is the longest that was seen.
    fn derive_orders(&mut self, report: &mut Report) {
        for operation in self.all_operations() {
            if let Operation::Read(key, elements) = operation.1 {
                let is_decided =
                    |e: &&Element| self.writer.get(e).is_none_or(|w| w.0 != operation.0);
                let own = self.is_committed[operation.0];
                let seen: Vec<Element> = if own {
                    elements.clone()
                } else {
                    elements.iter().filter(is_decided).copied().collect()
                };
                let order = self.order.entry(*key).or_default();
                if seen.len() > order.len() {
                    *order = seen;
                }
            }
        }
        for (at, seen) in self.seen.iter().enumerate() {
            for seen in seen {
                let Object::List(key) = seen.object else {
                    continue;
                };
                let order = self.order.get(&key).map_or(&[][..], Vec::as_slice);
                if !order.starts_with(&seen.elements) {
                    report.add(Anomaly::LostUpdate, || {
                        format!(
                            "transaction {at} saw list {key} as {:?}, others as {order:?}",
                            seen.elements
                        )
                    });
                }
            }
        }
    }

    fn all_operations(&self) -> Vec<(usize, &'a Operation)> {
        let transactions = self.history.transactions.iter().enumerate();
        transactions
            .flat_map(|(at, t)| t.operations.iter().map(move |operation| (at, operation)))
            .collect()
    }
}

/// Whether a read shows what the reader had written before: at the end of a
/// list, anywhere in a set.
fn shows_own(
    object: Object,
    elements: &[Element],
    mine: &[Element],
    removed: &HashSet<Element>,
) -> bool {
    match object {
        Object::List(_) => elements.ends_with(mine),
        Object::Set(_) => {
            let stays = |element: &&Element| !removed.contains(element);
            mine.iter()
                .filter(stays)
                .all(|element| elements.contains(element))
                && !elements.iter().any(|element| removed.contains(element))
        }
    }
}
