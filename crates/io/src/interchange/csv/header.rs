//! The header of Neo4j's import: what each column holds.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::PANDAS;
use crate::interchange::error::Problem;
use crate::interchange::types::shown;
use crate::interchange::{Contents, Ids, PropertyType, Scalar};

/// An id column: of a node, or of an end of a relationship.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IdColumn {
    /// The id space, empty if there is none.
    pub(crate) space: Arc<str>,
    /// The property that the id is stored as, too.
    pub(crate) name: Option<Arc<str>>,
    pub(crate) ids: Ids,
    /// Whether the column says what its ids are.
    pub(crate) is_declared: bool,
}

/// Role of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Id(IdColumn),
    Start(IdColumn),
    End(IdColumn),
    Labels,
    Type,
    Property(Arc<str>, PropertyType),
    Ignore,
}

/// A whole header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// Nodes or relationships.
    pub(crate) contents: Contents,
    pub(crate) columns: Vec<Column>,
    /// Of a plain header, which does not say what the rows are.
    pub(crate) plain: Option<Vec<PlainColumn>>,
}

/// A column of a plain header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlainColumn {
    pub(crate) name: Arc<str>,
    /// Its type, if the header says it.
    pub(crate) declared: Option<PropertyType>,
    pub(crate) is_id: bool,
}

/// What is said of a header beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assumed<'a> {
    /// Ids of columns that do not say.
    pub(crate) ids: Ids,
    /// What rows are if no column says it.
    pub(crate) contents: Option<Contents>,
    /// Types of the columns of a plain header; else texts.
    pub(crate) types: Option<&'a [PropertyType]>,
    /// Id spaces of the ids of a plain header.
    pub(crate) spaces: &'a [Arc<str>],
}

impl Header {
    pub(crate) fn read(fields: &[&str], assumed: Assumed<'_>) -> Result<Self, Problem> {
        if let [all] = fields
            && all.contains([';', '\t', '|'])
        {
            let hint = "is there another separator between columns (--separator)?";
            return Err(Problem::new(format!(
                "the header is one column, {}; {hint}",
                shown(all)
            )));
        }
        match fields.iter().position(|field| field.trim().is_empty()) {
            None => {}
            Some(0) => {
                return Err(Problem::new(format!(
                    "the first column has no name; name it, or leave it out: {PANDAS}"
                )));
            }
            Some(at) => return Err(Problem::new(format!("column {} has no name", at + 1))),
        }
        let columns: Result<Vec<Column>, Problem> = fields
            .iter()
            .map(|field| column(field.trim(), assumed.ids))
            .collect();
        let mut columns = columns?;
        let mut plain = None;
        if let Some(contents) = assumed.contents
            && !is_declared(&columns)
        {
            let mut found = plain_columns(fields, &columns);
            for (at, column) in columns.iter_mut().enumerate() {
                let given = assumed.types.and_then(|types| types.get(at));
                if let (Column::Property(_, kind), Some(given)) = (column, given) {
                    *kind = *given;
                }
            }
            assume(&mut columns, &mut found, contents, assumed.spaces)?;
            plain = Some(found);
        }
        let header = Self::of(columns)?;
        Ok(Header { plain, ..header })
    }

    /// Columns of a file whose names may be anything: what declares nothing is the
    /// name of a property, colons and braces included.
    #[cfg(feature = "columnar")]
    pub(crate) fn of_columns(names: &[&str]) -> Result<Self, Problem> {
        let columns = names.iter().map(|name| match column(name, Ids::Texts) {
            Err(_) if !name.is_empty() && !name.starts_with(':') => {
                Ok(Column::Property((*name).into(), Scalar::Text.into()))
            }
            found => found,
        });
        let columns: Result<Vec<Column>, Problem> = columns.collect();
        Self::of(columns?)
    }

    /// Whether a column says what the rows are. Nodes may be without ids and without
    /// labels, but a file of other columns alone was hardly meant so.
    #[cfg(feature = "columnar")]
    pub(crate) fn is_declared(&self) -> bool {
        is_declared(&self.columns)
    }

    fn of(columns: Vec<Column>) -> Result<Self, Problem> {
        let contents = contents(&columns)?;
        let mut names = BTreeSet::new();
        for name in columns.iter().filter_map(property_name) {
            if !names.insert(name) {
                return Err(Problem::at(name, "two columns are called so"));
            }
        }
        Ok(Header {
            contents,
            columns,
            plain: None,
        })
    }
}

fn is_declared(columns: &[Column]) -> bool {
    let mut columns = columns.iter();
    columns.any(|column| !matches!(column, Column::Property(..) | Column::Ignore))
}

fn plain_columns(fields: &[&str], columns: &[Column]) -> Vec<PlainColumn> {
    let plain = |(field, column): (&&str, &Column)| match column {
        Column::Property(name, kind) => PlainColumn {
            name: Arc::clone(name),
            declared: field.contains(':').then_some(*kind),
            is_id: false,
        },
        _ => PlainColumn {
            name: field.trim().into(),
            declared: Some(Scalar::Text.into()),
            is_id: false,
        },
    };
    fields.iter().zip(columns).map(plain).collect()
}

/// Takes the first column for the id of nodes, or the first two for the ends of
/// relationships.
fn assume(
    columns: &mut [Column],
    plain: &mut [PlainColumn],
    contents: Contents,
    spaces: &[Arc<str>],
) -> Result<(), Problem> {
    let space = |at: usize| spaces.get(at).cloned().unwrap_or_default();
    let ids = match contents {
        Contents::Nodes => 1,
        Contents::Relationships => 2,
        Contents::Both => 0,
    };
    plain.iter_mut().take(ids).for_each(|id| id.is_id = true);
    let id = |column: &Column, at: usize, is_property: bool| match column {
        Column::Property(name, kind) if !kind.list => Ok(IdColumn {
            space: space(at),
            name: is_property.then(|| name.clone()),
            ids: match kind.scalar {
                Scalar::Integer => Ids::Integers,
                Scalar::Text => Ids::Texts,
                _ => return Err(Problem::at(name, "ids are long or string")),
            },
            is_declared: plain[at].declared.is_some(),
        }),
        _ => Err(Problem::new(
            "the header does not say which columns are ids; :ID, :START_ID and :END_ID do",
        )),
    };
    match (contents, columns) {
        (Contents::Nodes, [first, ..]) => *first = Column::Id(id(first, 0, true)?),
        (Contents::Relationships, [first, second, ..]) => {
            (*first, *second) = (
                Column::Start(id(first, 0, false)?),
                Column::End(id(second, 1, false)?),
            );
        }
        (Contents::Both, _) => {}
        _ => {
            let problem = "relationships have two ends, and the header has one column";
            return Err(Problem::new(problem));
        }
    }
    Ok(())
}

pub(crate) fn property_name(column: &Column) -> Option<&Arc<str>> {
    match column {
        Column::Property(name, _) => Some(name),
        Column::Id(id) | Column::Start(id) | Column::End(id) => id.name.as_ref(),
        _ => None,
    }
}

fn contents(columns: &[Column]) -> Result<Contents, Problem> {
    let count = |is: fn(&Column) -> bool| columns.iter().filter(|column| is(column)).count();
    let ids = count(|column| matches!(column, Column::Id(_)));
    let labels = count(|column| matches!(column, Column::Labels));
    let starts = count(|column| matches!(column, Column::Start(_)));
    let ends = count(|column| matches!(column, Column::End(_)));
    let types = count(|column| matches!(column, Column::Type));
    let problem = match (ids, starts, ends) {
        (0 | 1, 0, 0) if types == 0 => return Ok(Contents::Nodes),
        (0, 1, 1) if labels == 0 && types <= 1 => return Ok(Contents::Relationships),
        (0, 1, 0) | (0, 0, 1) => "a relationship needs :START_ID and :END_ID",
        (0, 0, 0) => "a :TYPE without :START_ID and :END_ID",
        (_, 0, 0) => "ids of several columns are not supported; join them into one",
        (0, _, _) => "relationships have one :START_ID, one :END_ID, one :TYPE and no :LABEL",
        _ => ":ID belongs to nodes, :START_ID and :END_ID to relationships; a file has either",
    };
    Err(Problem::new(format!("the header is not clear: {problem}")))
}

fn column(field: &str, ids: Ids) -> Result<Column, Problem> {
    let (field, options) = match field.split_once('{') {
        Some((field, options)) => match options.strip_suffix('}') {
            Some(options) => (field.trim_end(), Some(options)),
            None => return Err(Problem::at(field, "the options in braces do not end")),
        },
        None => (field, None),
    };
    let (name, kind) = match field.rsplit_once(':') {
        Some((name, kind)) => (name.trim(), kind.trim()),
        None => (field, "string"),
    };
    let (keyword, space) = match kind.split_once('(') {
        Some((keyword, space)) => match space.strip_suffix(')') {
            Some(space) => (keyword.trim(), space.trim()),
            None => {
                return Err(Problem::at(
                    field,
                    "the id space in parentheses does not end",
                ));
            }
        },
        None => (kind, ""),
    };
    let declared = id_type(options).map_err(|problem| Problem::at(field, problem))?;
    let id_column = || IdColumn {
        space: space.into(),
        name: (!name.is_empty()).then(|| name.into()),
        ids: declared.unwrap_or(ids),
        is_declared: declared.is_some(),
    };
    match keyword.to_ascii_uppercase().as_str() {
        "ID" => Ok(Column::Id(id_column())),
        "START_ID" => Ok(Column::Start(id_column())),
        "END_ID" => Ok(Column::End(id_column())),
        "LABEL" | "TYPE" if !name.is_empty() => Err(Problem::at(
            field,
            "labels and types have no name before the colon; is there another separator \
             between columns (--separator)?",
        )),
        "LABEL" => Ok(Column::Labels),
        "TYPE" => Ok(Column::Type),
        "IGNORE" => Ok(Column::Ignore),
        _ if name.is_empty() => {
            let known =
                ":ID, :START_ID, :END_ID, :LABEL, :TYPE, :IGNORE or a name before the colon";
            Err(Problem::new(format!(
                "the column {} is none of {known}",
                shown(field)
            )))
        }
        _ => {
            let kind = kind
                .parse()
                .map_err(|problem: String| Problem::at(name, problem))?;
            Ok(Column::Property(name.into(), kind))
        }
    }
}

/// The option `id-type`; others change nothing that is read here, or are unknown.
fn id_type(options: Option<&str>) -> Result<Option<Ids>, String> {
    let mut found = None;
    for option in options.into_iter().flat_map(|options| options.split(',')) {
        let (name, value) = option.split_once(':').unwrap_or((option, ""));
        match (name.trim(), value.trim().trim_matches(['"', '\''])) {
            ("id-type", value) => {
                let kind: Result<PropertyType, String> = value.parse();
                found = Some(match kind?.scalar {
                    Scalar::Integer => Ids::Integers,
                    Scalar::Text => Ids::Texts,
                    _ => return Err(format!("ids are long or string, not {}", shown(value))),
                });
            }
            ("", "") => {}
            (name, _) => {
                return Err(format!(
                    "the option {} is not known; only id-type is",
                    shown(name)
                ));
            }
        }
    }
    Ok(found)
}
