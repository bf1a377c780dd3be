//! Choices for a run, parsed and checked.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use evergraph::run::MemoryMeter;
use evergraph::{Layout, MediumKind};
use serde_json::{Value, json};

use crate::BenchArgs;

/// Parameters that every benchmark understands.
const COMMON: &[&str] = &["threads", "trials", "seed"];

/// The arguments, with defaults where they do not depend on the benchmark.
pub struct Settings<'a> {
    /// `2^scale` vertices, if it was said.
    pub scale: Option<u32>,
    /// Numbers of threads to measure with.
    pub threads: Vec<usize>,
    /// Whether the caller chose them.
    threads_chosen: bool,
    layout: Option<Layout>,
    /// The medium, if it was said.
    pub medium: Option<MediumKind>,
    /// Use directories without `MAP_SYNC` as if they were persistent memory.
    pub assume_persistent: bool,
    /// Where databases go, if it was said.
    pub directory: Option<PathBuf>,
    /// Repetitions, if it was said.
    pub trials: Option<usize>,
    /// Seed of graphs and shuffles.
    pub seed: u64,
    /// How much memory is in use, if the program counts it.
    pub memory: Option<MemoryMeter>,
    parameters: BTreeMap<String, String>,
    progress: &'a dyn Fn(&str),
}

impl<'a> Settings<'a> {
    /// Checks the arguments of a benchmark that understands `known` parameters.
    pub fn new(
        args: &BenchArgs,
        known: &[&str],
        progress: &'a dyn Fn(&str),
    ) -> Result<Self, String> {
        let layout = args.layout.as_deref().map(layout_named).transpose()?;
        if layout.is_some_and(|layout| layout != Layout::Pma) && !known.contains(&"layouts") {
            return Err(format!("{} has no choice of layouts", args.name));
        }
        let mut parameters = BTreeMap::new();
        for parameter in &args.parameters {
            let (name, value) = parameter
                .split_once('=')
                .ok_or_else(|| format!("{parameter:?} is not of the form name=value"))?;
            if !known.contains(&name) && !COMMON.contains(&name) {
                let all: Vec<_> = known.iter().chain(COMMON).copied().collect();
                return Err(format!(
                    "{} has no parameter {name:?}; it has {}",
                    args.name,
                    all.join(", ")
                ));
            }
            parameters.insert(name.to_string(), value.to_string());
        }
        let mut settings = Settings {
            scale: args.scale,
            threads: vec![1, 2],
            threads_chosen: false,
            layout,
            medium: args.medium.as_deref().map(medium_named).transpose()?,
            assume_persistent: args.assume_persistent || args.directory.is_none(),
            directory: args.directory.clone(),
            trials: None,
            seed: 27,
            memory: args.memory,
            parameters,
            progress,
        };
        if settings.scale.is_some_and(|scale| scale > 29) {
            return Err("scale is at most 29".to_string());
        }
        settings.seed = settings.parameter("seed", 27)?;
        settings.trials = settings.optional("trials")?;
        settings.threads_chosen =
            args.threads.is_some() || settings.parameters.contains_key("threads");
        settings.threads = match args.threads {
            Some(threads) => vec![threads],
            None => settings.list("threads", &[1, 2])?,
        };
        if settings.threads.contains(&0) || settings.trials == Some(0) {
            return Err("threads and trials are at least 1".to_string());
        }
        Ok(settings)
    }

    /// A parameter, or its default.
    pub fn parameter<T: FromStr>(&self, name: &str, default: T) -> Result<T, String> {
        Ok(self.optional(name)?.unwrap_or(default))
    }

    /// A parameter, if it was given.
    pub fn optional<T: FromStr>(&self, name: &str) -> Result<Option<T>, String> {
        self.parameters
            .get(name)
            .map(|text| parse(name, text))
            .transpose()
    }

    /// A parameter with several values, separated by commas.
    pub fn list<T: FromStr + Clone>(&self, name: &str, default: &[T]) -> Result<Vec<T>, String> {
        match self.parameters.get(name) {
            None => Ok(default.to_vec()),
            Some(text) => text.split(',').map(|part| parse(name, part)).collect(),
        }
    }

    /// A parameter that is `yes` or `no`.
    pub fn flag(&self, name: &str, default: bool) -> Result<bool, String> {
        match self.parameters.get(name).map(String::as_str) {
            None => Ok(default),
            Some("yes" | "true" | "1") => Ok(true),
            Some("no" | "false" | "0") => Ok(false),
            Some(other) => Err(format!("{name} is yes or no, not {other:?}")),
        }
    }

    /// Those of `known` names that a parameter lists; all by default.
    pub fn names(&self, name: &str, known: &[&str]) -> Result<Vec<String>, String> {
        let all: Vec<String> = known.iter().map(|name| name.to_string()).collect();
        let chosen = self.list(name, &all)?;
        match chosen.iter().find(|chosen| !all.contains(chosen)) {
            Some(unknown) => Err(format!(
                "{name} has no {unknown:?}; it has {}",
                known.join(", ")
            )),
            None => Ok(chosen),
        }
    }

    /// The layouts that were asked for; all by default.
    pub fn layouts(&self) -> Result<Vec<Layout>, String> {
        if let Some(layout) = self.layout {
            return Ok(vec![layout]);
        }
        let known: Vec<_> = Layout::ALL.iter().map(|(name, _)| *name).collect();
        let chosen = self.names("layouts", &known)?;
        chosen.iter().map(|name| layout_named(name)).collect()
    }

    /// The numbers of threads that were asked for, or others than usual.
    pub fn threads_or(&self, usual: &[usize]) -> Vec<usize> {
        match self.threads_chosen {
            true => self.threads.clone(),
            false => usual.to_vec(),
        }
    }

    /// Shows how far it is.
    pub fn progress(&self, message: &str) {
        (self.progress)(message);
    }

    /// The arguments, for the result.
    pub fn describe(&self) -> Value {
        json!({
            "scale": self.scale,
            "threads": self.threads,
            "layout": self.layout.map(Layout::name),
            "medium": self.medium.map(MediumKind::name),
            "assume_persistent": self.assume_persistent,
            "directory": self.directory.as_ref().map(|path| path.display().to_string()),
            "seed": self.seed,
            "parameters": self.parameters,
            "command_line": std::env::args().collect::<Vec<_>>().join(" "),
        })
    }
}

fn parse<T: FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("{name} cannot be {text:?}"))
}

fn layout_named(name: &str) -> Result<Layout, String> {
    let found = Layout::ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, layout)| *layout).ok_or_else(|| {
        let names: Vec<_> = Layout::ALL.iter().map(|(name, _)| *name).collect();
        format!(
            "there is no layout {name:?}; there are {}",
            names.join(", ")
        )
    })
}

/// The medium of this name.
pub fn medium_named(name: &str) -> Result<MediumKind, String> {
    let found = MediumKind::ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, kind)| *kind).ok_or_else(|| {
        let names: Vec<_> = MediumKind::ALL.iter().map(|(name, _)| *name).collect();
        format!(
            "there is no medium {name:?}; there are {}",
            names.join(", ")
        )
    })
}
