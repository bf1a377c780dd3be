//! Rows by column on their way through an import: they stay columns as long as each of
//! them is new and clear.

use evergraph_io::interchange::{Contents, RowBatch};
use evergraph_storage::failpoint;

use super::{BYTES_AT_ONCE, Import};
use crate::Error;
use crate::property::PropertyGraph;
use crate::property::batches::PlacedBatch;
use crate::property::loading::Loaded;
use crate::property::position::{Pass, Place};

/// Rows of the next commit: those that fill the last chunk, and whole chunks, which a load
/// commits in one piece.
fn rows_of_commit(graph: &PropertyGraph, most: usize, pass: Pass) -> usize {
    let (room, chunk) = match pass {
        Pass::Nodes => graph.room_of_nodes(),
        Pass::Relationships => graph.room_of_relationships(),
    };
    match most.checked_sub(room) {
        Some(rest) if rest >= chunk => most - rest % chunk,
        _ => most,
    }
}

impl Import<'_> {
    /// Keeps rows by column as they are, unless each has to be looked at.
    pub(super) fn take_batch(
        &mut self,
        place: &mut Place,
        contents: Contents,
        mut batch: RowBatch,
    ) -> Result<(), Error> {
        let is_of_pass = batch.are_nodes == (place.pass == Pass::Nodes);
        let is_new = is_of_pass && *place >= self.earlier && self.rows.is_empty();
        if !is_new || self.loads.is_none() {
            let placed = PlacedBatch {
                batch,
                place: *place,
            };
            return self.take_items(place, contents, placed.items());
        }
        while let Some(loads) = self.loads.as_mut().filter(|_| !batch.is_empty()) {
            if loads.is_empty() {
                loads.want(rows_of_commit(self.graph, self.rows_at_once, place.pass));
            }
            let before = batch.bytes;
            place.row += loads.take(&mut batch, *place) as u64;
            self.bytes += before - batch.bytes;
            if loads.is_full() || self.bytes >= BYTES_AT_ONCE {
                self.load()?;
            }
        }
        Ok(())
    }

    /// Makes rows by themselves of those that wait by column, behind what is committed.
    pub(super) fn take_apart(&mut self) -> Result<(), Error> {
        let Some(loads) = &mut self.loads else {
            return Ok(());
        };
        let waiting = loads.take_waiting();
        self.finish_load()?;
        self.rows.extend(waiting.iter().flat_map(PlacedBatch::rows));
        Ok(())
    }

    /// Begins to commit the rows that wait by column.
    pub(super) fn load(&mut self) -> Result<(), Error> {
        self.ask()?;
        let Some(loads) = self.loads.as_mut().filter(|loads| !loads.is_empty()) else {
            return Ok(());
        };
        self.bytes = 0;
        let gathered = loads.gather(&mut self.nodes, &self.rules, &self.position)?;
        match (loads.finish(&mut self.nodes)?, gathered) {
            (Some(Loaded::Refused(before)), gathered) => {
                // It was gathered behind what is not in the graph.
                let gathered = gathered.map(|gathered| gathered.withdraw(&mut self.nodes));
                self.add_apart(before)?;
                self.add_apart(gathered.unwrap_or_else(|batches| batches))
            }
            (committed, gathered) => {
                self.note_load(committed);
                self.ask()?;
                match (gathered, &mut self.loads) {
                    (Ok(gathered), Some(loads)) => loads.send(gathered),
                    (Ok(_), None) => Ok(()),
                    (Err(batches), _) => self.add_apart(batches),
                }
            }
        }
    }

    /// Waits for the load that is being committed. If it is refused, each of its rows is
    /// looked at.
    pub(super) fn finish_load(&mut self) -> Result<(), Error> {
        let Some(loads) = &mut self.loads else {
            return Ok(());
        };
        match loads.finish(&mut self.nodes)? {
            Some(Loaded::Refused(batches)) => self.add_apart(batches),
            committed => {
                self.note_load(committed);
                Ok(())
            }
        }
    }

    fn note_load(&mut self, loaded: Option<Loaded>) {
        if let Some(Loaded::Committed(draft)) = loaded {
            failpoint!("import.committed", until self.stop.is_cancelled());
            self.note(*draft);
            (self.progress)(&self.done);
        }
    }

    /// Commits rows of batches by themselves. No others may wait.
    fn add_apart(&mut self, batches: Vec<PlacedBatch>) -> Result<(), Error> {
        debug_assert!(self.rows.is_empty(), "rows are committed in their order");
        self.rows.extend(batches.iter().flat_map(PlacedBatch::rows));
        self.add_waiting()
    }
}
