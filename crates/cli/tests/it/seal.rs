//! `evergraph seal`: from the command line, and stopped in the middle.

use crate::common::Place;
use expect_test::expect;

fn imported(options: &str) -> Place {
    let place = Place::new();
    place.file("g.e", "0 2\n0 1\n1 2\n2 0\n0 1\n3 3\n");
    place.call(&format!("import db g.e {options}")).expect(0);
    place
}

#[test]
fn a_graph_is_sealed_used_listed_and_dropped() {
    let place = imported("--directions both");
    let made = place.json("seal db --shape symmetric");
    assert_eq!(made["name"], "symmetric");
    assert_eq!(made["entries"], 6);
    assert_eq!(made["is_current"], true);
    assert_eq!(made["was_there"], false);
    let text = place.call("seal db --compressed").stdout;
    assert!(text.contains("sealed    sorted-compressed\n"), "{text}");

    let prepared = |arguments: &str| {
        let summary = place.json(&format!("run db {arguments}"));
        summary["prepared"]["what"]
            .as_str()
            .unwrap_or("")
            .to_string()
    };
    assert_eq!(
        prepared("k-core --param graph=simple"),
        "stored sealed graph \"symmetric\" (sorted, simple, undirected)"
    );
    assert_eq!(
        prepared("bfs --param graph=compressed"),
        "stored sealed graph \"sorted-compressed\" (sorted, compressed)"
    );
    assert_eq!(prepared("bfs --param graph=sealed"), "sealed copy (sorted)");
    let again = place.json("seal db --compressed");
    assert_eq!(again["was_there"], true);

    let listed = place.json("seal db --list");
    let names: Vec<_> = (listed["sealed"].as_array().unwrap().iter())
        .map(|graph| graph["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["symmetric", "sorted-compressed"]);
    assert_eq!(place.json("check db")["sealed_graphs"], 2);

    // The graph moves on.
    place.file("more.e", "3 0\n");
    place.call("import db more.e --append").expect(0);
    assert_eq!(
        prepared("bfs --param graph=compressed"),
        "compressed copy (sorted)"
    );
    let stats = place.json("stats db");
    assert_eq!(stats["sealed"][0]["is_current"], false);
    assert!(stats["sealed_bytes"].as_u64() > Some(0));
    let text = place.call("seal db --list").stdout;
    assert!(
        text.contains("as of commit 1; the graph is at commit 3"),
        "{text}"
    );
    let newer = place.json("seal db --shape symmetric");
    assert_eq!(
        (&newer["replaced_csn"], &newer["csn"]),
        (&1.into(), &3.into())
    );

    assert_eq!(
        place.json("seal db --drop --compressed")["dropped"],
        "sorted-compressed"
    );
    let dropped = place.json("seal db --drop --name symmetric");
    assert!(dropped["bytes_freed"].as_u64() > Some(0));
    assert_eq!(place.json("stats db")["sealed_bytes"], 0);
    assert_eq!(place.call("seal db --list").stdout, "no sealed graphs\n");
}

#[test]
fn wrong_usage_is_told() {
    let place = imported("");
    let said = place.failures(&[
        "seal nowhere",
        "seal db --shape round",
        "seal db --drop",
        "seal db --list --drop",
    ]);
    expect![[r#"
        $ evergraph seal nowhere
        error: there is no database at nowhere
        hint: check the path, or make one with `evergraph import`
        exit code 1
        $ evergraph seal db --shape round
        error: invalid value 'round' for '--shape <S>'
          [possible values: sorted, simple, symmetric]

        For more information, try '--help'.
        exit code 2
        $ evergraph seal db --drop
        error: there is no sealed graph "sorted"
        hint: `evergraph seal DB --list` shows those that there are
        exit code 1
        $ evergraph seal db --list --drop
        error: the argument '--list' cannot be used with '--drop'

        Usage: evergraph seal --list <DB>

        For more information, try '--help'.
        exit code 2
    "#]]
    .assert_eq(&said);
    // How much it may take depends on the machine.
    let refused = place.call("seal db --memory-limit 10");
    refused.expect(1);
    assert!(refused.error().contains("the limit is 10"), "{refused:?}");
    place.file("g.e", "0 1\n");
    place
        .call("import direct g.e --mode direct --medium battery --assume-persistent")
        .expect(0);
    let refused = place.call("seal direct --medium battery --assume-persistent");
    refused.expect(1);
    assert!(refused.error().contains("direct mode"), "{refused:?}");
    assert!(refused.hint().contains("merged mode"), "{refused:?}");
}
