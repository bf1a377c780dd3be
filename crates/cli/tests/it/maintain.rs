//! `evergraph maintain`, killed at any moment.

use std::fmt::Write;
use std::time::{Duration, Instant};

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
    // How many updates were cut off before the first result, and behind it.
    let mut cut_off = [0, 0];
    let mut round = 0;
    let deadline = Instant::now() + Duration::from_secs(120);
    while round < 6 || (cut_off.contains(&0) && Instant::now() < deadline) {
        edges(&place, 20_000 + 100 * round, 100);
        place.json("import db edges.txt --undirected --append");
        for delay in [0, 1, 5, 12, 25] {
            let before = published(&place);
            let mut child = place.start("maintain db --all");
            // Each second kill comes when there is a result, and others are to come.
            let waits = (u64::from(round) + delay) % 2;
            while published(&place) < before + waits {
                if child.try_wait().expect("it runs").is_some() || Instant::now() > deadline {
                    break;
                }
                std::thread::sleep(Duration::from_micros(200));
            }
            std::thread::sleep(Duration::from_millis(delay * (1 - waits)));
            child.kill().expect("it is killed");
            if !child.wait().expect("it ends").success() {
                cut_off[usize::from(published(&place) > before)] += 1;
            }
        }
        round += 1;
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
    assert!(!cut_off.contains(&0), "{cut_off:?} of {} kills", 5 * round);
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
