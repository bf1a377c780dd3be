//! Values of results.

use super::numbers::{real, scientific};
use evergraph_property_graph::value::Value;

/// A cell of a row: `None` where there is nothing, [`Value::Null`] for a vertex that is
/// not reached.
pub type Cell = Option<Value>;

/// The values of a result. Vertices are those of the view; files name them by
/// their external ids.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// For each vertex a score or distance; infinite where there is none.
    Reals(Vec<f64>),
    /// For each vertex a depth or another number; [`UNREACHED`](evergraph_algorithms::UNREACHED) where there is none.
    Depths(Vec<u32>),
    /// For each vertex a count or distance; [`u64::MAX`] where there is none.
    Counts(Vec<u64>),
    /// For each vertex another vertex; [`UNREACHED`](evergraph_algorithms::UNREACHED) where there is none.
    Vertices(Vec<u32>),
    /// For each vertex the label of the group in which it is not the head, and that head,
    /// of which a group has one more; [`UNREACHED`](evergraph_algorithms::UNREACHED) where
    /// there is no such group.
    Headed(Vec<u32>, Vec<u32>),
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

    /// The first lists.
    pub(super) fn first(&self, count: usize) -> Self {
        let ends = self.ends[..count.min(self.ends.len())].to_vec();
        let vertices = ends.last().map_or(0, |&end| end);
        Self {
            vertices: self.vertices[..vertices].to_vec(),
            ends,
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
            Values::Depths(values) | Values::Vertices(values) | Values::Headed(values, _) => {
                Some(values.len())
            }
            Values::Counts(values) => Some(values.len()),
            Values::Members(members) => Some(members.len()),
            _ => None,
        }
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
    pub(super) fn real(self, value: f64) -> String {
        match self {
            Format::Evergraph => real(value),
            Format::Graphalytics if value == f64::INFINITY => "infinity".to_string(),
            Format::Graphalytics => scientific(value),
        }
    }

    pub(super) fn unreached(self) -> &'static str {
        match self {
            Format::Evergraph => "inf",
            Format::Graphalytics => "9223372036854775807",
        }
    }
}
