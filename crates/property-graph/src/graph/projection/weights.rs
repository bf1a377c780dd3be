//! Weights of relationships, from one of their properties.

use evergraph_graph::Weight;
use rayon::prelude::*;

use crate::dictionary::{KeyCode, Names, TypeCode};
use crate::graph::error::GraphError;
use crate::graph::view::View;
use crate::value::Value;

pub(super) struct Weights {
    /// By chunk, and place in it; chunks without a weight have nothing here.
    of: Vec<Box<[Weight]>>,
    records_per_chunk: u32,
    default: Weight,
    counted: Weighted,
}

/// How many relationships of a projection have a weight of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weighted {
    /// Relationships of the chosen types, whatever labels their ends have...
    pub relationships: u64,
    /// ...and those of them whose weight property is a number.
    pub with_weight: u64,
}

/// Reader of each relationship's weight.
struct Wanted<'a> {
    view: &'a View,
    /// Ascending.
    kinds: &'a [TypeCode],
    key: Option<KeyCode>,
}

impl Weights {
    /// DRAM that [`Weights::of`] takes.
    pub(super) fn most_bytes(view: &View) -> u64 {
        let table = view.core().state.relationships();
        let by_chunk = u64::from(table.chunk_count()) * size_of::<Box<[Weight]>>() as u64;
        by_chunk + table.most_records() * size_of::<Weight>() as u64
    }

    /// Reads type and weight of every relationship, the chunks of their table in
    /// parallel. `kinds` are ascending.
    pub(super) fn of<E: From<GraphError> + Send>(
        view: &View,
        kinds: &[TypeCode],
        (key, default): (&str, Weight),
        check: &(impl Fn() -> Result<(), E> + Sync),
    ) -> Result<Self, E> {
        let table = view.core().state.relationships();
        let mut of: Vec<Box<[Weight]>> = vec![Box::default(); table.chunk_count() as usize];
        let wanted = Wanted {
            view,
            kinds,
            key: view.dictionary().code(Names::Keys, key),
        };
        let counted = of
            .par_iter_mut()
            .enumerate()
            .map(|(chunk, weights)| {
                check()?;
                wanted.fill(chunk as u32, default, weights).map_err(E::from)
            })
            .try_reduce(Weighted::default, |a, b| Ok(a.and(b)))?;
        Ok(Weights {
            of,
            records_per_chunk: table.geometry().records_per_chunk,
            default,
            counted,
        })
    }

    /// The weight of a relationship.
    #[inline]
    pub(super) fn get(&self, relationship: u32) -> Weight {
        let (chunk, at) = (
            relationship / self.records_per_chunk,
            relationship % self.records_per_chunk,
        );
        let weights = self.of.get(chunk as usize);
        let weight = weights.and_then(|weights| weights.get(at as usize));
        weight.copied().unwrap_or(self.default)
    }

    /// How many relationships have one.
    pub(super) fn counted(&self) -> Weighted {
        self.counted
    }

    pub(super) fn bytes(&self) -> u64 {
        let chunks = self.of.iter().map(|weights| size_of_val(&**weights));
        (size_of_val(&self.of[..]) + chunks.sum::<usize>()) as u64
    }
}

impl Weighted {
    fn and(self, other: Weighted) -> Self {
        Weighted {
            relationships: self.relationships + other.relationships,
            with_weight: self.with_weight + other.with_weight,
        }
    }
}

impl Wanted<'_> {
    /// Writes the weights of one chunk's relationships.
    fn fill(
        &self,
        chunk: u32,
        default: Weight,
        weights: &mut Box<[Weight]>,
    ) -> Result<Weighted, GraphError> {
        let table = self.view.core().state.relationships();
        let size = table.geometry().records_per_chunk as usize;
        let mut counted = Weighted::default();
        table.try_for_each_in_chunk(chunk, self.view.csn(), |id, record| {
            let (kind, ..) = record.ends()?;
            if self.kinds.binary_search(&kind).is_err() {
                return Ok(());
            }
            counted.relationships += 1;
            let value = match self.key {
                Some(key) => record.property(key)?,
                None => None,
            };
            if let Some(weight) = value.as_ref().and_then(number) {
                counted.with_weight += 1;
                if weights.is_empty() {
                    *weights = vec![default; size].into();
                }
                weights[id as usize % size] = weight;
            }
            Ok::<_, GraphError>(())
        })?;
        Ok(counted)
    }
}

/// A weight; integers beyond 2²⁴ and floats lose digits. None is infinite, nor beyond the
/// range of a weight.
fn number(value: &Value) -> Option<Weight> {
    let weight = match value {
        Value::Integer(value) => *value as Weight,
        Value::Float(value) => *value as Weight,
        _ => return None,
    };
    weight.is_finite().then_some(weight)
}
