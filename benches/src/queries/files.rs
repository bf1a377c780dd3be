//! Indexes of a network's database beyond its import, and files that peers can read.

use std::path::Path;

use evergraph::property::{Definition, PropertyGraph, Rule};
use evergraph_generators::snb::{Network, csv, queries};

use super::text;
use crate::snb::load::write_files;

/// Indexes for what reads look up by name.
pub fn define_names(graph: &PropertyGraph) -> Result<(), String> {
    let by_name = |label: &str| {
        let name = format!("{label} name");
        Definition::of_nodes(&name, label, &["name"], Rule::Index)
    };
    let labels = ["Country", "Tag", "TagClass"];
    graph.define_all(&labels.map(by_name)).map_err(text)
}

/// Writes the part of a network before its updates, and the parameters of the reads.
pub fn write_network(network: &Network, directory: &Path) -> Result<(), String> {
    write_files(network, csv::Part::Initial, directory).map_err(text)?;
    let short = queries::short_parameters(network, 100);
    let complex = queries::parameters(network, 100);
    for parameters in short.iter().chain(&complex) {
        let path = directory.join(parameters.file_name());
        let mut file = std::fs::File::create(path).map_err(text)?;
        parameters.write(&mut file).map_err(text)?;
    }
    Ok(())
}
