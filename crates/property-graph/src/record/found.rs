//! A record that a read found. Its parts are read on demand.

use std::sync::Arc;

use evergraph_storage::{StorageError, Uuid};

use super::content::{Fixed, NodeRecord, Record, RelationshipRecord, labels};
use super::stored::StoredChunk;
use crate::dictionary::{Dictionary, KeyCode, LabelCode};
use crate::value::Value;

/// A record as of some commit. It stays readable whatever is committed or merged
/// meanwhile.
pub(crate) struct Found<'a, R> {
    pub(super) place: FoundAt<R>,
    pub(super) dictionary: &'a Dictionary,
    pub(super) uuid: &'a Uuid,
}

pub(super) enum FoundAt<R> {
    Version(Arc<R>),
    /// In a chunk, be it one of versions of the past.
    Chunk(Arc<StoredChunk>, u32),
}

impl<R> Clone for FoundAt<R> {
    fn clone(&self) -> Self {
        match self {
            FoundAt::Version(record) => FoundAt::Version(Arc::clone(record)),
            FoundAt::Chunk(chunk, at) => FoundAt::Chunk(Arc::clone(chunk), *at),
        }
    }
}

impl<R: Record> Found<'_, R> {
    pub(crate) fn record(&self) -> Result<Arc<R>, StorageError> {
        let properties = match &self.place {
            FoundAt::Version(record) => return Ok(Arc::clone(record)),
            FoundAt::Chunk(chunk, at) => chunk.read(self.uuid)?.properties(*at)?,
        };
        let record = R::from_stored(self.fixed()?, properties, self.dictionary);
        record.map(Arc::new).map_err(|what| self.damaged(&what))
    }

    /// One property, without making anything of the others.
    pub(crate) fn property(&self, key: KeyCode) -> Result<Option<Value>, StorageError> {
        match &self.place {
            FoundAt::Version(record) => Ok(record.properties().get(key).cloned()),
            FoundAt::Chunk(chunk, at) => chunk.read(self.uuid)?.property(*at, key),
        }
    }

    /// Labels or type and ends of a stored record; not of a version.
    fn fixed(&self) -> Result<Fixed, StorageError> {
        match &self.place {
            FoundAt::Version(_) => unreachable!("a version is in DRAM"),
            FoundAt::Chunk(chunk, at) => Ok(chunk.read(self.uuid)?.fixed(*at)),
        }
    }

    fn damaged(&self, what: &dyn std::fmt::Display) -> StorageError {
        match &self.place {
            FoundAt::Version(_) => StorageError::damaged("memory", 0, what.to_string()),
            FoundAt::Chunk(chunk, at) => chunk.damaged(&format!("record {at}: {what}")),
        }
    }
}

impl Found<'_, NodeRecord> {
    pub(crate) fn labels(&self) -> Result<Arc<[LabelCode]>, StorageError> {
        match &self.place {
            FoundAt::Version(record) => Ok(Arc::from(&record.labels[..])),
            _ => labels(self.fixed()?, self.dictionary).map_err(|what| self.damaged(&what)),
        }
    }
}

impl Found<'_, RelationshipRecord> {
    pub(crate) fn ends(&self) -> Result<(u16, u32, u32), StorageError> {
        match &self.place {
            FoundAt::Version(record) => Ok((record.kind, record.source, record.target)),
            _ => {
                let fixed = self.fixed()?;
                Ok((fixed.kind, fixed.first, fixed.second))
            }
        }
    }
}
