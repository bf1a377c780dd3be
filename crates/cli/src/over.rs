//! `evergraph run --over`: one algorithm on one snapshot after another.

use std::collections::BTreeMap;
use std::path::Path;

use evergraph::run::{
    FileFormat, Outcome, Request, Rows, ValueColumn, check_titles, find, over, write_columns,
};
use evergraph::{Cancellation, Control, Database, Moment, memory_bytes};
use serde_json::{Map, Value, json};

use crate::outcome::{fact, note_doubts};
use crate::output::Target;
use crate::progress;
use crate::report::{Failure, Report, aligned, count, seconds};

/// Destination of the values of the snapshots.
enum Sink<'a> {
    /// Nowhere.
    None,
    /// To a file of its own each, in this directory.
    Files(&'a Path, FileFormat),
    /// To one file with a column each, when all are there.
    Columns(Columns),
}

/// Columns that wait to be written.
struct Columns {
    target: Target,
    format: FileFormat,
    gathered: Vec<ValueColumn>,
    /// Bytes that may still come.
    room: u64,
}

/// Output for one snapshot.
struct Row {
    json: Value,
    /// Of the columns that all rows have.
    cells: Vec<String>,
    iterations: Option<u64>,
    facts: Vec<String>,
}

/// Runs an algorithm on each of the snapshots.
pub fn execute(
    db: &Database,
    moments: &[Moment],
    request: &Request,
    control: Control<'_>,
    output: Option<(&Path, FileFormat)>,
    stop: &Cancellation,
) -> Result<Report, Failure> {
    let bar = progress::of_count(moments.len() as u64);
    let mut sink = Sink::of(output, moments, request)?;
    let mut rows = Vec::new();
    let mut failure = None;
    let mut format = evergraph::run::Format::default();
    let mut total = 0.0;
    let mut facts = Vec::new();
    let mut is_wrong = false;
    let memory = Some(crate::memory::METER);
    let ran = over(db, moments, request, &control, memory, |moment, outcome| {
        bar.set_message(moment.name().to_string());
        bar.inc(1);
        note_doubts(&outcome);
        total += outcome.seconds;
        is_wrong |= outcome.verified.as_ref().is_some_and(Result::is_err);
        format = outcome.format;
        if rows.is_empty() {
            facts.extend(outcome.result.iter().map(|(name, _)| name.to_uppercase()));
        }
        rows.push(Row::of(moment, &outcome));
        sink.take(db, moment, outcome, stop).map_err(|why| {
            let stopped = evergraph::Error::usage(why.message.clone(), why.hint.clone());
            failure = Some(why);
            stopped
        })
    });
    bar.finish_and_clear();
    if let Some(failure) = failure {
        return Err(failure);
    }
    ran?;
    if rows.is_empty() {
        return Err(Failure::new(
            "the graph has no vertices at any of these moments",
            "choose a later range",
        ));
    }
    let to_stdout = output.is_some_and(|(path, _)| path == Path::new("-"));
    sink.finish(db, format, stop)?;
    if to_stdout {
        return Ok(Report::new(json!({}), ""));
    }
    let table = table(&rows, facts);
    let snapshots = rows.len() as u64;
    let text = format!(
        "{}{} of {} snapshots in {}\n",
        aligned(&table),
        find(&request.algorithm)?.name,
        count(snapshots),
        seconds(total)
    );
    let json = json!({
        "algorithm": find(&request.algorithm)?.name,
        "seconds": total,
        "snapshots": rows.into_iter().map(|row| row.json).collect::<Vec<_>>(),
    });
    Ok(Report {
        json,
        text,
        is_failure: is_wrong,
    })
}

impl Row {
    fn of(moment: &Moment, outcome: &Outcome) -> Self {
        let facts = outcome.result.iter();
        let result: Map<String, Value> = facts
            .clone()
            .map(|(name, value)| (name.to_string(), fact(value).0))
            .collect();
        let mut json = json!({
            "name": moment.name(),
            "csn": moment.csn,
            "seconds": outcome.seconds,
            "iterations": outcome.iterations,
            "result": result,
        });
        if let Some(verified) = &outcome.verified {
            json["verified"] = json!(verified.is_ok());
            json["mismatch"] = json!(verified.as_ref().err());
        }
        let cells = vec![
            moment.name().to_string(),
            moment.csn.to_string(),
            count(outcome.vertices),
            seconds(outcome.seconds),
        ];
        Row {
            json,
            cells,
            iterations: outcome.iterations,
            facts: facts.map(|(_, value)| short(&fact(value).1)).collect(),
        }
    }
}

/// The rows under their titles. Iterations have a column if any row has some: a result
/// that was kept does not tell its own.
fn table(rows: &[Row], facts: Vec<String>) -> Vec<Vec<String>> {
    let has_iterations = rows.iter().any(|row| row.iterations.is_some());
    let mut titles = ["SNAPSHOT", "COMMIT", "VERTICES", "TIME"]
        .map(str::to_string)
        .to_vec();
    titles.extend(has_iterations.then(|| "ITERATIONS".to_string()));
    titles.extend(facts);
    let mut table = vec![titles];
    for row in rows {
        let mut cells = row.cells.clone();
        if has_iterations {
            cells.push(row.iterations.map_or("-".to_string(), count));
        }
        cells.extend_from_slice(&row.facts);
        table.push(cells);
    }
    table
}

/// A number with no more digits than a table has room for.
fn short(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(number) if text.contains(['.', 'e']) => format!("{number:.6}"),
        _ => text.to_string(),
    }
}

impl<'a> Sink<'a> {
    fn of(
        output: Option<(&'a Path, FileFormat)>,
        moments: &'a [Moment],
        request: &Request,
    ) -> Result<Self, Failure> {
        let Some((path, format)) = output else {
            return Ok(Sink::None);
        };
        let wants_files = path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
        if wants_files {
            check_titles(request)?;
        } else {
            check_columns(moments, &request.name_by)?;
            return Ok(Sink::Columns(Columns {
                target: Target::open(path)?,
                format,
                gathered: Vec::new(),
                room: request.memory_limit.unwrap_or(memory_bytes() / 2),
            }));
        }
        check_files(path, moments, format)?;
        std::fs::create_dir_all(path)
            .map_err(|error| evergraph::Error::io(path.display().to_string(), error))?;
        Ok(Sink::Files(path, format))
    }

    fn take(
        &mut self,
        db: &Database,
        moment: &Moment,
        outcome: Outcome,
        stop: &Cancellation,
    ) -> Result<(), Failure> {
        match self {
            Sink::None => Ok(()),
            Sink::Files(directory, format) => {
                let target = Target::open(&directory.join(file_of(moment, *format)))?;
                target.write(stop, |out| Rows::of(db, &outcome).write(out, *format))
            }
            Sink::Columns(columns) => columns.take(moment, outcome),
        }
    }

    fn finish(
        self,
        db: &Database,
        format: evergraph::run::Format,
        stop: &Cancellation,
    ) -> Result<(), Failure> {
        let Sink::Columns(Columns {
            target,
            gathered,
            format: file,
            ..
        }) = self
        else {
            return Ok(());
        };
        target.write(stop, |out| {
            write_columns(out, db, &gathered, (file, format))
        })
    }
}

/// Refuses snapshots whose column would have the title of the names.
fn check_columns(moments: &[Moment], name_by: &[String]) -> Result<(), Failure> {
    let vertex = ["vertex".to_string()];
    let names = match name_by {
        [] => &vertex[..],
        names => names,
    };
    let mut moments = moments.iter().map(Moment::name);
    match moments.find(|name| names.iter().any(|title| title == name)) {
        None => Ok(()),
        Some(name) => Err(Failure::usage(
            format!("the snapshot `{name}` is called as the column of the names is"),
            "give a directory, `-o DIR/`, for a file of each snapshot",
        )),
    }
}

/// Refuses snapshots of which two would be written to one file.
fn check_files(directory: &Path, moments: &[Moment], format: FileFormat) -> Result<(), Failure> {
    let mut files = BTreeMap::new();
    for moment in moments {
        if let Some(other) = files.insert(file_of(moment, format), moment.name()) {
            return Err(Failure::new(
                format!(
                    "the snapshots `{other}` and `{}` would both be written to {}",
                    moment.name(),
                    directory.join(file_of(moment, format)).display()
                ),
                "run them one by one, with --as-of",
            ));
        }
    }
    Ok(())
}

/// The file of a snapshot, whose name may hold what separates directories.
fn file_of(moment: &Moment, format: FileFormat) -> String {
    let named = FileFormat::ALL.iter().find(|(_, known)| *known == format);
    let extension = match named {
        None | Some((_, FileFormat::Text)) => "txt",
        Some((name, _)) => name,
    };
    format!("{}.{extension}", moment.name().replace('/', "_"))
}

impl Columns {
    fn take(&mut self, moment: &Moment, outcome: Outcome) -> Result<(), Failure> {
        let to_files = "give a directory, `-o DIR/`, for a file of each snapshot";
        let Some(vertices) = outcome.values.vertices() else {
            let what = format!("the result of {} is no column", outcome.algorithm);
            return Err(Failure::new(what, to_files));
        };
        let bytes = match outcome.naming.of_vertex() {
            None => 8,
            Some(_) => 12,
        };
        let left = self.room.checked_sub(bytes * vertices as u64);
        self.room = left.ok_or_else(|| {
            let what = "the columns of these snapshots take more memory than there is";
            Failure::new(what, to_files)
        })?;
        self.gathered.push(ValueColumn {
            title: moment.name().to_string(),
            values: outcome.values,
            naming: outcome.naming,
        });
        Ok(())
    }
}
