//! LDBC's own expected results: the operations of a validation file of SNB Interactive, in
//! its order, reads and updates mixed, each compared with what it says.
//!
//! A line is an operation as a JSON object, `|`, and its result as JSON. The names of the
//! first fields tell the operations apart, as those of LDBC's driver do.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use evergraph::property::{FileKind, PropertyImport, import};
use evergraph::query::json::{from_json, to_json};
use evergraph::query::{Parameters, Rows};
use evergraph::{Cancellation, Database, Options};
use serde_json::{Map, Value as Json, json};

use super::texts::{COMPLEX, SHORT, Text, UPDATES};
use super::{files, text};
use crate::meter::median;
use crate::place::Place;
use crate::settings::Settings;
use crate::snb::schema;
use crate::table::{Table, number};

/// Reads that cannot be right without the dates and contents of messages, or the members of
/// forums, where a data set comes without them.
const OF_CONTENTS: [&str; 10] = [
    "short-2",
    "short-4",
    "short-7",
    "complex-2",
    "complex-3",
    "complex-4",
    "complex-5",
    "complex-7",
    "complex-8",
    "complex-9",
];

/// An operation: the query, its parameters, and what is expected.
pub struct Operation {
    pub query: Text,
    pub parameters: Parameters,
    pub expected: Json,
}

/// Outcomes of the operations of one query.
#[derive(Default)]
struct Tally {
    agree: usize,
    differ: usize,
    unanswerable: usize,
    microseconds: Vec<f64>,
}

/// All operations of the directory's `validation_params*` file on its CSV files.
pub fn table(settings: &Settings<'_>, directory: &Path) -> Result<Table, String> {
    let place = Place::new(settings, evergraph::MediumKind::File)?;
    settings.progress(&format!("queries: importing {}", directory.display()));
    let (db, is_whole) = imported(&place, directory)?;
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for operation in operations(&validation_file(directory)?)? {
        let Operation {
            query,
            parameters,
            expected,
        } = operation?;
        let tally = tallies.entry(query.name).or_default();
        let began = Instant::now();
        let rows = db.query(query.text, parameters);
        let rows = rows.map_err(|error| format!("{}: {error}", query.name))?;
        let found = Found::of(query, rows)?;
        tally.microseconds.push(began.elapsed().as_secs_f64() * 1e6);
        match found.is(query, expected.clone()) {
            true => tally.agree += 1,
            false if !is_whole && OF_CONTENTS.contains(&query.name) => tally.unanswerable += 1,
            false => {
                tally.differ += 1;
                let (name, found) = (query.name, &found.rows);
                settings.progress(&format!("{name} gives {found:?}, not {expected}"));
            }
        }
    }
    Ok(shown(tallies))
}

fn shown(mut tallies: BTreeMap<&str, Tally>) -> Table {
    let columns = ["query", "agree", "differ", "not_in_data", "median_us"];
    let mut table = Table::new(
        "LDBC's expected results; parsed and planned each time",
        &columns,
    );
    for query in SHORT.iter().chain(&COMPLEX).chain(&UPDATES) {
        if let Some(tally) = tallies.remove(query.name) {
            table.row(vec![
                json!(query.name),
                json!(tally.agree),
                json!(tally.differ),
                json!(tally.unanswerable),
                number(median(&tally.microseconds)),
            ]);
        }
    }
    table
}

/// The data set in a database, and whether nothing of it is missing. Posts and comments
/// that only relationships name are made, with nothing but their ids.
fn imported(place: &Place, directory: &Path) -> Result<(Database, bool), String> {
    let options = Options {
        property_graph: true,
        ..Options::default()
    };
    let db = Database::create(place.join("db"), &options).map_err(text)?;
    let graph = db.property_graph().map_err(text)?;
    let mut sources = vec![directory.to_path_buf()];
    let mut is_whole = find(directory, "forum_hasMember_person").is_some();
    for kind in ["post", "comment"] {
        if find(directory, &format!("{kind}_0_0")).is_none() {
            is_whole = false;
            sources.push(make_nodes(place, directory, kind)?);
        }
    }
    let import_options = PropertyImport {
        files: sources,
        kind: Some(FileKind::Ldbc),
        ..PropertyImport::default()
    };
    import(graph, &import_options, &Cancellation::default(), &|_| {}).map_err(text)?;
    schema::define(graph).map_err(text)?;
    files::define_names(graph)?;
    graph.checkpoint().map_err(text)?;
    Ok((db, is_whole))
}

/// The file of a directory, or of `static` or `dynamic` in it, whose name begins so.
fn find(directory: &Path, name: &str) -> Option<PathBuf> {
    let inside = [directory.to_path_buf(), directory.join("dynamic")];
    let files = inside
        .iter()
        .filter_map(|directory| std::fs::read_dir(directory).ok());
    let mut paths = files.flatten().filter_map(|entry| Some(entry.ok()?.path()));
    paths.find(|path| {
        let file = path.file_name().unwrap_or_default();
        file.to_string_lossy().starts_with(name)
    })
}

fn validation_file(directory: &Path) -> Result<PathBuf, String> {
    let found = find(directory, "validation_params");
    found.ok_or_else(|| format!("{}: no validation_params*.csv", directory.display()))
}

fn lines(path: &Path) -> Result<impl Iterator<Item = Result<String, String>> + use<>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(failed)?;
    Ok(BufReader::new(file).lines().map(|line| line.map_err(text)))
}

/// A file of the messages that have a creator.
fn make_nodes(place: &Place, directory: &Path, kind: &str) -> Result<PathBuf, String> {
    let creators = format!("{kind}_hasCreator_person");
    let from = find(directory, &creators).ok_or_else(|| format!("no file {creators}"))?;
    let path = place.join(&format!("{kind}_0_0.csv"));
    let mut to = BufWriter::new(File::create(&path).map_err(text)?);
    writeln!(to, "id|content").map_err(text)?;
    for line in lines(&from)?.skip(1) {
        let line = line?;
        let id = line.split('|').next().unwrap_or_default();
        writeln!(to, "{id}|").map_err(text)?;
    }
    to.flush().map_err(text)?;
    Ok(path)
}

/// The operations of a file.
pub fn operations(
    path: &Path,
) -> Result<impl Iterator<Item = Result<Operation, String>> + use<>, String> {
    Ok(lines(path)?.map(|line| operation(&line?)))
}

fn operation(line: &str) -> Result<Operation, String> {
    let broken = || format!("no operation of a validation file: {line}");
    // Contents may have the separator, but only as a part of a JSON text.
    let mut ends = line.match_indices("}|").map(|(at, _)| at + 1);
    let is_object = |at: &usize| serde_json::from_str::<Map<String, Json>>(&line[..*at]).is_ok();
    let end = ends.find(is_object).ok_or_else(broken)?;
    let fields: Map<String, Json> = serde_json::from_str(&line[..end]).map_err(text)?;
    let expected = serde_json::from_str(&line[end + 1..]).map_err(text)?;
    let query = query_of(&fields).ok_or_else(broken)?;
    let values = fields.iter().map(|(field, value)| {
        let value = from_json(&as_pairs(value))?;
        Ok((parameter_of(field), value))
    });
    Ok(Operation {
        query,
        parameters: values.collect::<Result<_, String>>()?,
        expected,
    })
}

/// Which query it is, by the names of the fields.
fn query_of(fields: &Map<String, Json>) -> Option<Text> {
    let numbered = |after: &str| {
        let name = fields.keys().find_map(|field| field.split_once(after))?.1;
        let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().ok()?.checked_sub(1)
    };
    let has = |field: &str| fields.contains_key(field);
    if let Some(number) = numbered("IdSQ") {
        return SHORT.get(number).copied();
    }
    if let Some(number) = numbered("IdQ") {
        return COMPLEX.get(number).copied();
    }
    let of_messages = ["Content", "Creator", "ForumId", "RepliesId"];
    let short = of_messages
        .iter()
        .position(|&what| has(&format!("messageId{what}")) || has(&format!("message{what}")));
    if let Some(number) = short {
        return Some(SHORT[3 + number]);
    }
    let update = match () {
        () if has("personFirstName") => 1,
        () if has("joinDate") => 5,
        () if has("forumTitle") => 4,
        () if has("person1Id") => 8,
        () if has("commentId") && has("content") => 7,
        () if has("postId") && has("content") => 6,
        () if has("commentId") => 3,
        () if has("postId") => 2,
        () => return None,
    };
    Some(UPDATES[update - 1])
}

/// The parameter that a field is.
fn parameter_of(field: &str) -> String {
    let of = |begin: &str| field.starts_with(begin) && field != begin;
    match field {
        "locationIp" => "locationIP",
        "messageForumId" | "messageRepliesId" => "messageId",
        _ if of("messageId") => "messageId",
        _ if of("person1Id") => "person1Id",
        _ if of("person2Id") => "person2Id",
        _ if of("personId") => "personId",
        _ => field,
    }
    .to_string()
}

/// An organisation and a year as the pair that the queries take.
fn as_pairs(value: &Json) -> Json {
    match value {
        Json::Array(elements) => elements.iter().map(as_pairs).collect(),
        Json::Object(fields) if fields.contains_key("organizationId") => {
            json!([fields["organizationId"], fields["year"]])
        }
        other => other.clone(),
    }
}

/// The result of a query: rows as objects, and whether it changed anything.
struct Found {
    rows: Vec<Json>,
    has_changed: bool,
}

impl Found {
    fn of(query: Text, rows: Rows) -> Result<Self, String> {
        let has_changed = !rows.summary().effects().is_empty();
        let columns = rows.columns().to_vec();
        let object = |row: Result<evergraph::query::Row, _>| {
            let cells = row.map_err(|error| format!("{}: {error}", query.name))?;
            let cells = cells.cells().iter().map(to_json);
            Ok(columns.iter().cloned().zip(cells).collect())
        };
        Ok(Found {
            rows: rows.map(object).collect::<Result<_, String>>()?,
            has_changed,
        })
    }

    fn is(&self, query: Text, expected: Json) -> bool {
        if query.name.starts_with("update") {
            return self.has_changed;
        }
        let expected = match expected {
            Json::Array(rows) => rows,
            one => vec![one],
        };
        rows_are(query.name, self.rows.clone(), expected)
    }
}

/// Whether rows are the same, but for what has no order: lists within them that are no
/// paths, and paths of the same weight.
pub fn rows_are(query: &str, found: Vec<Json>, expected: Vec<Json>) -> bool {
    let is_of_paths = query == "complex-14";
    let normal = |mut rows: Vec<Json>| {
        rows.iter_mut().for_each(|row| normalise(row, is_of_paths));
        if is_of_paths {
            let weight = |row: &Json| row["pathWeight"].as_f64().unwrap_or(f64::NAN);
            let path = |row: &Json| row["personIdsInPath"].to_string();
            rows.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then(path(a).cmp(&path(b))));
        }
        rows
    };
    normal(found) == normal(expected)
}

fn normalise(value: &mut Json, keep_lists: bool) {
    match value {
        Json::Array(elements) => {
            elements
                .iter_mut()
                .for_each(|one| normalise(one, keep_lists));
            if !keep_lists {
                elements.sort_by_key(Json::to_string);
            }
        }
        Json::Object(fields) => fields
            .values_mut()
            .for_each(|one| normalise(one, keep_lists)),
        _ => {}
    }
}
