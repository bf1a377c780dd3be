//! One hop in a property graph: of one type, and of all of many types of which a node
//! has two, beside static graphs of the same relationships.

use evergraph_graph::{Csr, Direction, VertexId};
use evergraph_property_graph::graph::{NodeId, PropertyGraph, Towards, TypeSet, View};
use serde_json::json;

use super::{Answers, ask, through_readers};
use crate::graphs::EdgeList;
use crate::meter::Measured;
use crate::settings::Settings;
use crate::table::{Table, number};
use crate::transactions::graph::{empty, text};

const RELATIONSHIPS_AT_ONCE: usize = 10_000;

/// Source, target and type of the relationships that the edges become: two types for
/// each source, which differ from source to source.
fn relationships(list: &EdgeList, types: u32) -> Vec<(VertexId, VertexId, u32)> {
    let edges = list.edges.iter().enumerate();
    edges
        .map(|(i, &(u, v))| {
            (
                u,
                v,
                u.wrapping_mul(7).wrapping_add(11 * (i as u32 % 2)) % types,
            )
        })
        .collect()
}

pub fn run(
    settings: &Settings<'_>,
    list: &EdgeList,
    queries: &[VertexId],
) -> Result<Table, String> {
    let types: u32 = settings.parameter("types", 30)?;
    if types == 0 || types > 1000 {
        return Err("types is a number from 1 to 1000".to_string());
    }
    settings.progress("onehop: loading the property graph");
    let relationships = relationships(list, types);
    let (graph, _storage, _place) = empty(settings)?;
    load(&graph, list.vertex_count, &relationships)?;
    let mut table = Table::new(
        format!(
            "relationships that leave {} random nodes of {}, {types} types",
            queries.len(),
            list.name
        ),
        &[
            "graph",
            "types",
            "access",
            "threads",
            "ns_per_query",
            "cpu_ns_per_query",
            "over_csr",
            "neighbors",
            "others",
            "equal",
        ],
    );
    let view = graph.view();
    for (name, set) in [("one", view.types(&["T0"])), ("all", view.types(&[]))] {
        let of = relationships.iter().filter(|r| name == "all" || r.2 == 0);
        let edges: Vec<(VertexId, VertexId)> = of.map(|&(u, v, _)| (u, v)).collect();
        let csr = Csr::from_edges(list.vertex_count, &edges, Direction::Out);
        for &threads in &settings.threads {
            settings.progress(&format!("onehop: {name}, {threads} threads"));
            let least = through_readers(&csr, queries, threads)?;
            let found = [
                ("csr, order of insertion", "reader", least),
                (
                    "merged",
                    "Expander",
                    by_expander(&view, &set, queries, threads)?,
                ),
                (
                    "merged",
                    "View::expand_lists",
                    by_view(&view, &set, queries, threads)?,
                ),
                (
                    "merged",
                    "View::neighbors",
                    by_name(&view, name, queries, threads)?,
                ),
            ];
            for (graph, access, (measured, answers)) in found {
                table.row(row(
                    graph, name, access, threads, measured, answers, least, queries,
                ));
            }
        }
    }
    Ok(table)
}

#[allow(clippy::too_many_arguments)]
fn row(
    graph: &str,
    types: &str,
    access: &str,
    threads: usize,
    measured: Measured,
    answers: Answers,
    csr: (Measured, Answers),
    queries: &[VertexId],
) -> Vec<serde_json::Value> {
    let a_query = 1e9 / queries.len() as f64;
    vec![
        json!(graph),
        json!(types),
        json!(access),
        json!(threads),
        number(measured.seconds * a_query),
        number(measured.cpu_seconds * a_query),
        number(measured.cpu_seconds / csr.0.cpu_seconds),
        json!(answers.neighbors),
        number(measured.others),
        json!(answers == csr.1),
    ]
}

fn load(
    graph: &PropertyGraph,
    nodes: usize,
    relationships: &[(VertexId, VertexId, u32)],
) -> Result<(), String> {
    let made = graph.write(|transaction| {
        for _ in 0..nodes {
            transaction.create_node(&["Node"], [])?;
        }
        Ok(())
    });
    made.map_err(text)?;
    for some in relationships.chunks(RELATIONSHIPS_AT_ONCE) {
        let made = graph.write(|transaction| {
            for &(u, v, kind) in some {
                let kind = format!("T{kind}");
                transaction.create_relationship(NodeId(u), &kind, NodeId(v), [])?;
            }
            Ok(())
        });
        made.map_err(text)?;
    }
    graph.checkpoint().map_err(text)
}

fn by_expander(
    view: &View,
    types: &TypeSet,
    queries: &[VertexId],
    threads: usize,
) -> Result<(Measured, Answers), String> {
    ask(queries, threads, |mine| {
        let mut expander = view.expander(Towards::Outgoing, types);
        let mut answers = Answers::default();
        for &v in mine {
            let read = expander.for_each_list(NodeId(v), |_, _, some, _| answers.add(some));
            let _ = read.map_err(text)?;
        }
        Ok(answers)
    })
}

fn by_view(
    view: &View,
    types: &TypeSet,
    queries: &[VertexId],
    threads: usize,
) -> Result<(Measured, Answers), String> {
    ask(queries, threads, |mine| {
        let mut answers = Answers::default();
        for &v in mine {
            let each = |_, _, some: &[u32], _: &[u32]| answers.add(some);
            let _ = view
                .expand_lists(NodeId(v), Towards::Outgoing, types, each)
                .map_err(text)?;
        }
        Ok(answers)
    })
}

fn by_name(
    view: &View,
    types: &str,
    queries: &[VertexId],
    threads: usize,
) -> Result<(Measured, Answers), String> {
    let names: &[&str] = match types {
        "all" => &[],
        _ => &["T0"],
    };
    ask(queries, threads, |mine| {
        let mut answers = Answers::default();
        for &v in mine {
            let found = view.neighbors(NodeId(v), Towards::Outgoing, names);
            for adjacent in found.map_err(text)? {
                let _ = answers.add(&[adjacent.neighbor.0]);
            }
        }
        Ok(answers)
    })
}
