//! The ways to read relationships, each with the same answers.

use std::ops::ControlFlow;

use evergraph_graph::VertexId;
use evergraph_property_graph::graph::{
    Adjacent, Direction, GraphError, NodeId, PropertyGraph, View,
};

use super::super::{Answers, ask};
use super::lists::Static;
use crate::meter::Measured;
use crate::transactions::graph::text;

type Found = (Measured, Answers);

/// The part of each relationship that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    Neighbors,
    NeighborsAndIds,
    Property,
}

impl Reads {
    pub const ALL: [Reads; 3] = [Reads::Neighbors, Reads::NeighborsAndIds, Reads::Property];

    pub fn name(self) -> &'static str {
        match self {
            Reads::Neighbors => "neighbors",
            Reads::NeighborsAndIds => "neighbors and ids",
            Reads::Property => "a property of each",
        }
    }
}

/// Which relationships are read, and how often.
pub struct Ways<'a> {
    pub graph: &'a PropertyGraph,
    pub view: &'a View,
    pub types: &'a [&'a str],
    pub queries: &'a [VertexId],
    pub threads: usize,
    pub trials: usize,
}

impl Ways<'_> {
    /// In plain memory, the property in an array by vertex.
    pub fn on_csr(&self, csr: &Static, numbers: &[i64], reads: Reads) -> Result<Found, String> {
        match reads {
            Reads::Neighbors => self.best(|mine| {
                let mut answers = Answers::default();
                for &v in mine {
                    let _ = answers.add(csr.list(v).0);
                }
                Ok(answers)
            }),
            Reads::NeighborsAndIds => self.best(|mine| {
                let mut answers = Answers::default();
                for &v in mine {
                    let (neighbors, ids) = csr.list(v);
                    answers.add_with_ids(neighbors, ids);
                }
                Ok(answers)
            }),
            Reads::Property => self.best(|mine| {
                let mut answers = Answers::default();
                for &v in mine {
                    for &u in csr.list(v).0 {
                        answers.add_one(numbers[u as usize] as u64);
                    }
                }
                Ok(answers)
            }),
        }
    }

    /// In the property graph, by each way that gives what is asked for.
    pub fn on_graph(&self, reads: Reads) -> Result<Vec<(&'static str, Found)>, String> {
        Ok(match reads {
            Reads::Neighbors => vec![
                ("Expander::for_each_list", self.by_list(reads)?),
                ("Expander::for_each", self.by_expander()?),
                ("View::for_each_neighbor", self.by_view()?),
                ("View::neighbors", self.gathered()?),
                ("Transaction::for_each_neighbor", self.in_transaction()?),
            ],
            Reads::NeighborsAndIds => vec![("Expander::for_each_list", self.by_list(reads)?)],
            Reads::Property => vec![("Expander::for_each, View::property", self.property()?)],
        })
    }

    fn by_list(&self, reads: Reads) -> Result<Found, String> {
        self.best(|mine| {
            let mut expander = self.view.expander(Direction::Outgoing, self.types);
            let mut answers = Answers::default();
            for &v in mine {
                let _ = expander.for_each_list(NodeId(v), |_, _, neighbors, ids| match reads {
                    Reads::NeighborsAndIds => {
                        answers.add_with_ids(neighbors, ids);
                        ControlFlow::Continue(())
                    }
                    _ => answers.add(neighbors),
                })?;
            }
            Ok(answers)
        })
    }

    fn by_expander(&self) -> Result<Found, String> {
        self.best(|mine| {
            let mut expander = self.view.expander(Direction::Outgoing, self.types);
            let mut answers = Answers::default();
            for &v in mine {
                let _ = expander.for_each(NodeId(v), |adjacent| answers.add_adjacent(adjacent))?;
            }
            Ok(answers)
        })
    }

    fn by_view(&self) -> Result<Found, String> {
        self.best(|mine| {
            let mut answers = Answers::default();
            for &v in mine {
                let each = |adjacent| answers.add_adjacent(adjacent);
                let (direction, types) = (Direction::Outgoing, self.types);
                let _ = (self.view).for_each_neighbor(NodeId(v), direction, types, each)?;
            }
            Ok(answers)
        })
    }

    fn gathered(&self) -> Result<Found, String> {
        self.best(|mine| {
            let mut answers = Answers::default();
            for &v in mine {
                for adjacent in self
                    .view
                    .neighbors(NodeId(v), Direction::Outgoing, self.types)?
                {
                    let _ = answers.add_adjacent(adjacent);
                }
            }
            Ok(answers)
        })
    }

    fn in_transaction(&self) -> Result<Found, String> {
        self.best(|mine| {
            let transaction = self.graph.begin();
            let mut answers = Answers::default();
            for &v in mine {
                let each = |adjacent| answers.add_adjacent(adjacent);
                let (direction, types) = (Direction::Outgoing, self.types);
                let _ = transaction.for_each_neighbor(NodeId(v), direction, types, each)?;
            }
            Ok(answers)
        })
    }

    fn property(&self) -> Result<Found, String> {
        self.best(|mine| {
            let mut expander = self.view.expander(Direction::Outgoing, self.types);
            let mut answers = Answers::default();
            for &v in mine {
                let flow = expander.for_each(NodeId(v), |adjacent| {
                    match self.view.property(adjacent.neighbor, "number") {
                        Ok(number) => {
                            let number = number.and_then(|number| i64::try_from(number).ok());
                            answers.add_one(number.unwrap_or_default() as u64);
                            ControlFlow::Continue(())
                        }
                        Err(error) => ControlFlow::Break(error),
                    }
                })?;
                if let ControlFlow::Break(error) = flow {
                    return Err(error);
                }
            }
            Ok(answers)
        })
    }

    /// The trial that took the least processor time.
    fn best(
        &self,
        answer: impl Fn(&[VertexId]) -> Result<Answers, GraphError> + Sync,
    ) -> Result<Found, String> {
        let mut best: Option<Found> = None;
        for _ in 0..self.trials {
            let answer = |mine: &[VertexId]| answer(mine).map_err(text);
            let found = ask(self.queries, self.threads, answer)?;
            let is_better = |best: &Found| found.0.cpu_seconds < best.0.cpu_seconds;
            if best.as_ref().is_none_or(is_better) {
                best = Some(found);
            }
        }
        best.ok_or_else(|| "trials are at least 1".to_string())
    }
}

impl Answers {
    #[inline(always)]
    fn add_one(&mut self, number: u64) {
        self.neighbors += 1;
        self.sum += number;
    }

    #[inline(always)]
    fn add_adjacent(&mut self, adjacent: Adjacent) -> ControlFlow<()> {
        self.add_one(adjacent.neighbor.0.into());
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn add_with_ids(&mut self, neighbors: &[VertexId], ids: &[u32]) {
        let _ = self.add(neighbors);
        self.sum += ids.iter().map(|&id| u64::from(id)).sum::<u64>();
    }
}
