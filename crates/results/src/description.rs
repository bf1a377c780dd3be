//! Description of a stored result, beside its values.

use evergraph_graph::StoredLists;

use super::StateError;

/// The graph that a result belongs to; the database is that of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphIdentity {
    /// The commit.
    pub csn: u64,
    /// Vertices as of the commit.
    pub vertex_count: u64,
    /// Live entries of the out-lists as of the commit.
    pub arc_count: u64,
    /// Lists that are kept.
    pub direction: StoredLists,
    /// Whether edges have weights.
    pub weighted: bool,
}

/// Description of a stored result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The user's name for it: 1 to 255 bytes, no control characters.
    pub name: String,
    /// Name of the algorithm that computed it.
    pub algorithm: String,
    /// Every parameter by name, in the order and spelling in which they are
    /// compared.
    pub parameters: Vec<(String, String)>,
    /// Graph that it was computed on.
    pub graph: GraphIdentity,
    /// How far the computation is, in the algorithm's own steps.
    pub step: u64,
    /// Whether it is the end result; else the state of a run that can go on.
    pub finished: bool,
    /// When the computation began, microseconds since 1970.
    pub started_us: i64,
    /// When this version was written, microseconds since 1970.
    pub updated_us: i64,
    /// Whatever else the producer wants to find again.
    pub notes: Vec<(String, String)>,
}

impl Description {
    /// The value of a note.
    pub fn note(&self, name: &str) -> Option<&str> {
        let found = self.notes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.parameters.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The parameters as one would write them.
    pub fn parameters_text(&self) -> String {
        let parts: Vec<String> = self
            .parameters
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        parts.join(" ")
    }
}

/// Longest name, in bytes.
const LONGEST_NAME: usize = 255;

/// Checks that a result can be called `name`.
pub(super) fn check_name(name: &str) -> Result<(), StateError> {
    let problem = if name.is_empty() {
        "it is empty"
    } else if name.len() > LONGEST_NAME {
        "it is longer than 255 bytes"
    } else if name.chars().any(char::is_control) {
        "it has control characters"
    } else {
        return Ok(());
    };
    Err(StateError::BadName {
        name: name.chars().take(LONGEST_NAME).collect(),
        problem,
    })
}
