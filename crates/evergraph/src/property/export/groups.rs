//! Groups of rows that go to one file: nodes with the same labels, relationships of one
//! type.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::Arc;

use evergraph_io::interchange::{Columns, InterchangeError};

use crate::property::value::Value;

/// Most characters of a label or type in the name of a file.
const MOST_CHARACTERS: usize = 80;

/// The columns of one file.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// Description of the rows, for messages.
    title: String,
    pub columns: Columns,
}

impl Group {
    /// Adds the properties of a node or a relationship.
    pub fn observe<'a>(
        &mut self,
        properties: impl Iterator<Item = (Arc<str>, &'a Value)>,
    ) -> Result<(), InterchangeError> {
        for (name, value) in properties {
            self.columns.observe_one(&name, value)?;
        }
        Ok(())
    }
}

/// Groups in the order in which they were first seen.
#[derive(Debug)]
pub(super) struct Groups<K> {
    numbers: HashMap<K, usize>,
    groups: Vec<Group>,
}

impl<K> Default for Groups<K> {
    fn default() -> Self {
        Groups {
            numbers: HashMap::new(),
            groups: Vec::new(),
        }
    }
}

impl<K: Eq + Hash> Groups<K> {
    /// All in one group, in which a property may be of several types.
    pub fn one(key: K) -> Self {
        Groups {
            numbers: HashMap::from([(key, 0)]),
            groups: vec![Group {
                title: String::new(),
                columns: Columns::mixed(),
            }],
        }
    }

    /// A group, which is made if it is not there.
    pub fn group(&mut self, key: K, title: impl FnOnce() -> String) -> &mut Group {
        let next = self.groups.len();
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.groups.push(Group {
                title: title(),
                columns: Columns::new(),
            });
        }
        &mut self.groups[number]
    }

    /// Number of a group.
    pub fn of(&self, key: &K) -> Option<usize> {
        self.numbers.get(key).copied()
    }

    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The columns of all, where there is one group at most.
    pub fn only(&self) -> Columns {
        let first = self.groups.first();
        first.map(|group| group.columns.clone()).unwrap_or_default()
    }

    /// The groups, each with the name of its file.
    pub fn files(
        &self,
        names: &mut FileNames,
        prefix: &str,
        suffix: &str,
    ) -> Vec<(String, &Group)> {
        let groups = self.groups.iter();
        groups
            .map(|group| (names.choose(prefix, &group.title, suffix), group))
            .collect()
    }
}

/// Names of files, no two of which are the same, whatever the case of letters.
#[derive(Default)]
pub(super) struct FileNames(BTreeSet<String>);

impl FileNames {
    /// `nodes-Person.csv`; any character but a letter, digit, `-` or `_` becomes `_`.
    fn choose(&mut self, prefix: &str, title: &str, suffix: &str) -> String {
        let safe = |character: char| match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => character,
            _ => '_',
        };
        let title: String = title.chars().take(MOST_CHARACTERS).map(safe).collect();
        let stem = match title.is_empty() {
            true => prefix.to_string(),
            false => format!("{prefix}-{title}"),
        };
        let mut name = format!("{stem}{suffix}");
        let mut again = 2;
        while !self.0.insert(name.to_ascii_lowercase()) {
            name = format!("{stem}-{again}{suffix}");
            again += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_differ_and_hold_nothing_strange() {
        let mut names = FileNames::default();
        let mut choose = |title: &str| names.choose("nodes", title, ".csv");
        assert_eq!(choose(""), "nodes.csv");
        assert_eq!(choose("Person"), "nodes-Person.csv");
        assert_eq!(choose("PERSON"), "nodes-PERSON-2.csv");
        assert_eq!(choose("../é;x"), "nodes-_____x.csv");
        assert_eq!(choose("..//;x"), "nodes-_____x-2.csv");
        assert!(choose(&"ß".repeat(300)).len() < 100);
    }
}
