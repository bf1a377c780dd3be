//! Results as rows of typed cells, in the order of vertices or the largest first.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{self, Write};

use evergraph_algorithms::UNREACHED;

use super::conventions::{column, labels_groups};
use super::file_format::{FileFormat, Style, Writer};
use super::naming::Namer;
use super::stream;
use super::values::{Cell, Values};
use super::{Fact, Format, Naming, Outcome, Request, find};
use crate::{Error, Session};
use evergraph_property_graph::value::Value;

/// The part of a result that is shown.
pub(super) enum Shown<'a> {
    Values(Cow<'a, Values>),
    /// Some vertices in an order, each with a count.
    Ranked(Vec<(u32, u64)>),
    /// Groups by their labels, each with its size.
    Sizes(Vec<(Label, u64)>),
}

/// The label of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Label {
    /// A vertex, which names it.
    Vertex(u32),
    /// A number, such as the external id of a vertex.
    Number(u64),
}

/// The values of a result as rows under titles.
pub struct Rows<'a> {
    pub(super) session: &'a Session,
    pub(super) shown: Shown<'a>,
    pub(super) naming: &'a Naming,
    pub(super) format: Format,
    pub(super) column: &'a str,
    /// Facts, of a result that is nothing else.
    pub(super) facts: Vec<(&'a str, &'a Fact)>,
    /// Whether values are labels of groups.
    pub(super) labels_groups: bool,
}

impl<'a> Rows<'a> {
    /// All rows of an outcome.
    pub fn of(session: &'a Session, outcome: &'a Outcome) -> Self {
        let facts = outcome.result.iter();
        Rows {
            session,
            shown: Shown::Values(Cow::Borrowed(&outcome.values)),
            naming: &outcome.naming,
            format: outcome.format,
            column: &outcome.column,
            facts: facts.map(|(name, fact)| (name.as_ref(), fact)).collect(),
            labels_groups: labels_groups(outcome.algorithm) && outcome.column != "member",
        }
    }

    /// The `count` rows with the largest values, the largest first; of labels of
    /// groups, such as communities, the largest groups with their sizes. Vertices
    /// without a value are left out. Of several equal ones the first vertices.
    #[must_use]
    pub fn top(mut self, count: usize) -> Self {
        let Shown::Values(values) = &self.shown else {
            return self;
        };
        self.shown = match (&**values, self.labels_groups) {
            (Values::Vertices(labels), true) => {
                let known = labels.iter().filter(|&&label| label != UNREACHED);
                Shown::Sizes(sizes(known.map(|&label| Label::Vertex(label)), count))
            }
            (Values::Headed(labels, heads), _) => {
                let headed = labels.iter().zip(heads);
                let headed = headed.filter(|&(_, &head)| head != UNREACHED);
                let mut sizes = sizes(headed.map(|(&label, _)| Label::Vertex(label)), count);
                sizes.iter_mut().for_each(|(_, size)| *size += 1);
                Shown::Sizes(sizes)
            }
            (Values::Counts(labels), true) => {
                let labels = labels.iter().map(|&label| Label::Number(label));
                Shown::Sizes(sizes(labels, count))
            }
            (values, _) => largest(values, count),
        };
        self
    }

    /// Titles of the columns.
    pub fn titles(&self) -> Vec<String> {
        let mut titles = Vec::new();
        let names = |titles: &mut Vec<String>, role: &str| {
            let keys = self.naming.keys();
            match (keys, role) {
                ([], role) => titles.push(role.to_string()),
                (keys, "vertex") => titles.extend(keys.iter().map(ToString::to_string)),
                (keys, role) => titles.extend(keys.iter().map(|key| format!("{role}.{key}"))),
            }
        };
        let value = match &self.shown {
            Shown::Sizes(_) => {
                titles.push(self.column.to_string());
                "size"
            }
            Shown::Ranked(_) => {
                names(&mut titles, "vertex");
                self.column
            }
            Shown::Values(values) => match &**values {
                Values::Edges(_) | Values::EdgeReals(_) | Values::EdgeCounts(_) => {
                    names(&mut titles, "source");
                    names(&mut titles, "target");
                    self.column
                }
                Values::Lists(_) => {
                    titles.extend(["list".to_string(), "position".to_string()]);
                    names(&mut titles, "vertex");
                    return titles;
                }
                Values::Nothing => {
                    titles.push("name".to_string());
                    "value"
                }
                _ => {
                    names(&mut titles, "vertex");
                    self.column
                }
            },
        };
        if !self.is_edges() {
            titles.push(value.to_string());
        }
        titles
    }

    /// Calls `row` with each row.
    ///
    /// # Errors
    /// Errors of `row`; damage, if names cannot be read.
    pub fn for_each(&self, mut row: impl FnMut(&[Cell]) -> io::Result<()>) -> io::Result<()> {
        let namer = self.naming.namer(self.session);
        let mut cells = Vec::new();
        let mut give = |vertices: &[u32], value: Option<Cell>| {
            cells.clear();
            vertices
                .iter()
                .for_each(|&vertex| namer.push(vertex, &mut cells));
            cells.extend(value);
            row(&cells)
        };
        match &self.shown {
            Shown::Ranked(ranked) => {
                for &(vertex, count) in ranked {
                    give(&[vertex], Some(Some(whole(count))))?;
                }
            }
            Shown::Sizes(sizes) => {
                for &(label, size) in sizes {
                    let label = match label {
                        Label::Vertex(vertex) => namer.one(vertex),
                        Label::Number(number) => whole(number),
                    };
                    row(&[Some(label), Some(whole(size))])?;
                }
            }
            Shown::Values(values) => match &**values {
                Values::Ranked(ranked) => {
                    for &(vertex, value) in ranked {
                        give(&[vertex], Some(Some(Value::Float(value))))?;
                    }
                }
                Values::Edges(edges) => {
                    for &(u, v) in edges {
                        give(&[u, v], None)?;
                    }
                }
                Values::EdgeReals(edges) => {
                    for &(u, v, value) in edges {
                        give(&[u, v], Some(Some(Value::Float(value))))?;
                    }
                }
                Values::EdgeCounts(edges) => {
                    for &(u, v, count) in edges {
                        give(&[u, v], Some(Some(whole(count))))?;
                    }
                }
                Values::Lists(lists) => {
                    for (list, vertices) in (0..).zip(lists.iter()) {
                        for (position, &vertex) in (0..).zip(vertices) {
                            let mut cells = vec![Some(whole(list)), Some(whole(position))];
                            namer.push(vertex, &mut cells);
                            row(&cells)?;
                        }
                    }
                }
                Values::Nothing => {
                    for (name, fact) in &self.facts {
                        row(&[Some(Value::Text((*name).into())), Some(of_fact(fact))])?;
                    }
                }
                values => {
                    for vertex in 0..values.vertices().unwrap_or(0) as u32 {
                        give(&[vertex], Some(values.cell(vertex, &namer)))?;
                    }
                }
            },
        }
        namer.finish()
    }

    /// Writes them as a file of this format.
    ///
    /// # Errors
    /// Errors of `out`; damage, if names cannot be read.
    pub fn write(&self, out: &mut dyn Write, format: FileFormat) -> io::Result<()> {
        let style = Style {
            tabs: self.naming.has_tabs(),
            names: self.names_in_a_row(),
            format: self.format,
        };
        if let (Some(Values::Lists(lists)), FileFormat::Text) = (self.values(), format) {
            let namer = self.naming.namer(self.session);
            for list in lists.iter() {
                let names: Vec<Cell> = list.iter().map(|&v| Some(namer.one(v))).collect();
                let style = Style {
                    names: names.len(),
                    ..style
                };
                style.write_line(out, &names)?;
            }
            return namer.finish();
        }
        let mut writer = Writer::begin(out, format, style, self.titles())?;
        self.for_each(|cells| writer.row(cells))?;
        writer.finish()
    }

    /// How many of the cells of a row are names.
    fn names_in_a_row(&self) -> usize {
        let of_one = self.naming.keys().len().max(1);
        match (&self.shown, self.values()) {
            (Shown::Sizes(_), _) => 1,
            (_, Some(Values::Edges(_) | Values::EdgeReals(_) | Values::EdgeCounts(_))) => {
                2 * of_one
            }
            (_, Some(Values::Nothing)) => 2,
            (_, Some(Values::Vertices(_) | Values::Headed(..))) => of_one + 1,
            _ => of_one,
        }
    }

    fn values(&self) -> Option<&Values> {
        match &self.shown {
            Shown::Values(values) => Some(values),
            Shown::Ranked(_) | Shown::Sizes(_) => None,
        }
    }

    fn is_edges(&self) -> bool {
        matches!(self.values(), Some(Values::Edges(_)))
    }
}

/// Refuses properties that name nodes under the title of another column.
///
/// # Errors
/// [`Error::Argument`] if there is one, or the request cannot be read.
pub fn check_titles(request: &Request) -> Result<(), Error> {
    let algorithm = find(&request.algorithm)?;
    let given = algorithm.parse(&request.parameters)?;
    let names = &request.name_by;
    let is_twice = |(at, name): &(usize, &String)| names[..*at].contains(name);
    if let Some((_, name)) = names.iter().enumerate().find(is_twice) {
        return Err(Error::argument(
            format!("--name-by {name} is given twice"),
            "name nodes by each property once",
        ));
    }
    // Of edges, the titles of names begin with the end that they are of.
    if !algorithm.columns.contains(&stream::NODE) {
        return Ok(());
    }
    let column = column(algorithm.name, given.text("output"), &[] as &[(&str, Fact)]);
    let titles = [format!("{column}_estimate"), column];
    match names.iter().find(|name| titles.contains(name)) {
        None => Ok(()),
        Some(name) => Err(Error::argument(
            format!("--name-by {name} has the title of the values: two columns would be called so"),
            "name nodes by another property, or by internal numbers: --numbers",
        )),
    }
}

fn of_fact(fact: &Fact) -> Value {
    match fact {
        Fact::Whole(number) | Fact::Id(number) => whole(*number),
        Fact::Real(number) => Value::Float(*number),
        Fact::Flag(is_so) => Value::Boolean(*is_so),
        other => Value::Text(other.to_string().into()),
    }
}

/// The largest groups, of several as large those of the smallest labels.
fn sizes(labels: impl Iterator<Item = Label>, count: usize) -> Vec<(Label, u64)> {
    let mut sizes: HashMap<Label, u64> = HashMap::new();
    labels.for_each(|label| *sizes.entry(label).or_default() += 1);
    let mut sizes: Vec<(Label, u64)> = sizes.into_iter().collect();
    sizes.sort_unstable_by_key(|&(label, size)| (Reverse(size), label));
    sizes.truncate(count);
    sizes
}

/// A number as a value; what is beyond 63 bits, a text.
pub(super) fn whole(number: u64) -> Value {
    match i64::try_from(number) {
        Ok(number) => Value::Integer(number),
        Err(_) => Value::Text(number.to_string().into()),
    }
}

impl Values {
    /// The value of a vertex, if it is in the result: [`Value::Null`] if it is not
    /// reached.
    pub(super) fn cell(&self, vertex: u32, namer: &Namer<'_>) -> Cell {
        let vertex = vertex as usize;
        Some(match self {
            Values::Reals(values) => Value::Float(*values.get(vertex)?),
            Values::Depths(values) => match *values.get(vertex)? {
                UNREACHED => Value::Null,
                depth => Value::Integer(depth.into()),
            },
            Values::Counts(values) => match *values.get(vertex)? {
                u64::MAX => Value::Null,
                count => whole(count),
            },
            Values::Vertices(values) | Values::Headed(values, _) => match *values.get(vertex)? {
                UNREACHED => Value::Null,
                other => namer.one(other),
            },
            Values::Members(members) => Value::Boolean(*members.get(vertex)?),
            _ => return None,
        })
    }
}

/// The rows with the largest values, the largest first.
fn largest<'a>(values: &Values, count: usize) -> Shown<'a> {
    let first = match values {
        Values::Depths(values) => {
            let known = (0..).zip(values.iter().map(|&depth| u64::from(depth)));
            let known = known.filter(|&(_, depth)| depth != u64::from(UNREACHED));
            return Shown::Ranked(ranked_counts(known, count));
        }
        Values::Counts(values) => {
            let known = (0..).zip(values.iter().copied());
            let known = known.filter(|&(_, number)| number != u64::MAX);
            return Shown::Ranked(ranked_counts(known, count));
        }
        Values::Members(members) => {
            let members = (0..).zip(members).filter(|&(_, &member)| member);
            return Shown::Ranked(members.map(|(vertex, _)| (vertex, 1)).take(count).collect());
        }
        Values::Reals(values) => {
            let known = (0..).zip(values.iter().copied());
            Values::Ranked(ranked(known.filter(|&(_, x)| x < f64::INFINITY), count))
        }
        Values::Vertices(others) | Values::Headed(others, _) => {
            let known = (0..).zip(others.iter().copied());
            let known = known.filter(|&(_, other)| other != UNREACHED);
            Values::Edges(known.take(count).collect())
        }
        // Their order is part of the result.
        Values::Ranked(ranked) => Values::Ranked(ranked.iter().copied().take(count).collect()),
        Values::Edges(edges) => Values::Edges(edges.iter().copied().take(count).collect()),
        Values::Lists(lists) => Values::Lists(lists.first(count)),
        Values::EdgeReals(edges) => {
            let mut edges = edges.clone();
            edges.sort_by(|a, b| b.2.total_cmp(&a.2));
            edges.truncate(count);
            Values::EdgeReals(edges)
        }
        Values::EdgeCounts(edges) => {
            let mut edges = edges.clone();
            edges.sort_by_key(|edge| Reverse(edge.2));
            edges.truncate(count);
            Values::EdgeCounts(edges)
        }
        Values::Nothing => Values::Nothing,
    };
    Shown::Values(Cow::Owned(first))
}

fn ranked(values: impl Iterator<Item = (u32, f64)>, count: usize) -> Vec<(u32, f64)> {
    let mut values: Vec<(u32, f64)> = values.collect();
    let order = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if count < values.len() && count > 0 {
        values.select_nth_unstable_by(count - 1, order);
    }
    values.truncate(count);
    values.sort_unstable_by(order);
    values
}

fn ranked_counts(values: impl Iterator<Item = (u32, u64)>, count: usize) -> Vec<(u32, u64)> {
    let mut values: Vec<(u32, u64)> = values.collect();
    values.sort_unstable_by_key(|&(vertex, value)| (Reverse(value), vertex));
    values.truncate(count);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_come_first_and_of_equal_ones_the_first_vertices() {
        let reals = [1.0, 3.0, 2.0, 3.0];
        let of = |count| ranked((0..).zip(reals), count);
        assert_eq!(of(3), [(1, 3.0), (3, 3.0), (2, 2.0)]);
        assert_eq!(of(9).len(), 4);
        assert_eq!(of(0), []);
        assert_eq!(ranked_counts((0..).zip([1, 7, 7]), 2), [(1, 7), (2, 7)]);
    }

    #[test]
    fn numbers_beyond_63_bits_are_texts() {
        for (number, value) in [
            (0, Value::Integer(0)),
            (i64::MAX as u64, Value::Integer(i64::MAX)),
            (1 << 63, Value::Text("9223372036854775808".into())),
            (u64::MAX, Value::Text("18446744073709551615".into())),
        ] {
            assert_eq!(whole(number), value);
        }
    }

    #[test]
    fn groups_are_counted() {
        for label in [|x| Label::Vertex(x as u32), Label::Number] {
            let labels = [4, 1, 4, 1, 0].map(label);
            let largest = sizes(labels.into_iter(), 2);
            assert_eq!(largest, [(label(1), 2), (label(4), 2)]);
        }
    }
}
