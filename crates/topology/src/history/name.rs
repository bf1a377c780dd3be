//! Rules for names of snapshots.

use crate::error::TopologyError;

/// Bytes of the longest name.
const LONGEST_NAME: usize = 255;

/// Prefixes of reserved names: the snapshots that the states of runs need, and those that
/// maintained results need. They come and go with these.
pub const RESERVED_NAMES: [&str; 2] = ["run/", "maintain/"];

/// Whether a name is one of those that results give their snapshots
/// ([`RESERVED_NAMES`]).
pub fn is_reserved(name: &str) -> bool {
    RESERVED_NAMES.iter().any(|begin| name.starts_with(begin))
}

/// Refuses what cannot be a name: 1 to 255 bytes without control characters and
/// without blanks around it, which are none of the texts that mean another moment.
pub(super) fn check_name(name: &str) -> Result<(), TopologyError> {
    let why = if name.is_empty() {
        "it is empty"
    } else if name.len() > LONGEST_NAME {
        "it is longer than 255 bytes"
    } else if name.chars().any(char::is_control) {
        "it has control characters"
    } else if name.bytes().all(|byte| byte.is_ascii_digit()) {
        "it is a number, which stands for a commit"
    } else if name == "now" {
        "it stands for the newest commit"
    } else if name.contains("..") {
        "`..` stands between the ends of a range"
    } else if name.trim() != name {
        "it begins or ends with a blank"
    } else {
        return Ok(());
    };
    Err(bad(name, why))
}

/// Refuses what a user cannot call a snapshot.
///
/// # Errors
/// [`TopologyError::BadSnapshotName`]; see [`Store::create_snapshot`].
///
/// [`Store::create_snapshot`]: crate::Store::create_snapshot
pub fn check_snapshot_name(name: &str) -> Result<(), TopologyError> {
    check_name(name)?;
    check_not_reserved(name)
}

/// Refuses the names that results give.
pub(crate) fn check_not_reserved(name: &str) -> Result<(), TopologyError> {
    match is_reserved(name) {
        true => Err(bad(name, "it begins as those that belong to results")),
        false => Ok(()),
    }
}

fn bad(name: &str, why: &'static str) -> TopologyError {
    TopologyError::BadSnapshotName {
        name: name.chars().take(40).collect(),
        why,
    }
}
