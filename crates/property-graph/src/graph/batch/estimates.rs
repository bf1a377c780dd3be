//! Degrees and values of the nodes with a label, estimated from a sample of them.

use std::collections::HashMap;
use std::sync::Arc;

use evergraph_graph::random::Random;

use super::account::Account;
use super::filter::{Filter, Test};
use super::sealed::Readable;
use super::{Direction, GraphRead};
use crate::dictionary::{LabelCode, Names, TypeCode};
use crate::expression::Comparison;
use crate::graph::counts::Counted;
use crate::graph::error::GraphError;
use crate::graph::names::type_code;
use crate::graph::read::estimated::{DegreeEstimate, ValueEstimate};
use crate::graph::view::View;
use crate::record::{EntityKind, NodeRecord};
use crate::value::Value;
use crate::value::codec::{NoTextCodes, encode};

/// Chunks that are looked into, at most.
const CHUNKS: usize = 32;
/// Nodes of a sample, about.
const NODES: usize = 2048;

impl View {
    /// How many relationships of a type the nodes with a label have, estimated from a
    /// sample of some thousand of them; the same for every view until the number of nodes
    /// or of relationships changes by a quarter. The sample is reproducible, and spread
    /// over all of them. Costs some hundred microseconds, then a look.
    ///
    /// # Errors
    /// Damage.
    pub fn degree_estimate(
        &self,
        label: &str,
        kind: &str,
        direction: Direction,
    ) -> Result<DegreeEstimate, GraphError> {
        let kind_code = self.dictionary().code(Names::Types, kind);
        let (Some(code), Some(of)) = (
            self.label_code(label),
            kind_code.map(type_code).transpose()?,
        ) else {
            return Ok(DegreeEstimate::default());
        };
        let count = self.count_with_label(label)? + self.count_of_type(kind)?;
        let kept = &self.core().state.estimates.degrees;
        kept.get((code, of, direction), count, || {
            let nodes = self.sample_of(Some(code))?;
            Ok(DegreeEstimate::of(self.degrees_of(&nodes, of, direction)?))
        })
    }

    /// What values of a property the nodes with a label have, as
    /// [`View::degree_estimate`].
    ///
    /// # Errors
    /// Damage.
    pub fn value_estimate(&self, label: &str, key: &str) -> Result<ValueEstimate, GraphError> {
        let (Some(code), Some(of)) = (self.label_code(label), self.key_code(key)) else {
            return Ok(ValueEstimate::default());
        };
        let count = self.count_with_label(label)?;
        let kept = &self.core().state.estimates.values;
        kept.get((code, of), count, || {
            let nodes = self.sample_of(Some(code))?;
            let values = self.gather(EntityKind::Node, &nodes, of, &Account::default())?;
            let mut times: HashMap<Vec<u8>, usize> = HashMap::new();
            for row in 0..nodes.len() {
                let (value, mut bytes) = (values.get(row), Vec::new());
                // None is nested deeper than a record may have it.
                if !value.is_null() && encode(&value, &NoTextCodes, &mut bytes).is_ok() {
                    *times.entry(bytes).or_default() += 1;
                }
            }
            Ok(ValueEstimate::of(times.into_values(), nodes.len(), count))
        })
    }

    /// The part of the nodes with a label, or of all nodes, whose property compares so with
    /// a value, estimated as [`View::degree_estimate`]; `None` where nothing is known.
    ///
    /// # Errors
    /// Damage.
    pub fn comparison_estimate(
        &self,
        label: Option<&str>,
        key: &str,
        comparison: Comparison,
        value: &Value,
    ) -> Result<Option<f64>, GraphError> {
        let code = label.map(|label| self.label_code(label));
        let (Some(of), None | Some(Some(_))) = (self.key_code(key), code) else {
            return Ok(None);
        };
        let (code, count) = match label {
            Some(label) => (code.flatten(), self.count_with_label(label)?),
            None => (None, self.node_count()?),
        };
        let kept = &self.core().state.estimates.samples;
        let values = kept.get((code, of), count, || {
            let nodes = self.sample_of(code)?;
            let values = self.gather(EntityKind::Node, &nodes, of, &Account::default())?;
            let values = (0..nodes.len()).map(|row| values.get(row));
            Ok::<_, GraphError>(Arc::new(values.collect::<Vec<Value>>()))
        })?;
        let test = Test::Compares(comparison, value.clone());
        let passing = values.iter().filter(|one| test.holds(one)).count() as f64;
        let some = values.len() as f64;
        // One that no node of the sample has may be that of few.
        Ok((some > 0.0).then(|| passing.max(0.5) / some))
    }

    fn degrees_of(
        &self,
        nodes: &[u32],
        kind: TypeCode,
        direction: Direction,
    ) -> Result<Vec<u64>, GraphError> {
        self.degrees(nodes, Some(&[kind]), direction, &Account::default())
    }

    /// Some nodes with a label, or of all, spread evenly.
    fn sample_of(&self, label: Option<LabelCode>) -> Result<Vec<u32>, GraphError> {
        let state = &self.core().state;
        let end = state.nodes().chunk_count();
        let (chunks, filter) = match label {
            Some(label) => {
                let counted = Counted::Label(label);
                let chunks = state.counts.chunks_with(counted, self.csn(), end);
                (chunks, Filter::label(label))
            }
            None => ((0..end).collect(), Filter::default()),
        };
        let (chosen, size) = (chunks.len().min(CHUNKS), state.chunk_records());
        let mut found = Vec::new();
        for number in (0..chosen).map(|i| chunks[i * chunks.len() / chosen]) {
            let ids = number * size..(number + 1).saturating_mul(size);
            (self.source()).scan::<NodeRecord>(ids, &filter, &mut found, &Account::default())?;
        }
        let step = found.len().div_ceil(NODES).max(1);
        // One of each few, not always at the same place: data repeats itself.
        let mut random = Random::new(0);
        let some = found
            .chunks(step)
            .map(|few| few[random.below(few.len() as u64) as usize]);
        Ok(some.collect())
    }
}
