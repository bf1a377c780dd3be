//! `evergraph show`: a node, or its neighbors.

mod edges;
mod nodes;

pub use nodes::the_one;

use std::path::PathBuf;

use evergraph::At;

use crate::medium::MediumArgs;
use crate::report::{Failure, Report};

/// Arguments of `show`.
#[derive(clap::Args)]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Show a node with its labels and properties, or a vertex with its degrees
    Node(NodeArgs),
    /// Show what relationships or edges lead to and from a node
    Neighbors(NeighborsArgs),
}

/// Which node, and when.
#[derive(clap::Args)]
struct NodeArgs {
    /// Id of the vertex as it was imported, or id of the node as results have it
    #[arg(required_unless_present_any = ["by", "condition"])]
    key: Option<String>,
    /// The nodes with this value of a property instead, such as name=Ada
    #[arg(long, value_name = "KEY=VALUE", conflicts_with = "key", value_parser = by)]
    by: Option<(String, String)>,
    /// The nodes for which this holds instead, such as "released > 2000 AND title
    /// STARTS WITH 'The'"
    #[arg(long = "where", id = "condition", value_name = "EXPR", conflicts_with_all = ["key", "by"])]
    condition: Option<String>,
    /// Only nodes with this label; with an index over the property they are found at once
    #[arg(long, value_name = "LABEL", conflicts_with = "key")]
    label: Option<String>,
    /// The graph as it was: the name of a snapshot, a date, or a commit
    #[arg(long, value_name = "AT")]
    as_of: Option<String>,
    /// Nodes go by their internal numbers, and not by the keys of imports
    #[arg(long)]
    numbers: bool,
    /// Show at most so many nodes, or neighbors
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    medium: MediumArgs,
}

#[derive(clap::Args)]
struct NeighborsArgs {
    #[command(flatten)]
    node: NodeArgs,
    /// Only relationships of these types
    #[arg(long, value_name = "T,…", value_delimiter = ',')]
    types: Vec<String>,
    /// Only those that leave the node (out) or enter it (in)
    #[arg(long, value_name = "WAY", default_value = "both")]
    direction: Way,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Way {
    Out,
    In,
    Both,
}

fn by(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    Ok((key.to_string(), value.to_string()))
}

impl NodeArgs {
    fn at(&self) -> At {
        self.as_of.as_deref().map_or(At::Now, At::from_text)
    }
}

/// Runs the command.
pub fn execute(args: &Args) -> Result<Report, Failure> {
    let node = match &args.what {
        What::Node(node) => node,
        What::Neighbors(neighbors) => &neighbors.node,
    };
    let db = node.medium.open_to_read(&args.db)?;
    match (&args.what, db.is_property_graph()) {
        (What::Node(node), true) => nodes::show(&db, node),
        (What::Neighbors(wanted), true) => nodes::neighbors(&db, wanted),
        (What::Node(node), false) => edges::show(&db, node),
        (What::Neighbors(wanted), false) => edges::neighbors(&db, wanted),
    }
}
