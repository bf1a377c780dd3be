//! A record that a read found. Its parts are read on demand.

use std::sync::Arc;

use evergraph_storage::{StorageError, Uuid};

use super::content::{Fixed, NodeRecord, Record, RelationshipRecord, labels};
use super::format::StoredChunk;
use super::segment::Segment;
use crate::dictionary::{Dictionary, KeyCode, LabelCode};
use crate::value::{Properties, Value, ValueError};

/// A record as of some commit. It stays readable whatever is committed or merged
/// meanwhile.
pub(crate) struct Found<'a, R> {
    pub(super) place: FoundAt<R>,
    pub(super) dictionary: &'a Dictionary,
    pub(super) uuid: &'a Uuid,
}

pub(super) enum FoundAt<R> {
    Version(Arc<R>),
    Chunk(Arc<StoredChunk>, u32),
    Past(Arc<Segment>, usize),
}

impl<R: Record> Found<'_, R> {
    pub(crate) fn record(&self) -> Result<Arc<R>, StorageError> {
        if let FoundAt::Version(record) = &self.place {
            return Ok(Arc::clone(record));
        }
        let (fixed, properties) = self.stored()?;
        let properties = Properties::decode_with(self.dictionary, properties)
            .map_err(|error| self.damaged(&error))?;
        let record = R::from_stored(fixed, properties, self.dictionary);
        record.map(Arc::new).map_err(|what| self.damaged(&what))
    }

    /// One property, without making anything of the others.
    pub(crate) fn property(&self, key: KeyCode) -> Result<Option<Value>, StorageError> {
        if let FoundAt::Version(record) = &self.place {
            return Ok(record.properties().get(key).cloned());
        }
        let (_, properties) = self.stored()?;
        let found: Result<_, ValueError> = Properties::find(properties, key, self.dictionary);
        found.map_err(|error| self.damaged(&error))
    }

    /// The record in its chunk; not of a version.
    fn stored(&self) -> Result<(Fixed, &[u8]), StorageError> {
        match &self.place {
            FoundAt::Version(_) => unreachable!("a version is in DRAM"),
            FoundAt::Chunk(chunk, at) => {
                let reader = chunk.read(self.uuid)?;
                Ok((reader.fixed(*at), reader.properties(*at)?))
            }
            FoundAt::Past(segment, index) => {
                let past = segment.read(self.uuid)?.past(*index)?;
                Ok((past.fixed, past.properties))
            }
        }
    }

    fn damaged(&self, what: &dyn std::fmt::Display) -> StorageError {
        match &self.place {
            FoundAt::Version(_) => StorageError::damaged("memory", 0, what.to_string()),
            FoundAt::Chunk(chunk, at) => chunk.damaged(&format!("record {at}: {what}")),
            FoundAt::Past(segment, _) => segment.damaged(&what.to_string()),
        }
    }
}

impl Found<'_, NodeRecord> {
    pub(crate) fn labels(&self) -> Result<Arc<[LabelCode]>, StorageError> {
        match &self.place {
            FoundAt::Version(record) => Ok(Arc::from(&record.labels[..])),
            _ => labels(self.stored()?.0, self.dictionary).map_err(|what| self.damaged(&what)),
        }
    }
}

impl Found<'_, RelationshipRecord> {
    pub(crate) fn ends(&self) -> Result<(u16, u32, u32), StorageError> {
        match &self.place {
            FoundAt::Version(record) => Ok((record.kind, record.source, record.target)),
            _ => {
                let fixed = self.stored()?.0;
                Ok((fixed.kind, fixed.first, fixed.second))
            }
        }
    }
}
