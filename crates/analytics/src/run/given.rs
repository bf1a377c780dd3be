//! The values of an algorithm's parameters, checked.

use super::{Form, Format};

/// Checked values.
#[derive(Debug, Default)]
pub(crate) struct Given {
    pub(super) values: Vec<(&'static str, String)>,
    /// Content of the files that values name, as it was when they were checked.
    pub(super) files: Vec<(&'static str, String)>,
    /// Parameters of a custom algorithm, which checks them itself.
    pub(super) custom: Vec<(&'static str, String)>,
}

impl Given {
    /// Every value of a parameter.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        let values = self.values.iter().filter(|(known, _)| *known == name);
        values.map(|(_, value)| value.as_str()).collect()
    }

    /// The value of a parameter.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.all(name).first().copied()
    }

    /// Content of the file that a parameter names.
    pub(crate) fn file(&self, name: &str) -> Option<&str> {
        let file = self.files.iter().find(|(known, _)| *known == name);
        file.map(|(_, text)| text.as_str())
    }

    /// The value as a number or a switch.
    pub(crate) fn value<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }

    /// Form of the graph that is wanted.
    pub(crate) fn form(&self) -> Form {
        match self.text("graph") {
            Some("sealed") => Form::Sealed,
            Some("compressed") => Form::Compressed,
            Some("simple") => Form::Simple,
            _ => Form::Live,
        }
    }

    /// Whether edges are to lead both ways.
    pub(super) fn is_undirected(&self) -> bool {
        self.is_on("undirected")
    }

    /// Whether only the largest weakly connected component is to be read.
    pub(super) fn is_of_largest_component(&self) -> bool {
        self.text("component") == Some("largest")
    }

    /// How values are to be written.
    pub(crate) fn format(&self) -> Format {
        match self.text("spec") {
            Some("graphalytics") => Format::Graphalytics,
            _ => Format::Evergraph,
        }
    }

    /// Whether a switch is on.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.value(name).unwrap_or(false)
    }
}
