//! The identity of what is done with a file of a mapping.
//!
//! Databases hold its hash while an import goes on, so the text is a part of the stored
//! format: it is spelled here, and does not follow the names of types and fields. What is
//! added later is written behind the others, and only where it is not the default.
//! Texts, numbers and lists of them are as the standard library writes them.

use super::mapping::Format;
use super::plan::{
    EndPlan, KeyPlan, NamePlan, NodePlan, Plan, PropertyPlan, RelationshipPlan, TableFile,
};
use crate::interchange::types::{PropertyType, Scalar};

impl TableFile {
    /// Treatment of the file, as a text that is the same if and only if the rows
    /// of the same file are.
    pub fn identity(&self) -> String {
        plan(&self.plan)
    }
}

fn plan(plan: &Plan) -> String {
    let Plan {
        format: lines,
        columns,
        node: of_rows,
        relationships,
    } = plan;
    let (lines, of_rows) = (format(lines), optional(of_rows.as_ref().map(node)));
    let relationships = list(relationships, relationship);
    format!(
        "Plan {{ format: {lines}, columns: {columns:?}, node: {of_rows}, \
         relationships: {relationships} }}"
    )
}

fn format(format: &Format) -> String {
    let Format {
        delimiter,
        skip,
        quotes,
        unquoted_text,
        null,
        list_delimiter,
        infer,
        columns,
    } = format;
    format!(
        "Format {{ delimiter: {delimiter:?}, skip: {skip}, quotes: {quotes}, \
         unquoted_text: {unquoted_text}, null: {null:?}, list_delimiter: {list_delimiter:?}, \
         infer: {infer}, columns: {columns:?} }}"
    )
}

fn node(node: &NodePlan) -> String {
    let NodePlan {
        labels,
        space,
        key: of_node,
        merge,
        properties,
    } = node;
    let (labels, of_node) = (list(labels, name), optional(of_node.as_ref().map(key)));
    let properties = list(properties, property);
    format!(
        "NodePlan {{ labels: {labels}, space: {space:?}, key: {of_node}, merge: {merge}, \
         properties: {properties} }}"
    )
}

fn relationship(relationship: &RelationshipPlan) -> String {
    let RelationshipPlan {
        name: kind,
        source,
        target,
        ends,
        properties,
    } = relationship;
    let kind = name(kind);
    let [source, target] = [source, target].map(|at| optional(at.as_ref().map(end)));
    let properties = list(properties, property);
    format!(
        "RelationshipPlan {{ name: {kind}, source: {source}, target: {target}, \
         ends: {ends:?}, properties: {properties} }}"
    )
}

fn end(end: &EndPlan) -> String {
    let EndPlan {
        space,
        key: of_end,
        list,
    } = end;
    let of_end = key(of_end);
    format!("EndPlan {{ space: {space:?}, key: {of_end}, list: {list} }}")
}

fn key(key: &KeyPlan) -> String {
    let KeyPlan { columns, integers } = key;
    format!("KeyPlan {{ columns: {columns:?}, integers: {integers} }}")
}

fn name(name: &NamePlan) -> String {
    match name {
        NamePlan::Fixed(text) => format!("Fixed({text:?})"),
        NamePlan::Column { at, list, texts } => {
            format!("Column {{ at: {at}, list: {list}, texts: {texts:?} }}")
        }
    }
}

fn property(property: &PropertyPlan) -> String {
    let PropertyPlan {
        at,
        name,
        kind: PropertyType {
            scalar: of_values,
            list,
        },
    } = property;
    let of_values = scalar(*of_values);
    format!(
        "PropertyPlan {{ at: {at}, name: {name:?}, \
         kind: PropertyType {{ scalar: {of_values}, list: {list} }} }}"
    )
}

fn scalar(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Boolean => "Boolean",
        Scalar::Integer => "Integer",
        Scalar::Float => "Float",
        Scalar::Text => "Text",
        Scalar::Bytes => "Bytes",
        Scalar::Date => "Date",
        Scalar::Time => "Time",
        Scalar::LocalTime => "LocalTime",
        Scalar::DateTime => "DateTime",
        Scalar::LocalDateTime => "LocalDateTime",
        Scalar::Duration => "Duration",
        Scalar::Point => "Point",
    }
}

fn optional(value: Option<String>) -> String {
    match value {
        Some(value) => format!("Some({value})"),
        None => "None".to_string(),
    }
}

fn list<T>(values: &[T], text: fn(&T) -> String) -> String {
    let texts: Vec<String> = values.iter().map(text).collect();
    format!("[{}]", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn property(name: &str, scalar: Scalar, list: bool) -> PropertyPlan {
        PropertyPlan {
            at: 1,
            name: name.into(),
            kind: PropertyType { scalar, list },
        }
    }

    /// Stored by imports of version 4 of the format.
    #[test]
    fn identities_are_pinned() {
        let format = Format {
            delimiter: Some(b';'),
            skip: 2,
            quotes: true,
            unquoted_text: false,
            null: vec!["N\"".to_string()],
            list_delimiter: '\'',
            infer: true,
            columns: Some(vec!["a".to_string()]),
        };
        let texts = [("0".to_string(), Arc::from("LIKES"))].into();
        let key = || KeyPlan {
            columns: vec![0, 1],
            integers: true,
        };
        let plan = Plan {
            format,
            columns: vec!["a".to_string(), "b".to_string()],
            node: Some(NodePlan {
                labels: vec![
                    NamePlan::Fixed("A".into()),
                    NamePlan::Column {
                        at: 3,
                        list: true,
                        texts: None,
                    },
                ],
                space: "A".into(),
                key: Some(key()),
                merge: true,
                properties: vec![
                    property("p", Scalar::Text, false),
                    property("q", Scalar::LocalDateTime, true),
                ],
            }),
            relationships: vec![RelationshipPlan {
                name: NamePlan::Column {
                    at: 2,
                    list: false,
                    texts: Some(Arc::new(texts)),
                },
                source: None,
                target: Some(EndPlan {
                    space: "B".into(),
                    key: key(),
                    list: false,
                }),
                ends: Arc::new(["".into(), "b".into()]),
                properties: vec![],
            }],
        };
        let pinned = concat!(
            r#"Plan { format: Format { delimiter: Some(59), skip: 2, quotes: true, "#,
            r#"unquoted_text: false, null: ["N\""], list_delimiter: '\'', infer: true, "#,
            r#"columns: Some(["a"]) }, columns: ["a", "b"], node: Some(NodePlan { "#,
            r#"labels: [Fixed("A"), Column { at: 3, list: true, texts: None }], space: "A", "#,
            r#"key: Some(KeyPlan { columns: [0, 1], integers: true }), merge: true, "#,
            r#"properties: [PropertyPlan { at: 1, name: "p", kind: PropertyType { "#,
            r#"scalar: Text, list: false } }, PropertyPlan { at: 1, name: "q", "#,
            r#"kind: PropertyType { scalar: LocalDateTime, list: true } }] }), "#,
            r#"relationships: [RelationshipPlan { name: Column { at: 2, list: false, "#,
            r#"texts: Some({"0": "LIKES"}) }, source: None, target: Some(EndPlan { "#,
            r#"space: "B", key: KeyPlan { columns: [0, 1], integers: true }, list: false }), "#,
            r#"ends: ["", "b"], properties: [] }] }"#,
        );
        assert_eq!(super::plan(&plan), pinned);
    }

    #[test]
    fn words_of_types_are_pinned() {
        use Scalar::*;
        let all = [
            Boolean,
            Integer,
            Float,
            Text,
            Bytes,
            Date,
            Time,
            LocalTime,
            DateTime,
            LocalDateTime,
            Duration,
            Point,
        ];
        assert_eq!(
            all.map(scalar).join(" "),
            "Boolean Integer Float Text Bytes Date Time LocalTime DateTime LocalDateTime \
             Duration Point"
        );
    }
}
