//! Procedures that list names, and what the program is.

use std::sync::Arc;

use evergraph_functions::{Datum, ReadError};
use evergraph_property_graph::Value;
use evergraph_syntax::scope::{Signature, Type};

use super::Procedures;
use crate::graph::Graph;

type List = fn(&Graph<'_>) -> Result<Vec<Arc<str>>, ReadError>;

const LISTS: [(&str, &str, &str, List); 3] = [
    (
        "db.labels",
        "label",
        "The labels that nodes have.",
        |graph| graph.all_labels(),
    ),
    (
        "db.relationshipTypes",
        "relationshipType",
        "The types that relationships have.",
        |graph| graph.all_types(),
    ),
    (
        "db.propertyKeys",
        "propertyKey",
        "The property keys that nodes and relationships have or once had.",
        |graph| graph.all_keys(),
    ),
];

pub(super) fn register(procedures: &mut Procedures) {
    for (name, column, description, list) in LISTS {
        let signature = Signature {
            outputs: vec![(column.to_string(), Type::Text)],
            ..Signature::default()
        };
        procedures.register(name, description, signature, move |context, _| {
            let names = list(context.graph)?.into_iter();
            Ok(names
                .map(|name| vec![Datum::from(name)])
                .collect::<Vec<_>>())
        });
    }
    let text = |name: &str, of: Type| (name.to_string(), of);
    let signature = Signature {
        outputs: vec![
            text("name", Type::Text),
            text("versions", Type::List(Box::new(Type::Text))),
            text("edition", Type::Text),
        ],
        ..Signature::default()
    };
    let description = "The program, its versions and its edition.";
    procedures.register("dbms.components", description, signature, |_, _| {
        let versions: Value = [env!("CARGO_PKG_VERSION")].into_iter().collect();
        Ok(vec![vec![
            "Evergraph".into(),
            Datum::Value(versions),
            "community".into(),
        ]])
    });
    let success = Signature {
        outputs: vec![text("success", Type::Boolean)],
        ..Signature::default()
    };
    procedures.register("db.ping", "Answers.", success, |_, _| {
        Ok(vec![vec![Datum::from(true)]])
    });
    let wait = Signature {
        inputs: vec![text("timeOutSeconds", Type::Integer)],
        optional: 1,
        ..Signature::default()
    };
    let description = "Nothing: an index is complete as soon as it is made.";
    procedures.register("db.awaitIndexes", description, wait, |_, _| {
        Ok(Vec::<Vec<Datum>>::new())
    });
}
