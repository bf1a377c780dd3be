//! Procedures that tell the schema which the data has.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use evergraph_functions::{Datum, Entities, ReadError};
use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Entity, EntityKind, NodeId, RelationshipId};
use evergraph_syntax::scope::{Signature, Type};

use super::{ProcedureContext, Procedures};

/// Records between two looks at the limits.
const AT_ONCE: usize = 1 << 10;

/// Properties of one kind of nodes or relationships.
#[derive(Default)]
struct Group {
    count: u64,
    /// By key: values, and the names of their types.
    properties: BTreeMap<Arc<str>, (u64, BTreeSet<&'static str>)>,
}

impl Group {
    fn take(&mut self, properties: BTreeMap<Arc<str>, Value>) {
        self.count += 1;
        for (key, value) in properties {
            let (count, types) = self.properties.entry(key).or_default();
            *count += 1;
            types.insert(value.type_name());
        }
    }

    /// Key, types and whether all have it: a row each; one without a key if there is none.
    fn rows(self) -> Vec<Vec<Datum>> {
        if self.properties.is_empty() {
            return vec![vec![Datum::NULL, Datum::NULL, false.into()]];
        }
        let properties = self.properties.into_iter();
        let row = |(key, (count, types)): (Arc<str>, (u64, BTreeSet<&'static str>))| {
            let types: Value = types.into_iter().collect();
            vec![
                key.into(),
                Datum::Value(types),
                (count == self.count).into(),
            ]
        };
        properties.map(row).collect()
    }
}

pub(super) fn register(procedures: &mut Procedures) {
    let texts = || Type::List(Box::new(Type::Text));
    let signature = |outputs: &[(&str, Type)]| Signature {
        outputs: outputs
            .iter()
            .map(|(name, of)| (name.to_string(), of.clone()))
            .collect(),
        ..Signature::default()
    };
    procedures.register(
        "db.schema.nodeTypeProperties",
        "The properties of nodes by their labels, with types. Reads all nodes.",
        signature(&[
            ("nodeType", Type::Text),
            ("nodeLabels", texts()),
            ("propertyName", Type::Text),
            ("propertyTypes", texts()),
            ("mandatory", Type::Boolean),
        ]),
        |context, _| node_types(context),
    );
    procedures.register(
        "db.schema.relTypeProperties",
        "The properties of relationships by type, with types. Reads all relationships.",
        signature(&[
            ("relType", Type::Text),
            ("propertyName", Type::Text),
            ("propertyTypes", texts()),
            ("mandatory", Type::Boolean),
        ]),
        |context, _| relationship_types(context),
    );
    procedures.register(
        "db.schema.visualization",
        "Labels with the numbers of nodes, and the types that lead from label to label. Reads \
         all relationships.",
        signature(&[("nodes", Type::list()), ("relationships", Type::list())]),
        |context, _| visualization(context),
    );
}

/// `` :`A`:`B` ``
fn called<'n>(names: impl IntoIterator<Item = &'n Arc<str>>) -> String {
    let names = names.into_iter();
    names.map(|name| format!(":`{name}`")).collect()
}

fn texts<'n>(names: impl IntoIterator<Item = &'n Arc<str>>) -> Datum {
    let names = names.into_iter();
    Datum::Value(names.map(|name| Value::Text(Arc::clone(name))).collect())
}

fn for_each(
    context: &ProcedureContext<'_, '_>,
    kind: EntityKind,
    mut each: impl FnMut(u32) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    for (at, id) in context.graph.all(kind)?.into_iter().enumerate() {
        if at % AT_ONCE == 0 {
            context.check()?;
        }
        each(id)?;
    }
    Ok(())
}

fn node_types(context: &ProcedureContext<'_, '_>) -> Result<Vec<Vec<Datum>>, ReadError> {
    let graph = context.graph;
    let mut groups: BTreeMap<Vec<Arc<str>>, Group> = BTreeMap::new();
    for_each(context, EntityKind::Node, |id| {
        let mut labels = graph.labels(NodeId(id))?;
        labels.sort();
        let properties = graph.properties(Entity::Node(NodeId(id)))?;
        groups.entry(labels).or_default().take(properties);
        Ok(())
    })?;
    let rows = groups.into_iter().flat_map(|(labels, group)| {
        let rows = group.rows().into_iter();
        rows.map(move |row| {
            let mut whole = vec![called(&labels).into(), texts(&labels)];
            whole.extend(row);
            whole
        })
    });
    Ok(rows.collect())
}

fn relationship_types(context: &ProcedureContext<'_, '_>) -> Result<Vec<Vec<Datum>>, ReadError> {
    let graph = context.graph;
    let mut groups: BTreeMap<Arc<str>, Group> = BTreeMap::new();
    for_each(context, EntityKind::Relationship, |id| {
        let id = RelationshipId(id);
        let properties = graph.properties(Entity::Relationship(id))?;
        let kind = graph.relationship_type(id)?;
        groups.entry(kind).or_default().take(properties);
        Ok(())
    })?;
    let rows = groups.into_iter().flat_map(|(kind, group)| {
        let rows = group.rows().into_iter();
        rows.map(move |row| {
            let mut whole = vec![called([&kind]).into()];
            whole.extend(row);
            whole
        })
    });
    Ok(rows.collect())
}

fn visualization(context: &ProcedureContext<'_, '_>) -> Result<Vec<Vec<Datum>>, ReadError> {
    let graph = context.graph;
    let mut links: BTreeMap<[Arc<str>; 3], i64> = BTreeMap::new();
    for_each(context, EntityKind::Relationship, |id| {
        let id = RelationshipId(id);
        let (source, target) = graph.ends(id)?;
        let (sources, targets) = (graph.labels(source)?, graph.labels(target)?);
        let kind = graph.relationship_type(id)?;
        for source in &sources {
            for target in &targets {
                let link = [source, &kind, target].map(Arc::clone);
                *links.entry(link).or_default() += 1;
            }
        }
        Ok(())
    })?;
    let entry = |key: &str, value: Value| (Arc::from(key), value);
    let nodes = graph.label_counts()?.into_iter().map(|(label, count)| {
        let count = Value::Integer(count.cast_signed());
        map([entry("name", Value::Text(label)), entry("count", count)])
    });
    let links = links.into_iter().map(|([source, kind, target], count)| {
        map([
            entry("type", Value::Text(kind)),
            entry("source", Value::Text(source)),
            entry("target", Value::Text(target)),
            entry("count", Value::Integer(count)),
        ])
    });
    let nodes: Value = nodes.collect();
    let links: Value = links.collect();
    Ok(vec![vec![Datum::Value(nodes), Datum::Value(links)]])
}

fn map<const N: usize>(entries: [(Arc<str>, Value); N]) -> Value {
    Value::Map(Arc::new(entries.into_iter().collect()))
}
