//! Answering as of what a reader sees.

use std::collections::HashSet;

use evergraph_property_graph::graph::{NodeId, Reading};

use crate::vector::definition::{Metric, VectorDefinition};
use crate::vector::error::VectorError;
use crate::vector::items::{Key, node_of};
use crate::vector::vectors::Vectors;

/// Vectors that are measured one by one: a walk measures about as many.
const FEW: usize = 1 << 12;

/// A node that is near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The node.
    pub node: NodeId,
    /// How far it is: see [`Metric`](crate::Metric).
    pub distance: f64,
}

/// The nearest, the nearest first; of equally near ones those of lower ids.
fn nearest(mut found: Vec<Near>, k: usize) -> Vec<Near> {
    let by_distance =
        |a: &Near, b: &Near| a.distance.total_cmp(&b.distance).then(a.node.cmp(&b.node));
    found.sort_by(by_distance);
    found.truncate(k);
    found
}

/// Arguments of a search.
struct Asked<'a, R> {
    reader: &'a R,
    query: &'a [f32],
    k: usize,
    keep: Option<&'a dyn Fn(NodeId) -> bool>,
}

impl Vectors<'_> {
    /// The `k` nodes nearest to a vector as a view or a transaction sees them, the
    /// nearest first. A transaction finds what it wrote, too.
    ///
    /// All are nodes that the reader sees, with their distances; it is possible that a
    /// nearer one is missed ([`Vectors::nearest_exact`]). What was committed since the
    /// last search is taken in first, if it is more than some nodes
    /// ([`VectorOptions::direct`](crate::VectorOptions)). In a serializable transaction
    /// all nodes of the label are read, as conflicts are told by that.
    ///
    /// # Errors
    /// A vector of another length, or without a distance to others; a view of
    /// another graph; what the graph and the file of the index say.
    pub fn nearest(
        &self,
        reader: &impl Reading,
        query: &[f32],
        k: usize,
    ) -> Result<Vec<Near>, VectorError> {
        let keep = None;
        self.nearest_of(Asked {
            reader,
            query,
            k,
            keep,
        })
    }

    /// As [`Vectors::nearest`], of the nodes that `keep` takes. It is asked of vectors on
    /// the way to the nearest, so it should be quick, and must not use the index; where it takes few nodes, many are
    /// looked at, and [`Vectors::nearest_exact`] may cost less.
    ///
    /// # Errors
    /// As [`Vectors::nearest`].
    pub fn nearest_where(
        &self,
        reader: &impl Reading,
        query: &[f32],
        k: usize,
        keep: impl Fn(NodeId) -> bool,
    ) -> Result<Vec<Near>, VectorError> {
        let keep = Some(&keep as &dyn Fn(NodeId) -> bool);
        self.nearest_of(Asked {
            reader,
            query,
            k,
            keep,
        })
    }

    /// As [`Vectors::nearest`], and nothing is missed. Reads all nodes of the label.
    ///
    /// # Errors
    /// As [`Vectors::nearest`].
    pub fn nearest_exact(
        &self,
        reader: &impl Reading,
        query: &[f32],
        k: usize,
    ) -> Result<Vec<Near>, VectorError> {
        self.check_graph(reader)?;
        self.definition.nearest_exact(reader, query, k)
    }

    fn check_graph(&self, reader: &impl Reading) -> Result<(), VectorError> {
        match self.graph.owns(reader.view()) {
            true => Ok(()),
            false => Err(VectorError::OtherGraph),
        }
    }

    fn nearest_of<R: Reading>(&self, asked: Asked<'_, R>) -> Result<Vec<Near>, VectorError> {
        self.check_graph(asked.reader)?;
        self.definition.check_query(asked.query)?;
        if asked.reader.is_noted() {
            return scan(&self.definition, &asked);
        }
        let mut direct = self.up_to(asked.reader.view().csn())?;
        direct.extend(asked.reader.written_nodes().iter().map(|node| node.0));
        let direct: HashSet<u32> = direct.into_iter().collect();
        let mut found = Vec::new();
        for &node in &direct {
            self.measure(&asked, NodeId(node), &mut found)?;
        }
        match self.search_library(&asked, direct, &mut found)? {
            true => Ok(nearest(found, asked.k)),
            false => scan(&self.definition, &asked),
        }
    }

    /// Adds a node that may be wanted.
    fn measure<R: Reading>(
        &self,
        asked: &Asked<'_, R>,
        node: NodeId,
        found: &mut Vec<Near>,
    ) -> Result<(), VectorError> {
        if asked.keep.is_some_and(|keep| !keep(node)) {
            return Ok(());
        }
        let seen = asked.reader.node(node)?;
        let vector = seen.and_then(|node| self.definition.vector_of(&node));
        found.extend(vector.map(|vector| self.definition.near(asked.query, node, &vector)));
        Ok(())
    }

    /// Adds the nearest vectors of the index that the reader sees, but for the nodes
    /// that were looked at already; whether the index could tell.
    fn search_library<R: Reading>(
        &self,
        asked: &Asked<'_, R>,
        mut seen: HashSet<u32>,
        found: &mut Vec<Near>,
    ) -> Result<bool, VectorError> {
        let library = self.library.read();
        let without = seen.clone();
        let keep = |key: Key| {
            let node = node_of(key);
            !without.contains(&node) && asked.keep.is_none_or(|keep| keep(NodeId(node)))
        };
        let is_filtered = asked.keep.is_some() || !without.is_empty();
        let filter: Option<&dyn Fn(Key) -> bool> = if is_filtered { Some(&keep) } else { None };
        let (mut wanted, enough) = (asked.k, found.len().saturating_add(asked.k));
        let mut checked = HashSet::new();
        loop {
            // Of so many a walk would miss some.
            wanted = match wanted > library.len() / 2 {
                true => library.len(),
                false => wanted,
            };
            if wanted == 0 {
                return Ok(true);
            }
            // Products close to 0 are lost in those that the library measures.
            let is_small = library.len() <= FEW && self.definition.metric != Metric::InnerProduct;
            let keys = match is_small || wanted == library.len() {
                true => library.nearest(asked.query, wanted)?,
                false => match library.near(asked.query, wanted, filter)? {
                    Some(keys) => keys,
                    None if self.definition.metric == Metric::InnerProduct => return Ok(false),
                    None => library.nearest(asked.query, wanted)?,
                },
            };
            let is_all = wanted == library.len();
            for key in keys {
                if found.len() == enough {
                    break;
                }
                let node = node_of(key);
                if !checked.insert(key) || seen.contains(&node) || !keep(key) {
                    continue;
                }
                let of_node = asked.reader.node(NodeId(node))?;
                let vector = of_node.and_then(|node| self.definition.vector_of(&node));
                // Another version of the node has a place of its own among them.
                if let Some(vector) = vector
                    && library.get(key)?.as_ref() == Some(&vector)
                {
                    seen.insert(node);
                    found.push(self.definition.near(asked.query, NodeId(node), &vector));
                }
            }
            if is_all || found.len() == enough {
                return Ok(true);
            }
            wanted = wanted.saturating_mul(2);
        }
    }
}

impl VectorDefinition {
    /// As [`Vectors::nearest_exact`], without an index.
    ///
    /// # Errors
    /// As [`Vectors::nearest`].
    pub fn nearest_exact(
        &self,
        reader: &impl Reading,
        query: &[f32],
        k: usize,
    ) -> Result<Vec<Near>, VectorError> {
        self.check()?;
        self.check_query(query)?;
        let keep = None;
        scan(
            self,
            &Asked {
                reader,
                query,
                k,
                keep,
            },
        )
    }

    fn near(&self, query: &[f32], node: NodeId, vector: &[f32]) -> Near {
        Near {
            node,
            distance: self.metric.distance(query, vector),
        }
    }
}

/// Reads all nodes of the label, and says so to the reader.
fn scan<R: Reading>(
    definition: &VectorDefinition,
    asked: &Asked<'_, R>,
) -> Result<Vec<Near>, VectorError> {
    let mut found = Vec::new();
    for node in asked.reader.nodes_with_label(&definition.label) {
        let node = node?;
        if asked.keep.is_some_and(|keep| !keep(node.id())) {
            continue;
        }
        let vector = definition.vector_of(&node);
        found.extend(vector.map(|vector| definition.near(asked.query, node.id(), &vector)));
        if found.len() >= asked.k.saturating_mul(2).max(1 << 12) {
            found = nearest(found, asked.k);
        }
    }
    Ok(nearest(found, asked.k))
}
