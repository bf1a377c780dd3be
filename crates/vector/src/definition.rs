//! What an index is about, and what is near.

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::Node;

use crate::error::VectorError;

/// Numbers of the longest vector.
const MOST_DIMENSIONS: usize = 1 << 16;

/// What a vector index is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorDefinition {
    /// Names its files: 1 to 64 letters, digits, `-` and `_` of ASCII.
    pub name: String,
    /// The label of the nodes.
    pub label: String,
    /// The property that holds the vector, a list of numbers. Lists of another length,
    /// with other values or with numbers that are not finite do not count, and neither
    /// does the vector of zeros where [`Metric::Cosine`] is asked for.
    pub key: String,
    /// Numbers of a vector, which are kept with the 32 bits of a single precision
    /// float.
    pub dimensions: usize,
    /// What is near.
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

    /// Whether a vector has distances from others.
    fn measures(self, vector: &[f32]) -> bool {
        let is_finite = vector.iter().all(|number| number.is_finite());
        let has_direction = vector.iter().any(|&number| number != 0.0);
        is_finite && (self != Metric::Cosine || has_direction)
    }
}

impl VectorDefinition {
    pub(crate) fn check(&self) -> Result<(), VectorError> {
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let is_name = (1..=64).contains(&self.name.len()) && self.name.bytes().all(is_of_name);
        let has_size = (1..=MOST_DIMENSIONS).contains(&self.dimensions);
        let reason = match (is_name, has_size) {
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
                "it has numbers that are not finite, or no direction".to_string(),
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
        let (dimensions, metric) = (self.dimensions, self.metric);
        format!("{:?} {:?} {dimensions} {metric:?}", self.label, self.key)
    }
}
