//! A JSON object a line, as Neo4j's APOC exports:
//!
//! ```json
//! {"type":"node","id":"0","labels":["Person"],"properties":{"name":"Ada"}}
//! {"type":"relationship","id":"0","label":"KNOWS","properties":{"since":1833},"start":{"id":"0"},"end":{"id":"1"}}
//! ```
//!
//! Ids may be integers, too, and have an id space (`"space"`). What JSON has no
//! notation for is an object of one member whose name begins with `$`, the type:
//! `{"$date":"1815-12-10"}`, `{"$bytes":"0aff"}`, `{"$float":"NaN"}`; a map that
//! looks so itself is `{"$map":{…}}`. So every row reads as it was written. A number
//! without a point that has more digits than 64 bits hold is a float, as JSON has it,
//! if it is above 2^64, and bad otherwise.

mod read;
mod strict;
mod value;
mod write;

pub use read::JsonLinesReader;
pub use value::to_json;
pub use write::JsonLinesWriter;
