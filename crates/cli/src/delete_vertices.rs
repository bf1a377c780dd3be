//! `evergraph delete-vertices`: deletes all edges of the vertices that a file
//! lists.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Instant;

use evergraph::{Cancellation, Database, Error, IdKind};
use serde_json::json;

use crate::medium::MediumArgs;
use crate::report::{Failure, Report, count, edges as edges_text, seconds, table};

/// Arguments of `delete-vertices`.
#[derive(clap::Args)]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    /// File with a vertex a line, as the database calls them
    file: PathBuf,
    #[command(flatten)]
    medium: MediumArgs,
}

/// Runs the command.
pub fn execute(args: &Args, stop: &Cancellation) -> Result<Report, Failure> {
    let started = Instant::now();
    let size_of = |db: &Database| -> Result<(u64, u64), Failure> {
        Ok((db.stats().extent_bytes, db.view().edge_count()?))
    };
    let change = |db: &Database| {
        let before = size_of(db)?;
        let (vertices, missing) = read(db, &args.file)?;
        let commits = delete(db, &vertices, stop)?;
        Ok((
            vertices.len() as u64,
            missing,
            commits,
            before,
            size_of(db)?,
        ))
    };
    let (vertices, missing, commits, before, after) = args.medium.change(&args.db, change)?;
    let ((bytes_before, edges_before), (bytes_after, edges)) = (before, after);
    let deleted = edges_before - edges;
    let elapsed = started.elapsed().as_secs_f64();
    Ok(Report::new(
        json!({
            "edges": edges,
            "deleted": deleted,
            "vertices": vertices,
            "missed": missing,
            "commits": commits,
            "seconds": elapsed,
            "bytes_before": bytes_before,
            "bytes_after": bytes_after,
        }),
        table(&[
            ("vertices", count(vertices)),
            ("not found", count(missing)),
            (
                "deleted",
                format!("{} in {}", edges_text(deleted), seconds(elapsed)),
            ),
            ("edges left", count(edges)),
        ]),
    ))
}

/// The vertices that a file lists, each once, and how many lines name none that
/// exists.
fn read(db: &Database, file: &Path) -> Result<(Vec<u32>, u64), Failure> {
    let io = |error| Error::io(file.display().to_string(), error);
    let (mut vertices, mut missing) = (Vec::new(), 0);
    let mut line = Vec::new();
    let mut reader = BufReader::new(File::open(file).map_err(io)?);
    for number in 1.. {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(io)? == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&line);
        let name = text.trim();
        if name.is_empty() || name.starts_with(['#', '%']) {
            continue;
        }
        if db.config().ids != IdKind::Texts && name.parse::<u64>().is_err() {
            return Err(Failure::new(
                format!("{}, line {number}: not a vertex", file.display()),
                "give one vertex a line; vertices of this database are called by numbers",
            ));
        }
        match db.vertex_of_name(name)? {
            Some(vertex) => vertices.push(vertex),
            None => missing += 1,
        }
    }
    vertices.sort_unstable();
    vertices.dedup();
    Ok((vertices, missing))
}

/// Deletes the edges of all of them in one commit. Returns the number of commits.
fn delete(db: &Database, vertices: &[u32], stop: &Cancellation) -> Result<u64, Failure> {
    if stop.is_cancelled() {
        return Err(Failure::new(
            "interrupted: the vertices have their edges still",
            "run the command again",
        ));
    }
    if vertices.is_empty() {
        return Ok(0);
    }
    db.delete_vertices(vertices)?;
    Ok(1)
}
