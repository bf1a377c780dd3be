//! Files of `LOAD CSV`, which the program around queries opens, or refuses.

use evergraph_functions::ReadError;
use evergraph_property_graph::Value;

/// Records of a file: texts, and null where a field is empty.
pub type CsvRecords = Box<dyn Iterator<Item = Result<Vec<Value>, ReadError>>>;

/// Opens a file by the name that a statement gives it; the byte stands between fields.
pub type OpenCsv = dyn Fn(&str, u8) -> Result<CsvRecords, ReadError> + Send + Sync;
