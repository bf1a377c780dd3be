//! Reading a mapping from TOML.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::interchange::InterchangeError;

use super::mapping::{End, Format, Lookup, Mapping, Name, Names, Node, Relationship, Table};
use super::section::{Item, Said, Section, Source};

impl Mapping {
    /// Reads a mapping. `file` is what messages call it.
    ///
    /// # Errors
    /// [`InterchangeError::Mapping`], with the line.
    pub fn parse(file: &str, text: &str) -> Result<Self, InterchangeError> {
        let source = Source {
            file: file.into(),
            text,
        };
        let whole = source.parse()?;
        let mut section = Section::new(&source, whole.get_ref(), 1);
        let format = format(&mut section, &Format::default())?;
        if format.columns.is_some() {
            return Err(section.error("`columns` are those of a [[table]]"));
        }
        let tables = match section.get("table") {
            Some(item) => item.elements().iter().map(|t| table(t, &format)).collect(),
            None => Err(section.error("there is no [[table]]")),
        }?;
        let mut lookups = BTreeMap::new();
        if let Some(item) = section.get("lookup") {
            for item in item.section("[lookup.NAME]")?.items() {
                lookups.insert(item.name().to_string(), lookup(&item, &format)?);
            }
        }
        section.finish()?;
        let mapping = Mapping {
            file: source.file.clone(),
            tables,
            lookups,
        };
        mapping.check_names()?;
        Ok(mapping)
    }
}

fn format(section: &mut Section<'_>, before: &Format) -> Result<Format, InterchangeError> {
    let mut format = before.clone();
    if let Some(item) = section.get("delimiter") {
        format.delimiter = match item.string()?.value.as_bytes() {
            &[byte] if byte != b'"' && byte != b'\n' && byte != b'\r' => Some(byte),
            _ => {
                return Err(item.error("expected one character of ASCII, such as \",\" or \"\\t\""));
            }
        };
    }
    if let Some(item) = section.get("skip") {
        format.skip = item.number()?;
    }
    if let Some(item) = section.get("quotes") {
        format.quotes = item.boolean()?;
    }
    if let Some(item) = section.get("unquoted-text") {
        format.unquoted_text = item.boolean()?;
    }
    if let Some(item) = section.get("null") {
        format.null = item.strings()?.into_iter().map(|said| said.value).collect();
    }
    if let Some(item) = section.get("list-delimiter") {
        let text = item.string()?.value;
        let mut characters = text.chars();
        format.list_delimiter = match (characters.next(), characters.next()) {
            (Some(character), None) => character,
            _ => return Err(item.error("expected one character")),
        };
    }
    if let Some(item) = section.get("infer") {
        format.infer = item.boolean()?;
    }
    if let Some(item) = section.get("columns") {
        let columns = item.strings()?.into_iter().map(|said| said.value);
        format.columns = Some(columns.collect());
    }
    Ok(format)
}

fn table(item: &Item<'_>, before: &Format) -> Result<Table, InterchangeError> {
    let mut section = item.section("[[table]]")?;
    let line = section.line;
    let format = format(&mut section, before)?;
    let files = match section.get("file") {
        Some(item) => item.strings()?,
        None => return Err(section.error("a [[table]] without a `file`")),
    };
    let mut types = Vec::new();
    for (column, item) in pairs(section.get("types"), "{ price = \"double\" }")? {
        let kind = item.string()?.value.parse();
        types.push((column, kind.map_err(|problem: String| item.error(problem))?));
    }
    let mut rename = Vec::new();
    for (column, item) in pairs(section.get("rename"), "{ name = \"fullName\" }")? {
        rename.push((column, not_empty(&item)?));
    }
    let omit = strings(section.get("omit"))?;
    let (node, relationships) = (node(&mut section), section.get("relationship"));
    // A key that is misspelt is what is wrong, rather than that one is missing.
    section.finish()?;
    let node = node?;
    let relationships = match relationships {
        None => Vec::new(),
        Some(item) => {
            let relationship = |item: &Item<'_>| relationship(item, node.is_some());
            let found: Result<_, _> = item.elements().iter().map(relationship).collect();
            found?
        }
    };
    if node.is_none() && relationships.is_empty() {
        return Err(section.error(
            "a [[table]] without a `label`, and without a [[table.relationship]], has nothing",
        ));
    }
    Ok(Table {
        line,
        files,
        format,
        types,
        omit,
        rename,
        node,
        relationships,
    })
}

fn node(section: &mut Section<'_>) -> Result<Option<Node>, InterchangeError> {
    let (label, key) = (section.get("label"), section.get("key"));
    let (merge, properties) = (section.get("merge"), section.get("properties"));
    let Some(label) = label else {
        return match key.or(merge).or(properties) {
            None => Ok(None),
            Some(item) => Err(item.error("this is of nodes, and the table has no `label`")),
        };
    };
    let labels: Result<Vec<Name>, _> = label.elements().iter().map(name).collect();
    let labels = labels?;
    let Some(Name::Fixed(kind)) = labels.first() else {
        return Err(label.error("the first label is a text: ends of relationships call it"));
    };
    let is_merging = merge.as_ref().map_or(Ok(false), Item::boolean)?;
    if let (None, true, Some(merge)) = (&key, is_merging, &merge) {
        return Err(merge.error("nodes are told apart by their `key`, which is not given"));
    }
    Ok(Some(Node {
        kind: kind.clone(),
        key: strings(key)?,
        merge: is_merging,
        properties: properties.map(|item| item.strings()).transpose()?,
        labels,
    }))
}

fn relationship(item: &Item<'_>, has_node: bool) -> Result<Relationship, InterchangeError> {
    let mut section = item.section("[[table.relationship]]")?;
    let name = match section.get("type") {
        Some(item) => name(&item)?,
        None => return Err(section.error("a [[table.relationship]] without a `type`")),
    };
    let source = section.get("from").map(|item| end(&item)).transpose()?;
    let target = section.get("to").map(|item| end(&item)).transpose()?;
    let problem = match (&source, &target) {
        (None, None) => "a [[table.relationship]] needs `from`, `to`, or both",
        (None, _) | (_, None) if !has_node => {
            "without a `label` rows have no node of their own: give both `from` and `to`"
        }
        _ => "",
    };
    if !problem.is_empty() {
        return Err(section.error(problem));
    }
    let properties = section.get("properties");
    let relationship = Relationship {
        name,
        source,
        target,
        properties: properties.map(|item| item.strings()).transpose()?,
    };
    section.finish()?;
    Ok(relationship)
}

/// `{ Customer = "customerID" }`
fn end(item: &Item<'_>) -> Result<End, InterchangeError> {
    const LIKE: &str = "{ Label = \"column\" }";
    let pairs: Vec<Item<'_>> = item.section(LIKE)?.items().collect();
    let [pair] = &pairs[..] else {
        return Err(item.error(format!("expected one label and its columns: {LIKE}")));
    };
    let columns = pair.strings()?;
    if columns.is_empty() {
        return Err(pair.error("no column"));
    }
    Ok(End {
        kind: Said {
            value: pair.name().to_string(),
            line: pair.line,
        },
        columns,
    })
}

/// `"KNOWS"`, `{ column = "kind" }`, with `names = { A = "ADDED" }` or `lookup = "x"`.
fn name(item: &Item<'_>) -> Result<Name, InterchangeError> {
    let Some(mut section) = item.as_section() else {
        return not_empty(item).map(Name::Fixed);
    };
    let column = match section.get("column") {
        Some(item) => item.string()?,
        None => return Err(section.error("expected a text, or { column = \"...\" }")),
    };
    let mut given = BTreeMap::new();
    let (names, lookup) = (section.get("names"), section.get("lookup"));
    let names = match (names, lookup) {
        (None, None) => Names::AsTheyAre,
        (None, Some(lookup)) => Names::Lookup(lookup.string()?),
        (Some(names), None) => {
            for (text, item) in pairs(Some(names), "{ A = \"ADDED\" }")? {
                given.insert(text.value, not_empty(&item)?);
            }
            Names::Given(given)
        }
        (Some(_), Some(lookup)) => return Err(lookup.error("give `names` or `lookup`, not both")),
    };
    section.finish()?;
    Ok(Name::Column(column, names))
}

fn lookup(item: &Item<'_>, before: &Format) -> Result<Lookup, InterchangeError> {
    let mut section = item.section("[lookup.NAME]")?;
    let format = format(&mut section, before)?;
    let mut text = |key| match section.get(key) {
        Some(item) => item.string(),
        None => Err(section.error(format!("a [lookup.{}] without a `{key}`", item.name()))),
    };
    let (file, key, value) = (text("file")?, text("key")?, text("value")?);
    section.finish()?;
    Ok(Lookup {
        file,
        format,
        key,
        value,
    })
}

fn not_empty(item: &Item<'_>) -> Result<Arc<str>, InterchangeError> {
    match item.string()?.value {
        text if text.is_empty() => Err(item.error("an empty name")),
        text => Ok(text.into()),
    }
}

fn strings(item: Option<Item<'_>>) -> Result<Vec<Said<String>>, InterchangeError> {
    item.map_or(Ok(Vec::new()), |item| item.strings())
}

/// The keys of a table of texts, and their values.
fn pairs<'a>(
    item: Option<Item<'a>>,
    like: &str,
) -> Result<Vec<(Said<String>, Item<'a>)>, InterchangeError> {
    let Some(item) = item else {
        return Ok(Vec::new());
    };
    let items = item.section(like)?.items();
    let pair = |item: Item<'a>| {
        let (value, line) = (item.name().to_string(), item.line);
        (Said { value, line }, item)
    };
    Ok(items.map(pair).collect())
}
