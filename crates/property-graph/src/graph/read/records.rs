//! Passes over all records of a kind, chunk by chunk.

use std::collections::BTreeSet;
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
    chunks: vec::IntoIter<u32>,
    found: vec::IntoIter<(u32, Arc<R>)>,
}

impl<'r, R: Tabled> Records<'r, R> {
    pub(crate) fn none(view: &'r View) -> Self {
        Records {
            view,
            transaction: None,
            subject: None,
            chunks: Vec::new().into_iter(),
            found: Vec::new().into_iter(),
        }
    }

    pub(crate) fn of_view(view: &'r View, subject: Option<SubjectCode>) -> Self {
        Self::of_chunks(view, subject, Self::chunks_of(view, subject))
    }

    fn of_chunks(view: &'r View, subject: Option<SubjectCode>, chunks: Vec<u32>) -> Self {
        Records {
            subject,
            chunks: chunks.into_iter(),
            ..Self::none(view)
        }
    }

    /// The chunks in which records of a subject may be, ascending.
    fn chunks_of(view: &View, subject: Option<SubjectCode>) -> Vec<u32> {
        let end = R::table(view.core()).chunk_count();
        match subject {
            None => (0..end).collect(),
            Some(subject) => {
                let counts = &view.core().state.counts;
                counts.chunks_with(subject.into(), view.csn(), end)
            }
        }
    }

    pub(crate) fn of_transaction(
        transaction: &'r Transaction<Committed>,
        subject: Option<SubjectCode>,
    ) -> Self {
        let view = transaction.view();
        let mut chunks: BTreeSet<u32> = Self::chunks_of(view, subject).into_iter().collect();
        // Records that the transaction made the subject's may lie elsewhere.
        let size = R::table(view.core()).geometry().records_per_chunk;
        let changes = transaction.overlay().changes::<R>();
        chunks.extend(changes.map(|(id, _)| id / size));
        let mut records = Self::of_chunks(view, subject, chunks.into_iter().collect());
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
            let chunk = self.chunks.next()?;
            match self.read_chunk(chunk) {
                Ok(found) => self.found = found.into_iter(),
                Err(error) => return Some(Err(error.into())),
            }
        }
    }
}
