//! One hop in a property graph: of one type, and of all of many types of which a node
//! has two, beside static graphs of the same relationships.

mod lists;
mod ways;

use evergraph_graph::VertexId;
use evergraph_property_graph::graph::{NodeId, PropertyGraph};
use serde_json::{Value, json};

use super::Answers;
use crate::graphs::EdgeList;
use crate::meter::Measured;
use crate::settings::Settings;
use crate::table::{Table, number};
use crate::transactions::graph::{empty, text};
use lists::Static;
use ways::{Reads, Ways};

const NODES_AT_ONCE: usize = 100_000;
const RELATIONSHIPS_AT_ONCE: usize = 10_000;

/// A relationship that an edge became.
struct Made {
    source: VertexId,
    target: VertexId,
    kind: u32,
    id: u32,
}

/// The type of a source's relationship: two types for each source, which differ from
/// source to source.
fn kind_of(source: VertexId, number: usize, types: u32) -> u32 {
    source
        .wrapping_mul(7)
        .wrapping_add(11 * (number as u32 % 2))
        % types
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
    let (graph, _storage, _place) = empty(settings)?;
    let made = load(&graph, list, types)?;
    let mut table = Table::new(
        format!(
            "relationships that leave {} nodes of {}, {types} types",
            queries.len(),
            list.name
        ),
        &[
            "order",
            "types",
            "reads",
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
    let ascending: Vec<VertexId> = (0..list.vertex_count as VertexId)
        .cycle()
        .take(queries.len())
        .collect();
    for (name, types) in [("one", &["T0"][..]), ("all", &[])] {
        let wanted = made.iter().filter(|made| name == "all" || made.kind == 0);
        let entries: Vec<_> = wanted
            .map(|made| (made.source, made.target, made.id))
            .collect();
        let csr = Static::of(list.vertex_count, &entries);
        let numbers: Vec<i64> = (0..list.vertex_count as i64).collect();
        for (order, queries) in [("random", queries), ("ascending", &ascending[..])] {
            for &threads in &settings.threads {
                settings.progress(&format!("onehop: {name}, {order}, {threads} threads"));
                let ways = Ways {
                    graph: &graph,
                    view: &view,
                    types,
                    queries,
                    threads,
                    trials: settings.trials.unwrap_or(3),
                };
                for reads in Reads::ALL {
                    let least = ways.on_csr(&csr, &numbers, reads)?;
                    let found = ways.on_graph(reads)?;
                    let rows = std::iter::once(("static CSR", least)).chain(found);
                    for (access, found) in rows {
                        let mut row = vec![json!(order), json!(name), json!(reads.name())];
                        row.extend([json!(access), json!(threads)]);
                        row.extend(figures(queries.len(), found, least));
                        table.row(row);
                    }
                }
            }
        }
    }
    Ok(table)
}

fn figures(
    queries: usize,
    (measured, answers): (Measured, Answers),
    csr: (Measured, Answers),
) -> [Value; 6] {
    let a_query = 1e9 / queries as f64;
    [
        number(measured.seconds * a_query),
        number(measured.cpu_seconds * a_query),
        number(measured.cpu_seconds / csr.0.cpu_seconds),
        json!(answers.neighbors),
        number(measured.others),
        json!(answers == csr.1),
    ]
}

/// Nodes with their numbers, and a relationship for each edge; all of it merged.
fn load(graph: &PropertyGraph, list: &EdgeList, types: u32) -> Result<Vec<Made>, String> {
    let numbers: Vec<i64> = (0..list.vertex_count as i64).collect();
    for some in numbers.chunks(NODES_AT_ONCE) {
        let made = graph.write(|transaction| {
            for &number in some {
                transaction.create_node(&["Node"], [("number", number.into())])?;
            }
            Ok(())
        });
        made.map_err(text)?;
    }
    let mut made = Vec::with_capacity(list.edges.len());
    for some in list.edges.chunks(RELATIONSHIPS_AT_ONCE) {
        let first = made.len();
        let some = graph.write(|transaction| {
            let edges = some.iter().enumerate();
            let create = |(i, &(source, target)): (usize, &(VertexId, VertexId))| {
                let kind = kind_of(source, first + i, types);
                let (name, ends) = (format!("T{kind}"), (NodeId(source), NodeId(target)));
                let id = transaction
                    .create_relationship(ends.0, &name, ends.1, [])?
                    .0;
                Ok(Made {
                    source,
                    target,
                    kind,
                    id,
                })
            };
            edges.map(create).collect::<Result<Vec<Made>, _>>()
        });
        made.extend(some.map_err(text)?);
    }
    graph.checkpoint().map_err(text)?;
    Ok(made)
}
