//! `evergraph search`: nodes by words or by near vectors, and the indexes for it.
//!
//! An index is what the flags say it is about: it is made at first use, kept in the
//! database's directory under a name of its own, and brought up to date at each use.

#[cfg(any(feature = "fulltext", feature = "vector"))]
mod hits;
#[cfg(any(feature = "fulltext", feature = "vector"))]
mod indexes;
#[cfg(feature = "fulltext")]
mod text;
#[cfg(feature = "vector")]
mod vector;

use std::path::PathBuf;

use crate::medium::MediumArgs;
use crate::report::{Failure, Report};

/// Arguments of `search`.
#[derive(clap::Args)]
#[cfg_attr(not(all(feature = "fulltext", feature = "vector")), allow(dead_code))]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    #[command(subcommand)]
    what: What,
    /// Keep indexes in this directory [default: `search` in that of the database]
    #[arg(long, value_name = "DIR", global = true)]
    directory: Option<PathBuf>,
    #[command(flatten)]
    medium: MediumArgs,
}

#[derive(clap::Subcommand)]
#[cfg_attr(not(all(feature = "fulltext", feature = "vector")), allow(dead_code))]
enum What {
    /// Find nodes by the words in their properties, the best first
    Text(TextArgs),
    /// Find nodes whose vectors are near to another, the nearest first
    Vector(VectorArgs),
    /// List the indexes: what they are about, how old and how large they are
    List,
    /// Remove indexes and give their space back
    Drop {
        /// Their names
        #[arg(required = true)]
        names: Vec<String>,
    },
}

/// A search by words.
#[derive(clap::Args)]
#[cfg_attr(not(feature = "fulltext"), allow(dead_code))]
struct TextArgs {
    /// Words, all of which have to occur; OR between them asks for one, -word for none,
    /// "quotes" for words side by side, brackets group, * finds every text
    #[arg(allow_hyphen_values = true)]
    query: String,
    /// The label of the nodes
    #[arg(long, value_name = "L")]
    label: String,
    /// The properties that are searched, as if they were one text
    #[arg(long, value_name = "KEY,…", value_delimiter = ',', required = true)]
    property: Vec<String>,
    /// Leave the endings of a language out, so that `graphs` finds `graph`: english,
    /// german, french, …
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<String>,
    #[command(flatten)]
    shown: ShownArgs,
}

/// A search by a vector.
#[derive(clap::Args)]
#[cfg_attr(not(feature = "vector"), allow(dead_code))]
struct VectorArgs {
    /// The label of the nodes
    #[arg(long, value_name = "L")]
    label: String,
    /// The property that holds the vector, a list of numbers
    #[arg(long, value_name = "KEY")]
    property: String,
    /// Find what is near to this vector: [0.1, 0.2, …]
    #[arg(
        long,
        value_name = "VECTOR",
        allow_hyphen_values = true,
        required_unless_present = "near_node"
    )]
    near: Option<String>,
    /// Find what is near to the vector of this node
    #[arg(long, value_name = "ID", conflicts_with = "near")]
    near_node: Option<String>,
    /// How far two vectors are from each other: cosine (cos), euclidean (l2) or
    /// inner-product (ip)
    #[arg(long, value_name = "M", default_value = "cosine", value_parser = metric)]
    metric: &'static str,
    /// Miss none of the nearest: measure every node, without an index
    #[arg(long)]
    exact: bool,
    #[command(flatten)]
    shown: ShownArgs,
}

/// Flags for the hits that are shown, of both searches.
#[derive(clap::Args)]
#[cfg_attr(not(any(feature = "fulltext", feature = "vector")), allow(dead_code))]
struct ShownArgs {
    /// Show so many nodes at most
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Search the graph as it was: the name of a snapshot, a date, or a commit
    #[arg(long, value_name = "AT")]
    as_of: Option<String>,
    /// Show these properties of the nodes
    #[arg(long, value_name = "KEY,…", value_delimiter = ',')]
    show: Vec<String>,
    /// Nodes go by their internal numbers, and not by the keys of imports
    #[arg(long)]
    numbers: bool,
}

/// The whole name of a metric.
fn metric(text: &str) -> Result<&'static str, String> {
    match text {
        "cosine" | "cos" => Ok("cosine"),
        "euclidean" | "l2" => Ok("euclidean"),
        "inner-product" | "ip" => Ok("inner-product"),
        _ => Err("choose cosine, euclidean or inner-product".to_string()),
    }
}

/// Runs the command.
#[cfg_attr(
    not(any(feature = "fulltext", feature = "vector")),
    allow(unused_variables)
)]
pub fn execute(args: &Args) -> Result<Report, Failure> {
    match &args.what {
        #[cfg(feature = "fulltext")]
        What::Text(asked) => text::search(args, asked),
        #[cfg(not(feature = "fulltext"))]
        What::Text(_) => Err(not_there("full-text search", "fulltext")),
        #[cfg(feature = "vector")]
        What::Vector(asked) => vector::search(args, asked),
        #[cfg(not(feature = "vector"))]
        What::Vector(_) => Err(not_there("vector search", "vector")),
        #[cfg(any(feature = "fulltext", feature = "vector"))]
        What::List => indexes::list(args),
        #[cfg(any(feature = "fulltext", feature = "vector"))]
        What::Drop { names } => indexes::drop(args, names),
        #[cfg(not(any(feature = "fulltext", feature = "vector")))]
        What::List | What::Drop { .. } => Err(not_there("search", "fulltext,vector")),
    }
}

#[cfg(not(all(feature = "fulltext", feature = "vector")))]
fn not_there(what: &str, feature: &str) -> Failure {
    Failure::new(
        format!("this program was built without {what}"),
        format!("build it with it: cargo build --release -p evergraph-cli --features {feature}"),
    )
}
