//! Pictures of chunks: as of commits before the last checkpoint, and one made of another.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use evergraph_storage::failpoint;

use super::world::{Change, Content, Step, World};

fn content(number: u8) -> Content {
    ([number % 3].into(), [(0, number), (1, 3)].into())
}

fn create(count: u8) -> Vec<Change> {
    (0..count).map(|n| Change::Create(content(n))).collect()
}

fn update(record: usize, number: u8) -> Vec<Change> {
    vec![Change::Update(record, content(number))]
}

fn performed(steps: &[Step]) -> World {
    let mut world = World::new();
    steps.iter().for_each(|step| world.step(step));
    world
}

/// It holds, and would not if a step went wrong.
fn only_without(mutant: &'static str, holds: impl Fn()) {
    holds();
    let _armed = failpoint::Scope::armed(mutant).enter();
    assert!(catch_unwind(AssertUnwindSafe(holds)).is_err(), "{mutant}");
}

/// Snapshots of three versions of a record, of which a checkpoint merges the last.
fn replaced() -> World {
    performed(&[
        Step::Commit(create(3), true),
        Step::Commit(update(1, 4), true),
        Step::Commit(update(1, 5), true),
        Step::Commit(update(1, 6), false),
        Step::Checkpoint(Vec::new(), false),
    ])
}

#[test]
fn a_version_is_shown_until_the_next() {
    only_without("records.past-end-ignored", || replaced().verify());
}

#[test]
fn pictures_of_the_past_go_with_a_checkpoint() {
    only_without("records.past-pictures-kept", || {
        let mut world = replaced();
        assert_eq!(world.table.stats().past_bytes, 0);
        world.verify();
        let kept = world.table.stats().past_bytes;
        assert!(kept > 0);
        world.verify();
        assert_eq!(world.table.stats().past_bytes, kept, "they are found again");
        world.step(&Step::Commit(update(0, 1), false));
        world.step(&Step::Checkpoint(Vec::new(), false));
        assert_eq!(world.table.stats().past_bytes, 0);
        world.verify();
    });
}

#[test]
fn pictures_of_the_past_take_no_more_than_the_budget() {
    let world = replaced();
    let oldest = world.host.kept()[0];
    world.table.set_past_bytes(0);
    let used = world.table.chunk_at(0, oldest).unwrap().unwrap();
    assert!(world.table.stats().past_bytes > 0, "a view uses it");
    drop(used);
    assert_eq!(world.table.stats().past_bytes, 0);
    world.verify();
}

#[test]
fn a_picture_follows_from_the_one_before() {
    only_without("records.picture-not-told", || {
        let mut world = performed(&[
            Step::Commit(create(3), false),
            Step::Checkpoint(Vec::new(), false),
        ]);
        for number in 0..6 {
            world.step(&Step::View);
            world.verify();
            let changes = match number {
                3 => vec![Change::Delete(0)],
                _ => update(number, 6 - number as u8),
            };
            world.step(&Step::Commit(changes, false));
        }
        world.verify();
    });
}

/// Readers are a commit behind, and go on: each picture is made of the one before.
#[test]
fn a_picture_follows_from_an_older_one() {
    only_without("records.picture-change-lost", || {
        let mut world = performed(&[
            Step::Commit(create(8), false),
            Step::Checkpoint(Vec::new(), false),
            Step::View,
        ]);
        world.verify();
        for number in 0..6 {
            world.step(&Step::Commit(update(number, 7 + number as u8), false));
            world.step(&Step::View);
            let behind = world.host.csn();
            world.step(&Step::Commit(update(number + 1, 20 + number as u8), false));
            let picture = || world.table.chunk_at(0, behind).unwrap().unwrap();
            assert!(
                Arc::ptr_eq(&picture(), &picture()),
                "nothing was changed between"
            );
            world.verify();
        }
    });
}

/// Snapshots before all records of a chunk were replaced, and between that and the next
/// time.
fn replaced_all() -> World {
    let all = |number| (0..3).map(move |at| Change::Update(at, content(at as u8 + number)));
    performed(&[
        Step::Commit(create(3), true),
        Step::Commit(all(4).collect(), true),
        Step::Checkpoint(Vec::new(), false),
        Step::Commit(all(8).collect(), false),
        Step::Checkpoint(Vec::new(), false),
    ])
}

#[test]
fn a_chunk_of_the_past_is_read_as_one() {
    only_without("records.past-end-ignored", || {
        let world = replaced_all();
        for &kept in world.host.kept() {
            let picture = world.table.chunk_at(0, kept).unwrap().unwrap();
            assert_eq!(picture.clean(0), 0b111, "as of {kept}");
        }
        world.verify();
    });
}

/// What a commit does not change is shared with the picture before it.
#[test]
fn views_of_the_base_share_its_picture() {
    let mut world = performed(&[
        Step::Commit(create(3), true),
        Step::Checkpoint(Vec::new(), false),
    ]);
    let merged = world.host.csn();
    world.step(&Step::Commit(update(0, 5), false));
    let picture = || world.table.chunk_at(0, merged).unwrap().unwrap();
    assert!(Arc::ptr_eq(&picture(), &picture()));
    world.verify();
}
