//! A graph that grows in steps.

use evergraph::{Database, Layout, MediumKind, Mode, Options};
use evergraph_generators::Edge;
use evergraph_graph::StoredLists;
use evergraph_graph::random::Random;

use crate::graphs::EdgeList;
use crate::settings::Settings;
use crate::stores;

/// The first step is four fifths of the edges; the others share the rest, and the
/// deletions.
pub struct Series<'a> {
    vertex_count: usize,
    edges: &'a [Edge],
    base: usize,
    count: usize,
    /// Edges of the base in the order in which they are deleted.
    deleted: Vec<Edge>,
}

pub fn name(step: usize) -> String {
    format!("s{}", step + 1)
}

pub fn options(settings: &Settings<'_>, layout: Layout, medium: MediumKind) -> Options {
    Options {
        layout,
        ..stores::options(settings, medium, Mode::Merged, StoredLists::Undirected)
    }
}

impl<'a> Series<'a> {
    /// `count` steps in which `percent` of the edges are deleted.
    pub fn new(list: &'a EdgeList, count: usize, percent: usize, seed: u64) -> Self {
        let base = match count {
            1 => list.edges.len(),
            _ => list.edges.len() / 5 * 4,
        };
        let mut deleted = list.edges[..base].to_vec();
        Random::new(seed).shuffle(&mut deleted);
        deleted.truncate(match count {
            1 => 0,
            _ => list.edges.len() * percent / 100,
        });
        Series {
            vertex_count: list.vertex_count,
            edges: &list.edges,
            base,
            count,
            deleted,
        }
    }

    /// Steps.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Makes the first step.
    pub fn load_base(&self, db: &Database) -> Result<(), String> {
        stores::load(db, self.vertex_count, &self.edges[..self.base])
    }

    /// Edges that a later step adds and deletes.
    pub fn delta(&self, step: usize) -> (&[Edge], &[Edge]) {
        let part = |len: usize| {
            let deltas = self.count - 1;
            len * (step - 1) / deltas..len * step / deltas
        };
        let rest = &self.edges[self.base..];
        (
            &rest[part(rest.len())],
            &self.deleted[part(self.deleted.len())],
        )
    }

    /// Edges that all steps after the first add and delete.
    pub fn changes(&self) -> (usize, usize) {
        (self.edges.len() - self.base, self.deleted.len())
    }

    /// Makes the graph as it is after a step, and nothing else.
    pub fn load_only(&self, db: &Database, step: usize) -> Result<(), String> {
        let (mut until, mut deleted) = (self.base, 0);
        for delta in (1..=step).map(|step| self.delta(step)) {
            until += delta.0.len();
            deleted += delta.1.len();
        }
        let gone: std::collections::HashSet<&Edge> = self.deleted[..deleted].iter().collect();
        let left: Vec<Edge> = (self.edges[..until].iter())
            .filter(|edge| !gone.contains(edge))
            .copied()
            .collect();
        stores::load(db, self.vertex_count, &left)
    }
}
