//! Estimates of degrees and of values, and those that are kept for the next question.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::dictionary::{KeyCode, LabelCode, TypeCode};
use crate::graph::counts::Counted;
use crate::graph::read::direction::Direction;
use crate::value::Value;

/// Those whose values are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Population<'a> {
    /// All nodes.
    Nodes,
    /// The nodes with a label.
    Label(&'a str),
    /// The relationships of a type.
    Type(&'a str),
}

/// How many relationships the nodes with a label have, of a type and in a direction;
/// estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DegreeEstimate {
    /// Of a node, on average.
    pub mean: f64,
    /// Of a node that one of these relationships leads to, on average: nodes with many
    /// are reached more often.
    pub of_reached: f64,
    /// At most so many have half of the nodes.
    pub median: u64,
    /// At most so many have 90 of 100 nodes.
    pub p90: u64,
    /// At most so many have 99 of 100 nodes.
    pub p99: u64,
}

/// The values of a property of nodes or relationships; estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValueEstimate {
    /// The part of them that has a value, from 0 to 1.
    pub present: f64,
    /// Number of different values.
    pub distinct: f64,
}

impl DegreeEstimate {
    /// Of the degrees of a sample.
    pub(in crate::graph) fn of(mut degrees: Vec<u64>) -> Self {
        degrees.sort_unstable();
        let Some(last) = degrees.len().checked_sub(1) else {
            return DegreeEstimate::default();
        };
        let at_most = |of_100: usize| degrees[last * of_100 / 100];
        let sum: f64 = degrees.iter().map(|&degree| degree as f64).sum();
        let squares: f64 = degrees.iter().map(|&degree| (degree as f64).powi(2)).sum();
        DegreeEstimate {
            mean: sum / degrees.len() as f64,
            of_reached: if sum > 0.0 { squares / sum } else { 0.0 },
            median: at_most(50),
            p90: at_most(90),
            p99: at_most(99),
        }
    }
}

impl ValueEstimate {
    /// Of a sample of the nodes, of which `times` has how often each value occurs; from
    /// how many values occur once follows how many were not seen (Haas, Naughton,
    /// Seshadri and Stokes, VLDB 1995: the estimator Duj1).
    pub(in crate::graph) fn of(
        times: impl Iterator<Item = usize>,
        sampled: usize,
        nodes: u64,
    ) -> Self {
        let (mut values, mut different, mut once) = (0.0, 0.0, 0.0);
        for times in times {
            values += times as f64;
            different += 1.0;
            once += f64::from(u8::from(times == 1));
        }
        if values == 0.0 {
            return ValueEstimate::default();
        }
        let present = values / sampled as f64;
        let all = (nodes as f64 * present).max(values);
        ValueEstimate {
            present,
            distinct: different / (1.0 - once / values * (1.0 - values / all)).max(1e-9),
        }
    }
}

/// What a degree was estimated of.
type Lists = (LabelCode, TypeCode, Direction);

/// Estimates, each with how many nodes had the label then, and in the end how many
/// relationships had the type.
#[derive(Debug, Default)]
pub(in crate::graph) struct Estimates {
    pub(in crate::graph) degrees: Kept<Lists, DegreeEstimate>,
    pub(in crate::graph) values: Kept<(Counted, KeyCode), ValueEstimate>,
    /// Values of a sample.
    pub(in crate::graph) samples: Kept<(Counted, KeyCode), Arc<Vec<Value>>>,
}

/// Estimates that hold until what they are of has grown or shrunk by a quarter.
#[derive(Debug)]
pub(in crate::graph) struct Kept<K, E>(Mutex<BTreeMap<K, (u64, E)>>);

impl<K, E> Default for Kept<K, E> {
    fn default() -> Self {
        Kept(Mutex::default())
    }
}

impl<K: Ord, E: Clone> Kept<K, E> {
    /// The estimate of something that has so many members, made if there is none.
    pub(in crate::graph) fn get<X>(
        &self,
        key: K,
        count: u64,
        make: impl FnOnce() -> Result<E, X>,
    ) -> Result<E, X> {
        if let Some((then, known)) = self.0.lock().get(&key)
            && count.abs_diff(*then) <= then / 4
        {
            return Ok(known.clone());
        }
        let made = make()?;
        self.0.lock().insert(key, (count, made.clone()));
        Ok(made)
    }
}
