//! `evergraph show`, and what shells and manuals read.

use expect_test::expect;
use serde_json::json;

use crate::common::Place;

#[test]
fn vertices_and_their_edges_are_shown() {
    for directions in ["out", "both"] {
        let place = Place::new();
        place.file("e.txt", "10 20 1.5\n20 30 2\n30 10 4\n");
        place.json(&format!(
            "import db e.txt --weighted --ids map --directions {directions}"
        ));
        place.json("snapshot db create before");
        place.file("more.txt", "10 40 3\n");
        place.json("import db more.txt --append --weighted");
        let node = place.json("show db node 10");
        assert_eq!(
            (&node["out_degree"], &node["in_degree"]),
            (&json!(2), &json!(1))
        );
        let node = place.json("show db node 10 --as-of before");
        assert_eq!(node["out_degree"], 1);
        place.call("show db node 40 --as-of before").expect(1);
        let neighbors = place.json("show db neighbors 10");
        assert_eq!(
            neighbors["neighbors"],
            json!([
                { "direction": "out", "vertex": 20, "weight": 1.5 },
                { "direction": "out", "vertex": 40, "weight": 3.0 },
                { "direction": "in", "vertex": 30, "weight": 4.0 },
            ])
        );
        let limited = place.call("show db neighbors 10 --limit 1").stdout;
        expect![[r#"
            DIRECTION  VERTEX  WEIGHT
            out            20     1.5
            … and 2 more; --limit 3 shows all
        "#]]
        .assert_eq(&limited);
        let entering = place.json("show db neighbors 10 --direction in");
        assert_eq!(entering["total"], 1);
    }
}

#[test]
fn nodes_are_found_by_id_and_by_property() {
    let place = Place::new();
    place.file(
        "nodes.csv",
        ":ID,:LABEL,name,born:int\n1,Person,Ada,1815\n2,Person,Bob,1815\n3,City,Rome,\n",
    );
    place.file(
        "ties.csv",
        ":START_ID,:END_ID,:TYPE,since:int\n1,2,KNOWS,1830\n1,3,LIVES_IN,\n2,1,KNOWS,\n",
    );
    place.json("import db nodes.csv ties.csv");
    let found = place.json("show db node --by name=Ada");
    let ada = &found["nodes"][0];
    assert_eq!(ada["labels"], json!(["Person"]));
    assert_eq!(ada["properties"], json!({ "name": "Ada", "born": 1815 }));
    assert_eq!((&ada["out"], &ada["in"]), (&json!(2), &json!(1)));
    let by_id = place.json(&format!("show db node {}", ada["node"]));
    assert_eq!(by_id["nodes"][0], *ada);
    for by in ["--by born=1815", "--by born=1815 --label Person"] {
        assert_eq!(place.json(&format!("show db node {by}"))["total"], 2);
    }
    let text = place.call("show db neighbors --by name=Ada").stdout;
    expect![[r#"
        DIRECTION  TYPE      NODE  LABELS  PROPERTIES
        out        KNOWS     1     Person  name=Bob, born=1815
        out        LIVES_IN  2     City    name=Rome
        in         KNOWS     1     Person  name=Bob, born=1815
    "#]]
    .assert_eq(&text);
    let known = place.json("show db neighbors --by name=Ada --types KNOWS --direction out");
    assert_eq!(known["total"], 1);
    assert_eq!(
        known["neighbors"][0]["properties"],
        json!({ "since": 1830 })
    );
    let said = place.failures(&[
        "show db node",
        "show db node 77",
        "show db node --by nmae=Ada",
        "show db node --by name",
        "show db node --by name=ada",
        "show db neighbors --by born=1815",
        "show db neighbors 0 --types KNOWN",
    ]);
    expect![[r#"
        $ evergraph show db node
        error: the following required arguments were not provided:
          <KEY>

        Usage: evergraph show <DB> node <KEY>

        For more information, try '--help'.
        exit code 2
        $ evergraph show db node 77
        error: there is no node "77"
        hint: give the id of a node, as results have it, or a property: --by name=VALUE
        exit code 1
        $ evergraph show db node --by nmae=Ada
        error: there is no property "nmae"
        hint: did you mean `name`?
        exit code 2
        $ evergraph show db node --by name
        error: invalid value 'name' for '--by <KEY=VALUE>': write KEY=VALUE

        For more information, try '--help'.
        exit code 2
        $ evergraph show db node --by name=ada
        error: no node has name=ada
        hint: values are compared as they are written, with capitals
        exit code 1
        $ evergraph show db neighbors --by born=1815
        error: 2 nodes have this value
        hint: name the label with --label, or give the id of one, which `show DB node` has
        exit code 2
        $ evergraph show db neighbors 0 --types KNOWN
        error: there is no relationship type "KNOWN"
        hint: did you mean `KNOWS`?
        exit code 2
    "#]]
    .assert_eq(&said);
}

#[test]
fn shells_and_manuals_have_what_the_program_reads() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = place.call(&format!("completions {shell}"));
        script.expect(0);
        assert!(script.stdout.contains("memory-limit"), "{shell}");
        // In fish, arguments without a flag have no completions.
        let has_names = script.stdout.contains("strongly-connected-components");
        assert_eq!(has_names, shell != "fish", "{shell}");
    }
    place.call("completions csh").expect(2);
    assert!(place.call("man").stdout.contains(".TH evergraph 1"));
    place.call("man pages").expect(0);
    let page = std::fs::read_to_string(place.path("pages/evergraph-run.1")).unwrap();
    assert!(page.contains("shortest"), "{page}");
    let usage = place.call("run --help").stdout;
    assert!(usage.contains("Usage: evergraph run "), "{usage}");
    assert!(!usage.contains("strongly-connected-components"), "{usage}");
}

#[test]
fn sizes_have_units_wherever_they_are_read() {
    let place = Place::new();
    place.file("e.txt", "1 2\n");
    place
        .call("import db e.txt --log-mib 64MiB --buffer-bytes 1GiB")
        .expect(0);
    place.call("run db bfs --memory-limit 1GiB").expect(0);
    place
        .call("run db pagerank --checkpoint-every 1 --checkpoint-memory 1MiB")
        .expect(0);
    place.call("seal db --memory-limit 1GiB").expect(0);
    for wrong in ["1gib", "GiB", "-1"] {
        place
            .call(&format!("run db bfs --memory-limit={wrong}"))
            .expect(2);
    }
}
