//! Other features of runs on projections: snapshots, sources, names, limits, states.

use evergraph::graph::Bytes;
use evergraph::property::{NodeId, Orientation, ProjectionOptions};
use evergraph::run::{self, Durable, FileFormat, Outcome, Request, write_values};
use evergraph::{At, Cancellation, Control, Database, Error, MediumKind, Options};

use super::sample::{Sample, request, run, sample};

fn people() -> ProjectionOptions {
    ProjectionOptions::new().label("Person")
}

fn lines(db: &Database, outcome: &Outcome) -> Vec<String> {
    let mut out = Vec::new();
    write_values(&mut out, db, outcome).expect("written");
    let text = String::from_utf8(out).expect("text");
    text.lines().map(str::to_string).collect()
}

#[test]
fn vertices_go_by_nodes() {
    let sample = sample();
    let outcome = sample
        .run("bfs", &[("source", "1")], &people())
        .expect("run");
    let lines = lines(&sample.db, &outcome);
    let nodes = sample.nodes(&people());
    assert_eq!(lines.len(), nodes.len());
    for (line, node) in lines.iter().zip(&nodes) {
        assert!(line.starts_with(&format!("{node} ")), "{line}");
    }
    assert!(lines.contains(&"1 0".to_string()), "{lines:?}");
    for (source, message) in [
        ("2", "node 2 is not in the projection"),
        ("99", "there is no node \"99\""),
        ("Ann", "there is no node \"Ann\""),
    ] {
        let error = sample.run("bfs", &[("source", source)], &people());
        assert_eq!(error.expect_err(source).summary(), message);
    }
    // Without labels every node is there.
    let all = run(&sample.db, &request("bfs", &[("source", "2")]));
    assert_eq!(all.expect("run").vertices, u64::from(super::sample::NODES));
}

#[test]
fn nodes_go_by_a_property() {
    let sample = sample();
    let graph = sample.db.property_graph().expect("it is one");
    graph
        .write(|tx| {
            tx.set(NodeId(0), "name", "tab\there")?;
            tx.remove(NodeId(1), "name")
        })
        .expect("written");
    let wanted = Request {
        name_by: vec!["name".to_string()],
        ..request("connected-components", &[])
    };
    let outcome = run(&sample.db, &wanted).expect("run");
    let lines = lines(&sample.db, &outcome);
    assert!(lines[0].starts_with("tab\\there\t"), "{}", lines[0]);
    assert!(lines[1].starts_with("node 1\t"), "{}", lines[1]);
    assert!(lines[2].starts_with("City 2\t"), "{}", lines[2]);
    // Vertices that are values, too.
    assert!(lines[0].ends_with("\ttab\\there"), "{}", lines[0]);
    let unknown = Request {
        name_by: vec!["nmae".to_string()],
        ..wanted
    };
    let error = run(&sample.db, &unknown).expect_err("no such property");
    assert_eq!(error.summary(), "there is no property \"nmae\"");
    assert_eq!(error.hint(), "did you mean `name`?");
}

#[test]
fn names_that_the_graph_does_not_know_are_told() {
    let sample = sample();
    for (part, summary, hint) in [
        (
            ProjectionOptions::new().label("Persn"),
            "there is no label \"Persn\"",
            "did you mean `Person`?",
        ),
        (
            ProjectionOptions::new().relationship_type("Like"),
            "there is no relationship type \"Like\"",
            "did you mean `LIKES`?",
        ),
        (
            ProjectionOptions::new().relationship_type("SELLS"),
            "there is no relationship type \"SELLS\"",
            "there are KNOWS, LIKES",
        ),
        (
            ProjectionOptions::new().weight("csot", 1.0),
            "there is no property \"csot\"",
            "did you mean `cost`?",
        ),
        (
            ProjectionOptions::new().weight("name", 1.0),
            "no relationship of the projection has a number as \"name\"",
            "name another property of relationships, or leave --weight out: then each counts 1",
        ),
    ] {
        let error = sample.run("delta-stepping", &[], &part).expect_err(summary);
        assert_eq!(error.summary(), summary);
        assert_eq!(error.hint(), hint);
    }
    let plain = sample.plain(&ProjectionOptions::new());
    let wanted = Request {
        projection: Some(people()),
        ..request("bfs", &[])
    };
    let error = run(&plain, &wanted).expect_err("it has no labels");
    assert!(error.summary().contains("without labels"), "{error}");
}

#[test]
fn a_run_reads_the_moment_of_its_view() {
    let sample = sample();
    let graph = sample.db.property_graph().expect("it is one");
    let before = sample.run("pagerank", &[], &people()).expect("run");
    let view = sample.db.view();
    graph.create_snapshot("then").expect("named");
    graph
        .write(|tx| {
            let node = tx.create_node(&["Person", "Robot"], [])?;
            tx.create_relationship(node, "KNOWS", NodeId(0), [])?;
            tx.remove_label(NodeId(1), "Person")
        })
        .expect("written");
    let wanted = Request {
        projection: Some(people()),
        ..request("pagerank", &[])
    };
    let now = run(&sample.db, &wanted).expect("run");
    assert_ne!(now.naming, before.naming);
    let control = Control::new();
    let still = run::run(&sample.db, &view, &wanted, &control, None).expect("run");
    assert_eq!(
        (&still.values, &still.naming),
        (&before.values, &before.naming)
    );
    let then = sample.db.as_of(&At::from_text("then")).expect("kept");
    let then = run::run(&sample.db, &then, &wanted, &control, None).expect("run");
    assert_eq!(
        (&then.values, &then.naming),
        (&before.values, &before.naming)
    );
    // A label that came later has no nodes then.
    let robots = Request {
        projection: Some(ProjectionOptions::new().label("Robot")),
        ..wanted.clone()
    };
    let error = run::run(&sample.db, &view, &robots, &control, None).expect_err("none");
    assert!(
        error.summary().ends_with("no node has label Robot"),
        "{error}"
    );
    // One algorithm on both snapshots.
    let moments = sample.db.moments_of("then..now").expect("two");
    let mut seen = Vec::new();
    run::over(
        &sample.db,
        &moments,
        &wanted,
        &control,
        None,
        |moment, outcome| {
            seen.push((moment.name().to_string(), outcome.values));
            Ok(())
        },
    )
    .expect("run");
    assert_eq!(
        seen,
        [
            ("then".to_string(), before.values),
            ("now".to_string(), now.values)
        ]
    );
    let mut seen = 0;
    run::over(&sample.db, &moments, &robots, &control, None, |_, _| {
        seen += 1;
        Ok(())
    })
    .expect("run");
    assert_eq!(seen, 1);
}

#[test]
fn limits_count_the_projection() {
    let sample = sample();
    let costs = ProjectionOptions::new().weight("cost", 1.0);
    for (limit, expected) in [
        (10, "for the projection alone"),
        (5000, "for the projection"),
    ] {
        let limited = Request {
            projection: Some(costs.clone()),
            memory_limit: Some(limit),
            ..request("delta-stepping", &[])
        };
        let error = run(&sample.db, &limited).expect_err("too much").summary();
        assert!(error.contains(expected), "{error}");
        let limit = format!("the limit is {}", Bytes(limit));
        assert!(error.ends_with(&limit), "{error}");
    }
    let stopped = Cancellation::new();
    stopped.cancel();
    let control = Control::new().with_cancellation(&stopped);
    let wanted = Request {
        projection: Some(costs),
        ..request("delta-stepping", &[])
    };
    let ran = run::run(&sample.db, &sample.db.view(), &wanted, &control, None);
    assert!(matches!(ran, Err(Error::Interrupted { .. })));
}

/// Runs until the state of a few steps is kept.
fn cut(sample: &Sample, wanted: &Request) {
    let stop = Cancellation::new();
    let show = |progress: evergraph::algorithms::Progress| {
        if progress.unit == "iterations" && progress.done >= 4 {
            stop.cancel();
        }
    };
    let control = Control::new().with_cancellation(&stop).with_progress(&show);
    let view = run::view(&sample.db, wanted, None).expect("a view");
    let ran = run::run(&sample.db, &view, wanted, &control, None);
    assert!(matches!(ran, Err(Error::Interrupted { .. })), "{ran:?}");
}

#[test]
fn a_run_that_was_cut_off_goes_on() {
    let sample = sample();
    let wanted = Request {
        projection: Some(people().orientation(Orientation::Reversed)),
        durable: Durable {
            checkpoint_every: Some(1),
            ..Durable::default()
        },
        ..request("pagerank", &[])
    };
    let part = wanted.projection.clone().expect("given");
    let expected = sample.run("pagerank", &[], &part).expect("run");
    cut(&sample, &wanted);
    // Whatever is committed meanwhile.
    let graph = sample.db.property_graph().expect("it is one");
    graph
        .write(|tx| tx.detach_delete_node(NodeId(3)))
        .expect("written");
    let resumed = Request {
        durable: Durable {
            resume: true,
            keep: Some("ranks".to_string()),
            ..wanted.durable.clone()
        },
        ..wanted.clone()
    };
    let go_on = |request: &Request| {
        let view = run::view(&sample.db, request, None)?;
        run::run(&sample.db, &view, request, &Control::new(), None)
    };
    let other = Request {
        projection: Some(people()),
        ..resumed.clone()
    };
    let error = go_on(&other).expect_err("of another part").summary();
    assert!(error.contains("projection.orientation=reversed"), "{error}");
    let outcome = go_on(&resumed).expect("it goes on");
    assert!(outcome.checkpointing.expect("it was").resumed_step > 0);
    assert_eq!(outcome.values, expected.values);
    assert_eq!(outcome.naming, expected.naming);
    assert!(sample.db.snapshots().is_empty(), "its snapshot is dropped");

    let kept = sample
        .db
        .results()
        .expect("results")
        .find("ranks")
        .expect("kept");
    let kept = run::Kept::read(&sample.db, &kept).expect("readable");
    let mut written = Vec::new();
    let rows = kept.rows(&sample.db);
    rows.write(&mut written, FileFormat::Text).expect("written");
    let written = String::from_utf8(written).expect("text");
    assert_eq!(
        written.lines().map(str::to_string).collect::<Vec<_>>(),
        lines(&sample.db, &expected)
    );
}

#[test]
fn a_kept_result_is_read_for_its_own_part_alone() {
    let sample = sample();
    let keep = Request {
        projection: Some(people()),
        durable: Durable {
            keep: Some("people".to_string()),
            ..Durable::default()
        },
        ..request("pagerank", &[])
    };
    let made = run(&sample.db, &keep).expect("run");
    let of = |part: ProjectionOptions| sample.run("pagerank", &[], &part).expect("run");
    let again = of(people());
    assert_eq!(again.kept.as_deref(), Some("people"));
    assert_eq!(again.values, made.values);
    assert_eq!(again.naming, made.naming);
    assert_eq!((again.vertices, again.edges), (made.vertices, made.edges));
    assert_eq!(of(ProjectionOptions::new()).kept, None);
    assert_eq!(of(people().relationship_type("KNOWS")).kept, None);
}

#[test]
fn what_follows_changes_is_refused_with_a_reason() {
    let sample = sample();
    let request = evergraph::maintain::Request {
        name: "ranks".to_string(),
        algorithm: "pagerank".to_string(),
        ..evergraph::maintain::Request::default()
    };
    let error = sample.db.follow(&request).err().expect("refused");
    assert!(error.summary().contains("property graph"), "{error}");
    assert!(error.hint().contains("evergraph run"), "{error}");
}

#[test]
fn weights_that_are_not_finite_count_as_none() {
    let options = Options {
        medium: MediumKind::Dram,
        property_graph: true,
        ..Options::default()
    };
    let db = Database::create("nowhere", &options).expect("a database in memory");
    let graph = db.property_graph().expect("it is one");
    let costs = [1e300, f64::NAN, f64::NEG_INFINITY, 5.0];
    graph
        .write(|tx| {
            let mut before = tx.create_node(&[], [])?;
            for cost in costs {
                let node = tx.create_node(&[], [])?;
                tx.create_relationship(before, "ROAD", node, [("cost", cost.into())])?;
                before = node;
            }
            Ok(())
        })
        .expect("written");
    let with_default = |default| Request {
        projection: Some(ProjectionOptions::new().weight("cost", default)),
        ..request("delta-stepping", &[("source", "0")])
    };
    let outcome = run(&db, &with_default(2.0)).expect("run");
    assert_eq!(lines(&db, &outcome), ["0 0", "1 2", "2 4", "3 6", "4 11"]);
    for default in [f32::NAN, f32::INFINITY] {
        let error = run(&db, &with_default(default)).expect_err("no weight");
        assert!(matches!(error, Error::Argument { .. }), "{error}");
    }
}

#[test]
fn weights_that_nobody_reads_make_no_difference() {
    let sample = sample();
    let costs = people().weight("cost", 1.0);
    let wanted = |part: &ProjectionOptions, keep: Option<&str>| Request {
        projection: Some(part.clone()),
        durable: Durable {
            keep: keep.map(str::to_string),
            ..Durable::default()
        },
        ..request("rumor-sources", &[])
    };
    run(&sample.db, &wanted(&costs, Some("hops"))).expect("run");
    let again = run(&sample.db, &wanted(&people(), None)).expect("run");
    assert_eq!(again.kept.as_deref(), Some("hops"));
}
