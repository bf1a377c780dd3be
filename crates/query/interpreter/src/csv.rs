//! Files of `LOAD CSV`, which the program around queries opens, or refuses.

use std::sync::Arc;

use evergraph_functions::ReadError;
use evergraph_property_graph::Value;

/// Records of a file.
pub struct CsvRecords {
    /// Its absolute path.
    pub file: Arc<str>,
    /// The records.
    pub records: Box<dyn Iterator<Item = CsvRecord>>,
}

/// The number of a line, from 1, and its fields: texts, and null where one is empty.
pub type CsvRecord = Result<(u64, Vec<Value>), ReadError>;

/// Opens a file by the name that a statement gives it; the byte stands between fields.
pub type OpenCsv = dyn Fn(&str, u8) -> Result<CsvRecords, ReadError> + Send + Sync;
