//! `snapshot diff`: changes between two snapshots.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use evergraph::formats::is_plain_id;
use evergraph::{At, Cancellation, Database, Diff, EdgeChange, View};
use serde_json::json;

use crate::output::{Target, wants_stdout};
use crate::report::{Failure, Report, count, edges as edges_text, table};

/// Arguments of `snapshot diff`.
#[derive(clap::Args)]
pub struct Args {
    /// The earlier moment
    before: String,
    /// The later one; the other way round works too
    #[arg(default_value = "now")]
    after: String,
    /// Write a line for each edge, `+ u v [weight]` or `- u v [weight]`; `-` is
    /// standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show at most so many edges of each kind
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        conflicts_with = "output"
    )]
    limit: u64,
}

impl Args {
    /// Refuses what cannot be had together.
    pub fn check(&self, as_json: bool) -> Result<(), Failure> {
        wants_stdout(self.output.as_deref(), as_json).map(drop)
    }
}

/// Counts, and the lines that are shown.
#[derive(Default)]
struct Seen {
    added: u64,
    removed: u64,
    shown: String,
}

/// Compares two snapshots.
pub fn diff(db: &Database, args: &Args, stop: &Cancellation) -> Result<Report, Failure> {
    let moment = |text: &str| db.moment(&At::from_text(text));
    let (before, after) = (moment(&args.before)?, moment(&args.after)?);
    let views = [db.view_of(&before)?, db.view_of(&after)?];
    let compared = db.diff(&views[0], &views[1])?;
    db.read_ids()?;
    let mut seen = Seen::default();
    match &args.output {
        Some(path) => write(db, &compared, path, &mut seen, stop)?,
        None => show(db, &compared, args.limit, &mut seen, stop)?,
    }
    if args.output.as_deref() == Some(Path::new("-")) {
        return Ok(Report::new(json!({}), ""));
    }
    let (new, gone) = (compared.added_vertices(), compared.removed_vertices());
    let json = json!({
        "from": { "name": before.name(), "csn": before.csn },
        "to": { "name": after.name(), "csn": after.csn },
        "added_edges": seen.added,
        "removed_edges": seen.removed,
        "added_vertices": new.len(),
        "removed_vertices": gone.len(),
    });
    let edges = |view: &View| view.edge_count().map(count);
    let mut rows = vec![
        ("from", format!("{}, commit {}", before.name(), before.csn)),
        ("to", format!("{}, commit {}", after.name(), after.csn)),
        (
            "edges",
            format!("{} before, {} after", edges(&views[0])?, edges(&views[1])?),
        ),
        ("added", edges_text(seen.added)),
        ("removed", edges_text(seen.removed)),
        ("new vertices", count(new.len() as u64)),
    ];
    if !gone.is_empty() {
        rows.push(("gone vertices", count(gone.len() as u64)));
    }
    Ok(Report::new(json, table(&rows) + &seen.shown))
}

/// Counts the changes, and keeps the first of each kind.
fn show(
    db: &Database,
    compared: &Diff<'_>,
    limit: u64,
    seen: &mut Seen,
    stop: &Cancellation,
) -> Result<(), Failure> {
    let flow = compared.for_each_edge(|change| {
        if seen.count(&change) <= limit {
            seen.shown += &line(db, &change);
        }
        match stop.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })?;
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Failure::new(
            "interrupted: the difference was not read to its end",
            "nothing was changed; run it again",
        )),
    }
}

/// Writes all changes to a file.
fn write(
    db: &Database,
    compared: &Diff<'_>,
    path: &Path,
    seen: &mut Seen,
    stop: &Cancellation,
) -> Result<(), Failure> {
    let mut read = Ok(ControlFlow::Continue(()));
    let mut unwritable = None;
    Target::open(path)?
        .write(stop, |out| {
            let mut written = Ok(());
            read = compared.for_each_edge(|change| {
                seen.count(&change);
                unwritable = ends(db, &change).into_iter().find(|id| !is_plain_id(id));
                if unwritable.is_some() {
                    return ControlFlow::Break(());
                }
                written = out.write_all(line(db, &change).as_bytes());
                match written {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            });
            match read {
                // The file is not to appear; why is told below.
                Err(_) => Err(std::io::Error::other("the graph could not be read")),
                Ok(_) if unwritable.is_some() => Err(std::io::Error::other("an id is refused")),
                Ok(_) => written,
            }
        })
        .map_err(|failure| match (read, unwritable) {
            (Err(error), _) => error.into(),
            (Ok(_), Some(id)) => Failure::new(
                format!("{}: cannot write the id {id:?}", path.display()),
                "a file of events has no quotes; `evergraph export` with --as-of writes csv",
            ),
            (Ok(_), None) => failure,
        })
}

impl Seen {
    /// Counts a change; returns how many of its kind there are.
    fn count(&mut self, change: &EdgeChange) -> u64 {
        let number = match change.added {
            true => &mut self.added,
            false => &mut self.removed,
        };
        *number += 1;
        *number
    }
}

/// A change as a file of events has it; ids that such a file cannot have are quoted.
fn line(db: &Database, change: &EdgeChange) -> String {
    let sign = if change.added { '+' } else { '-' };
    let [source, target] = ends(db, change).map(|id| match is_plain_id(&id) {
        true => id,
        false => format!("{id:?}"),
    });
    match db.config().weighted {
        true => format!("{sign} {source} {target} {}\n", change.weight),
        false => format!("{sign} {source} {target}\n"),
    }
}

fn ends(db: &Database, change: &EdgeChange) -> [String; 2] {
    [change.source, change.target].map(|vertex| db.vertex_name(vertex))
}
