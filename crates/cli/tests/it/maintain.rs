//! `evergraph maintain`, killed before and behind each result.

use std::fmt::Write;

use crate::common::{Place, published};

/// Edges in some order; lines from `from` on, `count` of them.
fn edges(place: &Place, from: u32, count: u32) {
    let mut text = String::new();
    for i in from..from + count {
        let mixed = i.wrapping_mul(2_654_435_769);
        let _ = writeln!(text, "{} {}", (mixed >> 8) % 5000, (mixed >> 19) % 5000);
    }
    place.file("edges.txt", text);
}

fn values(place: &Place, name: &str) -> String {
    let outcome = place.call(&format!("results db show {name} -o -"));
    outcome.expect(0);
    outcome.stdout
}

#[test]
fn a_killed_update_leaves_what_can_be_brought_up_to_date() {
    let place = Place::new();
    edges(&place, 0, 20_000);
    place.json("import db edges.txt --undirected");
    for algorithm in ["pagerank", "cc --name parts", "k-core"] {
        place.json(&format!("maintain db {algorithm}"));
    }
    // Of three updates, those that a kill leaves out are done by the next.
    let rounds: [&[(&str, u32, u64)]; 5] = [
        &[("maintain.computed", 1, 0), ("maintain.published", 1, 1)],
        &[("maintain.computed", 2, 1), ("maintain.published", 2, 2)],
        &[("maintain.published", 3, 3)],
        &[
            ("maintain.published", 1, 1),
            ("maintain.computed", 2, 1),
            ("maintain.computed", 1, 0),
        ],
        &[("commit.logged", 1, 0), ("maintain.computed", 3, 2)],
    ];
    for (round, kills) in (0..).zip(rounds) {
        edges(&place, 20_000 + 100 * round, 100);
        place.json("import db edges.txt --undirected --append");
        for &(failpoint, time, results) in kills {
            let before = published(&place);
            place.kill_at(failpoint, time, "maintain db --all");
            assert_eq!(published(&place), before + results, "{failpoint} {time}");
        }
        let all = place.json("maintain db --all");
        let maintained = all["maintained"].as_array().expect("a list");
        assert_eq!(maintained.len(), 3, "{all}");
        place.json("check db");
        for (name, run) in [("parts", "cc"), ("k-core", "k-core --param parallel=each")] {
            let outcome = place.call(&format!("run db {run} --param graph=sealed -o -"));
            outcome.expect(0);
            assert_eq!(values(&place, name), outcome.stdout, "{name}");
        }
        let snapshots = place.json("snapshot db list");
        let held = snapshots["snapshots"].as_array().expect("a list");
        assert_eq!(held.len(), 3, "{snapshots}");
    }
}

#[test]
fn the_command_says_what_it_did() {
    let place = Place::new();
    place.file("a.txt", "0 1\n1 2\n");
    place.json("import db a.txt --undirected");
    let made = place.json("maintain db pagerank --name pr --param damping=0.5");
    assert_eq!((&made["name"], &made["from"]), (&"pr".into(), &().into()));
    place.file("b.txt", "2 3\n");
    place.json("import db b.txt --append");
    let followed = place.json("maintain db pr --name pr");
    assert_eq!(followed["from"], made["csn"]);
    assert_eq!(followed["changes"], 2);

    let outcome = place.call("maintain db");
    outcome.expect(2);
    place.call("maintain db pagerank --all").expect(2);
    let outcome = place.call("maintain db pagerank --name pr --param damping=0.6");
    outcome.expect(1);
    assert!(outcome.error().contains("has damping=0.5"), "{outcome:?}");
    // The user has named no snapshot.
    for command in [
        "maintain db degrees --name ../x",
        "run db pagerank --checkpoint-every 1 --name ../x",
    ] {
        let outcome = place.call(command);
        outcome.expect(1);
        assert!(
            outcome.error().contains("cannot be called \"../x\""),
            "{outcome:?}"
        );
    }
}

/// A result that cannot be read is computed, and why it was not read is said.
#[test]
fn results_that_were_cut_short_are_told_by_runs() {
    let place = Place::new();
    place.file("edges.txt", "0 1\n1 2\n2 0\n");
    place.json("import db edges.txt");
    place.json("maintain db pagerank --name pr");
    let path = place.path("db/results");
    let whole = std::fs::read(&path).expect("results");
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("written");
    let run = place.call("run db pagerank");
    run.expect(0);
    assert!(
        run.stderr
            .contains("computed anew, as a kept result cannot be read: results: damaged"),
        "{run:?}"
    );
}
