//! Behaviour when the system starts no more threads.

use crate::common::Place;

fn place() -> Place {
    let place = Place::new();
    place.file("g.txt", "0 1\n1 2\n2 0\n");
    place.file("more.txt", "2 3\n");
    place.json("import db g.txt");
    place
}

/// At each place where one is started, from the first on.
fn refused_at(place: &Place, time: u32, arguments: &str) -> bool {
    let failpoint = "threads.refused";
    let outcome = place.call_armed(&format!("{failpoint}=on@{time}"), arguments);
    if outcome.code == Some(0) {
        return false;
    }
    outcome.expect(1);
    let text = outcome.error();
    assert!(text.contains("starts no more threads"), "{outcome:#?}");
    assert!(outcome.hint().contains("--threads 1"), "{outcome:#?}");
    true
}

#[test]
fn commands_end_with_an_error_that_says_what_to_do() {
    for (command, places) in [
        ("check db", 1),
        ("export db out.txt", 1),
        ("compact db", 1),
        ("run db pagerank", 2),
        ("run db pagerank --keep ranks --checkpoint-every 1", 3),
        ("maintain db degrees", 2),
        ("delete-edges db more.txt", 2),
        ("import db more.txt --append", 2),
    ] {
        let place = place();
        for time in 1..=places {
            assert!(refused_at(&place, time, command), "{command}, {time}");
        }
        assert!(!refused_at(&place, places + 1, command), "{command}");
        assert_eq!(place.json("check db")["ok"], true, "{command}");
    }
}

#[test]
fn an_import_that_cannot_begin_leaves_nothing() {
    let place = place();
    assert!(refused_at(&place, 2, "import new g.txt"));
    assert!(!place.path("new").exists());
    place.file("nodes.csv", "id:ID,name\n1,Ann\n");
    assert!(refused_at(&place, 2, "import graph nodes.csv"));
    assert!(!place.path("graph").exists());
    place.json("import graph nodes.csv");
}
