//! Each anomaly is found in a history made by hand, and none in good ones.

use evergraph_isolation::{Anomaly, Element, Fate, History, Key, Operation, Recorded, check};

use Operation::{Append, Insert, Read, Remove, Scan};

fn committed(operations: Vec<Operation>) -> Recorded {
    recorded(operations, Fate::Committed(None))
}

fn recorded(operations: Vec<Operation>, fate: Fate) -> Recorded {
    static SESSIONS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    Recorded {
        session: SESSIONS.fetch_add(1, std::sync::atomic::Ordering::Relaxed),
        snapshot: None,
        operations,
        fate,
    }
}

fn anomalies(transactions: Vec<Recorded>) -> Vec<Anomaly> {
    check(&History { transactions }).anomalies()
}

fn read(list: Key, elements: &[Element]) -> Operation {
    Read(list, elements.to_vec())
}

fn scan(set: Key, elements: &[Element]) -> Operation {
    Scan(set, elements.to_vec())
}

#[test]
fn a_serial_history_is_clean() {
    let history = vec![
        committed(vec![
            read(0, &[]),
            Append(0, 1),
            read(0, &[1]),
            Insert(0, 10),
        ]),
        committed(vec![
            read(0, &[1]),
            Append(0, 2),
            Append(0, 3),
            scan(0, &[10]),
        ]),
        recorded(
            vec![Append(0, 4), read(0, &[1, 2, 3, 4]), Remove(0, 10)],
            Fate::Aborted,
        ),
        committed(vec![scan(0, &[10]), Remove(0, 10), scan(0, &[])]),
        committed(vec![read(0, &[1, 2, 3]), scan(0, &[])]),
    ];
    assert_eq!(anomalies(history), []);
}

#[test]
fn dirty_writes_are_g0() {
    let history = vec![
        committed(vec![Append(0, 1), Append(1, 2)]),
        committed(vec![Append(1, 3), Append(0, 4)]),
        committed(vec![read(0, &[1, 4]), read(1, &[3, 2])]),
    ];
    assert!(anomalies(history).contains(&Anomaly::G0));
}

#[test]
fn reads_of_what_never_was_are_g1a() {
    let aborted = recorded(vec![Append(0, 1)], Fate::Aborted);
    let history = vec![aborted, committed(vec![read(0, &[1])]), committed(vec![])];
    assert!(anomalies(history).contains(&Anomaly::G1a));
    let aborted = recorded(vec![Insert(0, 1)], Fate::Aborted);
    let history = vec![aborted, committed(vec![scan(0, &[1])]), committed(vec![])];
    assert!(anomalies(history).contains(&Anomaly::G1a));
}

#[test]
fn reads_in_between_are_g1b() {
    let history = vec![
        committed(vec![Append(0, 1), Append(0, 2)]),
        committed(vec![read(0, &[1])]),
        committed(vec![read(0, &[1, 2])]),
    ];
    assert!(anomalies(history).contains(&Anomaly::G1b));
}

#[test]
fn circles_of_information_are_g1c() {
    let history = vec![
        committed(vec![Append(0, 1), read(1, &[2])]),
        committed(vec![Append(1, 2), read(0, &[1])]),
        committed(vec![read(0, &[1]), read(1, &[2])]),
    ];
    assert!(anomalies(history).contains(&Anomaly::G1c));
}

#[test]
fn reads_that_change_are_imp_and_pmp() {
    let history = vec![
        committed(vec![Append(0, 1), Insert(0, 2)]),
        committed(vec![read(0, &[]), read(0, &[1])]),
        committed(vec![scan(0, &[]), scan(0, &[2])]),
    ];
    let found = anomalies(history);
    assert!(found.contains(&Anomaly::ItemManyPreceders), "{found:?}");
    assert!(
        found.contains(&Anomaly::PredicateManyPreceders),
        "{found:?}"
    );
}

#[test]
fn what_was_seen_and_then_not_vanishes() {
    let writer = || committed(vec![Append(0, 1), Append(1, 2)]);
    let last = || committed(vec![read(0, &[1]), read(1, &[2])]);
    let history = vec![
        writer(),
        committed(vec![read(0, &[1]), read(1, &[])]),
        last(),
    ];
    let found = anomalies(history);
    assert!(
        found.contains(&Anomaly::ObservedTransactionVanishes),
        "{found:?}"
    );
    assert!(found.contains(&Anomaly::FracturedRead), "{found:?}");
    let history = vec![
        writer(),
        committed(vec![read(0, &[]), read(1, &[2])]),
        last(),
    ];
    let found = anomalies(history);
    assert!(
        !found.contains(&Anomaly::ObservedTransactionVanishes),
        "{found:?}"
    );
    assert!(found.contains(&Anomaly::FracturedRead), "{found:?}");
}

#[test]
fn updates_of_what_both_had_read_are_lost() {
    let history = vec![
        committed(vec![read(0, &[]), Append(0, 1)]),
        committed(vec![read(0, &[]), Append(0, 2)]),
        committed(vec![read(0, &[1, 2])]),
    ];
    assert_eq!(anomalies(history), [Anomaly::LostUpdate]);
    let history = vec![
        committed(vec![read(0, &[]), Append(0, 1)]),
        committed(vec![read(0, &[]), Append(0, 2)]),
        committed(vec![read(0, &[2])]),
    ];
    assert!(anomalies(history).contains(&Anomaly::Lost));
}

#[test]
fn reads_before_and_after_are_skewed() {
    let history = vec![
        committed(vec![Append(0, 1), Append(1, 2)]),
        committed(vec![read(0, &[]), Append(1, 3)]),
        committed(vec![read(0, &[1]), read(1, &[2, 3])]),
    ];
    assert_eq!(anomalies(history), [Anomaly::ReadSkew]);
}

#[test]
fn writes_of_what_others_had_read_are_skewed() {
    let lists = vec![
        committed(vec![read(0, &[]), read(1, &[]), Append(0, 1)]),
        committed(vec![read(0, &[]), read(1, &[]), Append(1, 2)]),
        committed(vec![read(0, &[1]), read(1, &[2])]),
    ];
    assert_eq!(anomalies(lists), [Anomaly::WriteSkew]);
    let sets = vec![
        committed(vec![Insert(0, 10), Insert(1, 11)]),
        committed(vec![scan(1, &[11]), scan(0, &[10]), Remove(0, 10)]),
        committed(vec![scan(0, &[10]), scan(1, &[11]), Remove(1, 11)]),
        committed(vec![scan(0, &[]), scan(1, &[])]),
    ];
    assert_eq!(anomalies(sets), [Anomaly::WriteSkew]);
}

#[test]
fn a_transaction_has_to_see_its_own_writes() {
    let history = vec![
        committed(vec![Append(0, 1), read(0, &[]), Insert(0, 2), scan(0, &[])]),
        committed(vec![read(0, &[1]), scan(0, &[2])]),
    ];
    assert!(anomalies(history).contains(&Anomaly::OwnWrites));
}

#[test]
fn reads_have_to_be_of_their_snapshot() {
    let at = |snapshot, operations, fate| Recorded {
        session: 7,
        snapshot: Some(snapshot),
        operations,
        fate,
    };
    let write = |snapshot| at(snapshot, vec![Append(0, 1)], Fate::Committed(Some(5)));
    let read_at = |snapshot, elements: &[Element]| {
        at(snapshot, vec![read(0, elements)], Fate::Committed(None))
    };
    assert_eq!(anomalies(vec![write(4), read_at(5, &[1])]), []);
    // Too old for its session, and it saw what is newer.
    assert_eq!(
        anomalies(vec![write(4), read_at(4, &[1])]),
        [Anomaly::Clock]
    );
    // It does not see what it should.
    let found = anomalies(vec![write(4), read_at(6, &[]), read_at(7, &[1])]);
    assert!(found.contains(&Anomaly::Clock), "{found:?}");
}

/// A crash leaves transactions whose fate is not known.
#[test]
fn unknown_transactions_are_there_or_not_but_never_in_part() {
    let unknown = || recorded(vec![Append(0, 1), Append(1, 2)], Fate::Unknown);
    let last = |zero: &[Element], one: &[Element]| committed(vec![read(0, zero), read(1, one)]);
    assert_eq!(anomalies(vec![unknown(), last(&[1], &[2])]), []);
    assert_eq!(anomalies(vec![unknown(), last(&[], &[])]), []);
    let found = anomalies(vec![unknown(), last(&[1], &[])]);
    assert!(found.contains(&Anomaly::FracturedRead), "{found:?}");
    let told = recorded(vec![Append(0, 1)], Fate::Committed(Some(3)));
    assert!(anomalies(vec![told, last(&[], &[])]).contains(&Anomaly::Lost));
}
