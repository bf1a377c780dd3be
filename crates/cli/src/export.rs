//! `evergraph export`: what a database holds into files that `import` reads, or that
//! programs draw.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use evergraph::formats::{Format, WriteFormat, extension};
use evergraph::graph::StoredLists;
use evergraph::property::{self, Exported, FileKind, PropertyExport};
use evergraph::{
    At, Cancellation, Database, Drawing, DrawingFormat, EdgeExport, export_drawing, export_edges,
};
use serde_json::json;

use crate::medium::MediumArgs;
use crate::output::wants_stdout;
use crate::progress;
use crate::projection::ConditionArgs;
use crate::reading::InputFormat;
use crate::reduction::ReductionArgs;
use crate::report::{Failure, Report, count, seconds, table};

/// Arguments of `export`.
#[derive(clap::Args)]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    /// File to write (jsonl, graphml, edgelist, csv, dot, gexf: compressed if it ends in
    /// .gz or .zst), or a new directory (neo4j, parquet, arrow); `-` is standard output
    output: PathBuf,
    /// Format: of a property graph neo4j, jsonl, graphml, parquet or arrow; of plain
    /// edges edgelist or csv; of both, to be drawn, dot (Graphviz) or gexf (Gephi)
    /// [default: what the name of the output says, neo4j or edgelist if nothing]
    #[arg(long, value_name = "F")]
    format: Option<OutputFormat>,
    /// Show this property of nodes instead of their ids (dot, gexf)
    #[arg(long, value_name = "KEY")]
    name_by: Option<String>,
    /// Export the graph as it was: the name of a snapshot, a date, or a commit
    #[arg(long, value_name = "AT")]
    as_of: Option<String>,
    /// Only nodes with one of these labels, and relationships between them
    #[arg(long, value_name = "L,…", value_delimiter = ',')]
    labels: Vec<String>,
    /// Only relationships of these types
    #[arg(long, value_name = "T,…", value_delimiter = ',')]
    types: Vec<String>,
    #[command(flatten)]
    conditions: ConditionArgs,
    #[command(flatten)]
    reduction: ReductionArgs,
    #[command(flatten)]
    medium: MediumArgs,
}

/// Format of an export.
#[derive(Clone, Copy, Debug)]
enum OutputFormat {
    /// To be read again.
    Data(InputFormat),
    /// To be drawn.
    Drawing(DrawingFormat),
}

impl FromStr for OutputFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let drawing = DrawingFormat::ALL.iter().find(|(name, _)| *name == text);
        match drawing {
            Some((_, format)) => Ok(OutputFormat::Drawing(*format)),
            None => text.parse().map(OutputFormat::Data),
        }
    }
}

/// Runs the command.
pub fn execute(args: &Args, as_json: bool, stop: &Cancellation) -> Result<Report, Failure> {
    let started = Instant::now();
    let to_stdout = wants_stdout(Some(&args.output), as_json)?;
    let db = args.medium.open_to_read(&args.db)?;
    let at = args.as_of.as_deref().map_or(At::Now, At::from_text);
    let csn = db.moment(&at)?.csn;
    let drawing = match args.format {
        Some(OutputFormat::Drawing(format)) => Some(format),
        Some(OutputFormat::Data(_)) => None,
        None => DrawingFormat::of_name(&args.output),
    };
    if drawing.is_none() && args.name_by.is_some() {
        return Err(Failure::usage(
            "--name-by is for formats that are drawn",
            "choose --format dot or gexf",
        ));
    }
    let exported = match (drawing, args.format) {
        (Some(format), _) => draw(args, format, &db, &at, stop),
        (None, Some(OutputFormat::Data(format))) => data(args, Some(format), &db, &at, stop),
        (None, _) => data(args, None, &db, &at, stop),
    };
    if to_stdout {
        return match exported {
            // A reader that has seen enough is no failure.
            Err(failure) if !failure.message.contains("Broken pipe") => Err(failure),
            _ => Ok(Report::new(json!({}), "")),
        };
    }
    let (mut json, mut rows) = exported?;
    let elapsed = started.elapsed().as_secs_f64();
    json["csn"] = json!(csn);
    json["output"] = json!(args.output);
    json["seconds"] = json!(elapsed);
    rows.push(("commit", count(csn)));
    rows.push(("output", args.output.display().to_string()));
    rows.push(("time", seconds(elapsed)));
    Ok(Report::new(json, table(&rows)))
}

type Facts = (serde_json::Value, Vec<(&'static str, String)>);

/// The path that is written.
fn output(args: &Args) -> PathBuf {
    match args.output == Path::new("-") {
        true => PathBuf::from("/dev/stdout"),
        false => args.output.clone(),
    }
}

fn data(
    args: &Args,
    format: Option<InputFormat>,
    db: &Database,
    at: &At,
    stop: &Cancellation,
) -> Result<Facts, Failure> {
    match db.is_property_graph() {
        true => property_graph(args, format, db, at, stop),
        false => edges(args, format, db, at, stop),
    }
}

fn draw(
    args: &Args,
    format: DrawingFormat,
    db: &Database,
    at: &At,
    stop: &Cancellation,
) -> Result<Facts, Failure> {
    let is_part = args.reduction.is_given() || args.conditions.is_given();
    if is_part || !args.labels.is_empty() || !args.types.is_empty() {
        return Err(Failure::usage(
            "dot and gexf have the whole graph",
            "leave out the flags that choose a part, or export the part and import that",
        ));
    }
    let options = Drawing {
        output: output(args),
        format,
        name_by: args.name_by.clone(),
    };
    let (nodes, edges) = export_drawing(db, &db.as_of(at)?, &options, stop)?;
    let json = json!({ "nodes": nodes, "edges": edges });
    Ok((json, vec![("nodes", count(nodes)), ("edges", count(edges))]))
}

fn property_graph(
    args: &Args,
    format: Option<InputFormat>,
    db: &Database,
    at: &At,
    stop: &Cancellation,
) -> Result<Facts, Failure> {
    let kind = match format {
        Some(InputFormat::Property(kind)) => kind,
        Some(InputFormat::Edges(_)) => {
            return Err(Failure::usage(
                "this database is a property graph, and that is a format of plain edges",
                "choose neo4j, jsonl, graphml, parquet or arrow",
            ));
        }
        None => match extension(&args.output).as_deref() {
            Some(ending @ ("csv" | "tsv" | "txt")) => {
                return Err(Failure::usage(
                    format!("a property graph is no single .{ending} file"),
                    "write .jsonl or .graphml, or a directory of CSV with --format neo4j",
                ));
            }
            _ => FileKind::of_name(&args.output).unwrap_or(FileKind::Neo4j),
        },
    };
    let is_directory = matches!(kind, FileKind::Neo4j | FileKind::Parquet | FileKind::Arrow);
    if is_directory && args.output == Path::new("-") {
        return Err(Failure::usage(
            "this format is a directory, which standard output is not",
            "choose --format jsonl or graphml",
        ));
    }
    if args.reduction.simple || args.reduction.undirected {
        return Err(Failure::usage(
            "relationships are exported as they are, with their types and properties",
            "leave out --simple and --undirected",
        ));
    }
    let options = PropertyExport {
        output: output(args),
        kind,
        labels: args.labels.clone(),
        types: args.types.clone(),
        nodes: args.conditions.nodes()?,
        relationships: args.conditions.relationships()?,
        largest_component: args.reduction.largest_component,
    };
    let graph = db.property_graph()?;
    let csn = db.moment(at)?.csn;
    let view = graph.as_of_commit(csn).map_err(evergraph::Error::from)?;
    let bar = progress::spinner("exporting");
    let show = |done: &Exported| {
        bar.set_message(format!(
            "{} nodes, {} relationships",
            count(done.nodes),
            count(done.relationships)
        ));
    };
    let exported = property::export(&view, &options, stop, &show);
    bar.finish_and_clear();
    let exported = exported?;
    let json = json!({
        "nodes": exported.nodes,
        "relationships": exported.relationships,
        "files": exported.files,
    });
    let rows = vec![
        ("nodes", count(exported.nodes)),
        ("relationships", count(exported.relationships)),
        ("files", count(exported.files as u64)),
    ];
    Ok((json, rows))
}

fn edges(
    args: &Args,
    format: Option<InputFormat>,
    db: &Database,
    at: &At,
    stop: &Cancellation,
) -> Result<Facts, Failure> {
    if args.conditions.is_given() || !args.labels.is_empty() || !args.types.is_empty() {
        return Err(Failure::usage(
            "plain edges have neither labels nor types nor properties",
            "leave out --labels, --types, --where and --where-relationship",
        ));
    }
    let format = match format {
        Some(format) => edge_format(format)?,
        None => WriteFormat::of_name(&args.output).map_err(|error| {
            Failure::usage(
                error.summary(),
                format!("{}, or say the --format", error.hint()),
            )
        })?,
    };
    let options = EdgeExport {
        output: output(args),
        format: Some(format),
        reduction: args.reduction.reduction(),
    };
    let view = db.as_of(at)?;
    let bar = progress::spinner("exporting");
    let show = |edges| bar.set_message(format!("{} edges", count(edges)));
    let exported = export_edges(db, &view, &options, stop, &show);
    bar.finish_and_clear();
    let edges = exported?;
    let json = json!({ "edges": edges });
    let rows = vec![("edges", count(edges)), ("read again", reading(db, args))];
    Ok((json, rows))
}

fn edge_format(format: InputFormat) -> Result<WriteFormat, Failure> {
    match format {
        InputFormat::Edges(Format::EdgeList) => Ok(WriteFormat::EdgeList),
        InputFormat::Edges(Format::Csv) => Ok(WriteFormat::Csv),
        _ => Err(Failure::usage(
            "plain edges are not written in this format",
            "choose edgelist or csv",
        )),
    }
}

/// The command that makes a database of the same kind of the file.
fn reading(db: &Database, args: &Args) -> String {
    let config = db.config();
    let mut command = format!("evergraph import NEW {}", args.output.display());
    command += match config.direction {
        _ if args.reduction.undirected => " --undirected",
        StoredLists::Out => "",
        StoredLists::Both => " --directions both",
        StoredLists::Undirected => " --undirected",
    };
    command += if config.weighted { " --weighted" } else { "" };
    command += match config.ids {
        evergraph::IdKind::Dense => " --ids dense",
        evergraph::IdKind::Numbers => " --ids map",
        evergraph::IdKind::Texts => " --ids text",
    };
    command
}
