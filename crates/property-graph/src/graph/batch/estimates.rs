//! Degrees and values of nodes and relationships, estimated from a sample of them.

use std::collections::HashMap;
use std::sync::Arc;

use evergraph_graph::random::Random;

use super::account::Account;
use super::filter::{Filter, Filtered, Test};
use super::sealed::Readable;
use super::{Direction, GraphRead};
use crate::dictionary::{KeyCode, Names, TypeCode};
use crate::expression::Comparison;
use crate::graph::counts::Counted;
use crate::graph::error::GraphError;
use crate::graph::names::type_code;
use crate::graph::read::estimated::{DegreeEstimate, Population, ValueEstimate};
use crate::graph::read::tabled::Tabled;
use crate::graph::view::View;
use crate::record::{NodeRecord, RelationshipRecord};
use crate::value::Value;
use crate::value::codec::{NoTextCodes, encode};

/// Chunks that are looked into, at most.
const CHUNKS: usize = 32;
/// Nodes or relationships of a sample, about.
const SAMPLED: usize = 2048;

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
            let nodes = self.sample_of(Counted::Label(code))?;
            Ok(DegreeEstimate::of(self.degrees_of(&nodes, of, direction)?))
        })
    }

    /// The values of a property of nodes or relationships, as [`View::degree_estimate`].
    ///
    /// # Errors
    /// Damage.
    pub fn value_estimate(
        &self,
        of: Population<'_>,
        key: &str,
    ) -> Result<ValueEstimate, GraphError> {
        let (Some(code), Some(key)) = (self.population(of), self.key_code(key)) else {
            return Ok(ValueEstimate::default());
        };
        let count = self.count_in(of)?;
        let kept = &self.core().state.estimates.values;
        kept.get((code, key), count, || {
            let values = self.sampled_values(code, key)?;
            let mut times: HashMap<Vec<u8>, usize> = HashMap::new();
            for value in &values {
                let mut bytes = Vec::new();
                // None is nested deeper than a record may have it.
                if !value.is_null() && encode(value, &NoTextCodes, &mut bytes).is_ok() {
                    *times.entry(bytes).or_default() += 1;
                }
            }
            Ok(ValueEstimate::of(times.into_values(), values.len(), count))
        })
    }

    /// The part of nodes or relationships whose property compares so with a value,
    /// estimated as [`View::degree_estimate`]; `None` where nothing is known.
    ///
    /// # Errors
    /// Damage.
    pub fn comparison_estimate(
        &self,
        of: Population<'_>,
        key: &str,
        comparison: Comparison,
        value: &Value,
    ) -> Result<Option<f64>, GraphError> {
        let (Some(code), Some(key)) = (self.population(of), self.key_code(key)) else {
            return Ok(None);
        };
        let count = self.count_in(of)?;
        let kept = &self.core().state.estimates.samples;
        let values = kept.get((code, key), count, || {
            Ok::<_, GraphError>(Arc::new(self.sampled_values(code, key)?))
        })?;
        let test = Test::Compares(comparison, value.clone());
        let passing = values.iter().filter(|one| test.holds(one)).count() as f64;
        let some = values.len() as f64;
        // One that none of the sample has may be that of few.
        Ok((some > 0.0).then(|| passing.max(0.5) / some))
    }

    /// A population in codes; `None` if nothing was ever of it.
    fn population(&self, of: Population<'_>) -> Option<Counted> {
        Some(match of {
            Population::Nodes => Counted::Nodes,
            Population::Label(label) => Counted::Label(self.label_code(label)?),
            Population::Type(kind) => Counted::Type(self.type_code(kind)?),
        })
    }

    fn count_in(&self, of: Population<'_>) -> Result<u64, GraphError> {
        match of {
            Population::Nodes => self.node_count(),
            Population::Label(label) => self.count_with_label(label),
            Population::Type(kind) => self.count_of_type(kind),
        }
    }

    /// Values of a property in a sample, null of those without.
    fn sampled_values(&self, of: Counted, key: KeyCode) -> Result<Vec<Value>, GraphError> {
        let ids = self.sample_of(of)?;
        let values = self.gather(of.kind(), &ids, key, &Account::default())?;
        Ok((0..ids.len()).map(|row| values.get(row)).collect())
    }

    fn degrees_of(
        &self,
        nodes: &[u32],
        kind: TypeCode,
        direction: Direction,
    ) -> Result<Vec<u64>, GraphError> {
        self.degrees(nodes, Some(&[kind]), direction, &Account::default())
    }

    /// Some of what is counted, spread evenly over the chunks that have any.
    fn sample_of(&self, of: Counted) -> Result<Vec<u32>, GraphError> {
        match of {
            Counted::Nodes => self.sample::<NodeRecord>(of, &Filter::default()),
            Counted::Label(label) => self.sample::<NodeRecord>(of, &Filter::label(label)),
            Counted::Type(kind) => {
                self.sample::<RelationshipRecord>(of, &Filter::types(vec![kind]))
            }
        }
    }

    fn sample<R: Tabled + Filtered>(
        &self,
        of: Counted,
        filter: &Filter,
    ) -> Result<Vec<u32>, GraphError> {
        let state = &self.core().state;
        let end = R::table(self.core()).chunk_count();
        let chunks = state.counts.chunks_with(of, self.csn(), end);
        let (chosen, size) = (chunks.len().min(CHUNKS), state.chunk_records());
        let mut found = Vec::new();
        for number in (0..chosen).map(|i| chunks[i * chunks.len() / chosen]) {
            let ids = number * size..(number + 1).saturating_mul(size);
            (self.source()).scan::<R>(ids, filter, &mut found, &Account::default())?;
        }
        let step = found.len().div_ceil(SAMPLED).max(1);
        // One of each few, not always at the same place: data repeats itself.
        let mut random = Random::new(0);
        let some = found
            .chunks(step)
            .map(|few| few[random.below(few.len() as u64) as usize]);
        Ok(some.collect())
    }
}
