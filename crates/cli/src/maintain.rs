//! `evergraph maintain`: results that are kept up to date with the graph.

use std::path::PathBuf;

use evergraph::algorithms::Progress;
use evergraph::maintain::{Followed, Follower, Request, maintainable};
use evergraph::{Cancellation, Control, Database};
use serde_json::{Value, json};

use crate::medium::MediumArgs;
use crate::outcome::fact;
use crate::progress;
use crate::report::{Failure, Report, bytes, count, note, seconds, table};
use crate::run::parameters;

/// Arguments of `maintain`.
#[derive(clap::Args)]
#[command(after_help = format!(
    "Algorithms whose results can be maintained: {}.\n`evergraph results DB` lists results and \
     drops them; `evergraph results DB show NAME -o FILE` writes the values.",
    maintainable().collect::<Vec<_>>().join(", ")
))]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    /// Name of the algorithm
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    algorithm: Option<String>,
    /// What the result is called [default: as the algorithm]
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    name: Option<String>,
    /// All maintained results of the database
    #[arg(long)]
    all: bool,
    /// A parameter of the algorithm; without any, those that the result has
    #[arg(long = "param", value_name = "K=V", conflicts_with = "all")]
    parameters: Vec<String>,
    /// The vertex to start from, by its external id
    #[arg(long, value_name = "V", conflicts_with = "all")]
    source: Option<String>,
    /// Threads [default: all]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    #[command(flatten)]
    medium: MediumArgs,
}

impl Args {
    /// How many were asked for.
    pub fn threads(&self) -> Option<usize> {
        self.threads.map(usize::from)
    }
}

/// Runs the command.
pub fn execute(args: &Args, stop: &Cancellation) -> Result<Report, Failure> {
    let followed = args.medium.change(&args.db, |db| follow(db, args, stop))?;
    Ok(report(&followed, args.all))
}

/// Brings the results up to date that are asked for.
fn follow(db: &Database, args: &Args, stop: &Cancellation) -> Result<Vec<Followed>, Failure> {
    let threads = args.threads();
    let mut followers = match &args.algorithm {
        Some(algorithm) => vec![db.follow(&request(args, algorithm, threads)?)?],
        None => {
            let names = db.maintained()?;
            let all = names.iter().map(|name| db.follow_existing(name, threads));
            all.collect::<Result<Vec<Follower<'_>>, _>>()?
        }
    };
    if followers.is_empty() {
        note("the database has no maintained results");
    }
    let updated = followers.iter_mut().map(|follower| update(follower, stop));
    updated.collect()
}

fn request(args: &Args, algorithm: &str, threads: Option<usize>) -> Result<Request, Failure> {
    let name = match &args.name {
        Some(name) => name.clone(),
        None => evergraph::run::find(algorithm)?.name.to_string(),
    };
    Ok(Request {
        name,
        algorithm: algorithm.to_string(),
        parameters: parameters(&args.parameters, args.source.as_slice(), None)?,
        threads,
    })
}

fn update(follower: &mut Follower<'_>, stop: &Cancellation) -> Result<Followed, Failure> {
    let bar = progress::spinner(follower.name());
    let show = |progress: Progress| {
        bar.set_message(format!("{} {}", progress.done, progress.unit));
    };
    let control = Control::new().with_cancellation(stop).with_progress(&show);
    let followed = follower.update(&control);
    bar.finish_and_clear();
    Ok(followed?)
}

fn report(followed: &[Followed], all: bool) -> Report {
    let mut described: Vec<Value> = followed.iter().map(described).collect();
    let text: Vec<String> = followed.iter().map(text).collect();
    let json = match all {
        true => json!({ "maintained": described }),
        false => described.pop().unwrap_or_default(),
    };
    Report::new(json, text.join("\n"))
}

fn described(followed: &Followed) -> Value {
    let facts = followed.result.iter();
    let result: serde_json::Map<String, Value> = facts
        .map(|(name, value)| (name.to_string(), fact(value).0))
        .collect();
    let [changes, update, write] = followed.seconds;
    json!({
        "name": followed.name,
        "algorithm": followed.algorithm,
        "from": followed.from,
        "csn": followed.csn,
        "changes": followed.changes,
        "touched": followed.work.touched,
        "edges_read": followed.work.edges_read,
        "seconds": { "changes": changes, "update": update, "write": write },
        "bytes_written": followed.bytes_written,
        "result": result,
    })
}

fn text(followed: &Followed) -> String {
    let commit = match followed.from {
        None => format!("{}, computed anew", count(followed.csn)),
        Some(from) if from == followed.csn => {
            format!("{}, since which no edge has changed", count(from))
        }
        Some(from) => format!("{}, from {}", count(followed.csn), count(from)),
    };
    let total = followed.seconds.iter().sum::<f64>();
    let mut rows = vec![
        ("result", followed.name.clone()),
        ("algorithm", followed.algorithm.to_string()),
        ("commit", commit),
    ];
    if followed.from.is_some_and(|from| from != followed.csn) {
        rows.push(("changed entries", count(followed.changes)));
        rows.push((
            "looked at",
            format!(
                "{} vertices, {} entries",
                count(followed.work.touched),
                count(followed.work.edges_read)
            ),
        ));
    }
    rows.push((
        "time",
        format!(
            "{}: {} for the changes, {} for the result",
            seconds(total),
            seconds(followed.seconds[0]),
            seconds(followed.seconds[1])
        ),
    ));
    rows.push(("written", bytes(followed.bytes_written)));
    let facts = followed.result.iter();
    rows.extend(facts.map(|(name, value)| (*name, fact(value).1)));
    table(&rows)
}
