//! Plans: operators over rows of slots.

mod expression;
mod operator;
mod path;
mod print;
mod visit;

pub use expression::*;
pub use operator::*;
pub use path::*;
pub use print::{print, print_operator, print_rows, print_with};

/// A place in a row. Each variable of a query has its own, so that a row of a subquery
/// is a row of the query around it with more slots filled.
pub type Slot = usize;

/// An operator with the plan of the rows that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The operator.
    pub operator: Operator,
    /// Rows that come in; `None` of a leaf.
    pub input: Option<Box<Plan>>,
    /// Rows that come out, as estimated.
    pub rows: f64,
}

impl Plan {
    /// The rows given from outside.
    pub fn argument() -> Self {
        Plan {
            operator: Operator::Argument,
            input: None,
            rows: 1.0,
        }
    }

    /// Operators above each other, those within operators included.
    pub fn depth(&self) -> usize {
        let depths = self.downward().zip(1..).map(|(plan, depth)| {
            let inner = plan.operator.inner().into_iter().map(Plan::depth).max();
            depth + inner.unwrap_or(0)
        });
        depths.max().unwrap_or(0)
    }

    /// It, its input, the input of that, and so on.
    pub fn downward(&self) -> impl Iterator<Item = &Plan> {
        std::iter::successors(Some(self), |plan| plan.input.as_deref())
    }

    /// Its operators without their inputs, the first one first.
    pub(crate) fn into_chain(self) -> Vec<Plan> {
        let mut chain = Vec::new();
        let mut next = Some(self);
        while let Some(mut plan) = next {
            next = plan.input.take().map(|input| *input);
            chain.push(plan);
        }
        chain.reverse();
        chain
    }

    /// The same, and then an operator.
    #[must_use]
    pub fn then(self, operator: Operator, rows: f64) -> Self {
        Plan {
            operator,
            input: Some(Box::new(self)),
            rows,
        }
    }

    /// The same, and then an operator that gives about as many rows.
    #[must_use]
    pub fn with(self, operator: Operator) -> Self {
        let rows = self.rows;
        self.then(operator, rows)
    }
}
