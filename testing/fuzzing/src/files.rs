//! Files of edges and of property graphs, in every format that is read.

use std::io::Cursor;

use evergraph::formats::{EdgeBatch, EdgeReader, EndpointKind, Format, Options, TimeUnit};
use evergraph_io::interchange::csv::{LdbcName, LdbcReader, Naming, Neo4jOptions, Neo4jReader};
use evergraph_io::interchange::graphml::{GraphMlOptions, GraphMlReader};
use evergraph_io::interchange::json_lines::JsonLinesReader;
use evergraph_io::interchange::tables::{Mapping, TableReader};
use evergraph_io::interchange::{Ids, InterchangeError, Row, RowReader};

/// More than a batch of a target's inputs has, so that readers end in one.
const BATCH: usize = 64;
/// Lines that may be wrong without an end.
const WRONG: u64 = 1 << 40;

pub fn edge_list(input: &[u8]) -> bool {
    edges(input, Format::EdgeList)
}

pub fn csv(input: &[u8]) -> bool {
    edges(input, Format::Csv)
}

pub fn matrix_market(input: &[u8]) -> bool {
    edges(input, Format::MatrixMarket)
}

pub fn dimacs(input: &[u8]) -> bool {
    edges(input, Format::Dimacs)
}

pub fn metis(input: &[u8]) -> bool {
    edges(input, Format::Metis)
}

pub fn events(input: &[u8]) -> bool {
    edges(input, Format::Events)
}

/// Ids that are numbers; and texts, with weights and times in each unit.
fn edges(input: &[u8], format: Format) -> bool {
    let plain = Options {
        format: Some(format),
        skip_bad: WRONG,
        ..Options::default()
    };
    let unit = [TimeUnit::Seconds, TimeUnit::Date][input.len() % 2];
    let full = Options {
        ids: EndpointKind::Text,
        weighted: true,
        timestamps: true,
        time_unit: unit,
        allow_uneven: true,
        ..plain.clone()
    };
    let inputs = [plain, full].map(|options| read_edges("edges", input.to_vec(), &options));
    inputs.contains(&true)
}

/// Whether the head is one.
fn read_edges(name: &str, input: Vec<u8>, options: &Options) -> bool {
    // A line gives an edge at most, of METIS a number does; compressed ones are long.
    let most = match options.format {
        Some(_) => input.len() + 1,
        None => 1 << 16,
    };
    let Ok(mut reader) = EdgeReader::from_reader(name, Cursor::new(input), options) else {
        return false;
    };
    reader.declared_vertex_count();
    reader.position();
    let mut batch = EdgeBatch::default();
    let mut count = 0;
    while count <= most {
        match reader.next_batch(&mut batch, BATCH) {
            Ok(0) | Err(_) => break,
            Ok(edges) => count += edges,
        }
    }
    assert!(
        options.format.is_none() || count <= most,
        "{count} edges in {most} bytes"
    );
    true
}

/// Edges of any format under gzip, zstd, or plain: the format is guessed.
pub fn compressed(input: &[u8]) -> bool {
    let options = Options {
        skip_bad: WRONG,
        ..Options::default()
    };
    let names = ["edges", "edges.txt.gz", "edges.csv.zst"];
    let read = names.map(|name| read_edges(name, input.to_vec(), &options));
    read.contains(&true)
}

/// Reads all rows. Returns whether there was one.
fn rows(reader: Result<impl RowReader, InterchangeError>, bytes: usize) -> bool {
    let Ok(mut reader) = reader else {
        return false;
    };
    reader.contents();
    let mut count = 0;
    let mut good = 0;
    while let Some(row) = reader.next() {
        reader.standing();
        reader.line();
        count += 1;
        match row {
            Ok(Row::Node(_) | Row::Relationship(_)) => good += 1,
            Err(InterchangeError::BadRow(bad)) => drop(bad.to_string()),
            Err(_) => break,
        }
    }
    assert!(count <= 4 * bytes + 4, "{count} rows in {bytes} bytes");
    good > 0
}

pub fn neo4j(input: &[u8]) -> bool {
    let integers = Neo4jOptions {
        ids: Ids::Integers,
        delimiter: b'\t',
        ..Neo4jOptions::default()
    };
    let options = [Neo4jOptions::default(), integers];
    let read =
        options.map(|options| rows(Neo4jReader::new("rows.csv", input, options), input.len()));
    read.contains(&true)
}

/// The first line is the name of the file.
pub fn ldbc(input: &[u8]) -> bool {
    let (name, rest) = split(input, b'\n');
    let Some(name) = std::str::from_utf8(name).ok().and_then(LdbcName::of) else {
        return false;
    };
    let namings = [Naming::Cypher, Naming::File];
    let read = namings.map(|naming| rows(LdbcReader::new("rows", rest, &name, naming), rest.len()));
    read.contains(&true)
}

pub fn json_lines(input: &[u8]) -> bool {
    rows(Ok(JsonLinesReader::new("rows.jsonl", input)), input.len())
}

pub fn graphml(input: &[u8]) -> bool {
    let reader = GraphMlReader::new("graph.graphml", input, GraphMlOptions::default());
    rows(Ok(reader), input.len())
}

/// A mapping, a zero, and the table that each of its names means.
pub fn tables(input: &[u8]) -> bool {
    let (mapping, table) = split(input, 0);
    let Ok(text) = std::str::from_utf8(mapping) else {
        return false;
    };
    let Ok(mapping) = Mapping::parse("mapping.toml", text) else {
        return false;
    };
    let open = |_: &str| Ok::<_, InterchangeError>(table);
    for file in mapping.resolve(open, &|| Ok(())).unwrap_or_default() {
        file.identity();
        rows(TableReader::new("rows.csv", table, &file), input.len());
    }
    true
}

/// Splits the input at the first byte `at`, which is in neither half.
fn split(input: &[u8], at: u8) -> (&[u8], &[u8]) {
    let end = input.iter().position(|&byte| byte == at);
    let end = end.unwrap_or(input.len());
    (&input[..end], input.get(end + 1..).unwrap_or_default())
}
