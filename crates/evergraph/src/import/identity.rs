//! The identity of an import, by which one that was interrupted is found again.
//!
//! It is the hash of a text that says how the files are read, and of each file's name,
//! length, beginning and end. Databases hold it, so the text is a part of the stored format:
//! it is spelled here, and does not follow the names of types and fields. Its words are
//! those that the types had when version 4 of the format was new.
//!
//! A choice that is added later is written behind the others, and only where it is not the
//! default: then imports that were interrupted before an upgrade go on after it. Another
//! text would need a second identity to compare with.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::PathBuf;

use super::{Action, Every, Series};
use crate::Error;
use crate::formats::{
    Column, ColumnChoice, Contents, EndpointKind, Format, FormatError, Header, Options, TimeUnit,
};

/// Bytes at each end of a file that tell it from others, beside its name and length.
const COMPARED_BYTES: u64 = 64 << 10;

/// A number that is the same for the same files read in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    number: u64,
    /// As imports stored it that compared no ends of files.
    of_beginnings: u64,
}

impl Identity {
    /// The number, in the form in which it is known already.
    pub fn known(self, is_known: impl Fn(u64) -> bool) -> u64 {
        match !is_known(self.number) && is_known(self.of_beginnings) {
            true => self.of_beginnings,
            false => self.number,
        }
    }
}

/// The identity of these files, read so.
pub(super) fn identity(
    files: &[PathBuf],
    reading: &Options,
    action: Action,
    snapshots: Option<&Series>,
) -> Result<Identity, Error> {
    let how = format!("{} {}", action_word(action), reading_text(reading));
    let steps = snapshots.map(series_text);
    let how: Vec<&[u8]> = [Some(&how), steps.as_ref()]
        .into_iter()
        .flatten()
        .map(|text| text.as_bytes())
        .collect();
    identity_of(&how, files)
}

/// The identity of these files and `how`.
pub(crate) fn identity_of(how: &[&[u8]], files: &[PathBuf]) -> Result<Identity, Error> {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    how.iter().for_each(|part| hash.add(part));
    let mut ends = Vec::new();
    for path in files {
        let io = |error| Error::io(path.display().to_string(), error);
        // Asked before opening, because opening a pipe waits for its writer.
        let metadata = std::fs::metadata(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => FormatError::NotFound { file: path.clone() }.into(),
            _ => io(error),
        })?;
        let length = metadata.len();
        let mut start = Vec::new();
        if metadata.is_file() {
            let mut file = File::open(path).map_err(io)?;
            let mut read = |at: u64, into: &mut Vec<u8>| {
                file.seek(SeekFrom::Start(at))?;
                file.by_ref().take(COMPARED_BYTES).read_to_end(into)
            };
            read(0, &mut start).map_err(io)?;
            if length > COMPARED_BYTES {
                let behind = COMPARED_BYTES.max(length - COMPARED_BYTES);
                read(behind, &mut ends).map_err(io)?;
            }
        }
        let name = path.file_name().unwrap_or_default();
        hash.add(name.as_encoded_bytes());
        hash.add(&length.to_le_bytes());
        hash.add(&start);
    }
    let of_beginnings = hash.0;
    if !ends.is_empty() {
        hash.add(&ends);
    }
    Ok(Identity {
        number: hash.0,
        of_beginnings,
    })
}

/// The FNV-1a hash: small, and the same for ever.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes.iter().chain(&(bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// As the progress record of an import has it, too.
pub(super) fn action_word(action: Action) -> &'static str {
    match action {
        Action::Insert => "Insert",
        Action::Delete => "Delete",
    }
}

/// How files are read. How many bad lines are tolerated does not change what the others
/// are, so that an import may go on with more.
fn reading_text(reading: &Options) -> String {
    let Options {
        format,
        ids,
        weighted,
        timestamps,
        time_unit,
        columns,
        header,
        separator,
        comments,
        allow_uneven,
        contents,
        bipartite,
        keep_base,
        skip_bad: _,
    } = reading;
    let format = optional(format.map(format_word));
    let ids = ids_word(*ids);
    let time_unit = time_unit_word(*time_unit);
    let columns = columns_text(columns);
    let header = header_word(*header);
    let separator = optional(*separator);
    let comments = optional(*comments);
    let contents = contents_word(*contents);
    format!(
        "Options {{ format: {format}, ids: {ids}, weighted: {weighted}, \
         timestamps: {timestamps}, time_unit: {time_unit}, columns: {columns}, \
         header: {header}, separator: {separator}, comments: {comments}, \
         allow_uneven: {allow_uneven}, contents: {contents}, bipartite: {bipartite}, \
         keep_base: {keep_base}, skip_bad: 0 }}"
    )
}

fn columns_text(columns: &ColumnChoice) -> String {
    let ColumnChoice {
        source,
        target,
        weight,
        timestamp,
    } = columns;
    let text = |column: &Option<Column>| optional(column.as_ref().map(column_text));
    let [source, target, weight, timestamp] = [source, target, weight, timestamp].map(text);
    format!(
        "ColumnChoice {{ source: {source}, target: {target}, weight: {weight}, \
         timestamp: {timestamp} }}"
    )
}

fn column_text(column: &Column) -> String {
    match column {
        Column::Index(index) => format!("Index({index})"),
        // As the standard library writes a text: this does not depend on our names.
        Column::Name(name) => format!("Name({name:?})"),
    }
}

fn series_text(series: &Series) -> String {
    let Series { every, prefix } = series;
    let every = match every {
        Every::Edges(edges) => format!("Edges({edges})"),
        Every::Seconds(seconds) => format!("Seconds({seconds})"),
        Every::Months(months) => format!("Months({months})"),
    };
    format!("Series {{ every: {every}, prefix: {prefix:?} }}")
}

fn format_word(format: Format) -> &'static str {
    match format {
        Format::EdgeList => "EdgeList",
        Format::Csv => "Csv",
        Format::MatrixMarket => "MatrixMarket",
        Format::Dimacs => "Dimacs",
        Format::Metis => "Metis",
        Format::Events => "Events",
    }
}

fn ids_word(ids: EndpointKind) -> &'static str {
    match ids {
        EndpointKind::Number => "Number",
        EndpointKind::Text => "Text",
    }
}

fn time_unit_word(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Seconds => "Seconds",
        TimeUnit::Milliseconds => "Milliseconds",
        TimeUnit::Microseconds => "Microseconds",
        TimeUnit::Date => "Date",
    }
}

fn header_word(header: Header) -> &'static str {
    match header {
        Header::Auto => "Auto",
        Header::Present => "Present",
        Header::Absent => "Absent",
    }
}

fn contents_word(contents: Contents) -> &'static str {
    match contents {
        Contents::ByName => "ByName",
        Contents::Edges => "Edges",
        Contents::Vertices => "Vertices",
    }
}

fn optional(value: Option<impl std::fmt::Display>) -> String {
    match value {
        Some(value) => format!("Some({value})"),
        None => "None".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored by imports of version 4 of the format.
    #[test]
    fn the_text_of_what_is_chosen_is_pinned() {
        assert_eq!(
            reading_text(&Options::default()),
            "Options { format: None, ids: Number, weighted: false, timestamps: false, \
             time_unit: Seconds, columns: ColumnChoice { source: None, target: None, \
             weight: None, timestamp: None }, header: Auto, separator: None, comments: None, \
             allow_uneven: false, contents: ByName, bipartite: false, keep_base: false, \
             skip_bad: 0 }"
        );
        let chosen = Options {
            format: Some(Format::Csv),
            ids: EndpointKind::Text,
            weighted: true,
            timestamps: true,
            time_unit: TimeUnit::Date,
            columns: ColumnChoice {
                source: Some(Column::Index(3)),
                target: Some(Column::Name("to \"é\"\te\u{301}\u{7f}'".to_string())),
                weight: None,
                timestamp: Some(Column::Name(String::new())),
            },
            header: Header::Absent,
            separator: Some(b';'),
            comments: Some(false),
            allow_uneven: true,
            contents: Contents::Vertices,
            bipartite: true,
            keep_base: true,
            skip_bad: 7,
        };
        assert_eq!(
            reading_text(&chosen),
            "Options { format: Some(Csv), ids: Text, weighted: true, timestamps: true, \
             time_unit: Date, columns: ColumnChoice { source: Some(Index(3)), \
             target: Some(Name(\"to \\\"é\\\"\\te\\u{301}\\u{7f}'\")), weight: None, \
             timestamp: Some(Name(\"\")) }, header: Absent, separator: Some(59), \
             comments: Some(false), allow_uneven: true, contents: Vertices, bipartite: true, \
             keep_base: true, skip_bad: 0 }"
        );
    }

    #[test]
    fn the_words_of_what_is_chosen_are_pinned() {
        assert_eq!(
            Format::ALL.map(format_word),
            [
                "EdgeList",
                "Csv",
                "MatrixMarket",
                "Dimacs",
                "Metis",
                "Events"
            ]
        );
        let ids = [EndpointKind::Number, EndpointKind::Text].map(ids_word);
        assert_eq!(ids, ["Number", "Text"]);
        let units = [
            TimeUnit::Seconds,
            TimeUnit::Milliseconds,
            TimeUnit::Microseconds,
            TimeUnit::Date,
        ];
        let words = ["Seconds", "Milliseconds", "Microseconds", "Date"];
        assert_eq!(units.map(time_unit_word), words);
        let headers = [Header::Auto, Header::Present, Header::Absent].map(header_word);
        assert_eq!(headers, ["Auto", "Present", "Absent"]);
        let contents = [Contents::ByName, Contents::Edges, Contents::Vertices];
        let words = ["ByName", "Edges", "Vertices"];
        assert_eq!(contents.map(contents_word), words);
        assert_eq!(
            [Action::Insert, Action::Delete].map(action_word),
            ["Insert", "Delete"]
        );
        let series = [Every::Edges(5), Every::Seconds(60), Every::Months(12)].map(|every| {
            series_text(&Series {
                every,
                prefix: "a\"b".to_string(),
            })
        });
        assert_eq!(
            series,
            [
                r#"Series { every: Edges(5), prefix: "a\"b" }"#,
                r#"Series { every: Seconds(60), prefix: "a\"b" }"#,
                r#"Series { every: Months(12), prefix: "a\"b" }"#,
            ]
        );
    }

    /// Of files that have no more than a beginning.
    fn same(number: u64) -> Identity {
        Identity {
            number,
            of_beginnings: number,
        }
    }

    #[test]
    fn the_hash_is_pinned() {
        let place = tempfile::tempdir().expect("a directory");
        let file = place.path().join("edges.txt");
        std::fs::write(&file, "0 1\n1 2\n").expect("written");
        let files = [file];
        let plain = identity(&files, &Options::default(), Action::Insert, None);
        assert_eq!(plain.expect("readable"), same(0xeeb0_922b_a2f3_5d0a));
        let series = Series {
            every: Every::Edges(1),
            prefix: String::new(),
        };
        let stepwise = identity(&files, &Options::default(), Action::Delete, Some(&series));
        assert_eq!(stepwise.expect("readable"), same(0x894c_1c77_955b_7e5e));
    }

    #[test]
    fn files_are_told_apart_by_their_ends() {
        let place = tempfile::tempdir().expect("a directory");
        let file = place.path().join("edges.txt");
        let of = |text: &str| {
            std::fs::write(&file, text).expect("written");
            let read = identity(
                std::slice::from_ref(&file),
                &Options::default(),
                Action::Insert,
                None,
            );
            read.expect("readable")
        };
        let long = "0 1\n".repeat(40_000);
        let one = of(&(long.clone() + "1 2\n"));
        let other = of(&(long + "1 3\n"));
        assert_eq!(one.of_beginnings, other.of_beginnings);
        assert_ne!(one.number, other.number);
        // Those of imports that compared no ends still go on.
        assert_eq!(
            one.known(|known| known == one.of_beginnings),
            one.of_beginnings
        );
        assert_eq!(one.known(|_| true), one.number);
        assert_eq!(one.known(|_| false), one.number);
    }
}
