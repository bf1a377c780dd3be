//! Values of results.

use evergraph_algorithms::UNREACHED;

use super::output::{real, scientific};

/// The values of a result. Vertices are those of the view; files name them by
/// their external ids.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// For each vertex a score or distance; infinite where there is none.
    Reals(Vec<f64>),
    /// For each vertex a depth or another number; [`UNREACHED`] where there is none.
    Depths(Vec<u32>),
    /// For each vertex a count or distance; [`u64::MAX`] where there is none.
    Counts(Vec<u64>),
    /// For each vertex another vertex; [`UNREACHED`] where there is none.
    Vertices(Vec<u32>),
    /// For each vertex whether it belongs to the result.
    Members(Vec<bool>),
    /// Some vertices in an order that is part of the result, each with a score.
    Ranked(Vec<(u32, f64)>),
    /// Edges, or pairs of vertices.
    Edges(Vec<(u32, u32)>),
    /// Edges or pairs, each with a score or weight.
    EdgeReals(Vec<(u32, u32, f64)>),
    /// Edges or pairs, each with a number.
    EdgeCounts(Vec<(u32, u32, u64)>),
    /// Lists of vertices, such as walks.
    Lists(Lists),
    /// Nothing beside the summary.
    Nothing,
}

/// Lists of vertices, one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    /// End of each list in `vertices`.
    pub ends: Vec<usize>,
    /// The vertices of all lists.
    pub vertices: Vec<u32>,
}

impl Lists {
    /// One list.
    pub(super) fn one(vertices: Vec<u32>) -> Self {
        Self {
            ends: vec![vertices.len()],
            vertices,
        }
    }

    /// Each list.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let list = &self.vertices[start..end];
            start = end;
            list
        })
    }
}

impl Values {
    /// Whether each of so many vertices is in `list`.
    pub(super) fn members(vertex_count: usize, list: &[u32]) -> Self {
        let mut members = vec![false; vertex_count];
        for &vertex in list {
            members[vertex as usize] = true;
        }
        Values::Members(members)
    }

    /// How many vertices have a value; `None` if values are not those of vertices.
    pub fn vertices(&self) -> Option<usize> {
        match self {
            Values::Reals(values) => Some(values.len()),
            Values::Depths(values) | Values::Vertices(values) => Some(values.len()),
            Values::Counts(values) => Some(values.len()),
            Values::Members(members) => Some(members.len()),
            _ => None,
        }
    }

    /// The value of a vertex as text, if it has one.
    pub(super) fn of_vertex(
        &self,
        vertex: u32,
        name: impl Fn(u32) -> String,
        format: Format,
    ) -> Option<String> {
        let vertex = vertex as usize;
        match self {
            Values::Reals(values) => values.get(vertex).map(|&value| format.real(value)),
            Values::Depths(values) => {
                let depth = values.get(vertex);
                depth.map(|&depth| format.count(depth, UNREACHED))
            }
            Values::Counts(values) => {
                let count = values.get(vertex);
                count.map(|&count| format.count(count, u64::MAX))
            }
            Values::Vertices(values) => values.get(vertex).map(|&other| match other {
                UNREACHED => format.unreached().to_string(),
                other => name(other),
            }),
            Values::Members(members) => {
                let member = members.get(vertex);
                member.map(|&member| u8::from(member).to_string())
            }
            _ => None,
        }
    }

    /// Calls `line` with the texts of each line; `name` names vertices.
    pub(super) fn for_each_line<E>(
        &self,
        name: impl Fn(u32) -> String,
        format: Format,
        mut line: impl FnMut(&[&str]) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Values::Reals(_)
            | Values::Depths(_)
            | Values::Counts(_)
            | Values::Vertices(_)
            | Values::Members(_) => {
                let vertices = self.vertices().unwrap_or(0) as u32;
                for vertex in 0..vertices {
                    let value = self.of_vertex(vertex, &name, format);
                    line(&[&name(vertex), &value.unwrap_or_default()])?;
                }
            }
            Values::Ranked(vertices) => {
                for &(vertex, value) in vertices {
                    line(&[&name(vertex), &format.real(value)])?;
                }
            }
            Values::Edges(edges) => {
                for &(u, v) in edges {
                    line(&[&name(u), &name(v)])?;
                }
            }
            Values::EdgeReals(edges) => {
                for &(u, v, value) in edges {
                    line(&[&name(u), &name(v), &format.real(value)])?;
                }
            }
            Values::EdgeCounts(edges) => {
                for &(u, v, value) in edges {
                    line(&[&name(u), &name(v), &value.to_string()])?;
                }
            }
            Values::Lists(lists) => {
                for list in lists.iter() {
                    let names: Vec<String> = list.iter().map(|&v| name(v)).collect();
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    line(&names)?;
                }
            }
            Values::Nothing => {}
        }
        Ok(())
    }
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// As they read back the same; `inf` where there is none.
    #[default]
    Evergraph,
    /// As LDBC Graphalytics does it.
    Graphalytics,
}

impl Format {
    fn real(self, value: f64) -> String {
        match self {
            Format::Evergraph => real(value),
            Format::Graphalytics if value == f64::INFINITY => "infinity".to_string(),
            Format::Graphalytics => scientific(value),
        }
    }

    fn unreached(self) -> &'static str {
        match self {
            Format::Evergraph => "inf",
            Format::Graphalytics => "9223372036854775807",
        }
    }

    fn count<T: PartialEq + ToString>(self, value: T, unreached: T) -> String {
        match value == unreached {
            true => self.unreached().to_string(),
            false => value.to_string(),
        }
    }
}
