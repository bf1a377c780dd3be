//! The arguments of `evergraph import` about files by label and type, and about nodes
//! that a property graph has already.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use evergraph::property::{ColumnTypes, Dangling, Duplicates, ImportKey, OnConflict, TypedFiles};

/// Arguments about property graphs alone.
#[derive(Clone, clap::Args)]
pub struct GrowingArgs {
    /// Files of nodes with these labels; of CSV the first has the header of all
    #[arg(long, value_name = "[L[:L]=]FILE[,FILE]", value_parser = typed)]
    pub nodes: Vec<TypedFiles>,
    /// Files of relationships of this type, as --nodes
    #[arg(long, value_name = "[T=]FILE[,FILE]", value_parser = typed)]
    pub relationships: Vec<TypedFiles>,
    /// Types of the columns of plain CSV: text, if they are not to be told from the values,
    /// and types of single columns, as zip=string,born=date [default: told from the values]
    #[arg(long, value_name = "T", value_parser = column_types)]
    pub types: Vec<ColumnTypes>,
    /// Property that tells the nodes of a label apart, as Person.id, for this and later
    /// imports: no two may have the same; with the id space of files if that is called
    /// otherwise: Space=Person.id
    #[arg(long = "key", value_name = "L.P", value_delimiter = ',')]
    pub keys: Vec<ImportKey>,
    /// Node whose key the graph has: an error, skipped, or the node gets the row's
    /// properties (update), and labels, too (merge) [default: error]
    #[arg(long, value_name = "P", value_parser = choice(OnConflict::ALL))]
    pub on_conflict: Option<OnConflict>,
    /// Node whose id or key another row has: error or skip [default: error]
    #[arg(long, value_name = "P", value_parser = choice(Duplicates::ALL))]
    pub duplicates: Option<Duplicates>,
    /// Relationship one end of which is not there: error, skip, or create the end, which
    /// needs its key [default: error]
    #[arg(long, value_name = "P", value_parser = choice(Dangling::ALL))]
    pub dangling: Option<Dangling>,
    /// Write rows that are left out to a CSV file, with file, line and reason
    #[arg(long, value_name = "FILE")]
    pub rejects: Option<PathBuf>,
    /// Leave out up to N bad rows [default: all with --rejects, else as --skip-bad]
    #[arg(long, value_name = "N", conflicts_with = "skip_bad")]
    pub max_rejects: Option<u64>,
    /// Read the files, and say what they hold; write nothing
    #[arg(long, conflicts_with = "resume")]
    pub dry_run: bool,
}

impl GrowingArgs {
    /// Bad rows that may be left out.
    pub fn most_bad(&self, skip_bad: u64) -> u64 {
        match (self.max_rejects, &self.rejects) {
            (Some(most), _) => most,
            (None, Some(_)) if skip_bad == 0 => u64::MAX,
            _ => skip_bad,
        }
    }

    /// All that is said of the types of columns.
    pub fn column_types(&self) -> ColumnTypes {
        let mut all = ColumnTypes::default();
        for types in &self.types {
            all.are_inferred &= types.are_inferred;
            all.given.extend(types.given.iter().cloned());
        }
        all
    }

    /// All files that are given by label or type.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let typed = self.nodes.iter().chain(&self.relationships);
        typed.flat_map(|typed| &typed.files)
    }

    /// As [`Self::files`], to be replaced.
    pub fn files_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let typed = self.nodes.iter_mut().chain(&mut self.relationships);
        typed.flat_map(|typed| &mut typed.files)
    }
}

fn choice<T: Copy + Send + Sync + 'static>(
    all: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let names = all.iter().map(|(name, _)| *name);
    PossibleValuesParser::new(names).try_map(move |given| {
        let found = all.iter().find(|(name, _)| **name == *given);
        found.map(|(_, value)| *value).ok_or("unknown")
    })
}

fn column_types(text: &str) -> Result<ColumnTypes, String> {
    text.parse()
}

/// Reads `Person:Admin=header.csv,part.csv`.
fn typed(text: &str) -> Result<TypedFiles, String> {
    let (names, files) = match text.split_once('=') {
        // A path may have an equals sign.
        Some((names, files)) if !names.contains('/') => (Some(names), files),
        _ => (None, text),
    };
    let names = names.map_or(Vec::new(), |names| names.split(':').collect());
    // So may it have commas.
    let files = match Path::new(files).exists() {
        true => vec![files],
        false => files.split(',').collect(),
    };
    if names.iter().chain(&files).any(|text| text.is_empty()) {
        return Err("expected labels or a type, and files: Person=people.csv".to_string());
    }
    Ok(TypedFiles {
        names: names.into_iter().map(str::to_string).collect(),
        files: files.into_iter().map(PathBuf::from).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_given_by_label() {
        let read = |text: &str| typed(text).map(|typed| (typed.names.join(":"), typed.files));
        let files = |files: &[&str]| files.iter().map(PathBuf::from).collect::<Vec<_>>();
        for (text, names, expected) in [
            ("a.csv", "", files(&["a.csv"])),
            ("A=a.csv", "A", files(&["a.csv"])),
            ("A:B=a.csv,b.csv", "A:B", files(&["a.csv", "b.csv"])),
            ("x/y=1/a.csv", "", files(&["x/y=1/a.csv"])),
            ("A=x/y=1/a.csv", "A", files(&["x/y=1/a.csv"])),
        ] {
            assert_eq!(read(text), Ok((names.to_string(), expected)), "{text}");
        }
        for text in ["", "=a.csv", "A=", "A:=a.csv", "A=a.csv,,b.csv"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
