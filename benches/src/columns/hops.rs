//! One hop, alone and with a property of each neighbor or relationship.

use std::hint::black_box;

use evergraph_graph::{Csr, Graph, NeighborReader, StoredLists};
use evergraph_property_graph::graph::{Account, Direction, EntityKind, GraphRead, PropertyGraph};
use evergraph_property_graph::vector::Values;

use super::data::{Data, Ids};
use super::rows::Rows;
use super::text;

/// Nodes that are expanded together.
const AT_ONCE: usize = 2_048;

/// Out-neighbors of all nodes in order, beside a static CSR and arrays.
pub(super) fn measure(
    rows: &mut Rows,
    state: &str,
    data: &Data,
    ids: &Ids,
    graph: &PropertyGraph,
) -> Result<(), String> {
    let view = graph.view();
    let csr = Csr::from_edges(data.nodes(), &data.edges, StoredLists::Out);
    let links = view.type_code("LINKS").ok_or("no such type")?;
    let (b, w) = (view.key_code("b"), view.key_code("w"));
    let (b, w) = (b.ok_or("no such key")?, w.ok_or("no such key")?);
    // Ids in the graph are those of the arrays: the load was alone.
    let nodes: Vec<u32> = ids.nodes.iter().map(|id| id.0).collect();
    let hop = |key: Option<(EntityKind, u32)>| -> Result<u64, String> {
        let (account, mut sum) = (Account::default(), 0);
        for some in nodes.chunks(AT_ONCE) {
            let found = view.expand(some, Some(&[links]), Direction::Outgoing, &account);
            let found = found.map_err(text)?;
            let of = |of| match of {
                EntityKind::Node => &found.neighbors,
                EntityKind::Relationship => &found.relationships,
            };
            match key {
                None => sum += found.neighbors.iter().map(|&u| u64::from(u)).sum::<u64>(),
                Some((kind, key)) => {
                    let values = view.gather(kind, of(kind), key, &account).map_err(text)?;
                    if let Values::Integer(values) = values.values() {
                        sum += values.iter().sum::<i64>() as u64;
                    }
                }
            }
            account.release(account.used());
        }
        Ok(sum)
    };
    let count = data.edges.len();
    // Numbers of relationships, node by node: their properties lie in the order of the
    // file, here and there.
    let mut of_nodes: Vec<u32> = (0..count as u32).collect();
    of_nodes.sort_by_key(|&number| data.edges[number as usize].0);
    rows.pair(
        state,
        "one hop from all nodes in order",
        count,
        || {
            let (mut reader, mut sum) = (csr.reader(), 0);
            for node in 0..data.nodes() as u32 {
                reader.for_each_neighbor(node, |u| sum += u64::from(u));
            }
            black_box(sum)
        },
        || hop(None),
    )?;
    rows.pair(
        state,
        "one hop, a property of each neighbor",
        count,
        || {
            let (mut reader, mut sum) = (csr.reader(), 0);
            for node in 0..data.nodes() as u32 {
                reader.for_each_neighbor(node, |u| sum += data.b[u as usize] as u64);
            }
            black_box(sum)
        },
        || hop(Some((EntityKind::Node, b))),
    )?;
    rows.pair(
        state,
        "one hop, a property of each relationship",
        count,
        || {
            let mut sum = 0;
            for &number in &of_nodes {
                sum += data.w[number as usize] as u64;
            }
            black_box(sum)
        },
        || hop(Some((EntityKind::Relationship, w))),
    )
}
