//! A social network as the files of LDBC's benchmark.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use evergraph::Cancellation;
use evergraph_generators::snb::{Network, Parameters, csv, queries, updates};
use serde_json::json;

use super::Args;
use crate::progress;
use crate::report::{Failure, Report, count, counted};

/// Calls of each complex read that parameters are written for.
const CALLS: usize = 50;

/// Calls of each short read.
const SHORT_CALLS: usize = 500;

/// Writes the files of a network into a directory.
pub fn execute(args: &Args, stop: &Cancellation) -> Result<Report, Failure> {
    if args.output == Path::new("-") {
        return Err(Failure::usage(
            "a social network is many files",
            "give a directory with -o",
        ));
    }
    let parameters = Parameters::with_scale(args.scale)
        .map_err(|error| Failure::usage(error.to_string(), "give a scale like 0.1"))?
        .with_seed(args.seed);
    let persons = parameters.persons;
    let network = Network::new(parameters)
        .map_err(|error| Failure::usage(error.to_string(), "give another scale"))?;
    let bar = progress::spinner("generating");
    let written = write(&network, &args.output, args.updates, stop);
    bar.finish_and_clear();
    let files = written.map_err(|error| {
        Failure::new(
            format!("{}: {error}", args.output.display()),
            "check the path and the space on the disk, and generate it again",
        )
    })?;
    // Relationships that a row of a node holds are not files of their own.
    let is_relationship = |name: &str| {
        let name = name.rsplit('/').next().unwrap_or(name);
        name.split('_')
            .filter(|part| part.parse::<u32>().is_err())
            .count()
            >= 3
    };
    let sum = |relationships: bool| -> u64 {
        let matching = files
            .iter()
            .filter(|(name, _)| is_relationship(name) == relationships);
        matching.map(|(_, rows)| rows).sum()
    };
    let (nodes, relationships) = (sum(false), sum(true));
    let names: Vec<String> = files
        .iter()
        .map(|(name, _)| args.output.join(name).display().to_string())
        .collect();
    let text = format!(
        "{}: {}, {} nodes, {} relationships in {} files\n",
        args.output.display(),
        counted(persons, "person", "persons"),
        count(nodes),
        count(relationships),
        count(files.len() as u64)
    );
    let json = json!({
        "persons": persons,
        "nodes": nodes,
        "relationships": relationships,
        "vertices": nodes,
        "edges": relationships,
        "files": names,
    });
    Ok(Report::new(json, text))
}

/// Name and rows of each file with nodes or relationships.
fn write(
    network: &Network,
    directory: &Path,
    with_updates: bool,
    stop: &Cancellation,
) -> io::Result<Vec<(String, u64)>> {
    let part = match with_updates {
        true => csv::Part::Initial,
        false => csv::Part::Whole,
    };
    let create = |name: &str| {
        let path = directory.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let file = BufWriter::with_capacity(1 << 18, File::create(path)?);
        Ok::<_, io::Error>(Stoppable { file, stop })
    };
    let written = csv::write(network, part, create)?;
    if with_updates {
        let mut persons = create("updates/updateStream_0_0_person.csv")?;
        let mut forums = create("updates/updateStream_0_0_forum.csv")?;
        updates::write(network, &mut persons, &mut forums)?;
        let short = queries::short_parameters(network, SHORT_CALLS);
        for parameters in queries::parameters(network, CALLS).iter().chain(&short) {
            let name = format!("parameters/{}", parameters.file_name());
            parameters.write(&mut create(&name)?)?;
        }
    }
    let files = written.into_iter();
    Ok(files
        .map(|file| (file.name.to_string(), file.rows))
        .collect())
}

/// A file that refuses bytes once the run is cancelled.
struct Stoppable<'a> {
    file: BufWriter<File>,
    stop: &'a Cancellation,
}

impl io::Write for Stoppable<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.stop.is_cancelled() {
            return Err(io::Error::other("interrupted before it was complete"));
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
