//! Fields of redo operations, and what is wrong with some.

use evergraph_storage::StorageError;

use crate::dictionary::TypeCode;
use crate::value::Properties;

/// Kind of an operation that holds a node.
pub(super) const NODE: u8 = 2;
/// Kind of an operation that holds a relationship.
pub(super) const RELATIONSHIP: u8 = 4;

pub(in crate::graph) fn put(bytes: &mut Vec<u8>, number: u32) {
    bytes.extend_from_slice(&number.to_le_bytes());
}

pub(in crate::graph) fn put_bytes(bytes: &mut Vec<u8>, content: &[u8]) {
    put(bytes, content.len() as u32);
    bytes.extend_from_slice(content);
}

pub(in crate::graph) struct Cursor<'a> {
    pub(in crate::graph) rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], StorageError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or_else(|| damaged("is shorter than its counts say"))?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn byte(&mut self) -> Result<u8, StorageError> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn kind(&mut self) -> Result<TypeCode, StorageError> {
        let bytes = self.take(2)?;
        Ok(TypeCode::from_le_bytes([bytes[0], bytes[1]]))
    }

    pub(crate) fn number(&mut self) -> Result<u32, StorageError> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    pub(crate) fn content(&mut self) -> Result<&'a [u8], StorageError> {
        let len = self.number()? as usize;
        self.take(len)
    }

    pub(crate) fn text(&mut self) -> Result<String, StorageError> {
        let text = std::str::from_utf8(self.content()?);
        Ok(text
            .map_err(|_| damaged("has a name that is not UTF-8"))?
            .to_string())
    }

    pub(crate) fn labels(&mut self) -> Result<Vec<u32>, StorageError> {
        let count = self.number()? as usize;
        let bytes = self.take(count.saturating_mul(4))?;
        let codes = bytes.chunks_exact(4);
        let labels: Vec<u32> = codes
            .map(|code| u32::from_le_bytes([code[0], code[1], code[2], code[3]]))
            .collect();
        if labels.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(damaged("has labels out of order"));
        }
        Ok(labels)
    }

    pub(crate) fn properties(&mut self) -> Result<Properties, StorageError> {
        properties_of(self.content()?)
    }
}

pub(in crate::graph) fn properties_of(content: &[u8]) -> Result<Properties, StorageError> {
    Properties::decode(content).map_err(|error| damaged(&format!("has a {error}")))
}

pub(in crate::graph) fn damaged(what: &str) -> StorageError {
    StorageError::damaged("log", 0, format!("a commit of the property graph {what}"))
}
