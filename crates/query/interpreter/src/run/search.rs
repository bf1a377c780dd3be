//! Paths with parts that repeat, selectors and modes: a path pattern is a row of places
//! at which nodes stand, and a search visits them one after another.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use evergraph_functions::{Datum, operators::boolean};
use evergraph_planner::{Choice, Expression, PathPart, PathSearch, PathStep, Slot, Towards};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{NodeId, RelationshipId};
use evergraph_syntax::tree::PathMode;

use super::shortest::{Hop, Searches};
use super::{Filled, Flow, Out, Result, Run, Sink};
use crate::QueryError;
use crate::batch::{Batch, NO_ID};
use crate::evaluate::Row;
use crate::graph::Types;
use crate::limits::Account;

/// Before the first visit.
const NONE: u32 = u32::MAX;

/// Where a node stands in a path.
struct Place<'p> {
    slot: Slot,
    /// Whether it is of a part that repeats.
    repeats: bool,
    /// What is decided when a node stands here.
    tests: Vec<&'p Expression>,
    next: Next,
}

/// What follows a place.
enum Next {
    /// Nothing: the path ends.
    End,
    /// A relationship, and the next place.
    Step(Step),
    /// A part that repeats begins, or is left out.
    Begin(Times),
    /// One repetition ends.
    Again(Times),
}

struct Step {
    relationship: Slot,
    towards: Towards,
    types: Types,
}

/// How often a part repeats, and the places where it begins and behind it.
#[derive(Clone, Copy)]
struct Times {
    least: u64,
    most: Option<u64>,
    first: u32,
    behind: u32,
}

/// A node at a place, on a way that begins at the first.
#[derive(Clone, Copy)]
struct Visit {
    /// The visit before.
    before: u32,
    place: u32,
    node: u32,
    /// The relationship that led here, if one did.
    relationship: u32,
    /// Repetitions that have ended of the part that is being repeated.
    times: u32,
    /// Relationships so far.
    length: u32,
}

/// Visits that have not been gone on from.
enum Open {
    /// Depth first.
    Stack(Vec<u32>),
    /// The least length in all first, by what is known of the rest; then the longest.
    Heap(BinaryHeap<(Reverse<u32>, u32, u32)>),
}

impl Open {
    fn pop(&mut self) -> Option<u32> {
        match self {
            Open::Stack(visits) => visits.pop(),
            Open::Heap(visits) => visits.pop().map(|(_, _, visit)| visit),
        }
    }
}

/// Least numbers of relationships to the last node, whatever the order of the parts.
struct Distances<'p> {
    steps: Vec<(Towards, &'p Types)>,
    known: HashMap<u32, u32, foldhash::fast::RandomState>,
    frontier: Vec<u32>,
    depth: u32,
}

/// The search of one row.
struct Search<'s, 'p, 'b> {
    search: &'p PathSearch,
    places: &'s [Place<'p>],
    row: Row<'b>,
    visits: Vec<Visit>,
    /// The last node, if it is known.
    into: Option<u32>,
    unlike: Vec<u32>,
}

fn places_of<'p>(search: &'p PathSearch, types: &dyn Fn(&PathStep) -> Types) -> Vec<Place<'p>> {
    let place = |slot, repeats| Place {
        slot,
        repeats,
        tests: Vec::new(),
        next: Next::End,
    };
    let step = |step: &PathStep| {
        Next::Step(Step {
            relationship: step.relationship,
            towards: step.towards,
            types: types(step),
        })
    };
    let mut places = vec![place(search.nodes[0], false)];
    // Where slots of the whole path are filled.
    let mut filled: Vec<(Slot, usize)> = Vec::new();
    for (part, &node) in search.parts.iter().zip(&search.nodes[1..]) {
        let last = places.len() - 1;
        match part {
            PathPart::Step(one) => {
                places[last].next = step(one);
                filled.push((one.relationship, places.len()));
            }
            PathPart::Repeat(repeat) => {
                let first = places.len();
                places.push(place(repeat.nodes[0], true));
                for (one, &node) in repeat.steps.iter().zip(&repeat.nodes[1..]) {
                    let before = places.len() - 1;
                    places[before].next = step(one);
                    places.push(place(node, true));
                }
                let (behind, count) = (places.len(), repeat.steps.len());
                let times = Times {
                    least: repeat.least,
                    most: repeat.most,
                    first: first as u32,
                    behind: behind as u32,
                };
                places[last].next = Next::Begin(times);
                places[behind - 1].next = Next::Again(times);
                for test in &repeat.tests {
                    // A relationship is known where the node behind it is.
                    let ranks = test.slots.iter().map(|slot| {
                        let node = repeat.nodes.iter().position(|node| node == slot);
                        let mut steps = repeat.steps.iter();
                        let step = steps.position(|step| step.relationship == *slot);
                        node.or(step.map(|step| step + 1)).unwrap_or(count)
                    });
                    let rank = ranks.max().unwrap_or(0);
                    places[first + rank].tests.push(&test.condition);
                }
            }
        }
        filled.push((node, places.len()));
        places.push(place(node, false));
    }
    let end = places.len() - 1;
    for test in &search.tests {
        let ranks = test.slots.iter().map(|slot| {
            let found = filled.iter().find(|(filled, _)| filled == slot);
            found.map_or(end, |&(_, place)| place)
        });
        places[ranks.max().unwrap_or(0)].tests.push(&test.condition);
    }
    places
}

impl Run<'_, '_> {
    /// The paths of a pattern from the node of each row.
    pub(super) fn search_paths(
        &self,
        search: &PathSearch,
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let places = places_of(search, &|step| self.graph.types(&step.types));
        let last = search.nodes.len() - 1;
        let (most, is_same) = match search.parts.as_slice() {
            [PathPart::Repeat(repeat)] => (repeat.most, repeat.tests.is_empty()),
            _ => (None, false),
        };
        let all = matches!(search.choice, Choice::Groups(_));
        let mut searches = self.searches(most.unwrap_or(u64::MAX), all, is_same);
        let mut out = Out::new(batch, sink);
        for at in 0..batch.len() {
            out.at = at as u32;
            let Some(from) = self.node_at(batch, search.nodes[0], at)? else {
                continue;
            };
            let into = match search.into {
                true => match self.node_at(batch, search.nodes[last], at)? {
                    Some(to) => Some(to.0),
                    None => continue,
                },
                false => None,
            };
            let one = Search {
                search,
                places: &places,
                row: Row::new(batch, at),
                visits: Vec::new(),
                into,
                unlike: self.unlike(&search.unlike, batch, at),
            };
            if self.search_from(one, from, &mut searches, &mut out)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        out.flush()
    }

    fn search_from(
        &self,
        mut one: Search<'_, '_, '_>,
        from: NodeId,
        searches: &mut Searches<'_>,
        out: &mut Out<'_>,
    ) -> Result<Flow> {
        let (count, is_groups) = match &one.search.choice {
            Choice::All => (None, false),
            Choice::Shortest(count) => (Some(self.paths(count, &mut one.row)?), false),
            Choice::Groups(count) => (Some(self.paths(count, &mut one.row)?), true),
        };
        if count == Some(1)
            && one.is_plain(from.0)
            && let Some(flow) = self.plain_search(&mut one, from.0, searches, out)?
        {
            return Ok(flow);
        }
        let mut distances = None;
        let mut open = match (count, one.into) {
            (None, _) | (_, None) => Open::Stack(Vec::new()),
            (Some(_), Some(into)) => {
                distances = Some(Distances::to(into, one.places));
                Open::Heap(BinaryHeap::new())
            }
        };
        let mut account = self.guard.account("paths that are being searched");
        self.visit(
            &mut one,
            &mut open,
            &mut distances,
            &mut account,
            Visit {
                before: NONE,
                place: 0,
                node: from.0,
                relationship: NO_ID,
                times: 0,
                length: 0,
            },
        )?;
        let (mut found, mut length) = (0, None);
        while let Some(at) = open.pop() {
            self.step()?;
            if matches!(open, Open::Stack(_)) {
                // What was made behind it has been gone on from.
                one.visits.truncate(at as usize + 1);
            }
            let visit = one.visits[at as usize];
            if matches!(one.places[visit.place as usize].next, Next::End) {
                let is_new = !is_groups || length.replace(visit.length) != Some(visit.length);
                found += usize::from(is_new);
                if count.is_some_and(|count| found > count) {
                    return Ok(Flow::Continue);
                }
                let filled = one.filled(at);
                if out.add(filled)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                if !is_groups && count == Some(found) {
                    return Ok(Flow::Continue);
                }
                continue;
            }
            for next in self.after(&one, at)? {
                self.visit(&mut one, &mut open, &mut distances, &mut account, next)?;
            }
        }
        Ok(Flow::Continue)
    }

    /// A number of paths.
    fn paths(&self, count: &Expression, row: &mut Row<'_>) -> Result<usize> {
        match self.value(count, row)? {
            Datum::Value(Value::Integer(count @ 1..)) => {
                Ok(usize::try_from(count).unwrap_or(usize::MAX))
            }
            other => {
                let shown = evergraph_functions::print(&other, self.environment.entities);
                let shown = shown.unwrap_or_else(|_| other.type_name().to_string());
                let message = format!("a number of paths is an INTEGER of 1 or more, not {shown}");
                Err(QueryError::runtime(
                    "ArgumentError",
                    "NumberOutOfRange",
                    message,
                ))
            }
        }
    }

    /// Opens a visit, if it may be made.
    fn visit(
        &self,
        one: &mut Search<'_, '_, '_>,
        open: &mut Open,
        distances: &mut Option<Distances<'_>>,
        account: &mut Account<'_>,
        visit: Visit,
    ) -> Result<()> {
        let place = &one.places[visit.place as usize];
        let is_end = matches!(place.next, Next::End);
        if is_end && one.into.is_some_and(|into| into != visit.node) {
            return Ok(());
        }
        let mut rest = 0;
        if let Some(distances) = distances {
            match self.distance(distances, visit.node)? {
                Some(distance) => rest = distance,
                None => return Ok(()),
            }
        }
        let at = one.visits.len() as u32;
        one.visits.push(visit);
        if !place.tests.is_empty() && !self.passes(one, at)? {
            one.visits.pop();
            return Ok(());
        }
        match open {
            Open::Stack(visits) => visits.push(at),
            Open::Heap(visits) => {
                account.add(size_of::<Visit>() + 12)?;
                visits.push((Reverse(visit.length + rest), visit.length, at));
            }
        }
        Ok(())
    }

    /// Whether a visit passes the tests of its place.
    fn passes(&self, one: &mut Search<'_, '_, '_>, at: u32) -> Result<bool> {
        let before = one.row.remembered();
        for (slot, datum) in one.known(at) {
            one.row.remember(slot, datum);
        }
        let place = one.visits[at as usize].place as usize;
        let mut passes = true;
        for test in &one.places[place].tests {
            passes = boolean(&self.value(test, &mut one.row)?)? == Some(true);
            if !passes {
                break;
            }
        }
        one.row.forget(before);
        Ok(passes)
    }

    /// Visits that may follow one.
    fn after(&self, one: &Search<'_, '_, '_>, at: u32) -> Result<Vec<Visit>> {
        let visit = one.visits[at as usize];
        let stay = |place, times| Visit {
            before: at,
            place,
            relationship: NO_ID,
            times,
            ..visit
        };
        let (times, done) = match &one.places[visit.place as usize].next {
            Next::End => return Ok(Vec::new()),
            Next::Begin(times) => (times, 0),
            Next::Again(times) => (times, visit.times.saturating_add(1)),
            Next::Step(step) => {
                let hops = self.hops(&[visit.node], step.towards, &step.types)?;
                let mut next = Vec::with_capacity(hops.len());
                for (_, relationship, node) in hops {
                    self.step()?;
                    if one.may_take(at, relationship, node) {
                        next.push(Visit {
                            before: at,
                            place: visit.place + 1,
                            node,
                            relationship,
                            times: visit.times,
                            length: visit.length + 1,
                        });
                    }
                }
                return Ok(next);
            }
        };
        let mut next = Vec::new();
        if u64::from(done) >= times.least {
            next.push(stay(times.behind, 0));
        }
        if times.most.is_none_or(|most| u64::from(done) < most) {
            next.push(stay(times.first, done));
        }
        Ok(next)
    }

    /// Least number of relationships from a node to the last one; `None` if there is no
    /// way.
    fn distance(&self, distances: &mut Distances<'_>, node: u32) -> Result<Option<u32>> {
        while !distances.known.contains_key(&node) && !distances.frontier.is_empty() {
            distances.depth += 1;
            let frontier = std::mem::take(&mut distances.frontier);
            for &(towards, types) in &distances.steps {
                for (_, _, next) in self.hops(&frontier, towards, types)? {
                    self.step()?;
                    distances.known.entry(next).or_insert_with(|| {
                        distances.frontier.push(next);
                        distances.depth
                    });
                }
            }
        }
        Ok(distances.known.get(&node).copied())
    }

    /// The shortest paths of one relationship that repeats; `None` if there are several
    /// that may go round.
    fn plain_search(
        &self,
        one: &mut Search<'_, '_, '_>,
        from: u32,
        searches: &mut Searches<'_>,
        out: &mut Out<'_>,
    ) -> Result<Option<Flow>> {
        let (Some(into), [PathPart::Repeat(repeat)]) = (one.into, one.search.parts.as_slice())
        else {
            return Ok(None);
        };
        let step = &repeat.steps[0];
        let types = self.graph.types(&step.types);
        let row = &mut one.row;
        let mut hops = |nodes: &[u32], forward: bool| -> Result<Vec<Hop>> {
            let towards = match forward {
                true => step.towards,
                false => step.towards.reversed(),
            };
            let mut hops = self.hops(nodes, towards, &types)?;
            if repeat.tests.is_empty() {
                return Ok(hops);
            }
            let mut kept = Vec::new();
            for hop @ (from, relationship, to) in hops.drain(..) {
                let (from, to) = if forward { (from, to) } else { (to, from) };
                let before = row.remembered();
                row.remember(repeat.nodes[0], Datum::Node(NodeId(from)));
                row.remember(repeat.nodes[1], Datum::Node(NodeId(to)));
                let relationship = Datum::Relationship(RelationshipId(relationship));
                row.remember(step.relationship, relationship);
                let mut passes = true;
                for test in &repeat.tests {
                    passes &= boolean(&self.value(&test.condition, row)?)? == Some(true);
                }
                row.forget(before);
                if passes {
                    kept.push(hop);
                }
            }
            Ok(kept)
        };
        let (search, places, visits) = (one.search, one.places, &mut one.visits);
        let mut stopped = Flow::Continue;
        let mut found = |path: &[(u32, u32)]| {
            visits.clear();
            visits.extend(ways(from, path));
            stopped = out.add(filled(search, places, visits, visits.len() as u32 - 1))?;
            Ok(stopped)
        };
        if from != into {
            self.shortest_paths(searches, (from, into), &mut hops, &mut found)?;
            return Ok(Some(stopped));
        }
        let round = match search.mode {
            PathMode::Acyclic => None,
            _ => self.shortest_round(searches, from, &mut hops)?,
        };
        match round {
            Some(_) if matches!(search.choice, Choice::Groups(_)) => Ok(None),
            Some(round) => Ok(Some(found(&round)?)),
            None => Ok(Some(Flow::Continue)),
        }
    }
}

/// A path of one relationship that repeats, as visits of its places.
fn ways(from: u32, path: &[(u32, u32)]) -> Vec<Visit> {
    let mut visits: Vec<Visit> = Vec::with_capacity(2 * path.len() + 2);
    let mut add = |place, node, relationship| {
        visits.push(Visit {
            before: (visits.len() as u32).wrapping_sub(1),
            place,
            node,
            relationship,
            times: 0,
            length: 0,
        });
    };
    add(0, from, NO_ID);
    let mut node = from;
    for &(relationship, next) in path {
        add(1, node, NO_ID);
        add(2, next, relationship);
        node = next;
    }
    add(3, node, NO_ID);
    visits
}

/// The values of a path that ends with a visit: of nodes and relationships that stand
/// once, lists of those that repeat, and the list of all relationships.
fn filled(
    search: &PathSearch,
    places: &[Place<'_>],
    visits: &[Visit],
    last: u32,
) -> Vec<(Slot, Filled)> {
    let mut way = Vec::new();
    let mut at = last;
    while at != NONE {
        way.push(visits[at as usize]);
        at = visits[at as usize].before;
    }
    way.reverse();
    let parts = search.parts.iter();
    let mut lists: Vec<(Slot, Slot, Vec<Datum>)> = parts
        .filter_map(|part| match part {
            PathPart::Repeat(repeat) => Some(&repeat.lists),
            PathPart::Step(_) => None,
        })
        .flatten()
        .map(|&(inner, list)| (inner, list, Vec::new()))
        .collect();
    let mut push = |slot: Slot, datum: &Datum| {
        for (inner, _, list) in &mut lists {
            if *inner == slot {
                list.push(datum.clone());
            }
        }
    };
    let mut values = Vec::new();
    let mut all = Vec::new();
    let mut before = 0;
    for (number, visit) in way.iter().enumerate() {
        let place = &places[visit.place as usize];
        if visit.relationship != NO_ID {
            let datum = Datum::Relationship(RelationshipId(visit.relationship));
            if let Next::Step(step) = &places[before].next {
                match place.repeats {
                    true => push(step.relationship, &datum),
                    false => values.push((step.relationship, Filled::Datum(datum.clone()))),
                }
            }
            all.push(datum);
        }
        match place.repeats {
            true => push(place.slot, &Datum::Node(NodeId(visit.node))),
            false if number == 0 => {}
            false => values.push((place.slot, Filled::Node(visit.node))),
        }
        before = visit.place as usize;
    }
    let lists = lists.into_iter().map(|(_, slot, list)| (slot, list));
    for (slot, mut list) in lists.chain([(search.relationships, all)]) {
        if search.reversed {
            list.reverse();
        }
        values.push((slot, Filled::Datum(Datum::list(list))));
    }
    values
}

impl<'p> Distances<'p> {
    fn to<'s: 'p>(last: u32, places: &'s [Place<'_>]) -> Self {
        let mut steps: Vec<(Towards, &Types)> = Vec::new();
        for place in places {
            if let Next::Step(step) = &place.next {
                let one = (step.towards.reversed(), &step.types);
                if !steps.contains(&one) {
                    steps.push(one);
                }
            }
        }
        let mut known = HashMap::default();
        known.insert(last, 0);
        Distances {
            steps,
            known,
            frontier: vec![last],
            depth: 0,
        }
    }
}

impl Search<'_, '_, '_> {
    /// Whether it is for shortest paths of one relationship that repeats, none of which
    /// can have a node twice, but for its end where it began.
    fn is_plain(&self, from: u32) -> bool {
        let [PathPart::Repeat(repeat)] = self.search.parts.as_slice() else {
            return false;
        };
        let is_known = match self.into {
            Some(into) if into != from => repeat.least <= 1,
            Some(_) => repeat.least == 1 && self.search.mode != PathMode::Walk,
            None => false,
        };
        let is_free = self.search.tests.is_empty() && self.unlike.is_empty();
        is_known && is_free && repeat.steps.len() == 1
    }

    /// Whether the mode of the path lets it go on along a relationship to a node.
    fn may_take(&self, at: u32, relationship: u32, node: u32) -> bool {
        let mode = self.search.mode;
        if self.unlike.contains(&relationship) {
            return false;
        }
        if mode == PathMode::Walk {
            return true;
        }
        let mut visit = &self.visits[at as usize];
        let root = self.visits[0].node;
        // A simple path has ended when it is back.
        if mode == PathMode::Simple && visit.length > 0 && visit.node == root {
            return false;
        }
        loop {
            let is_twice = match mode {
                PathMode::Acyclic => visit.node == node,
                PathMode::Simple => visit.node == node && node != root,
                _ => false,
            };
            if is_twice || visit.relationship == relationship {
                return false;
            }
            if visit.before == NONE {
                return true;
            }
            visit = &self.visits[visit.before as usize];
        }
    }

    fn filled(&self, at: u32) -> Vec<(Slot, Filled)> {
        filled(self.search, self.places, &self.visits, at)
    }

    /// The values that tests at a visit's place may use: those of its repetition, or
    /// those of the path so far.
    fn known(&self, at: u32) -> Vec<(Slot, Datum)> {
        let repeats = self.places[self.visits[at as usize].place as usize].repeats;
        if !repeats {
            let filled = self.filled(at).into_iter();
            let data = filled.map(|(slot, filled)| match filled {
                Filled::Node(id) => (slot, Datum::Node(NodeId(id))),
                Filled::Datum(datum) => (slot, datum),
            });
            return data.collect();
        }
        let mut known = Vec::new();
        let mut visit = &self.visits[at as usize];
        loop {
            let place = &self.places[visit.place as usize];
            known.push((place.slot, Datum::Node(NodeId(visit.node))));
            if visit.relationship == NO_ID {
                return known;
            }
            let before = &self.visits[visit.before as usize];
            if let Next::Step(step) = &self.places[before.place as usize].next {
                let id = RelationshipId(visit.relationship);
                known.push((step.relationship, Datum::Relationship(id)));
            }
            visit = before;
        }
    }
}
