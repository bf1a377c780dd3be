//! Paths that are searched whole: with parts that repeat, selectors and modes.

use std::sync::Arc;

use evergraph_syntax::tree::PathMode;

use super::{Expression, Slot, Towards};

/// Paths along nodes and parts in turn, from a node that is known.
#[derive(Clone, Debug, PartialEq)]
pub struct PathSearch {
    /// Nodes before, between and behind the parts.
    pub nodes: Vec<Slot>,
    /// One less than nodes.
    pub parts: Vec<PathPart>,
    /// Conditions on the path, beside those of its parts.
    pub tests: Vec<PathTest>,
    /// Whether the last node is known.
    pub into: bool,
    /// The list of all relationships, from left to right.
    pub relationships: Slot,
    /// Slots of relationships that they differ from.
    pub unlike: Vec<Slot>,
    /// Whether a path may have nodes or relationships twice.
    pub mode: PathMode,
    /// Which of the paths are found.
    pub choice: Choice,
    /// Whether it is searched from right to left.
    pub reversed: bool,
}

/// Which paths between two nodes are found.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// All of them.
    All,
    /// So many of the shortest.
    Shortest(Expression),
    /// Those of so many of the least lengths.
    Groups(Expression),
}

/// A part of a path.
#[derive(Clone, Debug, PartialEq)]
pub enum PathPart {
    /// A relationship.
    Step(PathStep),
    /// A path that repeats.
    Repeat(Repeat),
}

/// A relationship of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathStep {
    /// Its slot.
    pub relationship: Slot,
    /// Its direction.
    pub towards: Towards,
    /// Its types; all if none is named.
    pub types: Vec<Arc<str>>,
}

/// A path within a path, so often.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// Nodes before, between and behind the relationships of one repetition.
    pub nodes: Vec<Slot>,
    /// At least one.
    pub steps: Vec<PathStep>,
    /// Conditions on each repetition.
    pub tests: Vec<PathTest>,
    /// The least number.
    pub least: u64,
    /// The greatest number.
    pub most: Option<u64>,
    /// Slots of one repetition, and those of the lists of all.
    pub lists: Vec<(Slot, Slot)>,
}

/// A condition within a path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathTest {
    /// The condition.
    pub condition: Expression,
    /// Slots that it uses and that the search fills.
    pub slots: Vec<Slot>,
}

impl PathSearch {
    /// The same from its last node to its first.
    #[must_use]
    pub fn turned(mut self) -> Self {
        self.nodes.reverse();
        self.parts.reverse();
        for part in &mut self.parts {
            match part {
                PathPart::Step(step) => step.towards = step.towards.reversed(),
                PathPart::Repeat(repeat) => {
                    repeat.nodes.reverse();
                    repeat.steps.reverse();
                    for step in &mut repeat.steps {
                        step.towards = step.towards.reversed();
                    }
                }
            }
        }
        self.reversed = !self.reversed;
        self
    }

    /// Slots that it fills, beside those of its ends.
    pub fn brings(&self) -> Vec<Slot> {
        let inner = self.nodes.len().saturating_sub(1);
        let mut slots: Vec<Slot> = self.nodes[1..inner.max(1)].to_vec();
        for part in &self.parts {
            match part {
                PathPart::Step(step) => slots.push(step.relationship),
                PathPart::Repeat(repeat) => {
                    slots.extend(repeat.lists.iter().map(|&(_, list)| list));
                }
            }
        }
        slots.push(self.relationships);
        slots
    }

    /// Least and greatest numbers of relationships.
    pub fn length(&self) -> (u64, Option<u64>) {
        let lengths = self.parts.iter().map(|part| match part {
            PathPart::Step(_) => (1, Some(1)),
            PathPart::Repeat(repeat) => {
                let each = repeat.steps.len() as u64;
                let most = repeat.most.map(|most| most.saturating_mul(each));
                (repeat.least.saturating_mul(each), most)
            }
        });
        lengths.fold((0, Some(0)), |(least, most), (one, other)| {
            let most = most
                .zip(other)
                .map(|(most, other): (u64, u64)| most.saturating_add(other));
            (least.saturating_add(one), most)
        })
    }

    /// Expressions that it evaluates.
    pub fn expressions(&self) -> Vec<&Expression> {
        let mut all: Vec<&Expression> = self.tests.iter().map(|test| &test.condition).collect();
        for part in &self.parts {
            if let PathPart::Repeat(repeat) = part {
                all.extend(repeat.tests.iter().map(|test| &test.condition));
            }
        }
        match &self.choice {
            Choice::All => {}
            Choice::Shortest(count) | Choice::Groups(count) => all.push(count),
        }
        all
    }
}
