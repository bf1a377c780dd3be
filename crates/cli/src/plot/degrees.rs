//! `plot degrees`.

use std::collections::BTreeMap;

use evergraph::graph::{Graph, NeighborReader, VertexId};
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
    let graph = view.graph().map_err(evergraph::Error::from)?;
    let n = graph.vertex_count();
    let mut histograms = vec![("out-degree", histogram(n, graph.reader()))];
    match graph.direction() {
        evergraph::graph::Direction::Undirected => histograms[0].0 = "degree",
        evergraph::graph::Direction::Out => {}
        evergraph::graph::Direction::Both => {
            let incoming = graph.reverse_reader().map(|reader| histogram(n, reader));
            histograms.extend(incoming.map(|found| ("in-degree", found)));
        }
    }
    let (least, most) = (&histograms[0].1, histograms.iter());
    let largest = most.filter_map(|(_, found)| found.keys().max()).max();
    let without = least.get(&0).copied().unwrap_or(0);
    let text = format!(
        "{} vertices, of degree up to {}; {} of {} 0 are left out",
        count(n as u64),
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

/// Vertices of each degree.
fn histogram(n: usize, mut reader: impl NeighborReader) -> BTreeMap<u64, u64> {
    let mut found = BTreeMap::new();
    for v in 0..n as VertexId {
        *found.entry(reader.degree(v) as u64).or_default() += 1;
    }
    found
}
