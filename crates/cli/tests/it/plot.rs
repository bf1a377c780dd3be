//! Pictures, and files for programs that draw.

use crate::common::Place;

fn circles(svg: &str) -> usize {
    svg.matches("<circle").count()
}

fn read(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.path(name)).expect("a picture")
}

/// A star of four leaves, and a triangle at one of them.
fn star() -> Place {
    let place = Place::new();
    place.file("edges.txt", "0 1\n0 2\n0 3\n0 4\n4 5\n5 6\n6 4\n");
    place
        .call("import db edges.txt --directions both")
        .expect(0);
    place
}

#[test]
fn a_picture_has_a_circle_for_each_point() {
    let place = star();
    let degrees = place.json("plot degrees db -o degrees.svg");
    let counts = |index: usize| degrees["degrees"][index]["counts"].to_string();
    assert_eq!(counts(0), "[[0,3],[1,3],[4,1]]");
    assert_eq!(counts(1), "[[0,1],[1,5],[2,1]]");
    // Four points, and one in the legend of each of the two series.
    assert_eq!(circles(&read(&place, "degrees.svg")), 4 + 2);

    let convergence = place.json("plot convergence db -o c.svg --param iterations=7");
    let changes = convergence["changes"].as_array().expect("changes");
    assert_eq!(changes.len(), 7);
    assert_eq!(circles(&read(&place, "c.svg")), 7);

    place.call("snapshot db create first").expect(0);
    place.file("more.txt", "6 7\n7 8\n");
    place
        .call("import db more.txt --directions both --append")
        .expect(0);
    place.call("snapshot db create second").expect(0);
    let growth = place.json("plot growth db -o growth.svg");
    let sizes = |index: usize| {
        let snapshot = &growth["snapshots"][index];
        (snapshot["vertices"].as_u64(), snapshot["edges"].as_u64())
    };
    assert_eq!(
        (sizes(0), sizes(1)),
        ((Some(7), Some(7)), (Some(9), Some(9)))
    );
    assert!(circles(&read(&place, "growth.svg")) >= 4);
}

#[test]
fn a_neighborhood_is_what_is_within_so_many_edges() {
    let place = star();
    let around = |flags: &str| {
        let found = place.json(&format!("plot neighborhood db -o n.svg {flags}"));
        assert_eq!(
            circles(&read(&place, "n.svg")),
            found["vertices"].as_array().unwrap().len()
        );
        (
            found["vertices"].to_string(),
            found["edges"].to_string(),
            found["is_cut"] == true,
        )
    };
    let (vertices, edges, is_cut) = around("--source 6 --hops 1");
    assert_eq!(vertices, r#"["6","4","5"]"#);
    assert_eq!(edges, r#"[["6","4"],["4","5"],["5","6"]]"#);
    assert!(!is_cut);
    let (vertices, _, is_cut) = around("--source 0 --hops 9 --most 3");
    assert_eq!(vertices, r#"["0","1","2"]"#);
    assert!(is_cut);
    let svg = place.call("plot neighborhood db --source 1 -o -");
    svg.expect(0);
    assert!(svg.stdout.starts_with("<svg") && svg.stdout.trim_end().ends_with("</svg>"));
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let place = star();
    let said = place.failures(&[
        "plot growth db -o g.svg",
        "plot neighborhood db --source 77 -o n.svg",
        "plot convergence db bfs --param source=0 -o c.svg",
        "plot degrees nothing -o d.svg",
        "export db out.dot --labels A",
        "export db out.txt --name-by name",
    ]);
    expect_test::expect![[r#"
        $ evergraph plot growth db -o g.svg
        error: the database has no snapshots
        hint: make one with `evergraph snapshot DB create NAME`, or while importing with --snapshot-every
        exit code 1
        $ evergraph plot neighborhood db --source 77 -o n.svg
        error: there is no vertex 77
        hint: give the external id of a vertex that exists at this moment
        exit code 2
        $ evergraph plot convergence db bfs --param source=0 -o c.svg
        error: bfs does not iterate until it changes little
        hint: choose pagerank, hits, katz, eigenvector or label-propagation
        exit code 2
        $ evergraph plot degrees nothing -o d.svg
        error: there is no database at nothing
        hint: check the path, or make one with `evergraph import`
        exit code 1
        $ evergraph export db out.dot --labels A
        error: dot and gexf have the whole graph
        hint: leave out the flags that choose a part, or export the part and import that
        exit code 2
        $ evergraph export db out.txt --name-by name
        error: --name-by is for formats that are drawn
        hint: choose --format dot or gexf
        exit code 2
    "#]]
    .assert_eq(&said);
    place.call("plot degrees db -o d.png").expect(2);
    for file in ["g.svg", "n.svg", "c.svg", "d.svg", "out.dot"] {
        assert!(!place.path(file).exists(), "{file}");
    }
}

#[test]
fn programs_that_draw_get_every_vertex_and_edge() {
    let place = star();
    place.call("export db all.dot").expect(0);
    let dot = read(&place, "all.dot");
    assert!(dot.starts_with("digraph {") && dot.ends_with("}\n"));
    assert_eq!(
        (dot.matches("->").count(), dot.lines().count()),
        (7, 2 + 7 + 7)
    );
    place.call("export db all.gexf").expect(0);
    let gexf = read(&place, "all.gexf");
    assert_eq!(
        (
            gexf.matches("<node ").count(),
            gexf.matches("<edge ").count()
        ),
        (7, 7)
    );

    place.file(
        "people.jsonl",
        r#"{"type":"node","id":"1","labels":["Person"],"properties":{"name":"Ann \"A\" <x>"}}
{"type":"node","id":"2","labels":["Person"],"properties":{"name":"Bob"}}
{"type":"relationship","label":"KNOWS","start":{"id":"1"},"end":{"id":"2"},"properties":{}}
"#,
    );
    place.call("import people people.jsonl").expect(0);
    let degrees = place.json("plot degrees people -o d.svg");
    let counts = degrees["degrees"][1]["counts"].to_string();
    assert_eq!(counts, "[[0,1],[1,1]]");
    let around = place.json("plot neighborhood people --source 1 --name-by name -o n.svg");
    assert_eq!(around["edges"].to_string(), r#"[["Ann \"A\" <x>","Bob"]]"#);
    place.call("export people p.dot --name-by name").expect(0);
    expect_test::expect![[r#"
        digraph {
          "0" [label="Ann \"A\" <x>", class="Person"];
          "1" [label="Bob", class="Person"];
          "0" -> "1" [label="KNOWS"];
        }
    "#]]
    .assert_eq(&read(&place, "p.dot"));
    place.call("export people p.gexf --name-by name").expect(0);
    expect_test::expect![[r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <gexf xmlns="http://gexf.net/1.3" version="1.3">
        <graph defaultedgetype="directed">
        <attributes class="node"><attribute id="0" title="labels" type="string"/></attributes>
        <nodes>
        <node id="0" label="Ann &quot;A&quot; &lt;x&gt;"><attvalues><attvalue for="0" value="Person"/></attvalues></node>
        <node id="1" label="Bob"><attvalues><attvalue for="0" value="Person"/></attvalues></node>
        </nodes>
        <edges>
        <edge id="0" source="0" target="1" label="KNOWS"/>
        </edges>
        </graph>
        </gexf>
    "#]].assert_eq(&read(&place, "p.gexf"));
}
