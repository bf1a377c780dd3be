//! Elements as they stand in the file, before it is known whether they are right.

use std::collections::BTreeMap;

use quick_xml::XmlVersion;
use quick_xml::events::BytesStart;

use crate::interchange::error::Problem;
use crate::interchange::types::shown;

pub(super) type Attributes = BTreeMap<String, String>;

/// An element of a graph with its data, before it is known whether it is right.
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: Attributes,
    /// Ids of keys, and texts.
    pub(super) data: Vec<(String, String)>,
    /// An element in it that has no counterpart.
    pub(super) strange: Option<String>,
}

/// Why an element cannot be had.
pub(super) enum Stop {
    /// The file is no XML, or no GraphML, from here on.
    Unreadable(Problem),
    Input(std::io::Error),
}

impl From<quick_xml::Error> for Stop {
    fn from(error: quick_xml::Error) -> Self {
        match error {
            quick_xml::Error::Io(error) => {
                Stop::Input(std::io::Error::new(error.kind(), error.to_string()))
            }
            other => Stop::Unreadable(Problem::new(format!("no XML: {other}"))),
        }
    }
}

/// Content between the tags of an element.
#[derive(Default)]
pub(super) struct Inside {
    pub(super) data: Vec<(String, String)>,
    pub(super) strange: Option<String>,
}

impl Inside {
    pub(super) fn begin(
        &mut self,
        open: &[String],
        child: &str,
        wanted: &str,
        mut attributes: Attributes,
    ) {
        if !open.is_empty() {
            return;
        }
        if child == wanted {
            let key = attributes.remove("key").unwrap_or_default();
            self.data.push((key, String::new()));
        } else if child != "desc" {
            self.strange = Some(child.to_string());
        }
    }

    pub(super) fn text(&mut self, open: &[String], wanted: &str, text: &str) {
        if let ([child], Some((_, known))) = (open, self.data.last_mut())
            && child == wanted
        {
            known.push_str(text);
        }
    }
}

pub(super) fn parts(start: &BytesStart<'_>) -> Result<(String, Attributes), Stop> {
    let name = start.local_name().as_ref().to_string();
    let mut attributes = Attributes::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(quick_xml::Error::from)?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0)?;
        attributes.insert(attribute.key.as_ref().to_string(), value.into_owned());
    }
    Ok((name, attributes))
}

pub(super) fn predefined(name: &str) -> Result<char, Problem> {
    match name {
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "amp" => Ok('&'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        _ => Err(Problem::new(format!(
            "the entity {} is not known",
            shown(name)
        ))),
    }
}
