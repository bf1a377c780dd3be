//! `shortestPath` and `allShortestPaths`: between two nodes that are known, with the
//! conditions that a path has to satisfy.

use std::cell::Cell;
use std::collections::HashMap;

use evergraph_functions::Datum;
use evergraph_planner::{Expression, ShortestPath};
use evergraph_property_graph::Value;
use evergraph_syntax::tree::Comparison;

use super::paths::list_of;
use super::shortest::{Hop, Hops, Searches};
use super::{Filled, Flow, Out, Result, Run, Sink};
use crate::batch::{Batch, Column};
use crate::evaluate::Row;

/// Paths whose conditions are decided together.
const PATHS: usize = 256;

/// A map by node.
type ByNode<T> = HashMap<u32, T, foldhash::fast::RandomState>;

/// One search, of a row.
struct Search<'s> {
    shortest: &'s ShortestPath,
    batch: &'s Batch,
    at: usize,
    from: u32,
    to: u32,
}

impl Run<'_, '_> {
    /// Shortest paths between two nodes, one or all.
    pub(super) fn shortest(
        &self,
        shortest: &ShortestPath,
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let step = &shortest.paths.step;
        let paths = &shortest.paths;
        let most = paths.most.unwrap_or(u64::MAX);
        let is_same = shortest.each.is_empty() && paths.properties.is_empty();
        let mut searches = self.searches(most, shortest.all, is_same);
        let mut out = Out::new(batch, sink);
        for at in 0..batch.len() {
            let from = self.node_at(batch, step.from, at)?;
            let to = self.node_at(batch, step.to, at)?;
            let (Some(from), Some(to)) = (from, to) else {
                continue;
            };
            out.at = at as u32;
            let search = Search {
                shortest,
                batch,
                at,
                from: from.0,
                to: to.0,
            };
            if self.shortest_between(&search, &mut searches, &mut out)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        out.flush()
    }

    fn shortest_between(
        &self,
        search: &Search<'_>,
        searches: &mut Searches<'_>,
        out: &mut Out<'_>,
    ) -> Result<Flow> {
        let paths = &search.shortest.paths;
        let step = &paths.step;
        let types = self.graph.types(&step.types);
        let wanted = self.wanted(paths, search.batch, search.at)?;
        let mut stopped = Flow::Continue;
        let mut found = |trail: &[u32]| {
            let list = list_of(trail, paths.reversed);
            let list = (step.relationship, Filled::Datum(list));
            stopped = out.add([list, (step.to, Filled::Node(search.to))])?;
            Ok(stopped)
        };
        if search.from == search.to {
            let (each, whole) = (&search.shortest.each, &search.shortest.whole);
            let conditions = each.iter().chain(whole);
            if paths.least == 0 && !self.passing(search, vec![vec![]], conditions)?.is_empty() {
                found(&[])?;
            }
            return Ok(stopped);
        }
        let mut hops = |nodes: &[u32], forward| {
            let towards = match forward {
                true => step.towards,
                false => step.towards.reversed(),
            };
            let mut hops = self.hops(nodes, towards, &types)?;
            let mut failed = Ok(());
            hops.retain(|&(_, relationship, _)| {
                self.has_wanted(relationship, &wanted)
                    .unwrap_or_else(|error| {
                        failed = Err(error);
                        false
                    })
            });
            failed?;
            self.fitting(search, hops)
        };
        match search.shortest.whole.is_empty() {
            true => {
                let ends = (search.from, search.to);
                self.shortest_paths(searches, ends, &mut hops, &mut |path| {
                    let trail: Vec<u32> = path.iter().map(|&(one, _)| one).collect();
                    found(&trail)
                })?;
            }
            false => self.shortest_passing(search, &mut hops, &mut found)?,
        }
        Ok(stopped)
    }

    /// Relationships that satisfy the conditions on each: as paths of their own.
    fn fitting(&self, search: &Search<'_>, mut hops: Vec<Hop>) -> Result<Vec<Hop>> {
        let Search {
            shortest,
            batch,
            at,
            ..
        } = *search;
        if shortest.each.is_empty() || hops.is_empty() {
            return Ok(hops);
        }
        let step = &shortest.paths.step;
        let lists = hops.iter().map(|hop| list_of(&[hop.1], false));
        let mut made = batch.repeated(at, hops.len());
        made.set(step.relationship, Column::of(lists.collect()));
        if let Some((path, slots)) = &shortest.path {
            // The ends of the whole path stay what conditions see.
            let mut ends = made.clone();
            ends.set(
                step.from,
                Column::Nodes(hops.iter().map(|hop| hop.0).collect()),
            );
            ends.set(
                step.to,
                Column::Nodes(hops.iter().map(|hop| hop.2).collect()),
            );
            let ends = self.extended(&[(*path, Expression::Path(slots.clone()))], ends)?;
            let paths: Vec<Datum> = (0..hops.len()).map(|row| ends.get(*path, row)).collect();
            made.set(*path, Column::of(paths));
        }
        let rows = self.satisfying(&shortest.each, &made)?;
        hops = rows.into_iter().map(|row| hops[row as usize]).collect();
        Ok(hops)
    }

    /// Those of some paths that satisfy conditions.
    fn passing<'e>(
        &self,
        search: &Search<'_>,
        trails: Vec<Vec<u32>>,
        conditions: impl IntoIterator<Item = &'e Expression>,
    ) -> Result<Vec<Vec<u32>>> {
        let paths = &search.shortest.paths;
        let mut made = search.batch.repeated(search.at, trails.len());
        let lists = trails.iter().map(|trail| list_of(trail, paths.reversed));
        made.set(paths.step.relationship, Column::Data(lists.collect()));
        if let Some((path, slots)) = &search.shortest.path {
            made = self.extended(&[(*path, Expression::Path(slots.clone()))], made)?;
        }
        let rows = self.satisfying(conditions, &made)?;
        let kept = rows.into_iter().map(|row| trails[row as usize].clone());
        Ok(kept.collect())
    }

    /// Gives the shortest of the paths that satisfy the conditions on the whole path: all
    /// paths of each length in turn, without those that cannot end in time. Exponential in
    /// the length where the conditions leave out the shorter ones.
    fn shortest_passing(
        &self,
        search: &Search<'_>,
        hops: &mut Hops<'_>,
        found: &mut dyn FnMut(&[u32]) -> Result<Flow>,
    ) -> Result<()> {
        let ShortestPath { all, whole, .. } = search.shortest;
        let mut account = self.guard.account("nodes that shortest paths reach");
        let (least, most) = self.lengths(search)?;
        let left = self.lengths_to(search.to, most, hops)?;
        let Some(&nearest) = left.get(&search.from) else {
            return Ok(());
        };
        account.add(16 * left.len())?;
        let mut ahead: ByNode<Vec<(u32, u32)>> = ByNode::default();
        let is_found = Cell::new(false);
        let mut give = |trails| {
            for passing in self.passing(search, trails, whole)? {
                is_found.set(true);
                if found(&passing)? == Flow::Stop || !all {
                    return Ok(Flow::Stop);
                }
            }
            Result::Ok(Flow::Continue)
        };
        for length in nearest.max(least)..=most {
            let (mut stack, mut trail) = (vec![(search.from, 0)], Vec::new());
            let (mut trails, mut has_longer) = (Vec::new(), false);
            while let Some((node, place)) = stack.last_mut() {
                self.step()?;
                if !ahead.contains_key(node) {
                    let hops = hops(&[*node], true)?.into_iter();
                    let to_end = hops.filter(|hop| left.contains_key(&hop.2));
                    let to_end: Vec<_> = to_end.map(|hop| (hop.1, hop.2)).collect();
                    account.add(8 * to_end.len() + 32)?;
                    ahead.insert(*node, to_end);
                }
                let Some(&(relationship, next)) = ahead[node].get(*place) else {
                    stack.pop();
                    trail.pop();
                    continue;
                };
                *place += 1;
                if trail.contains(&relationship) {
                    continue;
                }
                let steps = trail.len() as u64 + 1;
                if steps + left[&next] > length {
                    has_longer = true;
                    continue;
                }
                trail.push(relationship);
                if steps < length {
                    stack.push((next, 0));
                    continue;
                }
                trails.push(trail.clone());
                trail.pop();
                has_longer = true;
                if trails.len() == PATHS && give(std::mem::take(&mut trails))? == Flow::Stop {
                    return Ok(());
                }
            }
            let is_done = give(trails)? == Flow::Stop;
            if is_done || is_found.get() || !has_longer {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The least and the greatest length that the path and its conditions allow.
    fn lengths(&self, search: &Search<'_>) -> Result<(u64, u64)> {
        let paths = &search.shortest.paths;
        let (mut least, mut most) = (paths.least, paths.most.unwrap_or(u64::MAX));
        for bound in &search.shortest.lengths {
            let value = self.value(&bound.value, &mut Row::new(search.batch, search.at))?;
            let Datum::Value(Value::Integer(value)) = value else {
                continue;
            };
            let value = i128::from(value) - i128::from(bound.of_nodes);
            let (from, to) = match bound.comparison {
                Comparison::Equal => (value, value),
                Comparison::Unequal => continue,
                Comparison::Less => (0, value - 1),
                Comparison::LessOrEqual => (0, value),
                Comparison::Greater => (value + 1, u64::MAX.into()),
                Comparison::GreaterOrEqual => (value, u64::MAX.into()),
            };
            let clamped = |bound: i128| bound.clamp(0, u64::MAX.into()) as u64;
            if to < 0 {
                return Ok((1, 0));
            }
            (least, most) = (least.max(clamped(from)), most.min(clamped(to)));
        }
        Ok((least, most))
    }

    /// The fewest relationships from each node to one, breadth first.
    fn lengths_to(&self, to: u32, most: u64, hops: &mut Hops<'_>) -> Result<ByNode<u64>> {
        let mut lengths = ByNode::default();
        lengths.insert(to, 0);
        let (mut level, mut length) = (vec![to], 0);
        while !level.is_empty() && length < most {
            length += 1;
            let mut next = Vec::new();
            for (_, _, node) in hops(&level, false)? {
                self.step()?;
                lengths.entry(node).or_insert_with(|| {
                    next.push(node);
                    length
                });
            }
            level = next;
        }
        Ok(lengths)
    }
}
