//! Roles of a table's columns.

use super::column_choice::{Column, ColumnChoice};
use super::error::{BadLine, Flaw};
use super::options::{Header, Options};
use super::time::seconds_since_1970;
use crate::PANDAS;

impl Options {
    /// The header option, where naming a column says that there is a header.
    pub(super) fn header_choice(&self) -> Header {
        match self.header {
            Header::Auto if self.columns.by_name() => Header::Present,
            header => header,
        }
    }
}

/// The columns that are read, by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Columns {
    pub source: usize,
    /// `None` in a list of vertices.
    pub target: Option<usize>,
    pub weight: Option<usize>,
    pub timestamp: Option<usize>,
    /// Column of `+` or `-`, in a file of events.
    pub operation: Option<usize>,
}

/// Whether a field says that an edge is deleted, or added; `None` if neither.
pub(super) fn deletes(field: &[u8]) -> Option<bool> {
    match field {
        b"+" => Some(false),
        b"-" => Some(true),
        _ => None,
    }
}

impl Columns {
    /// How many columns a line needs at least.
    pub(super) fn needed(&self) -> usize {
        let last = [
            Some(self.source),
            self.target,
            self.weight,
            self.timestamp,
            self.operation,
        ];
        last.into_iter().flatten().max().map_or(0, |last| last + 1)
    }

    /// The first column, if it has no title, whole numbers, and the ends behind it: pandas
    /// writes the numbers of its rows so.
    pub(super) fn pandas_index(&self, header: Option<&[String]>, first: &[&[u8]]) -> Option<usize> {
        let is_untitled = header?.first()?.trim().is_empty();
        let are_behind = self.source > 0 && self.target.is_some_and(|target| target > 0);
        let field = first.first()?;
        let is_whole = !field.is_empty() && field.iter().all(u8::is_ascii_digit);
        (is_untitled && are_behind && is_whole).then_some(0)
    }

    /// The columns of the ends of an edge, given the names in the header (if
    /// there is one); in a list of vertices only the first.
    pub(super) fn ends(
        options: &Options,
        vertices: bool,
        header: Option<&[String]>,
    ) -> Result<(usize, Option<usize>), Flaw> {
        let choice = &options.columns;
        let source = chosen(&choice.source, header)?;
        if vertices {
            return Ok((source.unwrap_or(0), None));
        }
        let target = chosen(&choice.target, header)?;
        let (source, target) = match (source, target) {
            (Some(source), Some(target)) => (source, target),
            (Some(source), None) => (source, usize::from(source == 0)),
            (None, Some(target)) => (usize::from(target == 0), target),
            // One known name alone says nothing about the other column.
            (None, None) => match (named(header, is_source), named(header, is_target)) {
                (Some(source), Some(target)) => (source, target),
                _ => (0, 1),
            },
        };
        Ok((source, Some(target)))
    }

    /// Decides about a file of events, as [`Columns::decide`]: the operation is
    /// in the first column that holds one. The ends stand behind it, unless it
    /// stands behind them, and what stands before it alone is the time.
    pub(super) fn decide_events(
        options: &Options,
        header: Option<&[String]>,
        first: &[&[u8]],
    ) -> Result<Columns, Flaw> {
        let found = first.iter().position(|field| deletes(field).is_some());
        let operation = found.ok_or_else(|| {
            Flaw::head(
                "no column of the first event is `+` or `-`",
                "give the format of the file if it is another",
            )
        })?;
        // The choice of columns goes by the fields that are left.
        let left = |index: usize| index - usize::from(index > operation);
        let back = |index: usize| index + usize::from(index >= operation);
        let shifted = |column: &Option<Column>| match column {
            Some(Column::Index(index)) => Some(Column::Index(left(*index))),
            named => named.clone(),
        };
        let mut options = options.clone();
        let choice = &mut options.columns;
        for column in [
            &mut choice.source,
            &mut choice.target,
            &mut choice.weight,
            &mut choice.timestamp,
        ] {
            if matches!(column, Some(Column::Index(index)) if *index == operation) {
                return Err(Flaw::head(
                    "a chosen column is the one of `+` and `-`",
                    "choose another column",
                ));
            }
            *column = shifted(column);
        }
        let without = |fields: &mut Vec<String>| {
            if operation < fields.len() {
                fields.remove(operation);
            }
        };
        let mut names = header.map(<[String]>::to_vec);
        names.iter_mut().for_each(without);
        let mut rest = first.to_vec();
        rest.remove(operation);
        let (none, time_first) = (header.is_none(), operation == 1 && rest.len() > 2);
        let by_position = none && time_first && options.columns == ColumnChoice::default();
        if by_position {
            options.columns.timestamp = Some(Column::Index(0));
            options.columns.source = Some(Column::Index(1));
            options.columns.target = Some(Column::Index(2));
        }
        let mut columns = Columns::decide(&options, false, names.as_deref(), &rest)?;
        if by_position && !options.timestamps {
            columns.timestamp = None;
        }
        Ok(Columns {
            source: back(columns.source),
            target: columns.target.map(back),
            weight: columns.weight.map(back),
            timestamp: columns.timestamp.map(back),
            operation: Some(operation),
        })
    }

    /// Decides, given the names in the header (if there is one) and the fields
    /// of the first edge.
    pub(super) fn decide(
        options: &Options,
        vertices: bool,
        header: Option<&[String]>,
        first: &[&[u8]],
    ) -> Result<Columns, Flaw> {
        let chosen = |column: &Option<Column>| chosen(column, header);
        let named = |known| named(header, known);
        let choice = &options.columns;
        let (source, target) = Columns::ends(options, vertices, header)?;
        let Some(target) = target else {
            let columns = Columns {
                source,
                ..Columns::default()
            };
            return columns.within(first.len());
        };
        let mut weight = chosen(&choice.weight)?;
        let mut timestamp = chosen(&choice.timestamp)?;
        let want_weight = options.weighted && weight.is_none();
        let want_time = options.timestamps && timestamp.is_none();
        if want_weight {
            weight = named(is_weight);
        }
        if want_time {
            timestamp = named(is_time);
        }
        // Wanted columns that are not found yet are taken by position.
        let ends = Columns {
            source,
            target: Some(target),
            ..Columns::default()
        };
        let index = ends.pandas_index(header, first);
        let used = [Some(source), Some(target), weight, timestamp, index];
        let mut free = (0..first.len()).filter(|index| !used.contains(&Some(*index)));
        let (third, fourth) = (free.next(), free.next());
        let looks_like_time =
            |column: Option<usize>| column.is_some_and(|index| is_time_value(first[index]));
        let swapped = fourth.is_some() && looks_like_time(third) && !looks_like_time(fourth);
        let (usual_weight, usual_time) = match swapped {
            true => (fourth, third),
            false => (third, fourth),
        };
        let missing = || match index {
            Some(_) => Flaw::head(
                format!("the only column beside the ends has no title: {PANDAS}"),
                "give it a title, or choose it by its number (`--weight-column 1`, \
                 `--time-column 1`) if that is what it holds",
            ),
            None => Flaw::from(BadLine::TooFewColumns {
                found: first.len(),
                needed: first.len() + 1,
            }),
        };
        let open_weight = want_weight && weight.is_none();
        if open_weight {
            weight = Some(usual_weight.ok_or_else(missing)?);
        }
        if want_time && timestamp.is_none() {
            // A lone column beside the endpoints is the time, if no weight took it.
            let lone = third.filter(|_| !open_weight);
            timestamp = Some(usual_time.or(lone).ok_or_else(missing)?);
        }
        let columns = Columns {
            source,
            target: Some(target),
            weight,
            timestamp,
            operation: None,
        };
        columns.within(first.len())
    }

    fn within(self, found: usize) -> Result<Columns, Flaw> {
        let needed = self.needed();
        match needed > found {
            true => Err(BadLine::TooFewColumns { found, needed }.into()),
            false => Ok(self),
        }
    }
}

/// The index of a column that the caller chose.
fn chosen(column: &Option<Column>, header: Option<&[String]>) -> Result<Option<usize>, Flaw> {
    match column {
        None => Ok(None),
        Some(Column::Index(index)) => Ok(Some(*index)),
        Some(Column::Name(name)) => header
            .unwrap_or_default()
            .iter()
            .position(|found| found == name)
            .map(Some)
            .ok_or_else(|| no_such_column(name, header)),
    }
}

/// The index of a column whose name is known.
fn named(header: Option<&[String]>, known: fn(&str) -> bool) -> Option<usize> {
    let names = header.unwrap_or_default();
    names.iter().position(|name| known(&normal(name)))
}

#[cold]
fn no_such_column(name: &str, header: Option<&[String]>) -> Flaw {
    match header {
        None => Flaw::head(
            format!("no header line to find the column {name:?} in"),
            "choose the column by its index, or give the file a header line",
        ),
        Some(names) => Flaw::head(
            format!("no column is named {name:?}"),
            format!("choose one of {names:?}"),
        ),
    }
}

/// Whether the first line of a file, read as names, is a header line by its looks.
pub(super) fn names_ends(fields: &[String], vertices: bool) -> bool {
    let names: Vec<String> = fields.iter().map(|field| normal(field)).collect();
    if vertices {
        let known = ["id", "vertex", "vertexid", "node", "nodeid"];
        return names.first().is_some_and(|name| known.contains(&&**name));
    }
    // What often stands over ends, and does not say which is which in another order.
    let over_sources = [
        "follower",
        "followerid",
        "user",
        "userid",
        "citing",
        "sender",
        "origin",
        "start",
        "parent",
        "head",
    ];
    let over_targets = [
        "followee",
        "followeeid",
        "friend",
        "friendid",
        "item",
        "itemid",
        "cited",
        "receiver",
        "recipient",
        "end",
        "child",
        "tail",
    ];
    let is_first = |name: &String| is_source(name) || over_sources.contains(&&**name);
    let is_second = |name: &String| is_target(name) || over_targets.contains(&&**name);
    names.iter().any(is_first) && names.iter().any(is_second)
}

/// A column name without case and punctuation.
fn normal(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

fn is_source(name: &str) -> bool {
    const KNOWN: [&str; 9] = [
        "source",
        "sourceid",
        "sourcenode",
        "src",
        "from",
        "fromid",
        "fromnodeid",
        "fromnode",
        "u",
    ];
    KNOWN.contains(&name) || name.starts_with("startid")
}

fn is_target(name: &str) -> bool {
    const KNOWN: [&str; 11] = [
        "target",
        "targetid",
        "targetnode",
        "dst",
        "dest",
        "destination",
        "to",
        "toid",
        "tonodeid",
        "tonode",
        "v",
    ];
    KNOWN.contains(&name) || name.starts_with("endid")
}

fn is_weight(name: &str) -> bool {
    const KNOWN: [&str; 8] = [
        "weight", "w", "rating", "value", "distance", "length", "cost", "strength",
    ];
    KNOWN.contains(&name)
}

fn is_time(name: &str) -> bool {
    const KNOWN: [&str; 10] = [
        "time",
        "timestamp",
        "ts",
        "t",
        "date",
        "datetime",
        "unixtime",
        "epoch",
        "creationdate",
        "createdat",
    ];
    KNOWN.contains(&name)
}

/// Whether a header calls a column so that it holds times.
pub(super) fn is_time_name(name: &str) -> bool {
    is_time(&normal(name))
}

/// Dates, and seconds of 1973 or later: few weights are that large.
pub(super) fn is_time_value(field: &[u8]) -> bool {
    seconds_since_1970(field)
        .is_some_and(|seconds| seconds >= 100_000_000 || field.contains(&b'-') && field.len() >= 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(flags: &str, header: &str, first: &str) -> String {
        let options = Options {
            weighted: flags.contains('w'),
            timestamps: flags.contains('t'),
            ..Options::default()
        };
        let names: Vec<String> = header.split_whitespace().map(str::to_owned).collect();
        let header = (!names.is_empty()).then_some(&names[..]);
        let first: Vec<&[u8]> = first.split_whitespace().map(str::as_bytes).collect();
        match Columns::decide(&options, flags.contains('v'), header, &first) {
            Ok(c) => {
                let show = |column: Option<usize>| column.map_or("-".into(), |i| i.to_string());
                format!(
                    "{} {} {} {}",
                    c.source,
                    show(c.target),
                    show(c.weight),
                    show(c.timestamp)
                )
            }
            Err(flaw) => flaw.reason.to_string(),
        }
    }

    #[test]
    fn columns_of_events_are_inferred() {
        let rows: &[(&str, &str, &str, &str)] = &[
            // flags, header, first event, source target weight time operation
            ("", "", "+ 1 2", "1 2 - - 0"),
            ("", "", "- 1 2 77", "1 2 - - 0"),
            ("t", "", "- 1 2 77", "1 2 - 3 0"),
            ("w", "", "+ 1 2 0.5", "1 2 3 - 0"),
            ("", "", "19971108 + 1 2", "2 3 - - 1"),
            ("t", "", "19971108 + 1 2", "2 3 - 0 1"),
            ("wt", "", "19971108 + 1 2 0.5", "2 3 4 0 1"),
            ("w", "", "19971108 + 1 2 0.5", "2 3 4 - 1"),
            ("", "", "1 2 +", "0 1 - - 2"),
            ("t", "", "1 2 - 77", "0 1 - 3 2"),
            ("t", "op to from time", "+ 1 2 77", "2 1 - 3 0"),
            (
                "",
                "",
                "1 2 3",
                "no column of the first event is `+` or `-`",
            ),
            ("", "", "+ 1", "too few columns (1, needed 2)"),
        ];
        for (flags, header, first, expected) in rows {
            let options = Options {
                weighted: flags.contains('w'),
                timestamps: flags.contains('t'),
                ..Options::default()
            };
            let names: Vec<String> = header.split_whitespace().map(str::to_owned).collect();
            let header = (!names.is_empty()).then_some(&names[..]);
            let fields: Vec<&[u8]> = first.split_whitespace().map(str::as_bytes).collect();
            let found = match Columns::decide_events(&options, header, &fields) {
                Ok(c) => {
                    let all = [Some(c.source), c.target, c.weight, c.timestamp, c.operation];
                    let show = |i: Option<usize>| i.map_or("-".to_owned(), |i| i.to_string());
                    all.map(show).join(" ")
                }
                Err(flaw) => flaw.reason.to_string(),
            };
            assert_eq!(found, *expected, "{first}");
        }
    }

    #[test]
    fn columns_are_inferred() {
        let rows: &[(&str, &str, &str, &str)] = &[
            // flags, header, first edge, source target weight time
            ("", "", "1 2", "0 1 - -"),
            ("", "", "1 2 3 4", "0 1 - -"),
            ("w", "", "1 2 0.5", "0 1 2 -"),
            ("t", "", "1 2 1082040961", "0 1 - 2"),
            ("t", "", "1 2 7", "0 1 - 2"),
            ("wt", "", "6 2 4 1289241911.72836", "0 1 2 3"),
            ("wt", "", "6 2 1289241911 4", "0 1 3 2"),
            ("w", "", "6 2 4 1289241911", "0 1 2 -"),
            ("w", "", "6 2 1289241911 4", "0 1 3 -"),
            ("t", "", "6 2 4 1289241911", "0 1 - 3"),
            ("t", "", "6 2 2004-04-15 4", "0 1 - 2"),
            ("t", "", "6 2 1 5", "0 1 - 3"),
            ("w", "", "1 2", "too few columns (2, needed 3)"),
            ("t", "", "1 2", "too few columns (2, needed 3)"),
            ("wt", "", "1 2 3", "too few columns (3, needed 4)"),
            ("", "", "1", "too few columns (1, needed 2)"),
            ("v", "", "1", "0 - - -"),
            ("wt", "from to feature time", "6 2 4 1", "0 1 2 3"),
            ("wt", "time Weight Dst src", "9 8 7 6", "3 2 1 0"),
            ("t", "time dst src", "9 8 7", "2 1 - 0"),
            ("w", "name dst src", "9 8 7", "2 1 0 -"),
            ("w", "a b c", "1 2 3", "0 1 2 -"),
            ("", ":START_ID(A) :END_ID(B)", "1 2", "0 1 - -"),
        ];
        let pandas = ["", "source", "target", "cost"].map(str::to_owned);
        let options = Options {
            weighted: true,
            ..Options::default()
        };
        for (names, first, weight) in [
            (&pandas[..], &["0", "10", "20", "0.5"][..], Some(3)),
            (&pandas[..3], &["0", "10", "20"], None),
            (&pandas[..3], &["0.5", "10", "20"], Some(0)),
        ] {
            let first: Vec<&[u8]> = first.iter().map(|field| field.as_bytes()).collect();
            let found = Columns::decide(&options, false, Some(names), &first);
            assert_eq!(found.ok().and_then(|columns| columns.weight), weight);
        }
        for (flags, header, first, expected) in rows {
            assert_eq!(
                decide(flags, header, first),
                *expected,
                "{flags} {header} {first}"
            );
        }
    }
}
