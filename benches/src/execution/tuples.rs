//! A tuple-at-a-time interpreter, as Poseidon's ahead-of-time mode is one (section 6.1): an
//! operator takes one tuple, looks at the types of its values, and pushes tuples on. The
//! baseline of what vectors and code gain.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use evergraph_property_graph::graph::{Direction, GraphRead, NodeId, RelationshipId, View};
use evergraph_property_graph::{KeyCode, Value};

use crate::transactions::graph::text;

/// A value of a tuple.
#[derive(Clone, Debug)]
pub enum Item {
    Node(NodeId),
    Relationship(RelationshipId),
}

pub enum Expression {
    Number(i64),
    Property(usize, &'static str),
    Operator(char, Box<[Expression; 2]>),
}

pub fn number(number: i64) -> Expression {
    Expression::Number(number)
}

pub fn property(slot: usize, key: &'static str) -> Expression {
    Expression::Property(slot, key)
}

pub fn operator(left: Expression, sign: char, right: Expression) -> Expression {
    Expression::Operator(sign, Box::new([left, right]))
}

/// Operation on each tuple.
pub enum Operator {
    Filter(Expression),
    /// Relationships that leave the node of a slot: each with its other end.
    Expand(usize),
    /// Tuples whose relationships in two slots differ.
    Differ(usize, usize),
}

/// A pipeline: all nodes of a label, operators, and per key a count and a sum.
pub struct Pipeline {
    pub operators: Vec<Operator>,
    pub key: Expression,
    pub sum: Expression,
}

/// Runs a pipeline; counts and sums by key.
pub struct Run<'r> {
    view: &'r View,
    keys: BTreeMap<&'static str, KeyCode>,
    pipeline: &'r Pipeline,
    groups: BTreeMap<i64, (i64, i64)>,
}

impl<'r> Run<'r> {
    pub fn of(pipeline: &'r Pipeline, view: &'r View) -> Result<BTreeMap<i64, (i64, i64)>, String> {
        let keys = ["a", "b", "c", "w"].into_iter();
        let keys = keys.filter_map(|key| Some((key, view.key_code(key)?)));
        let mut run = Run {
            view,
            keys: keys.collect(),
            pipeline,
            groups: BTreeMap::new(),
        };
        for node in view.nodes_with_label("Item") {
            let mut tuple = vec![Item::Node(node.map_err(text)?.id())];
            run.push(0, &mut tuple)?;
        }
        Ok(run.groups)
    }

    fn push(&mut self, at: usize, tuple: &mut Vec<Item>) -> Result<(), String> {
        let Some(operator) = self.pipeline.operators.get(at) else {
            let key = self.integer(&self.pipeline.key, tuple)?;
            let value = self.integer(&self.pipeline.sum, tuple)?;
            let group = self.groups.entry(key).or_default();
            group.0 += 1;
            group.1 += value;
            return Ok(());
        };
        match operator {
            Operator::Filter(condition) => match self.value(condition, tuple)? {
                Value::Boolean(true) => self.push(at + 1, tuple),
                _ => Ok(()),
            },
            Operator::Differ(one, other) => {
                let id = |slot: &usize| match &tuple[*slot] {
                    Item::Relationship(id) => id.0,
                    Item::Node(id) => id.0,
                };
                match id(one) == id(other) {
                    true => Ok(()),
                    false => self.push(at + 1, tuple),
                }
            }
            Operator::Expand(from) => {
                let Item::Node(node) = tuple[*from] else {
                    return Err("no node".into());
                };
                let view = self.view;
                let mut failed = None;
                let _ = view
                    .for_each_neighbor(node, Direction::Outgoing, &["LINKS"], |adjacent| {
                        tuple.push(Item::Relationship(adjacent.relationship));
                        tuple.push(Item::Node(adjacent.neighbor));
                        let done = self.push(at + 1, tuple);
                        tuple.truncate(tuple.len() - 2);
                        match done {
                            Ok(()) => ControlFlow::Continue(()),
                            Err(error) => {
                                failed = Some(error);
                                ControlFlow::Break(())
                            }
                        }
                    })
                    .map_err(text)?;
                failed.map_or(Ok(()), Err)
            }
        }
    }

    fn integer(&self, of: &Expression, tuple: &[Item]) -> Result<i64, String> {
        match self.value(of, tuple)? {
            Value::Integer(number) => Ok(number),
            other => Err(format!("{other:?} is no integer")),
        }
    }

    fn value(&self, of: &Expression, tuple: &[Item]) -> Result<Value, String> {
        match of {
            Expression::Number(number) => Ok(Value::Integer(*number)),
            Expression::Property(slot, key) => {
                let key = *self.keys.get(key).ok_or("no such key")?;
                let value = match tuple[*slot] {
                    Item::Node(id) => self.view.property_of(id, key),
                    Item::Relationship(id) => self.view.property_of(id, key),
                };
                Ok(value.map_err(text)?.unwrap_or_default())
            }
            Expression::Operator(sign, sides) => {
                let (left, right) = (self.value(&sides[0], tuple)?, self.value(&sides[1], tuple)?);
                let (Value::Integer(a), Value::Integer(b)) = (&left, &right) else {
                    return Ok(Value::Null);
                };
                Ok(match sign {
                    '+' => Value::Integer(a.checked_add(*b).ok_or("overflow")?),
                    '-' => Value::Integer(a.checked_sub(*b).ok_or("overflow")?),
                    '*' => Value::Integer(a.checked_mul(*b).ok_or("overflow")?),
                    '%' => Value::Integer(a.checked_rem(*b).ok_or("division by zero")?),
                    '<' => Value::Boolean(a < b),
                    '>' => Value::Boolean(a > b),
                    _ => Value::Null,
                })
            }
        }
    }
}
