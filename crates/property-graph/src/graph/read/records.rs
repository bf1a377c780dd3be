//! Passes over all records of a kind, chunk by chunk.

use std::sync::Arc;
use std::vec;

use evergraph_storage::StorageError;

use super::tabled::Tabled;
use crate::graph::committed::Committed;
use crate::graph::error::GraphError;
use crate::graph::schema::SubjectCode;
use crate::graph::view::View;
use crate::transaction::Transaction;

/// Records by id, all or those of a subject. Reads a chunk at a time; after an error it
/// goes on with the next chunk.
pub(in crate::graph) struct Records<'r, R> {
    view: &'r View,
    /// With its own writes; it records its reads.
    transaction: Option<&'r Transaction<Committed>>,
    subject: Option<SubjectCode>,
    next: u32,
    end: u32,
    found: vec::IntoIter<(u32, Arc<R>)>,
}

impl<'r, R: Tabled> Records<'r, R> {
    pub(crate) fn none(view: &'r View) -> Self {
        Records {
            view,
            transaction: None,
            subject: None,
            next: 0,
            end: 0,
            found: Vec::new().into_iter(),
        }
    }

    pub(crate) fn of_view(view: &'r View, subject: Option<SubjectCode>) -> Self {
        Records {
            subject,
            end: R::table(view.core()).chunk_count(),
            ..Self::none(view)
        }
    }

    pub(crate) fn of_transaction(
        transaction: &'r Transaction<Committed>,
        subject: Option<SubjectCode>,
    ) -> Self {
        let mut records = Self::of_view(transaction.view(), subject);
        // Records that the transaction created may lie behind the committed ones.
        let last = transaction.overlay().changes::<R>().next_back();
        let chunks = last.map_or(0, |(id, _)| id / records.chunk_size() + 1);
        records.end = records.end.max(chunks);
        records.transaction = Some(transaction);
        records
    }

    fn chunk_size(&self) -> u32 {
        R::table(self.view.core()).geometry().records_per_chunk
    }

    fn read_chunk(&self, chunk: u32) -> Result<Vec<(u32, Arc<R>)>, StorageError> {
        let mut records = Vec::new();
        let table = R::table(self.view.core());
        table.try_for_each_in_chunk(chunk, self.view.csn(), |id, found| {
            records.push((id, found.record()?));
            Ok::<_, StorageError>(())
        })?;
        if let Some(transaction) = self.transaction {
            let size = self.chunk_size();
            let ids = chunk * size..(chunk + 1).saturating_mul(size);
            let merged = transaction.overlay().merge(ids, records.into_iter());
            records = merged.collect();
        }
        Ok(records)
    }
}

impl<R: Tabled> Iterator for Records<'_, R> {
    type Item = Result<(u32, Arc<R>), GraphError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let subject = self.subject;
            let is_wanted = |record: &R| subject.is_none_or(|subject| record.is_of(subject));
            if let Some((id, record)) = self.found.find(|(_, record)| is_wanted(record)) {
                if let Some(transaction) = self.transaction {
                    transaction.has_read_record(R::KIND, id);
                }
                return Some(Ok((id, record)));
            }
            if self.next >= self.end {
                return None;
            }
            let chunk = self.next;
            self.next += 1;
            match self.read_chunk(chunk) {
                Ok(found) => self.found = found.into_iter(),
                Err(error) => return Some(Err(error.into())),
            }
        }
    }
}
