//! Compiles a mapping for the columns of one file, by their numbers.

use std::sync::Arc;

use crate::interchange::InterchangeError;
use crate::interchange::types::shown;

use super::header::Columns;
use super::known::{Known, Resolver};
use super::mapping::{End, Name, Names, Node, Relationship, listed};
use super::plan::{EndPlan, KeyPlan, NamePlan, NodePlan, PropertyPlan, RelationshipPlan};
use super::section::Said;

/// Compiler for one file.
pub(super) struct OfFile<'a> {
    pub(super) resolver: &'a Resolver<'a>,
    pub(super) known: &'a Known<'a>,
    pub(super) columns: Columns<'a>,
}

/// Columns that relationships take: as ends and names, and as properties.
#[derive(Default)]
pub(super) struct Used {
    ends: Vec<usize>,
    properties: Vec<usize>,
}

impl OfFile<'_> {
    pub(super) fn used(&self) -> Result<Used, InterchangeError> {
        let mut used = Used::default();
        for relationship in &self.known.table.relationships {
            let ends = relationship.ends().flat_map(|end| &end.columns);
            let name = match &relationship.name {
                Name::Column(column, _) => Some(column),
                Name::Fixed(_) => None,
            };
            for column in ends.chain(name) {
                used.ends.push(self.columns.find(column)?);
            }
            for column in relationship.properties.iter().flatten() {
                used.properties.push(self.columns.find(column)?);
            }
        }
        Ok(used)
    }

    pub(super) fn node(&self, node: &Node, used: &Used) -> Result<NodePlan, InterchangeError> {
        let kind = &self.resolver.kinds[&node.kind];
        let mut labels = Vec::new();
        let mut taken = [&used.ends[..], &used.properties].concat();
        for label in &node.labels {
            labels.push(self.name(label)?);
            if let Name::Column(column, _) = label {
                taken.push(self.columns.find(column)?);
            }
        }
        let mut key = Vec::new();
        for column in &node.key {
            let at = self.columns.find(column)?;
            if self.known.type_of(&column.value).list {
                return Err(self.resolver.mapping.error(column.line, "a key is no list"));
            }
            key.push(at);
        }
        // A column that is a key, too, is not only what a relationship refers to.
        taken.retain(|at| !key.contains(at));
        Ok(NodePlan {
            labels,
            space: match key.is_empty() {
                true => format!("{} of {}", node.kind, self.columns.file).into(),
                false => kind.space.clone(),
            },
            key: (!key.is_empty()).then_some(KeyPlan {
                columns: key,
                integers: kind.integers,
            }),
            merge: node.merge,
            properties: match &node.properties {
                Some(columns) => self.properties(columns)?,
                None => self.all_but(&taken)?,
            },
        })
    }

    pub(super) fn relationship(
        &self,
        relationship: &Relationship,
        used: &Used,
    ) -> Result<RelationshipPlan, InterchangeError> {
        let end = |end: &Option<End>| end.as_ref().map(|end| self.end(end)).transpose();
        let node = self.known.table.node.as_ref();
        let called = |end: &Option<End>| {
            let columns = end.as_ref().map(|end| &end.columns);
            let columns = columns.or(node.map(|node| &node.key)).into_iter().flatten();
            listed(columns.map(|column| column.value.as_str())).into()
        };
        let (source, target) = (&relationship.source, &relationship.target);
        Ok(RelationshipPlan {
            name: self.name(&relationship.name)?,
            source: end(source)?,
            target: end(target)?,
            ends: Arc::new([called(source), called(target)]),
            properties: match &relationship.properties {
                Some(columns) => self.properties(columns)?,
                None if node.is_some() => Vec::new(),
                None => self.all_but(&used.ends)?,
            },
        })
    }

    fn end(&self, end: &End) -> Result<EndPlan, InterchangeError> {
        let columns: Result<Vec<usize>, _> = end
            .columns
            .iter()
            .map(|column| self.columns.find(column))
            .collect();
        let mut lists = end.columns.iter();
        let list = lists.find(|column| self.known.type_of(&column.value).list);
        if let (Some(list), true) = (list, end.columns.len() > 1) {
            let problem = "a list is an end only where the key is one column";
            return Err(self.resolver.mapping.error(list.line, problem));
        }
        let kind = &self.resolver.kinds[&*end.kind.value];
        Ok(EndPlan {
            space: kind.space.clone(),
            key: KeyPlan {
                columns: columns?,
                integers: kind.integers,
            },
            list: list.is_some(),
        })
    }

    fn name(&self, name: &Name) -> Result<NamePlan, InterchangeError> {
        Ok(match name {
            Name::Fixed(name) => NamePlan::Fixed(name.clone()),
            Name::Column(column, names) => NamePlan::Column {
                at: self.columns.find(column)?,
                list: self.known.type_of(&column.value).list,
                texts: match names {
                    Names::AsTheyAre => None,
                    Names::Given(names) => Some(Arc::new(names.clone())),
                    Names::Lookup(lookup) => {
                        self.resolver.lookups.get(lookup.value.as_str()).cloned()
                    }
                },
            },
        })
    }

    /// All columns but those that are taken otherwise, and those to leave out.
    fn all_but(&self, taken: &[usize]) -> Result<Vec<PropertyPlan>, InterchangeError> {
        let omitted = |name: &String| self.known.table.omit.iter().any(|omit| omit.value == *name);
        let columns = self.columns.names.iter().enumerate();
        let left = columns.filter(|(at, name)| !taken.contains(at) && !omitted(name));
        let properties = left.map(|(at, _)| self.property(at)).collect();
        self.distinct(properties, self.known.table.line)
    }

    fn properties(&self, columns: &[Said<String>]) -> Result<Vec<PropertyPlan>, InterchangeError> {
        let mut properties = Vec::new();
        for column in columns {
            properties.push(self.property(self.columns.find(column)?));
        }
        let line = columns
            .first()
            .map_or(self.known.table.line, |first| first.line);
        self.distinct(properties, line)
    }

    fn property(&self, at: usize) -> PropertyPlan {
        let column = &self.columns.names[at];
        let mut renamed = self.known.table.rename.iter();
        let renamed = renamed.find(|(from, _)| from.value == *column);
        PropertyPlan {
            at,
            name: renamed.map_or_else(|| column.as_str().into(), |(_, to)| to.clone()),
            kind: self.known.type_of(column),
        }
    }

    fn distinct(
        &self,
        properties: Vec<PropertyPlan>,
        line: u64,
    ) -> Result<Vec<PropertyPlan>, InterchangeError> {
        for (at, property) in properties.iter().enumerate() {
            if properties[..at]
                .iter()
                .any(|before| before.name == property.name)
            {
                let problem = format!("two properties are called {}", shown(&property.name));
                return Err(self.resolver.mapping.error(line, problem));
            }
        }
        Ok(properties)
    }
}
