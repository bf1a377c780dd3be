//! Integration tests, all in one program: it links once.

#[cfg(feature = "columnar")]
mod arrow;
#[cfg(feature = "columnar")]
mod columnar;
mod common;
mod formats;
mod graphml;
mod json_lines;
mod ldbc;
mod neo4j;
mod reading_on;
mod round_trip;
mod tables;
