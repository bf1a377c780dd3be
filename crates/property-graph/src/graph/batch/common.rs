//! Nodes that are neighbors of several others.

use std::collections::HashMap;
use std::sync::Arc;

use evergraph_topology::ManyLists;

use super::account::Account;
use super::listed::Listed;
use super::source::Source;
use crate::dictionary::TypeCode;
use crate::graph::error::GraphError;
use crate::graph::read::direction::Direction;
use crate::graph::read::sorted::{SortedKey, SortedSection, sort};
use crate::record::NodeRecord;

/// For fewer rows no section is sorted, but single lists.
const MANY_ROWS: usize = 256;
/// Copies of lists of more types are not kept.
const MOST_TYPES: usize = 32;

/// Nodes, one a row, whose neighbors are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Adjoining<'a> {
    /// The nodes.
    pub nodes: &'a [u32],
    /// Types of the relationships; all if `None`.
    pub types: Option<&'a [TypeCode]>,
    /// Their direction, seen from the nodes.
    pub direction: Direction,
}

/// Bounds of the ids that are looked for, one a row; they are not themselves within.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdBounds<'a> {
    /// Above these.
    pub above: Option<&'a [u32]>,
    /// Below these.
    pub below: Option<&'a [u32]>,
}

/// Nodes that are neighbors of all nodes of a row, one for each choice of relationships.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Common {
    /// The row of the input that each was found for; ascending.
    pub rows: Vec<u32>,
    /// The common neighbor; ascending in each row.
    pub nodes: Vec<u32>,
    /// The relationships to it, from the node of each [`Adjoining`].
    pub relationships: Vec<Vec<u32>>,
}

impl Common {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// DRAM of the rows.
    pub fn bytes(&self) -> usize {
        (8 + 4 * self.relationships.len()) * self.rows.len()
    }

    /// Adds a node with each choice of relationships: one of each list.
    fn add(&mut self, row: u32, node: u32, choices: &[&[u32]]) {
        if choices.iter().all(|ids| ids.len() == 1) {
            self.rows.push(row);
            self.nodes.push(node);
            for (column, ids) in self.relationships.iter_mut().zip(choices) {
                column.push(ids[0]);
            }
            return;
        }
        let count = choices.iter().map(|ids| ids.len()).product();
        for mut choice in 0..count {
            self.rows.push(row);
            self.nodes.push(node);
            for (column, ids) in self.relationships.iter_mut().zip(choices).rev() {
                column.push(ids[choice % ids.len()]);
                choice /= ids.len();
            }
        }
    }
}

/// Reads sorted lists of some types in one direction.
struct SortedReader<'s> {
    source: Source<'s>,
    lists: Listed<'s>,
    asked: Adjoining<'s>,
    /// Whether sections may be sorted whole.
    whole: bool,
    shift: u32,
    /// Nodes are below this.
    bound: u32,
    /// By section, once it was looked for: its copy, if it has one.
    sections: Vec<Option<Option<Arc<SortedSection>>>>,
    /// Lists that were sorted alone.
    alone: HashMap<u32, (Vec<u32>, Vec<u32>)>,
    /// The node whose list was made ready last.
    last: Option<u32>,
    bytes: u64,
}

impl<'s> SortedReader<'s> {
    fn new(source: Source<'s>, asked: Adjoining<'s>) -> Self {
        let types = source.types(asked.types).codes().len();
        SortedReader {
            source,
            lists: Listed::new(source, asked.types, asked.direction),
            whole: asked.nodes.len() >= MANY_ROWS && types <= MOST_TYPES,
            shift: source.view.core().store.section_shift(),
            bound: source.bound::<NodeRecord>(),
            asked,
            sections: Vec::new(),
            alone: HashMap::new(),
            last: None,
            bytes: 0,
        }
    }

    /// Makes the list of a node ready for [`SortedReader::list`].
    fn prepare(&mut self, node: u32) -> Result<(), GraphError> {
        if self.last.replace(node) == Some(node) {
            return Ok(());
        }
        let has_section =
            || node < self.bound && self.source.changed_types(node, self.asked.types).is_none();
        if has_section() && self.section(node >> self.shift)?.is_some() {
            return Ok(());
        }
        if !self.alone.contains_key(&node) && node < self.bound {
            let mut lists = ManyLists::default();
            let account = Account::default();
            let mut charge = account.growing()?;
            self.lists
                .read::<true>(&[node], &mut lists, (&mut charge, 8))?;
            sort(&mut lists.neighbors, &mut lists.ids, &mut Vec::new());
            self.bytes += 8 * lists.neighbors.len() as u64 + 64;
            self.alone.insert(node, (lists.neighbors, lists.ids));
        }
        Ok(())
    }

    /// The sorted list of a node that was prepared.
    fn list(&self, node: u32) -> (&[u32], &[u32]) {
        if !self.alone.is_empty()
            && let Some((neighbors, ids)) = self.alone.get(&node)
        {
            return (neighbors, ids);
        }
        match self.sections.get((node >> self.shift) as usize) {
            Some(Some(Some(section))) => section.list(node as usize & ((1 << self.shift) - 1)),
            _ => (&[], &[]),
        }
    }

    /// The copy of a section, made if the budget has room for it.
    fn section(&mut self, number: u32) -> Result<Option<&Arc<SortedSection>>, GraphError> {
        let place = number as usize;
        if self.sections.len() <= place {
            self.sections.resize_with(place + 1, || None);
        }
        if self.sections[place].is_none() {
            self.sections[place] = Some(self.find_section(number)?);
        }
        Ok(self.sections[place].as_ref().and_then(Option::as_ref))
    }

    fn find_section(&mut self, number: u32) -> Result<Option<Arc<SortedSection>>, GraphError> {
        let view = self.source.view;
        let kept = &view.core().sorted;
        let types = self.source.types(self.asked.types);
        if types.codes().len() > MOST_TYPES {
            return Ok(None);
        }
        let key = SortedKey {
            types: types.codes().into(),
            direction: self.asked.direction,
            section: number,
        };
        let first = number << self.shift;
        let made_of = self.lists.changed_at(first)?;
        if let Some(section) = kept.get(&key, &made_of) {
            return Ok(Some(section));
        }
        let nodes: Vec<u32> = (first..first + (1 << self.shift)).collect();
        if !self.whole {
            return Ok(None);
        }
        let mut lists = ManyLists::default();
        // Other readers see no changes of the transaction.
        let committed = Source {
            overlay: None,
            reads: None,
            ..self.source
        };
        let mut committed = Listed::new(committed, Some(&key.types), self.asked.direction);
        let lengths: u64 = committed.degrees(&nodes)?.iter().sum();
        if lengths.saturating_mul(8) > kept.budget() as u64 {
            return Ok(None);
        }
        let account = Account::default();
        committed.read::<true>(&nodes, &mut lists, (&mut account.growing()?, 8))?;
        drop(committed);
        let section = SortedSection::sorted(made_of, &lists.ends, lists.neighbors, lists.ids);
        let section = Arc::new(section);
        kept.keep(key, &section);
        Ok(Some(section))
    }
}

impl Source<'_> {
    /// The common neighbors of the nodes of each row, from sorted copies of their lists.
    pub(super) fn common_neighbors(
        &self,
        of: &[Adjoining<'_>],
        bounds: IdBounds<'_>,
        account: &Account,
    ) -> Result<Common, GraphError> {
        let rows = of.first().map_or(0, |one| one.nodes.len());
        assert!(
            of.iter().all(|one| one.nodes.len() == rows) && of.len() <= MOST_ADJOINING,
            "rows of as many nodes, and not of too many"
        );
        for one in of {
            self.has_read_lists(one.nodes, one.types, one.direction);
        }
        let mut charge = account.growing()?;
        let mut found = Common {
            relationships: vec![Vec::new(); of.len()],
            ..Common::default()
        };
        let readers = of.iter().map(|&one| SortedReader::new(*self, one));
        let mut readers: Vec<SortedReader<'_>> = readers.collect();
        let mut repeated = Repeated::default();
        for row in 0..rows {
            for (reader, one) in readers.iter_mut().zip(of) {
                reader.prepare(one.nodes[row])?;
            }
            let mut lists: [List<'_>; MOST_ADJOINING] = Default::default();
            for ((list, reader), one) in lists.iter_mut().zip(&readers).zip(of) {
                let (neighbors, ids) = reader.list(one.nodes[row]);
                let above = bounds.above.map_or(0, |above| {
                    neighbors.partition_point(|&node| node <= above[row])
                });
                let below = bounds.below.map_or(neighbors.len(), |below| {
                    neighbors.partition_point(|&node| node < below[row])
                });
                let place = above..below.max(above);
                *list = (&neighbors[place.clone()], &ids[place]);
            }
            match &mut lists[..of.len()] {
                [one, other] if are_alike(one.0, other.0) => {
                    let list = |side: usize, node| readers[side].list(node).0;
                    let most = MOST_MARKED * (one.0.len() + other.0.len());
                    match repeated.side(of, row, (list, most)) {
                        Some(side) => {
                            repeated.look_up(row as u32, [*one, *other], side, &mut found)
                        }
                        None => merge(row as u32, *one, *other, &mut found),
                    }
                }
                lists => intersect(row as u32, lists, &mut found),
            }
            let alone: u64 = readers.iter().map(|reader| reader.bytes).sum();
            charge.to(found.bytes() as u64 + alone)?;
        }
        charge.done(found.bytes() as u64)?;
        Ok(found)
    }
}

/// So many entries are marked, at most, for one of the lists of a row that are within the
/// bounds: marking one costs less than comparing one.
const MOST_MARKED: usize = 8;

/// Bits of which one says that some nodes may be in a list.
const BITS: usize = 1 << 16;

/// The list of a node that stands in many rows, one after the other, of a side of two: a
/// bit for each of its entries, which some other nodes share.
#[derive(Default)]
struct Repeated {
    of: Option<(usize, u32)>,
    bits: Vec<u64>,
    marked: Vec<u32>,
    places: Vec<usize>,
}

impl Repeated {
    /// The side whose list is known in a row, made known if the next row has it, too, and it
    /// has at most so many entries.
    fn side<'l>(
        &mut self,
        of: &[Adjoining<'_>],
        row: usize,
        (list, most): (impl Fn(usize, u32) -> &'l [u32], usize),
    ) -> Option<usize> {
        if let Some((side, node)) = self.of
            && of[side].nodes[row] == node
        {
            return Some(side);
        }
        let stays = |side: &usize| of[*side].nodes.get(row + 1) == Some(&of[*side].nodes[row]);
        let side = (0..of.len()).find(stays)?;
        let node = of[side].nodes[row];
        let list = list(side, node);
        if list.len() > most {
            return None;
        }
        self.mark(list);
        self.of = Some((side, node));
        Some(side)
    }

    fn mark(&mut self, list: &[u32]) {
        self.bits.resize(BITS / 64, 0);
        for node in self.marked.drain(..) {
            self.bits[node as usize % BITS / 64] = 0;
        }
        self.marked.extend_from_slice(list);
        for &node in list {
            self.bits[node as usize % BITS / 64] |= 1 << (node % 64);
        }
    }

    #[inline(always)]
    fn may_have(&self, node: u32) -> bool {
        self.bits[node as usize % BITS / 64] >> (node % 64) & 1 == 1
    }

    /// Adds what two lists have: the entries of one that the known list of a side has.
    fn look_up(&mut self, row: u32, lists: [List<'_>; 2], side: usize, found: &mut Common) {
        let (mut known, other) = (lists[side], lists[1 - side]);
        // A place is written for each entry, and taken by those that may be in both.
        self.places.resize(other.0.len(), 0);
        let mut count = 0;
        for (at, &node) in other.0.iter().enumerate() {
            self.places[count] = at;
            count += usize::from(self.may_have(node));
        }
        let is_same = |one: &usize, next: &usize| other.0[*one] == other.0[*next];
        for places in self.places[..count].chunk_by(is_same) {
            let node = other.0[places[0]];
            let skipped = first_from(known.0, node);
            known = (&known.0[skipped..], &known.1[skipped..]);
            let equal = known.0.iter().take_while(|&&one| one == node).count();
            let of_known = &known.1[..equal];
            let of_other = &other.1[places[0]..places[0] + places.len()];
            match side {
                0 => found.add(row, node, &[of_known, of_other]),
                _ => found.add(row, node, &[of_other, of_known]),
            }
        }
    }
}

/// Lists that are intersected, at most.
pub const MOST_ADJOINING: usize = 8;

/// Neighbors, ascending, and relationships to them.
type List<'l> = (&'l [u32], &'l [u32]);

/// Whether two lists are so long that each entry of both is looked at.
fn are_alike(one: &[u32], other: &[u32]) -> bool {
    one.len() / 16 <= other.len() && other.len() / 16 <= one.len()
}

/// Adds what two lists have, entry by entry.
fn merge(row: u32, one: List<'_>, other: List<'_>, found: &mut Common) {
    let (mut at, mut with) = (0, 0);
    while at < one.0.len() && with < other.0.len() {
        let (node, next) = (one.0[at], other.0[with]);
        if node != next {
            // No branch: which of them is lower is as good as random.
            at += usize::from(node < next);
            with += usize::from(next < node);
            continue;
        }
        let run = |list: &[u32]| list.iter().take_while(|&&same| same == node).count();
        let (first, second) = (run(&one.0[at..]), run(&other.0[with..]));
        let choices = [&one.1[at..at + first], &other.1[with..with + second]];
        found.add(row, node, &choices);
        at += first;
        with += second;
    }
}

/// Adds what all lists have: the next node of one is looked for in the others, until all
/// are at the same.
fn intersect(row: u32, lists: &mut [List<'_>], found: &mut Common) {
    // The shortest leads.
    let lengths = lists.iter().enumerate();
    let Some((shortest, _)) = lengths.min_by_key(|(_, list)| list.0.len()) else {
        return;
    };
    let Some(&(mut node)) = lists[shortest].0.first() else {
        return;
    };
    let mut same = 0;
    let mut at = shortest;
    while same < lists.len() {
        let skipped = first_from(lists[at].0, node);
        lists[at].0 = &lists[at].0[skipped..];
        lists[at].1 = &lists[at].1[skipped..];
        let Some(&next) = lists[at].0.first() else {
            return;
        };
        match next == node {
            true => same += 1,
            false => (node, same) = (next, 1),
        }
        if same == lists.len() {
            let mut choices: [&[u32]; MOST_ADJOINING] = Default::default();
            for (choice, list) in choices.iter_mut().zip(&mut *lists) {
                let equal = list.0.iter().take_while(|&&other| other == node).count();
                (*choice, list.1) = list.1.split_at(equal);
                list.0 = &list.0[equal..];
            }
            found.add(row, node, &choices[..lists.len()]);
            match lists[shortest].0.first() {
                Some(&next) => (node, same, at) = (next, 0, shortest),
                None => return,
            }
            continue;
        }
        at = (at + 1) % lists.len();
    }
}

/// Place of the first entry that is not below a node: near the front most often.
#[inline(always)]
fn first_from(list: &[u32], node: u32) -> usize {
    let mut step = 1;
    while step < list.len() && list[step - 1] < node {
        step *= 2;
    }
    let start = step / 2;
    let end = step.min(list.len());
    start + list[start..end].partition_point(|&other| other < node)
}
