//! openCypher's Technology Compatibility Kit: scenarios as data, and what parts of the
//! engine make of them.
//!
//! The kit is in `tck/`, unchanged, under its own license.

#![forbid(unsafe_code)]

pub mod execute;
pub mod gherkin;
pub mod scenario;
pub mod signature;
pub mod syntax;
pub mod value;

use std::io;
use std::path::{Path, PathBuf};

use scenario::{Malformed, Scenario};

/// Folder of the kit.
pub fn kit() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tck")
}

/// A file of the kit.
#[derive(Clone, Debug)]
pub struct Feature {
    /// Folder below `features`, such as `clauses/match`.
    pub category: String,
    /// Name of the file without its ending, such as `Match1`.
    pub name: String,
    /// Its scenarios, one for each example of an outline.
    pub scenarios: Vec<Scenario>,
}

/// Reads all features, by their names.
///
/// # Errors
/// A file that cannot be read, or has no known form.
pub fn features() -> io::Result<Vec<Feature>> {
    let root = kit().join("features");
    let mut folders = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "feature") {
                files.push(path);
            }
        }
    }
    files.sort();
    files.iter().map(|path| feature(&root, path)).collect()
}

fn feature(root: &Path, path: &Path) -> io::Result<Feature> {
    let text = std::fs::read_to_string(path)?;
    let shown = |part: Option<&Path>| part.unwrap_or(Path::new("")).display().to_string();
    let below = path.strip_prefix(root).ok().and_then(Path::parent);
    let scenarios = gherkin::read(&text).and_then(|scenarios| {
        let scenarios = scenarios.into_iter().map(Scenario::of);
        scenarios.collect::<Result<Vec<_>, Malformed>>()
    });
    let scenarios = scenarios.map_err(|malformed| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("{}: {malformed}", path.display()),
        )
    })?;
    Ok(Feature {
        category: shown(below),
        name: shown(path.file_stem().map(Path::new)),
        scenarios,
    })
}

/// Text of a graph that scenarios name, as a query that creates it.
///
/// # Errors
/// If there is none of the name.
pub fn graph(name: &str) -> io::Result<String> {
    std::fs::read_to_string(kit().join(format!("graphs/{name}/{name}.cypher")))
}
