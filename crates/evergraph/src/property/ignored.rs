//! Files of directories that are not read, and why.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use evergraph_io::interchange::csv::LdbcName;

use super::files::ldbc_name;
use crate::Error;
use crate::formats::{extension, open_bytes};

/// A file of a directory that was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredFile {
    /// The file.
    pub path: PathBuf,
    /// Why it was not read, for people.
    pub why: String,
}

/// Why a file in a directory is of no kind.
///
/// # Errors
/// If it cannot be read.
pub(super) fn why_unknown(path: &Path) -> Result<String, Error> {
    let mut first = Vec::new();
    let mut beginning = BufReader::new(open_bytes(path)?.take(1 << 10));
    // What cannot be read on is not known either.
    let _ = beginning.read_until(b'\n', &mut first);
    let header = String::from_utf8_lossy(&first);
    let header: String = header.trim_end().chars().take(60).collect();
    let is_table = matches!(extension(path).as_deref(), Some("csv" | "tsv" | "tab"));
    Ok(match ldbc_name(path) {
        _ if first.is_empty() => "it is empty".to_string(),
        Some(LdbcName::Relationships { source, target, .. }) if header.contains('|') => {
            format!("its header is {header:?}, its name asks for {source}.id|{target}.id")
        }
        Some(LdbcName::Nodes(_)) if header.contains('|') => {
            format!("its header is {header:?}, which does not begin with id")
        }
        _ if is_table => format!(
            "its header, {header:?}, does not say what the rows are; name it with --nodes \
             LABEL=FILE or --relationships TYPE=FILE, or in a mapping"
        ),
        _ => "its format is not known".to_string(),
    })
}
