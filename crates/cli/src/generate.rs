//! `evergraph generate`: synthetic graphs as files of edges, and a social network
//! as files of nodes and relationships.

mod social;

use std::path::PathBuf;

use evergraph::Cancellation;
use evergraph::formats::{Compression, EdgeWriter, WriteFormat};
use evergraph_generators::{Edge, Kronecker, Uniform};
use serde_json::json;

use crate::output::wants_stdout;
use crate::progress;
use crate::report::{Failure, Report, counted, edges as edges_text, note};

/// Arguments of `generate`.
#[derive(clap::Args)]
pub struct Args {
    /// kron: heavy-tailed, as in Graph500 and GAP; uniform: all ends random; social:
    /// persons, forums, messages, places, after LDBC's Social Network Benchmark
    #[arg(value_enum)]
    kind: Kind,
    /// 2^N vertices; of social the scale factor: 0.1 are 1,700 persons, 1 are 11,000
    #[arg(long, value_name = "N")]
    scale: f64,
    /// Edges for each vertex
    #[arg(long, value_name = "D", default_value_t = 16)]
    degree: u32,
    /// The same seed gives the same graph
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Where to write; .gz and .zst are compressed, `-` is standard output; of social
    /// a directory
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Of social: leave the last tenth of the time out, and write it as streams of
    /// updates, with parameters of queries
    #[arg(long)]
    updates: bool,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Kind {
    Kron,
    Uniform,
    Social,
}

impl Args {
    /// The scale of a graph of edges.
    fn whole_scale(&self) -> Result<u32, Failure> {
        if self.updates {
            return Err(Failure::usage(
                "--updates is about social networks",
                "leave it out",
            ));
        }
        match self.scale.fract() == 0.0 && (0.0..=29.0).contains(&self.scale) {
            true => Ok(self.scale as u32),
            false => Err(Failure::usage(
                format!("{} is no scale: 2^N vertices, N from 0 to 29", self.scale),
                "give a whole number up to 29",
            )),
        }
    }
}

/// Runs the command.
pub fn execute(args: &Args, as_json: bool, stop: &Cancellation) -> Result<Report, Failure> {
    if args.kind == Kind::Social {
        return social::execute(args, stop);
    }
    let scale = args.whole_scale()?;
    let to_stdout = wants_stdout(Some(&args.output), as_json)?;
    let vertices = 1u64 << scale;
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
        Kind::Kron => Kronecker::new(scale, args.degree, args.seed)
            .chunks()
            .try_for_each(|chunk| write(&chunk)),
        Kind::Social => unreachable!("it was written above"),
        Kind::Uniform => Uniform::new(vertices as usize, edges as usize, args.seed)
            .chunks()
            .try_for_each(|chunk| write(&chunk)),
    };
    if let Err(failure) = written.and_then(|()| Ok(writer.finish().map(|_| ())?)) {
        bar.finish_and_clear();
        return gone_or(failure, to_stdout);
    }
    bar.finish_and_clear();
    let text = format!(
        "{}, {}",
        counted(vertices, "vertex", "vertices"),
        edges_text(edges)
    );
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
