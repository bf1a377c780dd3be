//! `plot degrees`.

use std::collections::BTreeMap;

use evergraph::graph::{Graph, NeighborReader, StoredLists, VertexId};
use evergraph::{Error, property};
use serde_json::json;

use super::chart::{Axis, Chart, Series, short};
use super::{Common, Drawn, MomentArgs};
use crate::report::{Failure, count};

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub(super) common: Common,
    #[command(flatten)]
    moment: MomentArgs,
}

/// Vertices by degree: of out-lists, and of in-lists where the graph keeps both.
pub fn draw(args: &Args) -> Result<Drawn, Failure> {
    let db = args.common.open()?;
    let view = db.as_of(&args.moment.at())?;
    let histograms = match db.is_property_graph() {
        true => of_nodes(
            &db.property_graph()?
                .as_of_commit(view.csn())
                .map_err(Error::from)?,
        )?,
        false => of_vertices(&view.graph().map_err(Error::from)?),
    };
    let n: u64 = histograms[0].1.values().sum();
    let (least, most) = (&histograms[0].1, histograms.iter());
    let largest = most.filter_map(|(_, found)| found.keys().max()).max();
    let without = least.get(&0).copied().unwrap_or(0);
    let text = format!(
        "{} vertices, of degree up to {}; {} of {} 0 are left out",
        count(n),
        count(largest.copied().unwrap_or(0)),
        count(without),
        histograms[0].0,
    );
    let json = json!({
        "vertices": n,
        "degrees": histograms.iter().map(|(name, found)| json!({
            "name": name,
            "counts": found.iter().collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    });
    let chart = Chart {
        title: "Vertices by degree",
        x: Axis {
            title: "degree",
            logarithmic: true,
            label: &short,
        },
        y: Axis {
            title: "vertices",
            logarithmic: true,
            label: &short,
        },
        series: (histograms.iter())
            .map(|(name, found)| Series {
                name,
                points: (found.iter())
                    .map(|(&d, &of)| (d as f64, of as f64))
                    .collect(),
            })
            .collect(),
        lines: false,
    };
    let svg = chart.svg()?;
    Ok(Drawn { svg, json, text })
}

/// Vertices of each degree, by what the degree is of.
type Histograms = Vec<(&'static str, BTreeMap<u64, u64>)>;

fn of_vertices(graph: &impl Graph) -> Histograms {
    let n = graph.vertex_count();
    let out = histogram(n, graph.reader());
    let incoming = || graph.reverse_reader().map(|reader| histogram(n, reader));
    match graph.stored_lists() {
        StoredLists::Undirected => vec![("degree", out)],
        StoredLists::Out => vec![("out-degree", out)],
        StoredLists::Both => {
            let incoming = incoming().map(|found| ("in-degree", found));
            [("out-degree", out)].into_iter().chain(incoming).collect()
        }
    }
}

fn histogram(n: usize, mut reader: impl NeighborReader) -> BTreeMap<u64, u64> {
    let mut found = BTreeMap::new();
    for v in 0..n as VertexId {
        *found.entry(reader.degree(v) as u64).or_default() += 1;
    }
    found
}

/// Of relationships of all types. O(nodes + relationships), 16 bytes of DRAM a node.
fn of_nodes(view: &property::View) -> Result<Histograms, Error> {
    let mut degrees = vec![(0_u64, 0_u64); view.node_bound() as usize];
    for relationship in view.relationships() {
        let relationship = relationship?;
        degrees[relationship.source().0 as usize].0 += 1;
        degrees[relationship.target().0 as usize].1 += 1;
    }
    let (mut out, mut incoming) = (BTreeMap::new(), BTreeMap::new());
    for node in view.nodes() {
        let (sources, targets) = degrees[node?.id().0 as usize];
        *out.entry(sources).or_default() += 1;
        *incoming.entry(targets).or_default() += 1;
    }
    Ok(vec![("out-degree", out), ("in-degree", incoming)])
}
