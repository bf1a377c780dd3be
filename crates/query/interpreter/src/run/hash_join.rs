//! Hash joins: rows with the rows of another plan that have equal keys.
//!
//! If memory does not hold the rows of the other plan, those of both sides go to files,
//! sorted by their keys, and are joined where keys meet: in the order of the keys' hashes.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

use evergraph_functions::Datum;
use evergraph_planner::{Expression, Operator, Plan, ScanTest, Slot};
use evergraph_syntax::tree::Comparison;

use super::keys::{ENTRY, Keys, NO_NUMBER, hash_of};
use super::runs::{Record, Shape, Sorted, Sorter, first_places, in_batches, size_of_record};
use super::scan::{Scan, Scanned};
use super::{Flow, Result, Run, Sink};
use crate::batch::{BATCH, Batch, Column};
use crate::evaluate::{Gathered, Over};
use crate::limits::Account;

const WHAT: &str = "a hash join";

/// What is joined how.
#[derive(Clone, Copy)]
pub(super) struct Join<'p> {
    pub(super) inner: &'p Plan,
    pub(super) keys: &'p [(Expression, Expression)],
    pub(super) brings: &'p [Slot],
}

/// The rows of the other plan.
enum Side<'r> {
    Held(Rc<RefCell<Built<'r>>>),
    /// Keys and what they bring; rows that are to be joined come to files, too.
    Beyond(Box<Probing<'r>>),
}

/// Rows of the other plan in memory, by their keys.
struct Built<'r> {
    rows: Batch,
    numbers: Keys,
    places: Places,
    _account: Account<'r>,
}

/// Rows of the other plan, as one thread takes them.
struct Collected<'r> {
    rows: Batch,
    account: Account<'r>,
    /// Where they go when there is no more memory.
    others: Option<Sorter<'r>>,
}

/// Rows to be joined, and those of the other plan, by their keys.
struct Probing<'r> {
    others: Sorter<'r>,
    rows: Sorter<'r>,
    shape: Shape,
}

/// A join that has been asked, and the rows of its other plan if it was asked again: of a
/// subquery, that plan gives the same ones each time.
pub(crate) struct Joined<'r> {
    inner: *const Plan,
    built: Option<Rc<RefCell<Built<'r>>>>,
}

impl<'a> Run<'a, '_> {
    pub(super) fn hash_join(
        &self,
        join: Join<'_>,
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let (is_asked_again, built) = self.joined_before(join.inner);
        if let Some(built) = built {
            return self.run(input, argument, &mut |batch| {
                self.probe(&mut built.borrow_mut(), join, &batch, sink)
            });
        }
        if !is_asked_again
            && argument.len() == 1
            && gives_its_row(input)
            && let Some(scan) = ScanOf::plan(join.inner)
        {
            return self.run(input, argument, &mut |batch| {
                self.scan_for(scan, join, &batch, sink)
            });
        }
        let around = argument.clone();
        // Not before the first row: what makes the rows may write what `inner` reads.
        let mut side: Option<Side<'_>> = None;
        let flow = self.run(input, argument, &mut |batch| {
            let side = match &mut side {
                Some(side) => side,
                none => none.insert(self.build(join, &around)?),
            };
            if let (true, Side::Held(built)) = (is_asked_again, &*side) {
                self.keep_joined(join.inner, built);
            }
            match side {
                Side::Held(built) => self.probe(&mut built.borrow_mut(), join, &batch, sink),
                Side::Beyond(probing) => {
                    probing.shape.note(&batch);
                    let left = join.keys.iter().map(|(left, _)| left);
                    let Probing { rows, shape, .. } = &mut **probing;
                    self.sort_keyed(rows, left, &batch, |row| shape.slots(&batch, row))?;
                    Ok(Flow::Continue)
                }
            }
        })?;
        match side {
            Some(Side::Beyond(probing)) if flow == Flow::Continue => {
                self.join_sorted(join, *probing, sink)
            }
            _ => Ok(flow),
        }
    }

    /// Whether a join has been asked before, and the rows that it has kept. They are not
    /// kept where a write may come between.
    fn joined_before(&self, inner: &Plan) -> (bool, Option<Rc<RefCell<Built<'a>>>>) {
        if !self.only_reads {
            return (false, None);
        }
        let mut joined = self.joined.borrow_mut();
        match joined.iter().find(|one| std::ptr::eq(one.inner, inner)) {
            Some(one) => (true, one.built.clone()),
            None => {
                joined.push(Joined { inner, built: None });
                (false, None)
            }
        }
    }

    fn keep_joined(&self, inner: &Plan, built: &Rc<RefCell<Built<'a>>>) {
        let mut joined = self.joined.borrow_mut();
        let same = joined.iter_mut();
        for one in same.filter(|one| std::ptr::eq(one.inner, inner)) {
            one.built = Some(Rc::clone(built));
        }
    }

    /// For one row: the nodes of the other plan that may equal it, by a scan that tests them.
    fn scan_for(
        &self,
        scan: ScanOf<'_>,
        join: Join<'_>,
        row: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let mut tests = scan.tests.to_vec();
        tests.extend(join.keys.iter().filter_map(|(value, key)| {
            let (_, key) = key.as_property()?;
            Some(ScanTest {
                key: Arc::clone(key),
                comparison: Comparison::Equal,
                value: value.clone(),
            })
        }));
        let from = |conditions| Scan {
            of: Scanned::Nodes(scan.node, scan.label),
            tests: &tests,
            conditions,
            leaf: None,
        };
        if self.profiler.is_none() || scan.conditions.is_empty() {
            let mut scanned = |sink: &mut Sink<'_>| self.scan(&from(scan.conditions), row, sink);
            return self.profiled(scan.plan, sink, &mut scanned);
        }
        // A profile tells the two apart.
        self.profiled(join.inner, sink, &mut |sink| {
            let mut filtered = |batch| self.push(self.filtered(scan.conditions, batch)?, sink);
            self.profiled(scan.plan, &mut filtered, &mut |sink| {
                self.scan(&from(&[]), row, sink)
            })
        })
    }

    /// The rows of the other plan by their keys.
    fn build(&self, join: Join<'_>, around: &Batch) -> Result<Side<'a>> {
        let Join { inner, keys, .. } = join;
        let guard = self.guard;
        let new = || {
            Ok(Collected {
                rows: around.blank(0),
                account: guard.account(WHAT),
                others: None,
            })
        };
        let sorter = || Sorter::new(guard, WHAT, first_places(1 + keys.len()));
        let take = |run: &Run<'_, '_>, collected: &mut Collected<'a>, batch: Batch| {
            let Collected {
                rows,
                account,
                others,
            } = collected;
            let table = (rows.len() + batch.len()) * (keys.len() * ENTRY + size_of::<u32>());
            let bytes = batch.bytes();
            if others.is_none() && run.is_to_spill(account, account.bytes() + bytes + table) {
                let mut sorter = sorter();
                let rows = std::mem::replace(rows, rows.blank(0));
                run.sort_side(&mut sorter, join, &rows)?;
                *others = Some(sorter);
                drop(rows);
                account.clear();
            }
            if let Some(others) = others {
                return run.sort_side(others, join, &batch);
            }
            account.add(bytes)?;
            rows.append(batch);
            Ok(())
        };
        let argument = around.row_alone(0);
        let states = match self.in_parallel(inner, &argument, new, take)? {
            Some(states) => states,
            None => {
                let mut state = new()?;
                self.run(inner, argument, &mut |batch| {
                    take(self, &mut state, batch)?;
                    Ok(Flow::Continue)
                })?;
                vec![state]
            }
        };
        let mut all = new()?;
        for state in states {
            let bytes = state.account.bytes();
            drop(state.account);
            all.account.add(bytes)?;
            all.rows.append(state.rows);
            match (&mut all.others, state.others) {
                (Some(all), Some(others)) => all.append(self, others)?,
                (none, Some(others)) => *none = Some(others),
                (_, None) => {}
            }
        }
        let mut others = match all.others {
            Some(others) => others,
            None => {
                let right = self.keys_of(keys.iter().map(|(_, right)| right), &all.rows)?;
                let mut numbers = Keys::new(keys.len());
                let places = Places::of(numbers.numbers(&right.columns, all.rows.len()), &right);
                let table = numbers.bytes() + 4 * all.rows.len();
                if !self.is_to_spill(&all.account, all.account.bytes() + table) {
                    all.account.add(table)?;
                    return Ok(Side::Held(Rc::new(RefCell::new(Built {
                        rows: all.rows,
                        numbers,
                        places,
                        _account: all.account,
                    }))));
                }
                sorter()
            }
        };
        self.sort_side(&mut others, join, &all.rows)?;
        let mut shape = Shape::of(around);
        shape.fill(join.brings);
        Ok(Side::Beyond(Box::new(Probing {
            others,
            rows: sorter(),
            shape,
        })))
    }

    /// Gives rows of the other plan to a sorter: their keys, and what they bring.
    fn sort_side(&self, sorter: &mut Sorter<'_>, join: Join<'_>, rows: &Batch) -> Result<()> {
        let right = join.keys.iter().map(|(_, right)| right);
        self.sort_keyed(sorter, right, rows, |row| {
            join.brings.iter().map(move |&slot| rows.get(slot, row))
        })
    }

    /// Gives rows to a sorter: the hash of their keys, the keys, and more. Those with a
    /// null in their keys equal none.
    fn sort_keyed<'e, D: Iterator<Item = Datum>>(
        &self,
        sorter: &mut Sorter<'_>,
        keys: impl Iterator<Item = &'e Expression>,
        rows: &Batch,
        more: impl Fn(usize) -> D,
    ) -> Result<()> {
        let keys = self.keys_of(keys, rows)?;
        for row in (0..rows.len()).filter(|&row| !keys.has_null(row)) {
            self.step()?;
            let mut record = vec![Datum::NULL];
            record.extend(keys.columns.iter().map(|column| column.get(row)));
            record[0] = hash_of(&record[1..]).into();
            record.extend(more(row));
            sorter.add(self, record)?;
        }
        Ok(())
    }

    /// Pushes rows beside those of the other plan with equal keys, both from files. Of the
    /// other plan, the rows with one key are held.
    fn join_sorted(
        &self,
        join: Join<'_>,
        probing: Probing<'a>,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let width = 1 + join.keys.len();
        let mut rows = probing.rows.finish(self)?;
        let mut others = Alike::new(self, probing.others.finish(self)?, width)?;
        let mut row: Record = Vec::new();
        let mut left = 0;
        let next = || {
            while left == 0 {
                row = match rows.next(self)? {
                    Some(row) => row,
                    None => return Ok(None),
                };
                left = others.advance(self, &row[..width])?;
            }
            self.step()?;
            let mut joined = row.clone();
            let other = &others.rows[others.rows.len() - left];
            for (&slot, datum) in join.brings.iter().zip(other) {
                joined[width + slot] = datum.clone();
            }
            left -= 1;
            Ok(Some(joined))
        };
        let shape = &probing.shape;
        in_batches(next, &mut |records| sink(shape.batch(width, records)))
    }

    /// Pushes the rows of a batch beside those with equal keys.
    fn probe(
        &self,
        built: &mut Built<'_>,
        Join { keys, brings, .. }: Join<'_>,
        batch: &Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        // Where nothing can equal a row, its key is not computed: it might be an error.
        if built.rows.is_empty() {
            return Ok(Flow::Continue);
        }
        let left = self.keys_of(keys.iter().map(|(left, _)| left), batch)?;
        let numbers = built.numbers.found(&left.columns, batch.len());
        let equal = |(at, number): (usize, u32)| {
            let is_none = number == NO_NUMBER || left.has_null(at);
            (!is_none).then(|| (at as u32, built.places.rows(number)))
        };
        let numbers = numbers.into_iter().enumerate();
        if self.wants_few(batch) {
            let equal = numbers.filter_map(equal).collect();
            return self.probe_for_few(equal, (batch, &built.rows), brings, sink);
        }
        let (mut rows, mut others) = (Vec::new(), Vec::new());
        for (at, found) in numbers.filter_map(equal) {
            if self.is_closed(batch, at as usize) {
                continue;
            }
            rows.extend(std::iter::repeat_n(at, found.len()));
            others.extend_from_slice(found);
            if rows.len() >= BATCH {
                let pair = (&rows[..], &others[..]);
                if self.push_joined(batch, &built.rows, pair, brings, sink)? == Flow::Stop {
                    return Ok(Flow::Stop);
                }
                rows.clear();
                others.clear();
            }
        }
        self.push_joined(batch, &built.rows, (&rows, &others), brings, sink)
    }

    /// As [`Run::probe`], where a row may want few: one for each first, and more for those
    /// that are still open then.
    fn probe_for_few(
        &self,
        mut equal: Vec<(u32, &[u32])>,
        (batch, built): (&Batch, &Batch),
        brings: &[Slot],
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let mut most = 1;
        while !equal.is_empty() {
            let (mut rows, mut others) = (Vec::new(), Vec::new());
            let mut are_open = self.are_open(batch);
            for (at, left) in &mut equal {
                let (now, later) = left.split_at(most.min(left.len()));
                if !are_open[*at as usize] {
                    continue;
                }
                rows.extend(std::iter::repeat_n(*at, now.len()));
                others.extend_from_slice(now);
                *left = later;
                if rows.len() >= BATCH {
                    self.guard.check()?;
                    let pair = (&rows[..], &others[..]);
                    if self.push_joined(batch, built, pair, brings, sink)? == Flow::Stop {
                        return Ok(Flow::Stop);
                    }
                    rows.clear();
                    others.clear();
                    are_open = self.are_open(batch);
                }
            }
            if self.push_joined(batch, built, (&rows, &others), brings, sink)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
            let are_open = self.are_open(batch);
            equal.retain(|(at, left)| !left.is_empty() && are_open[*at as usize]);
            most = (most * 8).min(BATCH);
        }
        Ok(Flow::Continue)
    }

    /// Pushes rows beside those of another batch.
    fn push_joined(
        &self,
        batch: &Batch,
        built: &Batch,
        (rows, others): (&[u32], &[u32]),
        brings: &[Slot],
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        for (rows, others) in rows.chunks(BATCH).zip(others.chunks(BATCH)) {
            let mut joined = batch.take(rows);
            for &slot in brings {
                joined.set(slot, built.column(slot).take(others));
            }
            if sink(joined)? == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// The columns of a key.
    fn keys_of<'e>(
        &self,
        of: impl Iterator<Item = &'e Expression>,
        batch: &Batch,
    ) -> Result<KeyColumns> {
        let gathered = Gathered::default();
        let over = Over::new(self, batch, &gathered);
        let columns = of.map(|one| Ok(Rc::new(over.all(one)?)));
        Ok(KeyColumns {
            columns: columns.collect::<Result<_>>()?,
        })
    }
}

/// A scan of nodes, with the filter above it.
#[derive(Clone, Copy)]
struct ScanOf<'p> {
    plan: &'p Plan,
    node: Slot,
    label: Option<&'p str>,
    tests: &'p [ScanTest],
    conditions: &'p [Expression],
}

impl<'p> ScanOf<'p> {
    fn plan(plan: &'p Plan) -> Option<Self> {
        let (plan, conditions) = match &plan.operator {
            Operator::Filter(conditions) => (plan.input.as_deref()?, &conditions[..]),
            _ => (plan, &[][..]),
        };
        let Operator::NodeScan { node, label, tests } = &plan.operator else {
            return None;
        };
        let is_first = matches!(plan.input.as_deref()?.operator, Operator::Argument);
        is_first.then_some(ScanOf {
            plan,
            node: *node,
            label: label.as_deref(),
            tests,
            conditions,
        })
    }
}

/// Whether a plan gives the row that it is for alone, or none.
fn gives_its_row(plan: &Plan) -> bool {
    match (&plan.operator, plan.input.as_deref()) {
        (Operator::Argument, _) => true,
        (Operator::Filter(_) | Operator::Extend(_), Some(input)) => gives_its_row(input),
        _ => false,
    }
}

/// Sorted rows of the other plan, those with one key at a time.
struct Alike<'r> {
    records: Sorted<'r>,
    next: Option<Record>,
    /// Places of a record that are its key.
    width: usize,
    key: Record,
    rows: Vec<Record>,
    account: Account<'r>,
}

impl<'r> Alike<'r> {
    fn new(run: &'r Run<'_, '_>, mut records: Sorted<'r>, width: usize) -> Result<Self> {
        Ok(Alike {
            next: records.next(run)?,
            records,
            width,
            key: Vec::new(),
            rows: Vec::new(),
            account: run.guard.account(WHAT),
        })
    }

    /// Goes on to the rows with a key, which is none before that of now; how many there are.
    fn advance(&mut self, run: &Run<'_, '_>, key: &[Datum]) -> Result<usize> {
        if self.key == key {
            return Ok(self.rows.len());
        }
        self.key = key.to_vec();
        self.rows.clear();
        self.account.clear();
        while let Some(mut record) = self.next.take() {
            let row = record.split_off(self.width);
            match record.as_slice().cmp(key) {
                Ordering::Less => {}
                Ordering::Equal => {
                    self.account.grow(size_of_record(&row))?;
                    self.rows.push(row);
                }
                Ordering::Greater => {
                    record.extend(row);
                    self.next = Some(record);
                    break;
                }
            }
            self.next = self.records.next(run)?;
        }
        Ok(self.rows.len())
    }
}

/// The columns of a key.
struct KeyColumns {
    columns: Vec<Rc<Column>>,
}

impl KeyColumns {
    /// Whether a row has a null, which equals nothing.
    fn has_null(&self, row: usize) -> bool {
        self.columns.iter().any(|column| column.is_null_at(row))
    }
}

/// Rows by the number of their key.
struct Places {
    /// Where those of a number begin, and behind the last where they end.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Places {
    fn of(numbers: Vec<u32>, keys: &KeyColumns) -> Self {
        let there = || {
            let rows = numbers.iter().enumerate();
            rows.filter(|(row, _)| !keys.has_null(*row))
        };
        let count = numbers.iter().max().map_or(0, |most| *most as usize + 1);
        let mut starts = vec![0u32; count + 1];
        there().for_each(|(_, &number)| starts[number as usize + 1] += 1);
        for number in 0..count {
            starts[number + 1] += starts[number];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[count] as usize];
        for (row, &number) in there() {
            let place = &mut next[number as usize];
            rows[*place as usize] = row as u32;
            *place += 1;
        }
        Places { starts, rows }
    }

    fn rows(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.rows[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}
