//! `evergraph plot`: pictures of a graph, as SVG.

mod chart;
mod convergence;
mod degrees;
mod growth;
mod neighborhood;

use std::path::{Path, PathBuf};

use evergraph::{At, Cancellation, Database};
use serde_json::json;

use crate::medium::MediumArgs;
use crate::output::{Target, wants_stdout};
use crate::report::{Failure, Report};

/// Arguments of `plot`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    picture: Picture,
}

#[derive(clap::Subcommand)]
enum Picture {
    /// How many vertices have each degree
    Degrees(degrees::Args),
    /// The change of an iterative algorithm after each iteration
    Convergence(convergence::Args),
    /// Vertices and edges of each snapshot
    Growth(growth::Args),
    /// The vertices around one, and the edges between them
    Neighborhood(neighborhood::Args),
}

/// Arguments of every picture.
#[derive(clap::Args)]
struct Common {
    /// Directory of the database
    db: PathBuf,
    /// File to write, SVG; `-` is standard output
    #[arg(short, long, value_name = "FILE", value_parser = svg_file)]
    output: PathBuf,
    #[command(flatten)]
    medium: MediumArgs,
}

impl Common {
    fn open(&self) -> Result<Database, Failure> {
        self.medium.open_to_read(&self.db)
    }
}

/// The flag of the pictures of one moment.
#[derive(clap::Args)]
struct MomentArgs {
    /// Draw the graph as it was: the name of a snapshot, a date, or a commit
    #[arg(long, value_name = "AT")]
    as_of: Option<String>,
}

impl MomentArgs {
    fn at(&self) -> At {
        self.as_of.as_deref().map_or(At::Now, At::from_text)
    }
}

/// A picture, and what it shows.
struct Drawn {
    svg: String,
    json: serde_json::Value,
    /// One line.
    text: String,
}

/// Runs the command.
pub fn execute(args: &Args, as_json: bool, stop: &Cancellation) -> Result<Report, Failure> {
    let common = match &args.picture {
        Picture::Degrees(args) => &args.common,
        Picture::Convergence(args) => &args.common,
        Picture::Growth(args) => &args.common,
        Picture::Neighborhood(args) => &args.common,
    };
    let to_stdout = wants_stdout(Some(&common.output), as_json)?;
    let drawn = match &args.picture {
        Picture::Degrees(args) => degrees::draw(args)?,
        Picture::Convergence(args) => convergence::draw(args, stop)?,
        Picture::Growth(args) => growth::draw(args)?,
        Picture::Neighborhood(args) => neighborhood::draw(args)?,
    };
    let target = Target::open(&common.output)?;
    target.write(stop, |out| out.write_all(drawn.svg.as_bytes()))?;
    if to_stdout {
        return Ok(Report::new(json!({}), ""));
    }
    let output = common.output.display();
    let mut json = drawn.json;
    json["output"] = json!(common.output);
    Ok(Report::new(
        json,
        format!("{}, drawn in {output}\n", drawn.text),
    ))
}

fn svg_file(text: &str) -> Result<PathBuf, String> {
    let path = Path::new(text);
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension {
        Some(other) if !other.eq_ignore_ascii_case("svg") => {
            Err(format!("pictures are SVG, and not {other}: name it .svg"))
        }
        _ => Ok(path.to_path_buf()),
    }
}
