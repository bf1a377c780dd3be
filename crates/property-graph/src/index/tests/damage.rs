//! Damaged bytes give an error or the right answer, and the index can be built
//! again.

use evergraph_storage::Medium;
use evergraph_storage::medium::DramStorage;
use proptest::prelude::*;

use super::host::{Commit, Host, TINY};
use crate::index::{KeyRange, Kind};

fn content() -> Commit {
    let key = |id: u32| format!("{}-{}", ["anna", "bert", "carla"][id as usize % 3], id / 9);
    let ids = (0..300).map(|id| (id, Some(key(id).into_bytes())));
    ids.collect()
}

fn damaged(kind: Kind, place: prop::sample::Index, bit: u8) -> Result<(), String> {
    let storage = DramStorage::new();
    let mut host = Host::create(&storage, kind, TINY)?;
    host.commit(&content(), true);
    host.checkpoint(|_| true)?;
    // Some that only the snapshot shows.
    host.commit(&vec![(7, None), (8, Some(b"bert-0".to_vec()))], false);
    host.checkpoint(|_| true)?;
    let places = host.index.stored_places();
    let bytes: u64 = places.iter().map(|place| place.1).sum();
    let mut at = place.index(bytes as usize) as u64;
    let mut places = places.iter();
    let offset = loop {
        let place = places.next().expect("the lengths add up");
        if at < place.1 {
            break place.0 + at;
        }
        at -= place.1;
    };
    let medium = host.region.medium().clone();
    let mut byte = [0];
    medium.read(offset, &mut byte).map_err(|e| e.to_string())?;
    let other = [byte[0] ^ (1 << (bit % 8))];
    medium.write(offset, &other).map_err(|e| e.to_string())?;

    let truth = host.truth.clone();
    let csn = host.csn();
    drop(host);
    let mut host = Host::open(&storage, kind, TINY, &[1])?.expect("created");
    host.truth = truth;
    let is_told = host.restored.is_err() || host.check().is_err();
    if !is_told {
        return Err(format!("byte {offset} is wrong, and nobody says so"));
    }
    for csn in [1, csn] {
        for (key, id) in host.truth.at(csn) {
            let mut ids = Vec::new();
            if host.index.lookup(csn, &key, &mut ids).is_ok() && !ids.contains(&id) {
                return Err(format!("{key:?} finds {ids:?}, and not {id}"));
            }
        }
        if let Ok(found) = host.found(csn, &KeyRange::all()) {
            let missing = host.truth.at(csn).into_iter().find(|e| !found.contains(e));
            if let Some(missing) = missing {
                return Err(format!("{missing:?} is not found, without an error"));
            }
        }
    }
    // Given up and built again, as the index's owner does it.
    host.index.damaged();
    host.build(csn)?;
    host.compare(csn)?;
    host.commit(&vec![(9, Some(b"new".to_vec()))], false);
    host.checkpoint(|_| true)?;
    let truth = host.truth.clone();
    drop(host);
    let mut host = Host::open(&storage, kind, TINY, &[])?.expect("created");
    host.truth = truth;
    host.restored.clone()?;
    host.check()?;
    host.compare(csn + 1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn damage_is_told(place in any::<prop::sample::Index>(), bit in 0u8..8) {
        damaged(Kind::Hybrid, place, bit).map_err(TestCaseError::fail)?;
        damaged(Kind::OnMedium, place, bit).map_err(TestCaseError::fail)?;
    }
}

/// Merging meets the damage: the superblock does not name the index any more, changes go
/// on being kept, and from the records it is built again, as if nothing had been.
fn damaged_while_it_lives(kind: Kind, place: prop::sample::Index, bit: u8) -> Result<(), String> {
    let storage = DramStorage::new();
    let mut host = Host::create(&storage, kind, TINY)?;
    host.commit(&content(), true);
    host.checkpoint(|_| true)?;
    let places = host.index.stored_places();
    // The manifest is last, and is read at an opening only.
    let (offset, len) = places[place.index(places.len() - 1)];
    let offset = offset + place.index(len as usize) as u64;
    let medium = host.region.medium().clone();
    let mut byte = [0];
    medium.read(offset, &mut byte).map_err(|e| e.to_string())?;
    let other = [byte[0] ^ (1 << (bit % 8))];
    medium.write(offset, &other).map_err(|e| e.to_string())?;

    let everything: Commit = (0..300)
        .map(|id| (id, Some(format!("new-{id}").into_bytes())))
        .collect();
    host.commit(&everything, false);
    host.checkpoint(|_| true)?;
    let is_leaf = host.index.is_damaged();
    if is_leaf {
        host.commit(&vec![(3, Some(b"later".to_vec())), (4, None)], false);
        host.build(host.csn())?;
        if host.index.is_damaged() {
            return Err("it is built and still counts as damaged".to_string());
        }
    }
    host.compare(host.csn())?;
    host.commit(&vec![(9, Some(b"newest".to_vec()))], false);
    host.checkpoint(|_| true)?;
    let (truth, csn) = (host.truth.clone(), host.csn());
    drop(host);
    let mut host = Host::open(&storage, kind, TINY, &[])?.expect("created");
    host.truth = truth;
    host.restored.clone()?;
    host.check()?;
    host.compare(csn)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_checkpoint_goes_on_without_a_damaged_index(
        place in any::<prop::sample::Index>(),
        bit in 0u8..8,
    ) {
        damaged_while_it_lives(Kind::Hybrid, place, bit).map_err(TestCaseError::fail)?;
        damaged_while_it_lives(Kind::OnMedium, place, bit).map_err(TestCaseError::fail)?;
    }
}
