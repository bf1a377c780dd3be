//! Batches of rows as loads, where each row is new and clear. Where one is not, nothing is
//! written, and [`drafting`](super::drafting) looks at each row.

use std::ops::Range;
use std::sync::Arc;

use evergraph_io::interchange::{Id, IdColumn, IdList, RowBatch};

use super::drafting::{Draft, End, Made, Placed, Rules, is_lost};
use super::ids::NodeIds;
use super::keys::{id_of, value_of};
use super::position::{Place, Position};
use super::reading::Item;
use super::transaction::Retryable;
use super::value::Value;
use super::writing::{WORTH_LOADING, is_of_rows};
use super::{Load, NodeId, PropertyGraph, View};

/// A batch and the place of its first row.
pub(super) struct PlacedBatch {
    pub batch: RowBatch,
    pub place: Place,
}

impl PlacedBatch {
    fn place_of(&self, row: usize) -> Place {
        Place {
            row: self.place.row + row as u64,
            ..self.place
        }
    }

    /// As they come from a reader.
    pub fn items(&self) -> Vec<Item> {
        let bytes = self.batch.bytes / self.batch.len().max(1);
        let rows = self.rows();
        rows.map(|placed| Item {
            row: Ok(placed.row),
            line: placed.line,
            standing: placed.standing,
            bytes,
        })
        .collect()
    }

    /// Its rows by themselves.
    pub fn rows(&self) -> impl Iterator<Item = Placed> + use<'_> {
        (0..self.batch.len()).map(|at| Placed {
            row: self.batch.row(at),
            place: self.place_of(at),
            line: self.batch.lines[at],
            standing: self.batch.standing.clone(),
        })
    }
}

/// Ids that were added, by space.
type Given = Vec<(Arc<str>, Vec<Id>)>;

/// A load of batches that is not committed.
pub(super) struct Gathered<'g> {
    /// `None` while it is being committed.
    pub load: Option<Load<'g>>,
    pub draft: Draft<'static>,
    batches: Vec<PlacedBatch>,
    given: Given,
}

impl Gathered<'_> {
    /// Takes back the ids that it gave.
    pub fn withdraw(self, ids: &mut NodeIds) -> Vec<PlacedBatch> {
        take_back(ids, &self.given);
        self.batches
    }
}

fn take_back(ids: &mut NodeIds, given: &Given) {
    for (space, given) in given {
        let space = ids.space_mut(space);
        given.iter().for_each(|id| space.remove(id));
    }
}

struct Loading<'d, 'g> {
    load: Load<'g>,
    ids: &'d mut NodeIds,
    given: &'d mut Given,
    rules: &'d Rules,
    view: View,
    draft: Draft<'static>,
}

/// Makes a load of batches of one kind. `Err` with the batches if they have to be looked at
/// row by row: then nothing has changed, nor after an error.
pub(super) fn gather<'g>(
    graph: &'g PropertyGraph,
    ids: &mut NodeIds,
    rules: &Rules,
    position: &Position,
    batches: Vec<PlacedBatch>,
) -> Made<Result<Gathered<'g>, Vec<PlacedBatch>>> {
    let rows: usize = batches.iter().map(|placed| placed.batch.len()).sum();
    if rows < WORTH_LOADING {
        return Ok(Err(batches));
    }
    let mut given = Given::new();
    let loaded = load(graph, ids, &mut given, rules, position, &batches);
    if !matches!(loaded, Ok(Some(_))) {
        take_back(ids, &given);
    }
    match loaded {
        Ok(Some((load, draft))) => Ok(Ok(Gathered {
            load: Some(load),
            draft,
            batches,
            given,
        })),
        Ok(None) => Ok(Err(batches)),
        Err(error) if error.is_retryable() || is_of_rows(&error) => Ok(Err(batches)),
        Err(error) => Err(error),
    }
}

fn load<'g>(
    graph: &'g PropertyGraph,
    ids: &mut NodeIds,
    given: &mut Given,
    rules: &Rules,
    position: &Position,
    batches: &[PlacedBatch],
) -> Made<Option<(Load<'g>, Draft<'static>)>> {
    let mut loading = Loading {
        load: graph.load(),
        ids,
        given,
        rules,
        view: graph.view(),
        draft: Draft::before(position),
    };
    for placed in batches {
        let is_clear = match placed.batch.are_nodes {
            true => loading.nodes(placed)?,
            false => loading.relationships(placed)?,
        };
        if !is_clear {
            return Ok(None);
        }
    }
    let Loading {
        mut load,
        mut draft,
        ..
    } = loading;
    if let Some(last) = batches.last() {
        draft.advance(position, last.place_of(last.batch.len()));
    }
    for (name, value) in position.facts(&draft.position, &draft.assigned) {
        load.set_fact(&name, &value);
    }
    load.finish()?;
    Ok(Some((load, draft)))
}

/// Each method says whether all rows are new and clear.
impl Loading<'_, '_> {
    fn nodes(&mut self, placed: &PlacedBatch) -> Made<bool> {
        for (group, rows) in runs(&placed.batch) {
            if !self.nodes_of(placed, &placed.batch.groups[group], rows)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Makes nodes with the same labels.
    fn nodes_of(
        &mut self,
        placed: &PlacedBatch,
        labels: &[Arc<str>],
        rows: Range<usize>,
    ) -> Made<bool> {
        let batch = &placed.batch;
        let of_rows = batch.ids.first().map(|column| {
            let ids: Vec<Id> = rows.clone().map(|at| column.ids.get(at)).collect();
            (Arc::clone(&column.space), ids)
        });
        let mut columns = columns_of(batch, &rows);
        let mut of_key = None;
        let own_values: Vec<Value>;
        if let Some(key) = self.rules.keys.of_labels(labels) {
            let named = columns.iter().find(|column| *column.0 == **key.property());
            let values = match (named, &of_rows) {
                (Some((_, values)), _) => values.iter().map(id_of).collect(),
                (None, Some((_, ids))) => Some(ids.clone()),
                (None, None) => None,
            };
            let Some(values) = values else {
                return Ok(false);
            };
            for value in values.iter().filter(|_| self.rules.may_be_stored) {
                if self.rules.keys.find(&self.view, key, value)?.is_some() {
                    return Ok(false);
                }
            }
            if named.is_none() {
                own_values = values.iter().map(value_of).collect();
                columns.push((key.property(), &own_values));
            }
            of_key = Some((Arc::clone(key.values()), values));
        }
        let labels: Vec<&str> = labels.iter().map(|label| &**label).collect();
        let made = self.load.create_nodes(&labels, &columns, rows.len())?;
        self.draft.nodes += made.len() as u64;
        if let (Some((_, ids)), None) = (&of_rows, &of_key) {
            let of_row = |at: usize| columns.iter().filter_map(move |(_, column)| column.get(at));
            let lost = ids
                .iter()
                .enumerate()
                .filter(|(at, id)| is_lost(id, of_row(*at)));
            self.draft.lost_ids += lost.count() as u64;
        }
        for (row, node) in rows.zip(&made) {
            self.draft.assigned.push(placed.place_of(row), *node);
        }
        let all = [of_rows, of_key].into_iter().flatten();
        let mut are_new = all.map(|(space, ids)| self.give(&space, ids, &made));
        Ok(are_new.all(|are_new| are_new))
    }

    /// Gives new nodes their ids.
    fn give(&mut self, name: &Arc<str>, mut new: Vec<Id>, nodes: &[NodeId]) -> bool {
        let space = self.ids.space_mut(name);
        let taken = new.iter().zip(nodes);
        let taken = taken
            .take_while(|(id, node)| space.insert(id, **node))
            .count();
        let are_new = taken == new.len();
        new.truncate(taken);
        self.given.push((Arc::clone(name), new));
        are_new
    }

    fn relationships(&mut self, placed: &PlacedBatch) -> Made<bool> {
        let batch = &placed.batch;
        let [sources, targets] = &batch.ids[..] else {
            return Ok(false);
        };
        let follows = batch.standing.follows;
        let (Some(sources), Some(targets)) = (
            self.ends(sources, follows[0])?,
            self.ends(targets, follows[1])?,
        ) else {
            return Ok(false);
        };
        let ends: Vec<[NodeId; 2]> = sources
            .into_iter()
            .zip(targets)
            .map(<[_; 2]>::from)
            .collect();
        for (group, rows) in runs(batch) {
            let Some(kind) = batch.groups[group].first() else {
                return Ok(false);
            };
            let columns = columns_of(batch, &rows);
            (self.load).create_relationships(kind, &ends[rows.clone()], &columns)?;
            self.draft.relationships += rows.len() as u64;
        }
        Ok(true)
    }

    /// The nodes of ids, if all are there.
    fn ends(&mut self, column: &IdColumn, follows: bool) -> Made<Option<Vec<NodeId>>> {
        let space = self.ids.space(&column.space);
        let known: Vec<Option<NodeId>> = match (space, &column.ids) {
            (Some(space), IdList::Integers(ids)) => {
                ids.iter().map(|id| space.integer(*id)).collect()
            }
            (Some(space), IdList::Texts(ids)) => ids.iter().map(|id| space.text(id)).collect(),
            (None, IdList::Integers(ids)) => vec![None; ids.len()],
            (None, IdList::Texts(ids)) => vec![None; ids.len()],
        };
        let mut ends = Vec::with_capacity(known.len());
        for (at, known) in known.into_iter().enumerate() {
            let end = match known {
                Some(node) => node,
                None => match self
                    .rules
                    .end(&column.get(at), follows, self.ids, &self.view)?
                {
                    Ok(End::There(node)) => node,
                    Ok(End::New(..)) | Err(_) => return Ok(None),
                },
            };
            ends.push(end);
        }
        Ok(Some(ends))
    }
}

/// Rows one after another of one group.
fn runs(batch: &RowBatch) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut at = 0;
    batch.group_of.chunk_by(|a, b| a == b).map(move |run| {
        let rows = at..at + run.len();
        at = rows.end;
        (run[0] as usize, rows)
    })
}

fn columns_of<'b>(batch: &'b RowBatch, rows: &Range<usize>) -> Vec<(&'b str, &'b [Value])> {
    let columns = batch.columns.iter();
    columns
        .map(|(name, values)| (&**name, &values[rows.clone()]))
        .collect()
}
