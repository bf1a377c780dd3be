//! The flags that choose a part of a property graph.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use evergraph::property::{Orientation, ProjectionOptions};

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
    pub fn projection(&self) -> Option<ProjectionOptions> {
        let is_asked = !self.labels.is_empty()
            || !self.types.is_empty()
            || self.orientation.is_some()
            || self.weight.is_some();
        is_asked.then(|| ProjectionOptions {
            labels: self.labels.clone(),
            types: self.types.clone(),
            orientation: self.orientation.unwrap_or_default(),
            weight: self.weight.clone(),
            default_weight: self.default_weight.unwrap_or(1.0),
        })
    }
}
