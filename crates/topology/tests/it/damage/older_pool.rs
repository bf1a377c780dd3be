//! A pool of an earlier time beside the other files as they are.

use evergraph_graph::StoredLists;
use evergraph_simulated::{Image, Persistence, Random, SimulatedStorage};
use evergraph_storage::failpoint::Scope;
use evergraph_topology::{Batch, Store};

use super::fixture::{Graph, Reference, merged_config, observe, sim_config};

/// Lives of a database that are tried.
const LIVES: u8 = 24;
/// Steps of each.
const STEPS: usize = 14;

/// A moment of a database: its files, and what they show.
struct Moment {
    what: String,
    image: Image,
    graph: Graph,
}

/// How many older pools were noticed, and how many did no harm.
#[derive(Default)]
struct Tally {
    noticed: usize,
    went_on: usize,
    /// Noticed by what the log says.
    older_than_log: usize,
}

/// Commits, merges, kills, clean stops and laps of the ring, drawn from a seed.
fn moments(seed: u8) -> Vec<Moment> {
    let storage = SimulatedStorage::new(sim_config(Persistence::Pages));
    let shape = merged_config(false, StoredLists::Out);
    let mut reference = Reference::create(&storage, shape, [seed; 16]);
    let mut random = Random::new(u64::from(seed) + 100);
    let mut moments = Vec::new();
    for step in 0..STEPS {
        let what = match random.below(6) {
            0..=2 => {
                reference.commit_group(&[1 + step % 3, 1]);
                "commits"
            }
            3 => {
                for _ in 0..1 + random.below(12) {
                    reference.commit_group(&[3]);
                    reference.store.checkpoint().unwrap();
                }
                "laps"
            }
            4 => reopened(&mut reference, &storage, "killed"),
            _ => {
                reference.store.close().unwrap();
                moments.push(moment("closed", &storage, &reference));
                reopened(&mut reference, &storage, "opened")
            }
        };
        moments.push(moment(what, &storage, &reference));
    }
    moments
}

fn reopened(
    reference: &mut Reference,
    storage: &SimulatedStorage,
    what: &'static str,
) -> &'static str {
    // A store that is dropped and not closed leaves what a killed process leaves.
    reference.store = Store::open(storage, false).unwrap().0;
    what
}

fn moment(what: &str, storage: &SimulatedStorage, reference: &Reference) -> Moment {
    let (csn, graph) = reference.history.iter().next_back().expect("commit 0");
    Moment {
        what: format!("{what} at commit {csn}"),
        image: storage.image(),
        graph: graph.clone(),
    }
}

/// Opens for writing; if that works, goes on as programs do: everything is there, and
/// stays there, however the programs end.
fn go_on(image: &Image, graph: &Graph) -> Result<(), String> {
    let storage = SimulatedStorage::from_image(sim_config(Persistence::Pages), image);
    let opened = Store::open(&storage, false);
    if opened.is_err() {
        assert!(storage.image().files == image.files, "nothing was changed");
    }
    let (mut store, _) = opened.map_err(|error| error.to_string())?;
    let mut expected = graph.clone();
    for closes in [false, true, false] {
        let found = observe(&store)?;
        assert_eq!(found, expected);
        let mut batch = Batch::new();
        batch.at(1).insert(&[(0, 1)]);
        let csn = store.commit(batch).unwrap().csn;
        expected.csn = csn;
        expected.arc_count += 1;
        expected.vertex_count = expected.vertex_count.max(2);
        expected.lists[0].entry(0).or_default().push((1, 0));
        if closes {
            store.close().unwrap();
        }
        drop(store);
        store = Store::open(&storage, false)
            .expect("it was opened before")
            .0;
    }
    assert_eq!(observe(&store)?, expected);
    store.checkpoint().unwrap();
    drop(store);
    let (store, _) = Store::open(&storage, false).expect("it was opened before");
    assert_eq!(observe(&store)?, expected);
    Ok(())
}

/// Every pool beside the other files of every later moment; the first case in which
/// something is lost is an error.
fn tried() -> Result<Tally, String> {
    let mut tally = Tally::default();
    for seed in 1..=LIVES {
        let moments = moments(seed);
        for (i, old) in moments.iter().enumerate() {
            for new in &moments[i + 1..] {
                let mut image = new.image.clone();
                *image.file("pool") = old.image.files["pool"].clone();
                let outcome = std::panic::catch_unwind(|| go_on(&image, &new.graph));
                let lost = |_| format!("seed {seed}: pool of {} in {}", old.what, new.what);
                match outcome.map_err(lost)? {
                    Ok(()) => tally.went_on += 1,
                    Err(error) => {
                        tally.noticed += 1;
                        tally.older_than_log += usize::from(error.contains("older than the log"));
                    }
                }
            }
        }
    }
    Ok(tally)
}

/// It is noticed, by the opening or by a checksum, or all that was committed is there and
/// the database can be written on.
#[test]
fn an_older_pool_is_noticed_or_does_no_harm() {
    let Tally {
        noticed,
        went_on,
        older_than_log,
    } = tried().expect("nothing is lost");
    println!("older pools: {noticed} noticed, {older_than_log} by the log; {went_on} went on");
    assert!(older_than_log > 0 && went_on > 0 && noticed > older_than_log);
}

#[test]
fn without_a_look_at_the_log_commits_are_lost() {
    for mutant in ["log.older-root-taken", "log.newest-lap-not-read"] {
        let _armed = Scope::armed(mutant).enter();
        assert!(tried().is_err(), "{mutant}");
    }
}
