//! `evergraph maintain`, killed at any moment.

mod common;

use std::fmt::Write;
use std::time::Duration;

use common::Place;

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
    let mut kills = 0;
    for round in 0_u32..6 {
        edges(&place, 20_000 + 100 * round, 100);
        place.json("import db edges.txt --undirected --append");
        for delay in [1, 5, 12, 25, 60] {
            let mut child = place.start("maintain db --all");
            std::thread::sleep(Duration::from_millis(delay + u64::from(round)));
            child.kill().expect("it is killed");
            kills += u32::from(!child.wait().expect("it ends").success());
        }
        let all = place.json("maintain db --all");
        let maintained = all["maintained"].as_array().expect("a list");
        assert_eq!(maintained.len(), 3, "{all}");
        place.json("check db");
        for (name, run) in [("parts", "cc"), ("k-core", "k-core")] {
            let outcome = place.call(&format!("run db {run} --param graph=sealed -o -"));
            outcome.expect(0);
            assert_eq!(values(&place, name), outcome.stdout, "{name}");
        }
        let snapshots = place.json("snapshot db list");
        let held = snapshots["snapshots"].as_array().expect("a list");
        assert_eq!(held.len(), 3, "{snapshots}");
    }
    assert!(kills > 0, "every update was faster than its kill");
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
}
