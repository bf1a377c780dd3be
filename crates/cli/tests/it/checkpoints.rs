//! Runs that are killed and go on, and results that are kept.

use crate::common::{Place, killed_scale};

fn prepare(flags: &str) -> Place {
    let place = Place::new();
    let scale = killed_scale();
    place.json(&format!("generate kron --scale {scale} --seed 5 -o k.txt"));
    place.json(&format!("import db k.txt {flags}"));
    place
}

fn values(place: &Place, run: &str) -> String {
    let outcome = place.call(&format!("run db {run} -o -"));
    outcome.expect(0);
    outcome.stdout
}

/// Kills a run before and behind the switch to its states, while commits are made in
/// between; it ends as if nothing had happened.
#[test]
fn a_killed_run_goes_on_and_ends_in_the_same_result() {
    let place = prepare("--undirected");
    for run in [
        "pagerank --param iterations=60",
        "pagerank --param iterations=60 --param precision=single --checkpoint-memory 70000",
        "label-propagation",
    ] {
        let expected = values(&place, run);
        let command = format!("run db {run} --checkpoint-every 1 --resume");
        // And how many states each of them adds. The first leaves one: a run without
        // any begins with the graph as it is then.
        let kills = [
            ("run.state-published", 1, 1),
            ("run.state-written", 1, 0),
            ("run.state-published", 2, 2),
            ("run.state-written", 2, 1),
        ];
        let mut kept = 0;
        for (round, (failpoint, time, more)) in kills.into_iter().enumerate() {
            place.kill_at(failpoint, time, &command);
            kept += more;
            let states = place.json("results db");
            let state = &states["results"][0];
            assert_eq!(state["step"], kept, "{states}");
            assert_ne!(state["finished"], true, "{states}");
            // The graph goes on; the run stays on its snapshot.
            place.file("more.txt", format!("{round} {}\n{round} 7\n", round + 9));
            place.json("import db more.txt --append");
        }
        let done = place.json(&format!("{command} -o out.txt"));
        assert_eq!(done["checkpoints"]["resumed_step"], kept, "{done}");
        let found = std::fs::read_to_string(place.path("out.txt")).unwrap();
        assert!(found == expected, "{run}: another result");
        // Nothing is left of it.
        assert_eq!(place.json("results db")["results"], serde_json::json!([]));
        let snapshots = place.json("snapshot db list").to_string();
        assert!(!snapshots.contains("run/"), "{snapshots}");
    }
    place.call("check db").expect(0);
}

#[test]
fn a_run_goes_on_only_as_what_it_was() {
    let place = prepare("--undirected");
    let begun = "pagerank --param iterations=100000 --param damping=0.9";
    let run = format!("run db {begun} --checkpoint-every 1 --name long");
    place.kill_at("run.state-published", 1, &run);
    for (run, expected) in [
        (
            "katz --resume long",
            "the state \"long\" is of pagerank, not of katz",
        ),
        (
            "pagerank --param iterations=100000 --resume long",
            "was computed with damping=0.9, not damping=0.85",
        ),
        (
            "pagerank --param damping=0.90 --param iterations=9 --resume long",
            "was computed with iterations=100000, not iterations=9",
        ),
        (
            "pagerank --param iterations=100000 --param damping=0.9 --param graph=sealed --resume long",
            "was computed with graph=live, not graph=sealed",
        ),
        (
            "pagerank --resume",
            "there is no result \"pagerank\" (there are long)",
        ),
        (
            "pagerank --checkpoint-every 5 --name long",
            "\"long\" is the state of an unfinished run",
        ),
        (
            "triangle-count --checkpoint-every 1",
            "cannot keep its state: it has to run in one go",
        ),
        (
            "personalized-pagerank --param method=local --checkpoint-every 1",
            "with method=local cannot keep its state",
        ),
        ("pagerank --keep long", "there is a result \"long\" already"),
    ] {
        let outcome = place.call(&format!("run db {run}"));
        assert_ne!(outcome.code, Some(0), "{run}");
        let text = outcome
            .stderr
            .replace("error: ", "")
            .replace("\nhint: ", " (");
        assert!(
            text.contains(expected.trim_end_matches(')')),
            "{run}: {text}"
        );
    }
    let refused = place.call("results db show long");
    refused.expect(0);
    assert!(refused.stdout.contains("unfinished"), "{}", refused.stdout);
    assert_ne!(place.call("results db show long -o out.txt").code, Some(0));
    // Its snapshot goes with it, and then the moment is gone.
    assert!(
        place
            .json("snapshot db list")
            .to_string()
            .contains("run/long")
    );
    place.json("results db drop long");
    assert!(
        !place
            .json("snapshot db list")
            .to_string()
            .contains("run/long")
    );
    for wrong in [
        "--checkpoint-every 0",
        "--checkpoint-every 1 --checkpoint-memory much",
        "--checkpoint-every 1 --name one --resume other",
    ] {
        place.call(&format!("run db pagerank {wrong}")).expect(2);
    }
}

/// The model divides the memory if the run leaves less free than its state may take.
#[test]
fn memory_for_states_is_divided() {
    let place = prepare("--undirected");
    let keeping = "run db pagerank --checkpoint-every 5";
    let whole = place.json(keeping);
    let (cost, bound) = (&whole["checkpoints"], whole["dram_bound"].as_u64().unwrap());
    let state = cost["divided"]["state_bytes"].as_u64().unwrap();
    // As much for the state as for the run itself, so no vertex has to be preferred.
    assert_eq!((state, &cost["hot"]), (bound / 2, &serde_json::Value::Null));
    let limit = bound / 2 + 60_000;
    let short = place.json(&format!("{keeping} --memory-limit {limit}"));
    let cost = &short["checkpoints"];
    assert_eq!(cost["divided"]["bytes"], 60_000, "{short}");
    assert_eq!(cost["divided"]["alpha"], 0.0, "{short}");
    assert_eq!(cost["hot"]["bytes"], 60_000, "{short}");
    assert_eq!(cost["hot"]["policy"], "degree");
    let said = place.call(&format!(
        "{keeping} --checkpoint-memory auto --memory-limit {limit}"
    ));
    assert!(said.stdout.contains("for state (alpha 0.00)"), "{said:?}");
    let given = place.json(&format!("{keeping} --checkpoint-memory 70000"));
    assert_eq!(given["checkpoints"]["divided"], serde_json::Value::Null);
}

#[test]
fn kept_results_read_back_as_they_were_written() {
    let place = prepare("--directions both");
    for (run, name) in [
        ("pagerank", "real"),
        ("bfs --source 0", "depths"),
        ("bfs --source 0 --param output=parents", "vertices"),
        ("connected-components", "vertices again"),
        ("maximal-independent-set", "members"),
        ("spanning-forest", "edges"),
        ("triangle-count", "summary"),
        ("random-walks --param walks=3 --param length=4", "lists"),
    ] {
        let name = name.replace(' ', "-");
        let outcome = place.call(&format!("run db {run} --keep {name} -o out.txt"));
        outcome.expect(0);
        place
            .call(&format!("results db show {name} -o again.txt"))
            .expect(0);
        let read = |file: &str| std::fs::read_to_string(place.path(file)).unwrap();
        assert!(!read("out.txt").is_empty(), "{run}");
        assert!(read("out.txt") == read("again.txt"), "{run}");
    }
    let results = place.json("results db");
    let all = results["results"].as_array().unwrap();
    assert_eq!(all.len(), 8);
    assert!(all.iter().all(|kept| kept["finished"] == true));
    let text = place.call("results db").stdout;
    assert!(text.contains("bfs source=0"), "{text}");
    let shown = place.json("results db show real");
    assert!(shown["result"]["top_rank"].as_f64().unwrap() > 0.0);
    let unknown = place.call("results db show nothing");
    assert!(unknown.stderr.contains("there is no result \"nothing\""));
    place.json("results db drop real members");
    assert_eq!(
        place.json("results db")["results"]
            .as_array()
            .unwrap()
            .len(),
        6
    );
    place.call("check db").expect(0);
    // Damage is found by the check, and named.
    let path = place.path("db/results.extents");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.iter_mut().for_each(|byte| *byte ^= 4);
    std::fs::write(&path, bytes).unwrap();
    let check = place.call("check db");
    check.expect(1);
    assert!(
        check.stdout.contains("results.extents: damaged at offset"),
        "{}",
        check.stdout
    );
}

/// A directory with files and no directories, copied over another.
fn copy_over(place: &Place, from: &str, to: &str) {
    std::fs::create_dir_all(place.path(to)).unwrap();
    for file in std::fs::read_dir(place.path(from)).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), place.path(to).join(file.file_name())).unwrap();
    }
}

/// A backup that is put back beside newer results numbers its next commits as those were.
#[test]
fn results_of_another_history_are_told_and_not_read() {
    let place = Place::new();
    place.file("e.txt", "1 2\n2 3\n3 1\n");
    place.file("f.txt", "1 4\n1 5\n1 6\n");
    place.file("h.txt", "2 4\n2 5\n2 6\n");
    place.json("import db e.txt");
    copy_over(&place, "db", "backup");
    place.json("import db f.txt --append");
    place.json("snapshot db create here");
    let kept = place.json("run db degrees --as-of here --keep kept");
    // In its own history it is read, also behind later commits, merged, and in a copy.
    place.json("import db h.txt --append");
    place.json("compact db");
    copy_over(&place, "db", "copy");
    assert_eq!(place.json("run copy degrees --as-of here")["kept"], "kept");
    let others = &place.json("check copy")["results_of_other_histories"];
    assert_eq!(*others, serde_json::json!([]));

    copy_over(&place, "backup", "db");
    let listed = place.call("results db");
    listed.expect(0);
    assert!(
        listed.stdout.contains("the newest of the graph is"),
        "{}",
        listed.stdout
    );
    place.json("import db h.txt --append");
    place.json("snapshot db create here");
    let run = place.call("run db degrees -o -");
    run.expect(0);
    assert_eq!(
        run.stdout, "1 1\n2 4\n3 1\n4 0\n5 0\n6 0\n",
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("of another history of the database"),
        "{}",
        run.stderr
    );
    assert_eq!(place.json("run db degrees")["csn"], kept["csn"]);
    let shown = place.call("results db show kept");
    shown.expect(0);
    assert!(
        shown.stdout.contains("of another history"),
        "{}",
        shown.stdout
    );
    let check = place.call("check db");
    check.expect(0);
    assert!(
        check.stdout.contains("the result \"kept\" is of another"),
        "{}",
        check.stdout
    );
}

/// Nor does a run go on from a state of it, or a maintained result follow.
#[test]
fn what_goes_on_does_not_begin_in_another_history() {
    let place = Place::new();
    place.file("e.txt", "1 2\n2 3\n3 1\n");
    place.json("import db e.txt");
    copy_over(&place, "db", "backup");
    let other = |name: &str| {
        place.json(&format!("snapshot db create {name}"));
    };
    let run = "pagerank --param iterations=50 --checkpoint-every 1 --as-of s --name state";
    other("s");
    place.kill_at("run.state-published", 1, &format!("run db {run}"));
    place.json("maintain db degrees --name followed");
    copy_over(&place, "backup", "db");
    other("s");
    other("maintained");
    let refused = place.call(&format!("run db {run} --resume"));
    refused.expect(1);
    assert!(
        refused.error().contains("is of another history"),
        "{refused:?}"
    );
    let refused = place.call("maintain db degrees --name followed");
    refused.expect(1);
    assert!(
        refused.error().contains("is of another history"),
        "{refused:?}"
    );
}

#[test]
fn a_state_stays_until_the_result_is_written() {
    let place = Place::new();
    place.file("e.txt", "1 2\n2 3\n3 1\n3 2\n");
    place.json("import db e.txt");
    let expected = values(&place, "pagerank --param iterations=30");
    let run = "run db pagerank --param iterations=30 --checkpoint-every 1 --name st";
    let failed = place.call(&format!("{run} -o /dev/full"));
    failed.expect(1);
    assert!(
        failed.stderr.contains("with --resume goes on from it"),
        "{failed:?}"
    );
    assert_eq!(place.json("results db")["results"][0]["name"], "st");
    let done = place.json(&format!("{run} --resume -o out.txt"));
    assert_eq!(done["checkpoints"]["resumed_step"], 29, "{done}");
    assert_eq!(
        std::fs::read_to_string(place.path("out.txt")).unwrap(),
        expected
    );
    assert_eq!(place.json("results db")["results"], serde_json::json!([]));
    assert_eq!(
        place.json("snapshot db list")["snapshots"],
        serde_json::json!([])
    );
    // A result that is kept is all that is needed.
    let failed = place.call(&format!("{run} --keep ranks -o /dev/full"));
    failed.expect(1);
    assert!(
        failed.stderr.contains("results DB show ranks"),
        "{failed:?}"
    );
    assert_eq!(
        place.json("results db")["results"].as_array().map(Vec::len),
        Some(1)
    );
}
