//! The targets of fuzzing: one for each parser of stored bytes, of files and of
//! arguments, and one for queries that run. `fuzz/` gives them to libFuzzer;
//! `tests/mutations.rs` runs them with any toolchain over the seeds in `fuzz/seeds` and over
//! mutations of these.

#![forbid(unsafe_code)]

mod arguments;
mod databases;
mod execution;
mod files;
mod golden;
mod image;
pub mod mutation;
mod queries;
mod seals;
mod seeds;
mod values;

pub use seeds::generated_seeds;

/// A parser, and what it may take.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Of its directory of seeds, too.
    pub name: &'static str,
    /// Parses an input. Returns whether it passed the first check, so that what is behind
    /// it was tried.
    pub run: fn(&[u8]) -> bool,
    /// Bytes of the heap that one execution may have at once, whatever the input.
    pub base_bytes: usize,
    /// And for each byte of the input.
    pub bytes_per_byte: usize,
    /// So many in the tests.
    pub mutations: u64,
    /// The mutation of a number, of seeds that are not none.
    pub mutated: fn(&[Vec<u8>], u64, u64) -> Vec<u8>,
    /// The least share of mutations that pass the first check, in percent.
    pub depth: u32,
}

const fn target(name: &'static str, run: fn(&[u8]) -> bool) -> Target {
    Target {
        name,
        run,
        base_bytes: 64 << 10,
        bytes_per_byte: 64,
        mutations: 100_000,
        mutated: mutation::mutated,
        depth: 10,
    }
}

/// A database is opened, read and written some thousand times in a second; a parser is
/// run a million times.
const DATABASES: u64 = 20_000;

const fn database(name: &'static str, run: fn(&[u8]) -> bool) -> Target {
    Target {
        base_bytes: 8 << 20,
        mutations: DATABASES,
        ..target(name, run)
    }
}

/// Files are read in pieces, through buffers of decompression.
const fn edges(name: &'static str, run: fn(&[u8]) -> bool) -> Target {
    Target {
        base_bytes: 1 << 20,
        ..target(name, run)
    }
}

/// For 2^30 nodes in chunks of one record, which a graph may be made with, the indexes of
/// chunks take 24 bytes for each 1024.
const fn graph(name: &'static str, run: fn(&[u8]) -> bool) -> Target {
    Target {
        base_bytes: 64 << 20,
        mutations: DATABASES,
        ..target(name, run)
    }
}

/// All of them.
pub const TARGETS: &[Target] = &[
    database("store", databases::store),
    database("direct", databases::direct),
    graph("property-graph", databases::property_graph),
    database("results", databases::results),
    graph("log", databases::log),
    target("value", values::value),
    target("properties", values::properties),
    edges("edge-list", files::edge_list),
    edges("csv", files::csv),
    edges("matrix-market", files::matrix_market),
    edges("dimacs", files::dimacs),
    edges("metis", files::metis),
    edges("events", files::events),
    edges("compressed", files::compressed),
    target("neo4j-csv", files::neo4j),
    target("ldbc-csv", files::ldbc),
    target("json-lines", files::json_lines),
    target("graphml", files::graphml),
    target("tables", files::tables),
    // The table of time zones is read at the first use.
    Target {
        base_bytes: 256 << 10,
        ..target("times", arguments::times)
    },
    target("names", arguments::names),
    // A part of an expression takes more than its letters.
    Target {
        base_bytes: 256 << 10,
        bytes_per_byte: 1024,
        ..target("condition", arguments::condition)
    },
    Target {
        base_bytes: 256 << 10,
        bytes_per_byte: 2048,
        ..target("query", queries::query)
    },
    // Each is planned, compiled and run twice, on new graphs.
    Target {
        base_bytes: (8 << 20) + 2 * execution::MEMORY,
        bytes_per_byte: 4096,
        mutations: 10_000,
        mutated: mutation::mutated_text,
        ..target("execution", execution::execution)
    },
];

/// The target of a name.
///
/// # Panics
/// If there is none.
pub fn find(name: &str) -> Target {
    let found = TARGETS.iter().find(|target| target.name == name);
    *found.unwrap_or_else(|| panic!("there is no target {name:?}"))
}
