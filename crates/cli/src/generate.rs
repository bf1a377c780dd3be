//! `evergraph generate`: synthetic graphs as files of edges.

use std::path::PathBuf;

use evergraph::Cancellation;
use evergraph::formats::{Compression, EdgeWriter, WriteFormat};
use evergraph::graph::generate::{Edge, Kronecker, Uniform};
use serde_json::json;

use crate::output::wants_stdout;
use crate::progress;
use crate::report::{Failure, Report, count, note};

/// What to generate.
#[derive(clap::Args)]
pub struct Args {
    /// kron: heavy-tailed, as in Graph500 and GAP; uniform: all ends random
    #[arg(value_enum)]
    kind: Kind,
    /// 2^N vertices
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=29))]
    scale: u32,
    /// Edges for each vertex
    #[arg(long, value_name = "D", default_value_t = 16)]
    degree: u32,
    /// The same seed gives the same graph
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Where to write; .gz and .zst are compressed, `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Kind {
    Kron,
    Uniform,
}

/// Runs the command.
pub fn execute(args: &Args, as_json: bool, stop: &Cancellation) -> Result<Report, Failure> {
    let to_stdout = wants_stdout(Some(&args.output), as_json)?;
    let vertices = 1u64 << args.scale;
    let edges = vertices * u64::from(args.degree);
    let bar = progress::of_count(edges);
    let mut writer = match to_stdout {
        true => EdgeWriter::to_writer(
            "standard output",
            std::io::stdout(),
            WriteFormat::EdgeList,
            Compression::None,
        )?,
        false => EdgeWriter::create(&args.output)?,
    };
    let mut write = |edges: &[Edge]| -> Result<(), Failure> {
        if stop.is_cancelled() {
            return Err(Failure::new(
                "interrupted before the file was complete",
                "remove the file, or generate it again",
            ));
        }
        for &(u, v) in edges {
            writer.edge(u64::from(u), u64::from(v), None, None)?;
        }
        bar.inc(edges.len() as u64);
        Ok(())
    };
    let written = match args.kind {
        Kind::Kron => Kronecker::new(args.scale, args.degree, args.seed)
            .chunks()
            .try_for_each(|chunk| write(&chunk)),
        Kind::Uniform => Uniform::new(vertices as usize, edges as usize, args.seed)
            .chunks()
            .try_for_each(|chunk| write(&chunk)),
    };
    if let Err(failure) = written.and_then(|()| Ok(writer.finish().map(|_| ())?)) {
        bar.finish_and_clear();
        return gone_or(failure, to_stdout);
    }
    bar.finish_and_clear();
    let text = format!("{} vertices, {} edges", count(vertices), count(edges));
    if to_stdout {
        note(&text);
        return Ok(Report::new(json!({}), ""));
    }
    let file = args.output.display().to_string();
    Ok(Report::new(
        json!({ "vertices": vertices, "edges": edges, "files": [file] }),
        format!("{file}: {text}\n"),
    ))
}

/// A reader of standard output that has seen enough is no failure.
fn gone_or(failure: Failure, to_stdout: bool) -> Result<Report, Failure> {
    match to_stdout && failure.message.contains("Broken pipe") {
        true => Ok(Report::new(json!({}), "")),
        false => Err(failure),
    }
}
