//! Which labels the relationships of a type have at their ends: what the order of a join
//! is estimated by.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::dictionary::{Names, TypeCode};
use crate::graph::counts::Counted;
use crate::graph::error::GraphError;
use crate::graph::names::type_code;
use crate::graph::view::View;

/// Labels at the ends of the relationships of a type, each with the part of the
/// relationships whose end has it, above 0 and up to 1. By name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelsAtEnds {
    /// Of the sources.
    pub sources: BTreeMap<Arc<str>, f64>,
    /// Of the targets.
    pub targets: BTreeMap<Arc<str>, f64>,
    /// Of a label of the source and one of the target together.
    pub both: BTreeMap<(Arc<str>, Arc<str>), f64>,
    /// How likely two relationships have the same source, and the same target: times their
    /// number, how many a node has that one of them leads to.
    pub same: (f64, f64),
}

/// Chunks that are looked into for a type, at most.
const CHUNKS: usize = 32;
/// Places that are looked at for a type.
const PLACES: usize = 1024;
/// Relationships that a sample has at least, if there are so many where it looks.
const FEW: usize = 16;

/// What was sampled of a type, and how many relationships it had.
type Sample = (u64, Arc<LabelsAtEnds>);

/// Samples by type, newer than the growth of a type by a quarter.
#[derive(Debug, Default)]
pub(in crate::graph) struct Samples(Mutex<BTreeMap<TypeCode, Sample>>);

impl Samples {
    fn of(&self, kind: TypeCode, count: u64) -> Option<Arc<LabelsAtEnds>> {
        let samples = self.0.lock();
        let (then, ends) = samples.get(&kind)?;
        let is_current = count.abs_diff(*then) <= then / 4;
        is_current.then(|| Arc::clone(ends))
    }
}

impl View {
    /// The labels at the ends of the relationships of a type, estimated from a sample of
    /// about a thousand of them, the same for every view until the number of relationships
    /// changes by a quarter. The sample is reproducible: places are spread evenly.
    ///
    /// # Errors
    /// Damage.
    pub fn labels_at_ends(&self, kind: &str) -> Result<Arc<LabelsAtEnds>, GraphError> {
        let code = self.dictionary().code(Names::Types, kind);
        let Some(code) = code.map(type_code).transpose()? else {
            return Ok(Arc::default());
        };
        let count = self.count_of_type(kind)?;
        let samples = &self.core().state.samples;
        if let Some(known) = samples.of(code, count) {
            return Ok(known);
        }
        let ends = Arc::new(self.sample_ends(code)?);
        samples.0.lock().insert(code, (count, Arc::clone(&ends)));
        Ok(ends)
    }

    fn sample_ends(&self, kind: TypeCode) -> Result<LabelsAtEnds, GraphError> {
        let state = &self.core().state;
        let end = state.relationships().chunk_count();
        let chunks = state
            .counts
            .chunks_with(Counted::Type(kind), self.csn(), end);
        let chosen = chunks.len().min(CHUNKS);
        let chosen: Vec<u32> = (0..chosen)
            .map(|i| chunks[i * chunks.len() / chosen])
            .collect();
        let step = state.chunk_records() as usize * chosen.len() / PLACES;
        let mut found = self.relationships_at(kind, &chosen, step.max(1), usize::MAX)?;
        if found.len() < FEW && step > 1 {
            found = self.relationships_at(kind, &chosen, 1, FEW)?;
        }
        let mut ends = LabelsAtEnds::default();
        let part = 1.0 / found.len().max(1) as f64;
        ends.same = (
            share_of_equal_pairs(found.iter().map(|&(source, _)| source)),
            share_of_equal_pairs(found.iter().map(|&(_, target)| target)),
        );
        for (source, target) in found {
            let (sources, targets) = (self.names_of(source)?, self.names_of(target)?);
            for from in &sources {
                for to in &targets {
                    let pair = (Arc::clone(from), Arc::clone(to));
                    *ends.both.entry(pair).or_default() += part;
                }
            }
            for name in sources {
                *ends.sources.entry(name).or_default() += part;
            }
            for name in targets {
                *ends.targets.entry(name).or_default() += part;
            }
        }
        Ok(ends)
    }

    /// Source and target of relationships of a type at every so many places of chunks.
    fn relationships_at(
        &self,
        kind: TypeCode,
        chunks: &[u32],
        step: usize,
        most: usize,
    ) -> Result<Vec<(u32, u32)>, GraphError> {
        let table = self.core().state.relationships();
        let size = table.geometry().records_per_chunk;
        let mut found = Vec::new();
        for &number in chunks {
            let Some(chunk) = table.chunk_at(number, self.csn())? else {
                continue;
            };
            for at in (0..size).step_by(step) {
                match chunk.ends(at)? {
                    Some((of, source, target)) if of == kind => found.push((source, target)),
                    _ => {}
                }
                if found.len() >= most {
                    return Ok(found);
                }
            }
        }
        Ok(found)
    }

    /// The names of the labels of a node.
    fn names_of(&self, node: u32) -> Result<Vec<Arc<str>>, GraphError> {
        let Some(found) = self.core().state.nodes().find(node, self.csn())? else {
            return Ok(Vec::new());
        };
        let labels = found.labels()?;
        let name = |&label| self.dictionary().name(Names::Labels, label);
        Ok(labels.iter().filter_map(name).collect())
    }
}

/// The part of all pairs of some numbers that are equal.
fn share_of_equal_pairs(numbers: impl ExactSizeIterator<Item = u32>) -> f64 {
    let pairs = |count: usize| (count * count.saturating_sub(1)) as f64;
    let all = pairs(numbers.len()).max(1.0);
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    let equal = numbers.chunk_by(|one, other| one == other);
    equal.map(|equal| pairs(equal.len())).sum::<f64>() / all
}
