//! `plot growth`.

use evergraph::time_text;
use serde_json::json;

use super::chart::{Axis, Chart, Series, short};
use super::{Common, Drawn};
use crate::report::{Failure, count};
use crate::snapshot::list::{edges_of, vertices_of};

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub(super) common: Common,
}

/// Vertices and edges over the times of the snapshots; over their commits if all are of
/// one time.
pub fn draw(args: &Args) -> Result<Drawn, Failure> {
    let db = args.common.open()?;
    let snapshots = db.snapshots();
    if snapshots.is_empty() {
        return Err(Failure::new(
            "the database has no snapshots",
            "make one with `evergraph snapshot DB create NAME`, or while importing with \
             --snapshot-every",
        ));
    }
    let by_time = snapshots
        .iter()
        .any(|one| one.time_us != snapshots[0].time_us);
    let x = |snapshot: &evergraph::Snapshot| match by_time {
        true => snapshot.time_us as f64,
        false => snapshot.csn as f64,
    };
    let day = |us: f64| time_text(us as i64).chars().take(10).collect::<String>();
    let vertices = snapshots.iter().map(|one| vertices_of(&db, one));
    let vertices = vertices.collect::<Result<Vec<u64>, _>>()?;
    let edges: Vec<u64> = snapshots.iter().map(|one| edges_of(&db, one)).collect();
    let series = |name, of: &[u64]| Series {
        name,
        points: snapshots
            .iter()
            .zip(of)
            .map(|(one, &number)| (x(one), number as f64))
            .collect(),
    };
    let chart = Chart {
        title: "Growth",
        x: Axis {
            title: if by_time { "time" } else { "commit" },
            logarithmic: false,
            label: if by_time { &day } else { &short },
        },
        y: Axis {
            title: "vertices and edges",
            logarithmic: true,
            label: &short,
        },
        series: vec![series("vertices", &vertices), series("edges", &edges)],
        lines: true,
    };
    let json = json!({
        "snapshots": snapshots.iter().zip(vertices.iter().zip(&edges)).map(
            |(one, (vertices, edges))| json!({
                "name": one.name,
                "vertices": vertices,
                "edges": edges,
            })
        ).collect::<Vec<_>>(),
    });
    let svg = chart.svg()?;
    let text = format!("{} snapshots", count(snapshots.len() as u64));
    Ok(Drawn { svg, json, text })
}
