//! Definition of an index: label, property, dimensions and metric.

use crate::{check_name, join, name_of, split};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::Node;

use crate::vector::error::VectorError;

/// Numbers of the longest vector.
const MOST_DIMENSIONS: usize = 1 << 16;

/// The square of a vector's length, at least and at most: so that products and sums
/// of two of them are normal numbers of single precision.
const LEAST_SQUARE: f64 = 1e-36;
const MOST_SQUARE: f64 = 1e36;

/// Definition of a vector index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorDefinition {
    /// Names its files: 1 to 64 letters, digits, `-` and `_` of ASCII.
    pub name: String,
    /// The label of the nodes.
    pub label: String,
    /// The property that holds the vector, a list of numbers. Lists of another length or
    /// with other values do not count, and neither do vectors that are shorter than 1e-18
    /// or longer than 1e18; the vector of zeros does, but for [`Metric::Cosine`].
    pub key: String,
    /// Numbers of a vector, which are kept with the 32 bits of a single precision
    /// float.
    pub dimensions: usize,
    /// Metric that distances are measured in.
    pub metric: Metric,
}

/// How far two vectors are from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// One less the cosine of the angle between them: 0 to 2.
    Cosine,
    /// The length of the way between them.
    Euclidean,
    /// Minus their inner product.
    InnerProduct,
}

impl Metric {
    /// All, with the names that the command line uses.
    pub const ALL: &[(&'static str, Metric)] = &[
        ("cosine", Metric::Cosine),
        ("euclidean", Metric::Euclidean),
        ("inner-product", Metric::InnerProduct),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|named| named.1 == self);
        named.expect("every metric has a name").0
    }

    /// The one of a name.
    pub fn named(name: &str) -> Option<Self> {
        Some(Self::ALL.iter().find(|named| named.0 == name)?.1)
    }

    /// The distance of two vectors of the same length.
    pub fn distance(self, a: &[f32], b: &[f32]) -> f64 {
        let product = |a: &[f32], b: &[f32]| {
            let products = a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b));
            products.sum::<f64>()
        };
        match self {
            Metric::Cosine => {
                let lengths = (product(a, a) * product(b, b)).sqrt();
                1.0 - product(a, b) / lengths
            }
            Metric::Euclidean => {
                let between = a.iter().zip(b).map(|(&a, &b)| f64::from(a) - f64::from(b));
                between.map(|way| way * way).sum::<f64>().sqrt()
            }
            Metric::InnerProduct => -product(a, b),
        }
    }

    /// Whether a vector has distances from others, which the library computes with
    /// single precision.
    fn measures(self, vector: &[f32]) -> bool {
        let square: f64 = vector.iter().map(|&number| f64::from(number).powi(2)).sum();
        let has_length = (LEAST_SQUARE..=MOST_SQUARE).contains(&square);
        let is_zero = square == 0.0;
        has_length || (is_zero && self != Metric::Cosine)
    }
}

impl VectorDefinition {
    /// Definition of an index whose name is made of its label and property.
    pub fn unnamed(label: &str, key: &str, dimensions: usize, metric: Metric) -> Self {
        let mut definition = VectorDefinition {
            name: String::new(),
            label: label.to_string(),
            key: key.to_string(),
            dimensions,
            metric,
        };
        definition.name = name_of([label, key], &definition.identity());
        definition
    }

    pub(crate) fn check(&self) -> Result<(), VectorError> {
        let has_size = (1..=MOST_DIMENSIONS).contains(&self.dimensions);
        let reason = match (check_name(&self.name), has_size) {
            (true, true) => return Ok(()),
            (false, _) => "a name is 1 to 64 letters, digits, - and _ of ASCII",
            (_, false) => "a vector has 1 to 65536 dimensions",
        };
        Err(VectorError::Definition {
            name: self.name.clone(),
            reason: reason.to_string(),
        })
    }

    /// Whether something can be near to a vector.
    pub(crate) fn check_query(&self, query: &[f32]) -> Result<(), VectorError> {
        let wanted = self.dimensions;
        if query.len() != wanted {
            let what = format!("it has {} dimensions instead of {wanted}", query.len());
            return Err(VectorError::Query(what));
        }
        match self.metric.measures(query) {
            true => Ok(()),
            false => Err(VectorError::Query(
                match query.iter().all(|&number| number == 0.0) {
                    true => "it has no direction",
                    false => "its length is not between 1e-18 and 1e18",
                }
                .to_string(),
            )),
        }
    }

    /// The vector of a node; `None` if it has not the label, or none that counts.
    pub(crate) fn vector_of(&self, node: &Node) -> Option<Vec<f32>> {
        if !node.has_label(&self.label) {
            return None;
        }
        let Some(Value::List(values)) = node.get(&self.key) else {
            return None;
        };
        if values.len() != self.dimensions {
            return None;
        }
        let numbers = values.iter().map(|value| match value {
            Value::Float(number) => Some(*number as f32),
            Value::Integer(number) => Some(*number as f32),
            _ => None,
        });
        let vector: Option<Vec<f32>> = numbers.collect();
        vector.filter(|vector| self.metric.measures(vector))
    }

    /// Says all that decides what the file of an index holds. A file of another
    /// definition is not used.
    pub(crate) fn identity(&self) -> String {
        let dimensions = self.dimensions.to_string();
        join([&self.label, &self.key, &dimensions, self.metric.name()])
    }

    /// Definition of an index of this name and identity.
    pub(crate) fn of_identity(name: &str, identity: &str) -> Option<Self> {
        let [label, key, dimensions, metric] = split(identity)?.try_into().ok()?;
        Some(VectorDefinition {
            name: name.to_string(),
            label,
            key,
            dimensions: dimensions.parse().ok()?,
            metric: Metric::named(&metric)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_known_by_its_identity() {
        let mut names = std::collections::BTreeSet::new();
        for &(_, metric) in Metric::ALL {
            for (key, dimensions) in [("a:b", 3), ("a:b", 4), ("", 3)] {
                let definition = VectorDefinition::unnamed("La bel", key, dimensions, metric);
                assert!(definition.check().is_ok(), "{definition:?}");
                let (name, identity) = (&definition.name, definition.identity());
                let again = VectorDefinition::of_identity(name, &identity);
                assert_eq!(again.as_ref(), Some(&definition));
                assert!(names.insert(definition.name), "each a name of its own");
            }
        }
        assert_eq!(
            VectorDefinition::of_identity("name", "1:a1:b1:36:taxicb"),
            None
        );
    }
}
