//! The names that can choose a part of the graph.

use std::sync::Arc;

use crate::dictionary::Names;
use crate::graph::view::View;

impl View {
    /// Labels that the graph knows, in the order of their first use: those of nodes
    /// that this view shows, and others that were used before or since.
    pub fn known_labels(&self) -> Vec<Arc<str>> {
        self.known(Names::Labels)
    }

    /// Types of relationships, as [`View::known_labels`].
    pub fn known_types(&self) -> Vec<Arc<str>> {
        self.known(Names::Types)
    }

    /// Keys of properties, of nodes or of relationships, as [`View::known_labels`].
    pub fn known_keys(&self) -> Vec<Arc<str>> {
        self.known(Names::Keys)
    }

    fn known(&self, names: Names) -> Vec<Arc<str>> {
        let names = self.dictionary().committed(names).into_iter();
        names.map(|(_, name)| name).collect()
    }
}
