//! `evergraph run` on parts of a property graph.

use crate::common::Place;
use expect_test::expect;

/// Three people who know each other in a row, and the two films they acted in.
fn film() -> Place {
    let place = Place::new();
    place.file(
        "film.jsonl",
        concat!(
            "{\"id\": \"a\", \"label\": \"Person\", \"props\": {\"name\": \"Ann Lee\"}}\n",
            "{\"id\": \"m\", \"label\": \"Film\", \"props\": {\"name\": \"Metropolis\"}}\n",
            "{\"id\": \"b\", \"label\": \"Person\", \"props\": {\"name\": \"Bob\"}}\n",
            "{\"id\": \"c\", \"label\": \"Person\"}\n",
            "{\"id\": \"n\", \"label\": \"Film\", \"props\": {\"name\": \"Nosferatu\"}}\n",
            "{\"from\": \"a\", \"type\": \"KNOWS\", \"to\": \"b\", \"props\": {\"years\": 4}}\n",
            "{\"from\": \"b\", \"type\": \"KNOWS\", \"to\": \"c\", \"props\": {\"years\": 0.5}}\n",
            "{\"from\": \"a\", \"type\": \"ACTED_IN\", \"to\": \"m\"}\n",
            "{\"from\": \"c\", \"type\": \"ACTED_IN\", \"to\": \"m\"}\n",
            "{\"from\": \"c\", \"type\": \"ACTED_IN\", \"to\": \"n\"}\n",
        ),
    );
    place.json("import film film.jsonl");
    place
}

/// The lines that a run writes.
fn lines(place: &Place, arguments: &str) -> Vec<String> {
    let written = place.call(&format!("run film {arguments} -o -"));
    written.expect(0);
    written.stdout.lines().map(str::to_string).collect()
}

#[test]
fn parts_are_chosen_by_flags() {
    let place = film();
    let size = |flags: &str| {
        let summary = place.json(&format!("run film connected-components {flags}"));
        let number = |name: &str| summary[name].as_u64().expect("a number");
        (number("vertices"), number("edges"))
    };
    assert_eq!(size(""), (5, 5));
    assert_eq!(size("--labels Person"), (3, 2));
    assert_eq!(size("--labels Person,Film --types ACTED_IN"), (5, 3));
    assert_eq!(
        size("--types KNOWS,ACTED_IN --orientation undirected"),
        (5, 5)
    );
    let text = place
        .call("run film connected-components --labels Person")
        .stdout;
    assert!(text.contains("3 nodes, 2 relationships, commit"), "{text}");
    assert!(text.contains("prepared"), "{text}");

    // Ids in results and arguments are those of nodes: 0 Ann, 2 Bob, 3 the nameless.
    assert_eq!(
        lines(&place, "bfs --source 2 --labels Person"),
        ["0 inf", "2 0", "3 1"]
    );
    assert_eq!(
        lines(
            &place,
            "bfs --source 2 --labels Person --orientation reversed"
        ),
        ["0 1", "2 0", "3 inf"]
    );
    assert_eq!(
        lines(
            &place,
            "sssp --source 0 --types KNOWS --weight years --labels Person"
        ),
        ["0 0", "2 4", "3 4.5"]
    );
    assert_eq!(
        lines(&place, "sssp --source 0 --weight years --default-weight 10"),
        ["0 0", "1 10", "2 4", "3 4.5", "4 14.5"]
    );
    assert_eq!(
        lines(&place, "bfs --source Bob --labels Person --name-by name"),
        ["Ann Lee\tinf", "Bob\t0", "node 3\t1"]
    );
    assert_eq!(
        lines(
            &place,
            "bfs --source Metropolis --name-by name --labels Film"
        ),
        ["Metropolis\t0", "Nosferatu\tinf"]
    );
    let wrong = place.failures(&[
        "run film bfs --source Eve --name-by name",
        "run film bfs --source Metropolis --name-by name --labels Person",
        "run film bfs --source 0 --name-by name",
        "run film bfs --source Bob",
    ]);
    expect![[r#"
        $ evergraph run film bfs --source Eve --name-by name
        error: no node has "Eve" as name
        hint: give a value of name; without --name-by, give the number of a node
        exit code 1
        $ evergraph run film bfs --source Metropolis --name-by name --labels Person
        error: no node with label Person has "Metropolis" as name
        hint: give a value of name; without --name-by, give the number of a node
        exit code 1
        $ evergraph run film bfs --source 0 --name-by name
        error: no node has "0" as name
        hint: give a value of name; without --name-by, give the number of a node
        exit code 1
        $ evergraph run film bfs --source Bob
        error: there is no node "Bob"
        hint: give the id of a node, as results have it (in a query: a node that MATCH has found), or name nodes with --name-by KEY
        exit code 1
    "#]]
    .assert_eq(&wrong);
    let top = place.json("run film pagerank --name-by name");
    assert_eq!(top["result"]["top_vertex"], "Metropolis");
}

#[test]
fn numbers_of_nodes_are_told_as_such() {
    let place = film();
    let told = |flags: &str| {
        let run = place.call(&format!("run film bfs --source {flags}"));
        run.expect(0);
        run.stderr
    };
    assert!(told("2").contains("--name-by KEY"), "{}", told("2"));
    for named in ["2 --numbers", "Bob --name-by name"] {
        assert!(!told(named).contains("internal numbers"), "{named}");
    }
    place.json("index film create titles --label Film --key name --rule unique");
    assert!(told("2").contains("--name-by name"), "{}", told("2"));
}

#[test]
fn wrong_flags_are_told() {
    let place = film();
    place.file("edges.txt", "0 1\n1 2\n");
    place.json("import plain edges.txt");
    for (command, code, error, hint) in [
        (
            "run film pagerank --labels Persn",
            2,
            "there is no label \"Persn\"",
            "did you mean `Person`?",
        ),
        (
            "run film pagerank --types knows",
            2,
            "there is no relationship type \"knows\"",
            "did you mean `KNOWS`?",
        ),
        (
            "run film sssp --weight yeers",
            2,
            "there is no property \"yeers\"",
            "did you mean `years`?",
        ),
        (
            "run film bfs --source 1 --labels Person",
            1,
            "node 1 is not in the projection",
            "it has no label Person",
        ),
        (
            "run plain pagerank --labels Person",
            1,
            "this database holds edges without labels, types and properties: it has no projections",
            "leave --labels, --types, --where, --where-relationship, --orientation, --weight, \
             --default-weight and --name-by out",
        ),
        (
            "run plain pagerank --write rank",
            1,
            "this database holds edges without properties: no result can be written to them",
            "keep the result in the database with --keep NAME, or write a file with -o FILE",
        ),
        (
            "maintain film pagerank --name ranks",
            1,
            "maintaining a result is for plain edges, and this database is a property graph",
            "`evergraph run DB ALGORITHM --keep NAME` computes it anew on a projection, and keeps it",
        ),
    ] {
        place.call(command).expect_refusal(code, error, hint);
    }
    for wrong in [
        "run film pagerank --orientation sideways",
        "run film pagerank --default-weight 2",
        "run film sssp --weight years --default-weight nan",
        "run film sssp --weight years --default-weight inf",
        "run film sssp --source 0,2",
        "run film pagerank --weight years --default-weight heavy",
        "run film pagerank --over .. --write rank",
        "run film pagerank --write",
    ] {
        place.call(wrong).expect(2);
    }
}

#[test]
fn results_are_written_to_nodes() {
    let place = film();
    place.json("snapshot film create before");
    let summary = place.json("run film pagerank --labels Person --write rank");
    assert_eq!(summary["written"]["property"], "rank");
    assert_eq!(summary["written"]["nodes"], 3);
    assert!(summary["written"]["csn"].as_u64() > summary["csn"].as_u64());
    assert_eq!(place.json("check film")["ok"], true);
    // The ranks are what nodes go by now, and films have none.
    let ranks = lines(&place, "pagerank --labels Person");
    let by_rank = lines(&place, "degrees --name-by rank");
    assert_eq!(by_rank.len(), 5);
    for (line, node) in by_rank.iter().zip(["0", "1", "2", "3", "4"]) {
        let name = line.split('\t').next().expect("a name");
        match ranks
            .iter()
            .find(|rank| rank.starts_with(&format!("{node} ")))
        {
            None => assert_eq!(name, format!("node {node}")),
            Some(rank) => {
                let rank: f64 = rank[2..].parse().expect("a rank");
                assert_eq!(name.parse::<f64>().ok(), Some(rank), "{line}");
            }
        }
    }
    // Before, no node had one.
    let before = place.call("run film degrees --name-by rank --as-of before -o -");
    before.expect(0);
    assert!(
        before.stdout.lines().all(|line| line.starts_with("node ")),
        "{before:?}"
    );
    let refused = place.call("run film pagerank --as-of before --write rank");
    refused.expect(1);
    assert!(refused.error().contains("the graph of now"), "{refused:?}");
    place
        .call("run film pagerank --as-of now --write rank")
        .expect(0);
    let refused = place.call("run film bridges --param output=bridges --write rank");
    refused.expect(1);
    assert!(
        refused.error().ends_with("is not one value of each node"),
        "{refused:?}"
    );
    assert_eq!(place.json("check film")["ok"], true);
}

#[test]
fn moments_stand_side_by_side() {
    let place = film();
    place.json("snapshot film create one");
    place.file(
        "more.jsonl",
        "{\"id\": \"d\", \"label\": \"Person\", \"props\": {\"name\": \"Dora\"}}\n",
    );
    place.json("import film more.jsonl --append");
    place.json("snapshot film create two");
    let table = lines(&place, "bfs --source 0 --labels Person --over one..two");
    assert_eq!(
        table,
        ["vertex one two", "0 0 0", "2 1 1", "3 2 2", "5 - inf"]
    );
    let json = place.json("run film pagerank --labels Person --over ..");
    assert_eq!(json["snapshots"].as_array().map(Vec::len), Some(2));
}

#[test]
fn results_of_parts_are_kept_with_their_nodes() {
    let place = film();
    place.json("run film bfs --source 2 --labels Person --keep depths");
    let again = place.json("run film bfs --source 2 --labels Person");
    assert_eq!(again["kept"], "depths");
    assert!(place.json("run film bfs --source 2")["kept"].is_null());
    let shown = place.call("results film show depths -o -");
    shown.expect(0);
    assert_eq!(shown.stdout, "0 inf\n2 0\n3 1\n");
    place.json("run film pagerank --checkpoint-every 1 --resume --labels Person --write rank");
    assert_eq!(place.json("check film")["ok"], true);
}

#[test]
fn rows_of_a_range_stand_below_each_other() {
    let place = film();
    place.json("snapshot film create before");
    place.json("run film pagerank --write rank");
    place.json("run film pagerank --keep now");
    let outcome = place.call("run film pagerank --over before..now");
    outcome.expect(0);
    let rows: Vec<Vec<&str>> = (outcome.stdout.lines().take(3))
        .map(|line| line.split("  ").filter(|cell| !cell.is_empty()).collect())
        .collect();
    let iterations = rows[0].iter().position(|cell| cell.trim() == "ITERATIONS");
    let iterations = iterations.expect("a column");
    assert_ne!(rows[1][iterations].trim(), "-");
    assert_eq!(rows[2][iterations].trim(), "-", "{}", outcome.stdout);
    assert_eq!(rows[1].len(), rows[0].len(), "{}", outcome.stdout);
    assert_eq!(rows[2].len(), rows[0].len(), "{}", outcome.stdout);
    // A path that cannot be written is refused before anything runs.
    let refused = place.call("run film pagerank --over before..now -o no/such/place");
    refused.expect(1);
    assert!(
        refused.error().contains("no/such/place"),
        "{}",
        refused.error()
    );
}

#[test]
fn a_run_that_cannot_begin_leaves_no_snapshot() {
    let place = film();
    for command in [
        "run film pagerank --checkpoint-every 1 -o no/such/place",
        "run film pagerank --checkpoint-every 1 --write KEY --labels Nobody",
    ] {
        assert_ne!(place.call(command).code, Some(0), "{command}");
        assert_eq!(place.json("stats film")["snapshots"], 0, "{command}");
    }
}

#[test]
fn an_index_that_a_killed_process_made_has_failed() {
    let place = film();
    let create = "index film create names --label Person --key name";
    place.kill_at("index.populated", 1, create);
    let listed = place.json("index film list");
    assert_eq!(listed["definitions"][0]["state"], "FAILED");
    assert!(listed["definitions"][0]["failure"].is_string());
    let text = place.call("index film").stdout;
    assert!(text.contains("FAILED"), "{text}");
    place.json(create);
    assert_eq!(
        place.json("index film")["definitions"][0]["state"],
        "ONLINE"
    );
}

#[test]
fn indexes_and_constraints_are_made_listed_and_dropped() {
    let place = film();
    let none = place.call("index film");
    none.expect(0);
    assert!(none.stdout.starts_with("there are no indexes"));
    place.json("index film create names --label Person --key name");
    let made = place.json("index film create years --relationships KNOWS --key years,since");
    assert_eq!(made["created"]["relationships"], "KNOWS");
    place.json("index film create one --label Film --key name --rule key");
    let listed = place.json("index film list");
    let definitions = listed["definitions"].as_array().expect("a list");
    assert_eq!(definitions.len(), 3);
    assert_eq!(definitions[0]["label"], "Person");
    assert_eq!(definitions[0]["rule"], "index");
    assert_eq!(definitions[0]["entries"], 2);
    assert_eq!(definitions[1]["keys"][1], "since");
    assert_eq!(definitions[2]["state"], "ONLINE");
    let stats = place.json("stats film");
    assert_eq!(
        stats["property_graph"]["definitions"],
        listed["definitions"]
    );
    for fact in ["versions_for_views", "past_dram_bytes", "sorted_dram_bytes"] {
        assert!(stats["property_graph"][fact].is_u64(), "{fact}");
    }
    let text = place.call("stats film").stdout;
    assert!(text.contains("one: key of nodes Film (name)"), "{text}");
    let said = place.failures(&[
        "index film create names --label Film --key name",
        "index film create named --label Person --key name --rule exists",
        "index film create typed --label Film --key name --rule integer",
        "index film drop nothing",
        "index film create wrong --label Film --key name --rule uniqe",
        "index film create wrong --key name",
        "index film create wrong --label Film",
    ]);
    expect![[r#"
        $ evergraph index film create names --label Film --key name
        error: the name "names" is taken by names: index of nodes Person (name)
        hint: choose another, or drop it first: evergraph index DB drop names
        exit code 1
        $ evergraph index film create named --label Person --key name --rule exists
        error: constraint "named": a node Person does not have name (node 3)
        hint: nothing of the transaction is in the graph
        exit code 1
        $ evergraph index film create typed --label Film --key name --rule integer
        error: constraint "typed": a node Film has name 'Metropolis', which is not of type integer (node 1)
        hint: nothing of the transaction is in the graph
        exit code 1
        $ evergraph index film drop nothing
        error: there is no index and no constraint "nothing"
        hint: `evergraph index DB list` and `SHOW INDEXES`, `SHOW CONSTRAINTS` tell what there is
        exit code 1
        $ evergraph index film create wrong --label Film --key name --rule uniqe
        error: invalid value 'uniqe' for '--rule <RULE>'
          [possible values: index, unique, exists, key, boolean, integer, float, text, bytes, list, map, date, time, localtime, datetime, localdatetime, duration, point]

          tip: a similar value exists: 'unique'

        For more information, try '--help'.
        exit code 2
        $ evergraph index film create wrong --key name
        error: the following required arguments were not provided:
          --label <LABEL>

        Usage: evergraph index <DB> create --key <KEY> --label <LABEL> <NAME>

        For more information, try '--help'.
        exit code 2
        $ evergraph index film create wrong --label Film
        error: the following required arguments were not provided:
          --key <KEY>

        Usage: evergraph index <DB> create --key <KEY> --label <LABEL> <NAME>

        For more information, try '--help'.
        exit code 2
    "#]].assert_eq(&said);
    let typo = place.call("index film create typo --label Persn --key name");
    typo.expect(0);
    assert!(typo.stderr.contains("no node has had the label Persn yet"));
    for name in ["typo", "names", "one"] {
        place.json(&format!("index film drop {name}"));
    }
    let left = place.json("index film list");
    assert_eq!(left["definitions"].as_array().map(Vec::len), Some(1));
    assert_eq!(place.json("check film")["ok"], true);
    place.file("edges.txt", "0 1\n1 2\n");
    place.json("import plain edges.txt");
    place.call("index plain list").expect(1);
}
