//! Rows of results: their formats, the largest of them, paths and typed reports.

use serde_json::json;

use crate::common::Place;

/// A graph whose ids are texts, one of which has a comma and blanks.
fn named() -> Place {
    let place = Place::new();
    place.file(
        "named.csv",
        "source,target\nada,bob\nbob,\"c, d\"\n\"c, d\",eve\nx,y\n",
    );
    place.json("import db named.csv --ids map");
    place
}

fn printed(place: &Place, arguments: &str) -> String {
    let outcome = place.call(arguments);
    outcome.expect(0);
    outcome.stdout
}

#[test]
fn files_have_the_format_that_their_names_say() {
    let place = named();
    for (file, expected) in [
        ("d.txt", "ada 0\nbob 1\n\"c, d\" 2\neve 3\nx inf\ny inf\n"),
        (
            "d.csv",
            "vertex,depth\nada,0\nbob,1\n\"c, d\",2\neve,3\nx,\ny,\n",
        ),
        (
            "d.tsv",
            "vertex\tdepth\nada\t0\nbob\t1\nc, d\t2\neve\t3\nx\t\ny\t\n",
        ),
    ] {
        place
            .call(&format!("run db bfs --source ada -o {file}"))
            .expect(0);
        let written = std::fs::read_to_string(place.path(file)).unwrap();
        assert_eq!(written, expected, "{file}");
    }
    let lines = printed(&place, "run db bfs --source ada -o - --format jsonl");
    assert!(
        lines.starts_with("{\"vertex\":\"ada\",\"depth\":0}\n"),
        "{lines}"
    );
    assert!(
        lines.ends_with("{\"vertex\":\"y\",\"depth\":null}\n"),
        "{lines}"
    );
    place.json("run db bfs --source ada --keep depths");
    let kept = printed(&place, "results db show depths -o - --format csv --top 1");
    assert_eq!(kept, "vertex,depth\neve,3\n");
    for wrong in ["--format csv", "--top 0", "--top -1"] {
        place.call(&format!("run db bfs {wrong}")).expect(2);
    }
    let refused = place.call("run db bfs -o d.parquet");
    if refused.code != Some(0) {
        assert!(refused.error().contains("without Parquet"), "{refused:#?}");
        assert!(!place.path("d.parquet").exists());
    }
}

#[test]
fn the_largest_come_first_with_their_names() {
    let place = named();
    let report = place.json("run db degrees --top 2");
    assert_eq!(
        report["top"],
        json!([{ "vertex": "ada", "degree": 1 }, { "vertex": "bob", "degree": 1 }])
    );
    let text = printed(&place, "run db bfs --source ada --top 2");
    assert!(
        text.ends_with("\nVERTEX  DEPTH\neve         3\nc, d        2\n"),
        "{text}"
    );
    // Of components and communities, their sizes.
    let groups = printed(
        &place,
        "run db connected-components --top 9 -o - --format csv",
    );
    assert_eq!(groups, "component,size\nada,4\nx,2\n");
    place.file("numbers.txt", "10 20\n20 50\n50 10\n30 40\n");
    place.json("import numbers numbers.txt --ids map --undirected");
    for algorithm in ["label-propagation", "louvain"] {
        let report = place.json(&format!("run numbers {algorithm} --top 1"));
        assert_eq!(report["top"][0]["size"], 3, "{algorithm}: {report}");
        assert!(report["top"][0]["community"].is_number(), "{report}");
    }
}

#[test]
fn paths_are_printed_as_paths() {
    let place = named();
    for algorithm in [
        "shortest-path",
        "bfs",
        "weighted-bfs",
        "bellman-ford",
        "widest-path",
    ] {
        let report = place.json(&format!("run db {algorithm} --source ada --target eve"));
        let result = &report["result"];
        assert_eq!(result["found"], true, "{algorithm}: {report}");
        assert_eq!(result["path"], json!(["ada", "bob", "c, d", "eve"]));
        assert_eq!(result["edges"], 3);
        let report = place.json(&format!("run db {algorithm} --source eve --target ada"));
        assert_eq!(report["result"]["found"], false, "{algorithm}");
        assert!(report["result"]["path"].is_null());
    }
    let text = printed(&place, "run db shortest-path --source ada --target eve");
    assert!(text.contains("ada -> bob -> c, d -> eve\n"), "{text}");
    place
        .call("run db bfs --source ada --target nobody")
        .expect(1);
    place
        .call("run db bfs --target ada --param output=parents")
        .expect(2);
    place.call("run db pagerank --target ada").expect(2);
}

#[test]
fn the_widest_path_goes_round_what_is_narrow() {
    let place = Place::new();
    place.file("w.txt", "1 2 9\n2 3 1\n2 4 7\n4 3 8\n1 3 2\n");
    place.json("import db w.txt --weighted --ids map");
    let report = place.json("run db widest-path --source 1 --target 3");
    assert_eq!(report["result"]["path"], json!([1, 2, 4, 3]));
    assert_eq!(report["result"]["value"], 7.0);
    let rows = printed(
        &place,
        "run db shortest-path --source 1 --target 3 -o - --format csv",
    );
    assert_eq!(rows, "vertex,distance\n1,0\n3,2\n");
}

#[test]
fn widths_on_the_way_are_those_of_the_path() {
    let place = Place::new();
    place.file("w.txt", "0 4 6\n0 1 7\n1 4 7\n4 2 5\n");
    place.json("import db w.txt --weighted");
    let path = printed(&place, "run db widest-path --source 0 --target 2 -o -");
    assert_eq!(path, "0 inf\n1 7\n4 7\n2 5\n");
}

#[test]
fn labels_of_a_component_are_ids_of_its_vertices() {
    let place = Place::new();
    place.file("all.txt", "1000 1001\n39 30\n80 39\n80 30\n80 30\n");
    place.file("part.txt", "39 30\n80 39\n80 30\n80 30\n");
    place.json("import all all.txt --undirected --ids map");
    place.json("import part part.txt --undirected --ids map");
    for form in ["live", "sealed", "compressed", "simple"] {
        let of = |db: &str, flags: &str| {
            let run = format!("run {db} cdlp --param graph={form} {flags} -o -");
            printed(&place, &run)
        };
        for flags in ["", "--top 9"] {
            let largest = of("all", &format!("--largest-component {flags}"));
            assert_eq!(largest, of("part", flags), "{form} {flags}");
        }
    }
    let verified = "run all cdlp --largest-component --param verify=true";
    assert_eq!(place.json(verified)["verified"], true);
}

#[test]
fn biconnected_components_have_the_sizes_of_their_edges_ends() {
    let place = Place::new();
    place.file("b.txt", "1 2\n2 3\n3 1\n7 8\n9 9\n");
    place.json("import db b.txt --undirected --ids map");
    let run = "run db biconnectivity --top 9 -o - --format csv";
    assert_eq!(printed(&place, run), "component,size\n2,3\n8,2\n");
    let labels = printed(&place, "run db biconnectivity -o -");
    assert_eq!(labels, "1 1\n2 2\n3 2\n7 7\n8 8\n9 9\n");
    place.json("run db biconnectivity --keep blocks");
    let kept = "results db show blocks --top 9 -o - --format csv";
    assert_eq!(printed(&place, kept), "component,size\n2,3\n8,2\n");
    let members = "run db biconnectivity --param output=articulation-points --top 9 -o -";
    assert_eq!(printed(&place, members), "");
}

#[test]
fn infinite_values_are_written_as_the_document_says() {
    let place = Place::new();
    place.file("n.txt", "0 1 -1\n1 0 -1\n2 3 4\n");
    place.json("import db n.txt --weighted");
    let table = printed(&place, "run db bellman-ford --source 0 --top 1");
    assert!(
        table.ends_with("VERTEX  DISTANCE\n     0      -inf\n"),
        "{table}"
    );
    for (format, expected) in [
        ("text", "0 -inf\n1 -inf\n2 inf\n3 inf\n"),
        ("csv", "vertex,distance\n0,-inf\n1,-inf\n2,\n3,\n"),
        (
            "jsonl",
            "{\"vertex\":0,\"distance\":{\"$float\":\"-Infinity\"}}\n\
             {\"vertex\":1,\"distance\":{\"$float\":\"-Infinity\"}}\n\
             {\"vertex\":2,\"distance\":null}\n{\"vertex\":3,\"distance\":null}\n",
        ),
    ] {
        let run = format!("run db bellman-ford --source 0 -o - --format {format}");
        assert_eq!(printed(&place, &run), expected, "{format}");
    }
    let widths = printed(&place, "run db widest-path --source 2 -o - --format csv");
    assert_eq!(widths, "vertex,width\n0,-inf\n1,-inf\n2,\n3,4\n");
}

#[test]
fn several_names_stand_between_commas_unless_they_are_one() {
    let place = Place::new();
    place.file(
        "named.csv",
        "source,target\nada,bob\nbob,\"ada,x\"\n\"ada,x\",eve\nx,y\n",
    );
    place.json("import db named.csv --ids map");
    let ranks = |source: &str| {
        let run = format!("run db ppr --param source={source} -o -");
        printed(&place, &run)
    };
    let two = printed(&place, "run db ppr --source ada --source eve -o -");
    assert_eq!(ranks("ada,eve"), two);
    let one = ranks("ada,x");
    assert_ne!(
        one,
        printed(&place, "run db ppr --source ada --source x -o -")
    );
    place.call("run db ppr --param source=ada,zoe").expect(1);
    let pairs = printed(&place, "run db similarity --param pairs=ada:bob,x:y -o -");
    assert_eq!(pairs.lines().count(), 2, "{pairs}");
}

#[test]
fn nodes_go_by_several_properties() {
    let place = Place::new();
    place.file(
        "nodes.csv",
        ":ID,:LABEL,name,age:int\n1,Person,Ada Lee,36\n2,Person,Bob,\n",
    );
    place.file("ties.csv", ":START_ID,:END_ID,:TYPE\n1,2,KNOWS\n");
    place.json("import db nodes.csv ties.csv");
    let csv = printed(
        &place,
        "run db degrees --name-by name,age -o - --format csv",
    );
    assert_eq!(csv, "name,age,degree\nAda Lee,36,1\nBob,,0\n");
    let text = printed(&place, "run db degrees --name-by name,age -o -");
    assert_eq!(text, "Ada Lee\t36\t1\nBob\t-\t0\n");
    let report = place.json("run db degrees --name-by name,age --top 1");
    assert_eq!(
        report["top"],
        json!([{ "name": "Ada Lee", "age": 36, "degree": 1 }])
    );
}

#[test]
fn two_columns_of_one_title_are_refused() {
    let place = Place::new();
    place.file(
        "nodes.csv",
        ":ID,:LABEL,name,degree:int\n1,A,x,3\n2,A,y,4\n",
    );
    place.file("ties.csv", ":START_ID,:END_ID,:TYPE\n1,2,R\n");
    place.json("import db nodes.csv ties.csv");
    for (run, wrong) in [
        (
            "degrees --name-by degree -o out.csv",
            "has the title of the values",
        ),
        (
            "degrees --name-by name,degree --top 1",
            "has the title of the values",
        ),
        ("degrees --name-by name,name -o out.csv", "is given twice"),
    ] {
        let refused = place.call(&format!("run db {run}"));
        refused.expect(2);
        assert!(refused.error().contains(wrong), "{refused:?}");
    }
    assert!(!place.path("out.csv").exists());
    place.json("run db pagerank --name-by degree -o out.csv");
    place.json("snapshot db create vertex");
    let refused = place.call("run db degrees --over .. -o out.csv");
    refused.expect(2);
    assert!(
        refused.error().contains("the snapshot `vertex`"),
        "{refused:?}"
    );
    place.json("run db degrees --over .. --name-by degree -o out.csv");
    place.json("run db degrees --over .. -o out/");
}

#[test]
fn reports_have_numbers_and_truth_values_as_such() {
    let place = Place::new();
    place.file("e.txt", "1 2\n2 3\n3 1\n3 4\n");
    place.json("import db e.txt --ids map");
    let result = |run: &str| place.json(&format!("run db {run}"))["result"].clone();
    let found = result("topological-order");
    assert_eq!(found["acyclic"], false);
    assert_eq!(found["cycle"], json!([1, 2, 3]));
    assert_eq!(result("katz")["converged"], true);
    assert!(result("pagerank")["top_vertex"].is_number());
    assert_eq!(
        result("degrees")["histogram"],
        json!([{ "from": 0, "count": 1 }, { "from": 1, "count": 2 }, { "from": 2, "count": 1 }])
    );
    // They read back as they were kept.
    for run in ["degrees", "katz", "topological-order"] {
        place.json(&format!("run db {run} --keep {run}"));
        assert_eq!(
            result(run),
            place.json(&format!("results db show {run}"))["result"]
        );
    }
}

#[test]
fn results_kept_with_other_defaults_are_not_read() {
    let place = Place::new();
    place.file("e.txt", "1 2\n1 2\n2 1\n3 1\n");
    place.json("import db e.txt --ids map --undirected");
    place.json("maintain db k-core --name cores");
    assert!(place.json("run db k-core")["kept"].is_null());
    let each = place.json("run db k-core --param parallel=each");
    assert_eq!(each["kept"], "cores");
}
