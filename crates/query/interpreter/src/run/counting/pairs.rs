//! How many relationships there are between the nodes of a pair, of nodes that many rows
//! have: their lists are read once, and each pair is then found by its hash.

use std::collections::HashMap;

use evergraph_planner::Towards;

use super::ends::Marked;
use super::sums::Step;
use crate::run::{Result, Run};

/// Pairs that are kept, at most.
const MOST: usize = 1 << 20;

/// Entries of lists that are taken in for each pair that is asked for, at most.
const ENTRIES: usize = 4;

/// In a place of no pair: of no two nodes.
const NONE: u64 = u64::MAX;

/// Numbers of relationships between a node whose list is known, and another.
#[derive(Default)]
pub(super) struct Pairs {
    /// Whether the lists are of the nodes that relationships begin at; the first pairs say
    /// so, by which of their sides has fewer nodes.
    of_first: Option<bool>,
    known: Marked,
    /// Pairs that were asked for.
    asked: usize,
    /// Pairs by hash, as many places as a power of two or none.
    places: Vec<u64>,
    taken: usize,
    /// Relationships of a pair beside the first.
    others: HashMap<u64, i64>,
    new_bytes: usize,
}

impl Pairs {
    /// Bytes that they have taken since the last call.
    pub(super) fn new_bytes(&mut self) -> usize {
        std::mem::take(&mut self.new_bytes)
    }

    /// Numbers of relationships of a step between the nodes of pairs; `None` where too much
    /// would be read for so many.
    pub(super) fn counts(
        &mut self,
        run: &Run<'_, '_>,
        step: &Step,
        (from, to): (&[u32], &[u32]),
    ) -> Result<Option<Vec<i64>>> {
        self.asked += from.len();
        let of_first = *self
            .of_first
            .get_or_insert_with(|| distinct(from.to_vec()).len() <= distinct(to.to_vec()).len());
        let (near, far, towards) = match of_first {
            true => (from, to, step.towards),
            false => (to, from, step.towards.reversed()),
        };
        let unknown = near.iter().copied().filter(|&node| !self.known.has(node));
        let unknown = distinct(unknown.collect());
        if !self.take_in(run, step, (&unknown, towards))? {
            return Ok(None);
        }
        let pairs = near.iter().zip(far);
        Ok(Some(
            pairs.map(|(&near, &far)| self.count(near, far)).collect(),
        ))
    }

    /// Reads the lists of nodes, unless they are too long.
    fn take_in(
        &mut self,
        run: &Run<'_, '_>,
        step: &Step,
        (nodes, towards): (&[u32], Towards),
    ) -> Result<bool> {
        if nodes.is_empty() {
            return Ok(true);
        }
        let degrees = run.graph.degrees(nodes, towards, &step.types)?;
        let more = degrees.iter().sum::<u64>() as usize;
        if self.taken.saturating_add(more) > MOST.min(self.asked.saturating_mul(ENTRIES)) {
            return Ok(false);
        }
        let lists = run.graph.neighbors(nodes, towards, &step.types)?;
        self.reserve(lists.all().len());
        for (place, &node) in nodes.iter().enumerate() {
            lists.get(place).iter().for_each(|&end| self.add(node, end));
        }
        self.known.mark(nodes);
        Ok(true)
    }

    /// Makes room for so many pairs more, a quarter of the places being free.
    fn reserve(&mut self, more: usize) {
        let places = (4 * (self.taken + more) / 3 + 1).next_power_of_two();
        if places <= self.places.len() {
            return;
        }
        self.new_bytes += (places - self.places.len()) * size_of::<u64>();
        let before = std::mem::replace(&mut self.places, vec![NONE; places]);
        for pair in before.into_iter().filter(|&pair| pair != NONE) {
            let place = self.place(pair);
            self.places[place] = pair;
        }
    }

    fn add(&mut self, near: u32, far: u32) {
        let pair = of(near, far);
        let place = self.place(pair);
        if self.places[place] == pair {
            *self.others.entry(pair).or_default() += 1;
            return;
        }
        self.places[place] = pair;
        self.taken += 1;
    }

    #[inline(always)]
    fn count(&self, near: u32, far: u32) -> i64 {
        if self.places.is_empty() {
            return 0;
        }
        let pair = of(near, far);
        let is_there = self.places[self.place(pair)] == pair;
        match is_there && !self.others.is_empty() {
            true => 1 + self.others.get(&pair).copied().unwrap_or(0),
            false => i64::from(is_there),
        }
    }

    /// Where a pair is, or would be. There are free places.
    #[inline(always)]
    fn place(&self, pair: u64) -> usize {
        let mask = self.places.len() - 1;
        // The high bits of a product depend on all bits.
        let hash = pair.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut place = (hash >> 32) as usize & mask;
        while self.places[place] != pair && self.places[place] != NONE {
            place = (place + 1) & mask;
        }
        place
    }
}

fn of(near: u32, far: u32) -> u64 {
    u64::from(near) << 32 | u64::from(far)
}

fn distinct(mut nodes: Vec<u32>) -> Vec<u32> {
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
