//! Hash joins: rows with the rows of another plan that have equal keys.
//!
//! If memory does not hold the rows of the other plan, those of both sides go to files,
//! sorted by their keys, and are joined where keys meet: in the order of the keys' hashes.

use std::cmp::Ordering;
use std::rc::Rc;

use evergraph_functions::Datum;
use evergraph_planner::{Expression, Plan, Slot};

use super::keys::{ENTRY, Keys, NO_NUMBER, hash_of};
use super::runs::{Record, Shape, Sorted, Sorter, first_places, in_batches, size_of_record};
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
    Held(Built<'r>),
    /// Keys and what they bring; rows that are to be joined come to files, too.
    Beyond(Sorter<'r>, Probing<'r>),
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

/// Rows to be joined, by their keys.
struct Probing<'r> {
    rows: Sorter<'r>,
    shape: Shape,
}

impl Run<'_, '_> {
    pub(super) fn hash_join(
        &self,
        join: Join<'_>,
        input: &Plan,
        argument: Batch,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let around = argument.clone();
        // Not before the first row: what makes the rows may write what `inner` reads.
        let mut side: Option<Side<'_>> = None;
        let flow = self.run(input, argument, &mut |batch| {
            let side = match &mut side {
                Some(side) => side,
                none => none.insert(self.build(join, &around)?),
            };
            match side {
                Side::Held(built) => self.probe(built, join, &batch, sink),
                Side::Beyond(_, probing) => {
                    probing.shape.note(&batch);
                    let left = join.keys.iter().map(|(left, _)| left);
                    let shape = &probing.shape;
                    let rows = &mut probing.rows;
                    self.sort_keyed(rows, left, &batch, |row| shape.slots(&batch, row))?;
                    Ok(Flow::Continue)
                }
            }
        })?;
        match side {
            Some(Side::Beyond(others, probing)) if flow == Flow::Continue => {
                self.join_sorted(join, others, probing, sink)
            }
            _ => Ok(flow),
        }
    }

    /// The rows of the other plan by their keys.
    fn build<'r>(&'r self, join: Join<'_>, around: &Batch) -> Result<Side<'r>> {
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
        let take = |run: &Run<'_, '_>, collected: &mut Collected<'r>, batch: Batch| {
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
        let argument = around.row(0);
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
                    return Ok(Side::Held(Built {
                        rows: all.rows,
                        numbers,
                        places,
                        _account: all.account,
                    }));
                }
                sorter()
            }
        };
        self.sort_side(&mut others, join, &all.rows)?;
        let mut shape = Shape::of(around);
        shape.fill(join.brings);
        Ok(Side::Beyond(
            others,
            Probing {
                rows: sorter(),
                shape,
            },
        ))
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
        others: Sorter<'_>,
        probing: Probing<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<Flow> {
        let width = 1 + join.keys.len();
        let mut rows = probing.rows.finish(self)?;
        let mut others = Alike::new(self, others.finish(self)?, width)?;
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
        let left = self.keys_of(keys.iter().map(|(left, _)| left), batch)?;
        let (mut rows, mut others) = (Vec::new(), Vec::new());
        let numbers = built.numbers.found(&left.columns, batch.len());
        for (at, number) in numbers.into_iter().enumerate() {
            if number == NO_NUMBER || left.has_null(at) {
                continue;
            }
            let found = built.places.rows(number);
            rows.extend(std::iter::repeat_n(at as u32, found.len()));
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
