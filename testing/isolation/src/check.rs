//! From a history to its anomalies.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::anomaly::{Anomaly, Report};
use crate::cycles::{self, Edge, Kind};
use crate::history::{Element, Fate, History};
use crate::reads::{Index, Object};

/// Finds the anomalies of a history. Time: about the number of elements seen,
/// times the number of writers seen together.
pub fn check(history: &History) -> Report {
    let mut report = Report::default();
    let index = Index::new(history, &mut report);
    check_single_reads(&index, &mut report);
    check_repeated_reads(&index, &mut report);
    check_fractures(&index, &mut report);
    check_losses(&index, &mut report);
    check_clock(&index, &mut report);
    cycles::report(&edges(&index), history.transactions.len(), &mut report);
    report
}

/// G1a, G1b, and elements without a writer.
fn check_single_reads(index: &Index<'_>, report: &mut Report) {
    for (at, seen) in index.seen.iter().enumerate() {
        for seen in seen {
            let mut by_writer: BTreeMap<usize, Vec<Element>> = BTreeMap::new();
            let mut distinct = HashSet::new();
            for &element in &seen.elements {
                match index.writer.get(&element) {
                    Some((writer, object)) if *object == seen.object => {
                        by_writer.entry(*writer).or_default().push(element);
                    }
                    _ => report.add(Anomaly::Garbage, || {
                        format!("transaction {at} saw {element} in {:?}", seen.object)
                    }),
                }
                if !distinct.insert(element) {
                    report.add(Anomaly::Garbage, || {
                        format!("transaction {at} saw {element} twice in {:?}", seen.object)
                    });
                }
            }
            for (writer, elements) in by_writer {
                if !index.is_committed[writer] {
                    report.add(Anomaly::G1a, || {
                        format!("transaction {at} saw {elements:?} of aborted {writer}")
                    });
                }
                let all = &index.written[writer][&seen.object];
                let is_left = |element: &&Element| !elements.contains(element);
                let missing = all.iter().filter(is_left);
                // An element that was removed later can be missing.
                let missing = missing.filter(|element| !index.remover.contains_key(element));
                if missing.count() > 0 {
                    report.add(Anomaly::G1b, || {
                        format!("transaction {at} saw {elements:?} of {all:?}, written by {writer}")
                    });
                }
            }
        }
    }
}

/// IMP and PMP.
fn check_repeated_reads(index: &Index<'_>, report: &mut Report) {
    for (at, seen) in index.seen.iter().enumerate() {
        let mut first: HashMap<Object, &Vec<Element>> = HashMap::new();
        for seen in seen {
            let before = *first.entry(seen.object).or_insert(&seen.elements);
            if *before == seen.elements {
                continue;
            }
            let anomaly = match seen.object {
                Object::List(_) => Anomaly::ItemManyPreceders,
                Object::Set(_) => Anomaly::PredicateManyPreceders,
            };
            report.add(anomaly, || {
                let (object, after) = (seen.object, &seen.elements);
                format!("transaction {at} saw {object:?} as {before:?} and then as {after:?}")
            });
        }
    }
}

/// FR and OTV: part of another transaction was seen, and part was not.
fn check_fractures(index: &Index<'_>, report: &mut Report) {
    for (at, seen) in index.seen.iter().enumerate() {
        let all = seen.iter().flat_map(|seen| &seen.elements);
        let writers: HashSet<usize> = all
            .filter_map(|element| index.writer.get(element).map(|writer| writer.0))
            .filter(|&writer| writer != at)
            .collect();
        for writer in writers {
            let mut was_seen = false;
            let (mut is_fractured, mut vanishes) = (false, false);
            let mut was_missed = false;
            for seen in seen {
                let Some(written) = index.written[writer].get(&seen.object) else {
                    continue;
                };
                let mut lasting = written.iter().filter(|e| !index.remover.contains_key(e));
                let sees = written
                    .iter()
                    .any(|element| seen.elements.contains(element));
                let misses = lasting.any(|element| !seen.elements.contains(element));
                vanishes |= was_seen && misses;
                was_seen |= sees;
                was_missed |= misses;
                is_fractured |= was_seen && was_missed;
            }
            if vanishes {
                report.add(Anomaly::ObservedTransactionVanishes, || {
                    format!("transaction {at} saw {writer}, and then not")
                });
            }
            if is_fractured {
                report.add(Anomaly::FracturedRead, || {
                    format!("transaction {at} saw a part of {writer}")
                });
            }
        }
    }
}

/// Committed writes have to be there in the end, where the last transaction looked.
fn check_losses(index: &Index<'_>, report: &mut Report) {
    let Some(last) = index.seen.last() else {
        return;
    };
    let finally: HashMap<Object, HashSet<Element>> = last
        .iter()
        .map(|seen| (seen.object, seen.elements.iter().copied().collect()))
        .collect();
    let until = index.history.transactions.len() - 1;
    for (at, written) in index.written[..until].iter().enumerate() {
        if !index.is_committed[at] {
            continue;
        }
        for (object, elements) in written {
            let Some(there) = finally.get(object) else {
                continue;
            };
            for element in elements {
                let is_removed = index.remover.contains_key(element);
                if !there.contains(element) && !is_removed {
                    report.add(Anomaly::Lost, || {
                        format!("{element}, which {at} wrote to {object:?}, is lost")
                    });
                }
            }
        }
    }
    for (element, &remover) in &index.remover {
        let is_there = finally.values().any(|there| there.contains(element));
        let is_told = matches!(index.history.transactions[remover].fate, Fate::Committed(_));
        if is_there && is_told {
            report.add(Anomaly::Lost, || {
                format!("{element}, which {remover} removed, is still there")
            });
        }
    }
}

/// Reads have to show exactly what was committed up to the snapshot, and a
/// session its own commits.
fn check_clock(index: &Index<'_>, report: &mut Report) {
    let csn = |at: usize| match index.history.transactions[at].fate {
        Fate::Committed(csn) => csn,
        _ => None,
    };
    let mut sessions: HashMap<u32, u64> = HashMap::new();
    for (at, transaction) in index.history.transactions.iter().enumerate() {
        let last = sessions.entry(transaction.session).or_insert(0);
        if transaction
            .snapshot
            .is_some_and(|snapshot| snapshot < *last)
        {
            report.add(Anomaly::Clock, || {
                format!("transaction {at} began before the last commit of its own session")
            });
        }
        *last = csn(at).unwrap_or(0).max(*last);
        let Some(snapshot) = transaction.snapshot else {
            continue;
        };
        for seen in &index.seen[at] {
            for element in &seen.elements {
                let written = index.writer.get(element).and_then(|writer| csn(writer.0));
                if written.is_some_and(|csn| csn > snapshot) {
                    report.add(Anomaly::Clock, || {
                        format!("transaction {at}, as of {snapshot}, saw {element}, which is newer")
                    });
                }
                let removed = index.remover.get(element).and_then(|&remover| csn(remover));
                if removed.is_some_and(|csn| csn <= snapshot) {
                    report.add(Anomaly::Clock, || {
                        format!("transaction {at}, as of {snapshot}, saw {element}, removed before")
                    });
                }
            }
        }
    }
    check_completeness(index, &csn, report);
}

/// Every commit up to a snapshot has to be seen in it.
fn check_completeness(index: &Index<'_>, csn: &impl Fn(usize) -> Option<u64>, report: &mut Report) {
    let mut by_object: HashMap<Object, Vec<(u64, Element)>> = HashMap::new();
    for (at, written) in index.written.iter().enumerate() {
        let Some(csn) = csn(at) else { continue };
        for (object, elements) in written {
            let entries = by_object.entry(*object).or_default();
            entries.extend(elements.iter().map(|&element| (csn, element)));
        }
    }
    by_object
        .values_mut()
        .for_each(|entries| entries.sort_unstable_by_key(|entry| entry.0));
    for (at, transaction) in index.history.transactions.iter().enumerate() {
        let Some(snapshot) = transaction.snapshot else {
            continue;
        };
        for seen in &index.seen[at] {
            let entries = by_object.get(&seen.object).map_or(&[][..], Vec::as_slice);
            let visible = entries.partition_point(|entry| entry.0 <= snapshot);
            let there: HashSet<&Element> = seen.elements.iter().collect();
            let mut lasting = entries[..visible].iter().filter(|(_, element)| {
                let remover = index.remover.get(element);
                remover.is_none_or(|&r| r == at || csn(r).is_some_and(|csn| csn > snapshot))
            });
            if let Some((csn, element)) = lasting.find(|(_, element)| !there.contains(element)) {
                report.add(Anomaly::Clock, || {
                    format!("transaction {at}, as of {snapshot}, did not see {element} of {csn}")
                });
            }
        }
    }
}

/// Edges of the dependency graph of committed transactions: which came before another.
fn edges(index: &Index<'_>) -> Vec<Edge> {
    let mut edges = Vec::new();
    let writer = |element: &Element| {
        let writer = index.writer.get(element).map(|writer| writer.0);
        writer.filter(|&writer| index.is_committed[writer])
    };
    let mut add = |from: Option<usize>, to: Option<usize>, kind: Kind, object: Object| {
        if let (Some(from), Some(to)) = (from, to)
            && from != to
        {
            edges.push(Edge {
                from,
                to,
                kind,
                object,
            });
        }
    };
    for (&key, order) in &index.order {
        for pair in order.windows(2) {
            add(
                writer(&pair[0]),
                writer(&pair[1]),
                Kind::Write,
                Object::List(key),
            );
        }
    }
    for (element, &remover) in &index.remover {
        let remover = Some(remover).filter(|&remover| index.is_committed[remover]);
        if let Some(&(_, object)) = index.writer.get(element) {
            add(writer(element), remover, Kind::Write, object);
        }
    }
    let places: HashMap<Element, usize> = index
        .order
        .values()
        .flat_map(|order| {
            order
                .iter()
                .enumerate()
                .map(|(place, &element)| (element, place))
        })
        .collect();
    for (reader, seen) in index.seen.iter().enumerate() {
        let reader = Some(reader).filter(|&reader| index.is_committed[reader]);
        for seen in seen {
            match seen.object {
                Object::List(key) => {
                    let last = seen.elements.last();
                    add(last.and_then(&writer), reader, Kind::Read, seen.object);
                    let next = last.map_or(0, |last| places.get(last).map_or(0, |place| place + 1));
                    let next = index.order.get(&key).and_then(|order| order.get(next));
                    add(
                        reader,
                        next.and_then(&writer),
                        Kind::Overwritten,
                        seen.object,
                    );
                }
                Object::Set(_) => {
                    let there: HashSet<&Element> = seen.elements.iter().collect();
                    for element in &seen.elements {
                        add(writer(element), reader, Kind::Read, seen.object);
                        let remover = index.remover.get(element).copied();
                        let remover = remover.filter(|&remover| index.is_committed[remover]);
                        add(reader, remover, Kind::Overwritten, seen.object);
                    }
                    for element in inserted(index, seen.object) {
                        let is_lasting = !index.remover.contains_key(&element);
                        if is_lasting && !there.contains(&element) {
                            add(reader, writer(&element), Kind::Overwritten, seen.object);
                        }
                    }
                }
            }
        }
    }
    edges
}

/// Everything that was ever put into an object.
fn inserted<'a>(index: &'a Index<'_>, object: Object) -> impl Iterator<Item = Element> + 'a {
    let written = index
        .written
        .iter()
        .filter_map(move |written| written.get(&object));
    written.flatten().copied()
}
