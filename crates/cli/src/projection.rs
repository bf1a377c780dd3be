//! The flags that choose a part of a property graph.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use evergraph::property::{Expression, Orientation, ProjectionOptions, condition};

use crate::report::Failure;

/// Flags of `run`.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Property graphs")]
pub struct ProjectionArgs {
    /// Only nodes that have one of these labels, and relationships between them
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    labels: Vec<String>,
    /// Only relationships of these types
    #[arg(long, value_name = "T,U", value_delimiter = ',')]
    types: Vec<String>,
    #[command(flatten)]
    conditions: ConditionArgs,
    /// Which way relationships point: natural, reversed or undirected
    /// [default: natural]
    #[arg(long, value_name = "WAY", value_parser = orientations(),
          hide_possible_values = true)]
    orientation: Option<Orientation>,
    /// The property of relationships that is their weight
    #[arg(long, value_name = "KEY")]
    weight: Option<String>,
    /// Weight of relationships where that property is no number [default: 1]
    #[arg(
        long,
        value_name = "X",
        requires = "weight",
        allow_negative_numbers = true
    )]
    default_weight: Option<f32>,
    /// Show these properties of nodes instead of their ids, a column each; tabs then
    /// separate the parts of a line of text
    #[arg(long, value_name = "K,…", value_delimiter = ',')]
    pub name_by: Vec<String>,
    /// Write the result to the nodes, as this property, in one transaction
    #[arg(long, value_name = "KEY", conflicts_with = "over")]
    pub write: Option<String>,
}

/// Conditions on properties.
#[derive(Clone, Debug, clap::Args)]
pub struct ConditionArgs {
    /// Only nodes for which this holds, such as "released > 2000 AND NOT title STARTS WITH
    /// 'The'", and relationships between them
    #[arg(long = "where", value_name = "EXPR")]
    nodes: Option<String>,
    /// Only relationships for which this holds
    #[arg(long = "where-relationship", value_name = "EXPR")]
    relationships: Option<String>,
}

impl ConditionArgs {
    /// Whether any is given.
    pub fn is_given(&self) -> bool {
        self.nodes.is_some() || self.relationships.is_some()
    }

    /// The condition on nodes.
    pub fn nodes(&self) -> Result<Option<Expression>, Failure> {
        read("--where", self.nodes.as_deref())
    }

    /// The condition on relationships.
    pub fn relationships(&self) -> Result<Option<Expression>, Failure> {
        read("--where-relationship", self.relationships.as_deref())
    }
}

/// The condition that a flag gives.
pub fn read(flag: &str, text: Option<&str>) -> Result<Option<Expression>, Failure> {
    let Some(text) = text else { return Ok(None) };
    match condition(text) {
        Ok(expression) => Ok(Some(expression)),
        Err(error) => Err(Failure::usage(
            format!("{flag}: {}", error.summary()),
            error.hint(),
        )),
    }
}

const ORIENTATIONS: [(&str, Orientation); 3] = [
    ("natural", Orientation::Natural),
    ("reversed", Orientation::Reversed),
    ("undirected", Orientation::Undirected),
];

fn orientations() -> impl TypedValueParser<Value = Orientation> {
    PossibleValuesParser::new(ORIENTATIONS.map(|(name, _)| name)).map(|given| {
        let found = ORIENTATIONS.iter().find(|(name, _)| *name == given);
        found.expect("one of the possible values").1
    })
}

impl ProjectionArgs {
    /// The part that is asked for; `None` if no flag asks for one.
    pub fn projection(&self) -> Result<Option<ProjectionOptions>, Failure> {
        let is_asked = !self.labels.is_empty()
            || !self.types.is_empty()
            || self.conditions.is_given()
            || self.orientation.is_some()
            || self.weight.is_some();
        if !is_asked {
            return Ok(None);
        }
        Ok(Some(ProjectionOptions {
            labels: self.labels.clone(),
            types: self.types.clone(),
            nodes: self.conditions.nodes()?,
            relationships: self.conditions.relationships()?,
            orientation: self.orientation.unwrap_or_default(),
            weight: self.weight.clone(),
            default_weight: self.default_weight.unwrap_or(1.0),
        }))
    }
}
