//! `evergraph run`: an algorithm on the graph.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use evergraph::algorithms::Progress;
use evergraph::property::{NodeNames, Rule, Subject};
use evergraph::run::{
    Algorithm, FileFormat, Outcome, Request, Rows, Weights, WriteBack, algorithms, find,
};
use evergraph::{At, Cancellation, Control, Database, Options, View};
use serde_json::{Value, json};

use crate::durable::DurableArgs;
use crate::medium::{MediumArgs, closing, note_writer};
use crate::outcome::{note_doubts, report, shown};
use crate::output::{RowsArgs, Target, wants_stdout};
use crate::over;
use crate::progress;
use crate::projection::ProjectionArgs;
use crate::reduction::ReductionArgs;
use crate::report::{Failure, Report, note, table, write_out};
use crate::sizes::{size, time};

/// Arguments of `run`.
#[derive(clap::Args)]
pub struct Args {
    /// Directory of the database
    db: Option<PathBuf>,
    /// Name of the algorithm; see --list
    algorithm: Option<String>,
    /// A parameter of the algorithm; see --help ALGORITHM
    #[arg(long = "param", value_name = "K=V")]
    parameters: Vec<String>,
    /// The vertex to start from, by its external id; a node by its key of imports, the
    /// property of --name-by, or else its internal number; may be repeated
    #[arg(long, value_name = "V")]
    source: Vec<String>,
    /// Threads [default: all]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The vertex that one path is to lead to, with an algorithm of paths, such as
    /// shortest-path
    #[arg(long, value_name = "V")]
    target: Option<String>,
    /// Memory that the run may take, such as 1GiB; one that could take more is refused
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory_limit: Option<u64>,
    /// Give up after so long: 500ms, 10s, 2m
    #[arg(long, value_name = "TIME", value_parser = time)]
    timeout: Option<Duration>,
    #[command(flatten)]
    reduction: ReductionArgs,
    #[command(flatten)]
    rows: RowsArgs,
    /// Run it on the graph as it was: the name of a snapshot, a date, or a commit
    #[arg(long, value_name = "AT")]
    as_of: Option<String>,
    /// Run it on each snapshot from A to B, each time from the result before where
    /// that is possible; `..` alone is all of them. With -o FILE a column for each,
    /// with -o DIR/ a file for each
    #[arg(long, value_name = "A..B",
          conflicts_with_all = ["as_of", "checkpoint_every", "resume", "keep", "top"])]
    over: Option<String>,
    /// List the algorithms
    #[arg(long)]
    list: bool,
    /// Print help, of an algorithm if one is named
    #[arg(short, long, value_name = "ALGORITHM", num_args = 0..=1)]
    help: Option<Option<String>>,
    #[command(flatten)]
    projection: ProjectionArgs,
    #[command(flatten)]
    durable: DurableArgs,
    #[command(flatten)]
    medium: MediumArgs,
}

impl Args {
    /// How many were asked for.
    pub fn threads(&self) -> Option<usize> {
        self.threads.map(usize::from)
    }
}

/// Runs the command.
pub fn execute(args: &Args, as_json: bool, stop: &Cancellation) -> Result<Report, Failure> {
    if let Some(algorithm) = &args.help {
        return help(algorithm.as_deref().or(args.algorithm.as_deref()));
    }
    if args.list {
        return Ok(list());
    }
    let (Some(path), Some(algorithm)) = (&args.db, &args.algorithm) else {
        return Err(Failure::usage(
            "a database and an algorithm are needed",
            "evergraph run DB ALGORITHM; `evergraph run --list` names the algorithms",
        ));
    };
    let output = args.rows.output.as_deref();
    let to_stdout = wants_stdout(output, as_json)?;
    let format = args.rows.format()?;
    let request = request(args, algorithm)?;
    let started = Instant::now();
    // A wrong name is told before a large database is opened.
    let found = find(algorithm).map_err(|error| match is_swapped(path, algorithm) {
        true => Failure::usage(
            format!("{algorithm} is a directory, and no algorithm"),
            format!(
                "the database comes first: evergraph run {algorithm} {}",
                path.display()
            ),
        ),
        false => error.into(),
    })?;
    let weight = request
        .projection
        .iter()
        .find_map(|part| part.weight.as_ref());
    if let (Some(weight), Weights::Ignored) = (weight, found.weights) {
        note(&format!(
            "{algorithm} does not read weights: --weight {weight} changes nothing"
        ));
    }
    let writes = request.durable.writes() || args.projection.write.is_some();
    let options = match writes {
        true => Options {
            background: false,
            ..args.medium.options()?
        },
        false => args.medium.read_only()?,
    };
    let db = Database::open(path, &options).inspect(note_writer)?;
    let run = |db: &Database| run_on(db, args, &request, (format, to_stdout), started, stop);
    match writes {
        true => closing(db, run),
        false => run(&db),
    }
}

fn run_on(
    db: &Database,
    args: &Args,
    request: &Request,
    (format, to_stdout): (FileFormat, bool),
    started: Instant,
    stop: &Cancellation,
) -> Result<Report, Failure> {
    let output = args.rows.output.as_deref();
    let mut control = Control::new().with_cancellation(stop);
    if let Some(deadline) = args.timeout.and_then(|limit| started.checked_add(limit)) {
        control = control.with_deadline(deadline);
    }
    if let Some(range) = &args.over {
        let moments = db.moments_of(range)?;
        return over::execute(
            db,
            &moments,
            request,
            control,
            output.map(|path| (path, format)),
            stop,
        );
    }
    if output.is_some() || args.rows.top.is_some() {
        evergraph::run::check_titles(request)?;
    }
    let at = args.as_of.as_deref().map(At::from_text);
    let target = output.map(Target::open).transpose()?;
    let view = evergraph::run::view(db, request, at.as_ref())?;
    let key = args.projection.write.as_deref();
    let writing = key
        .map(|key| WriteBack::begin(db, &view, key))
        .transpose()?;
    let outcome = compute((db, &view), request, control)?;
    note_numbers(db, args)?;
    let deliver = || {
        let rows = args.rows.chosen(Rows::of(db, &outcome));
        let top = match (target, args.rows.top) {
            (Some(target), _) => {
                target.write(stop, |out| rows.write(out, format))?;
                None
            }
            (None, Some(_)) => Some(shown(&rows)?),
            (None, None) => None,
        };
        let written = writing.map(|writing| writing.write(&outcome)).transpose()?;
        Ok::<_, Failure>((top, written))
    };
    let (top, written) = deliver().inspect_err(|_| note_kept(db, args, request, &outcome))?;
    // Not before: what could not be written can be had again without the run.
    if request.durable.holds_state() {
        view.finish()?;
    }
    let report = match to_stdout {
        true => Report::new(json!({}), ""),
        false => report(&outcome, key.zip(written)).with_rows(top),
    };
    Ok(report)
}

/// Says what is left of a run whose result could not be written.
fn note_kept(db: &Database, args: &Args, request: &Request, outcome: &Outcome) {
    if let Some(keep) = &request.durable.keep {
        note(&format!(
            "the result is kept: `evergraph results DB show {keep} -o FILE` writes it"
        ));
        return;
    }
    let state = request.durable.name.as_deref().unwrap_or(outcome.algorithm);
    let is_there = db
        .results()
        .is_ok_and(|results| results.get(state).is_some());
    if request.durable.holds_state() && is_there {
        let again = match args.durable.resumes() {
            true => "the same command",
            false => "the same command with --resume",
        };
        note(&format!(
            "the state of the run is kept: {again} goes on from it"
        ));
    }
}

fn request(args: &Args, algorithm: &str) -> Result<Request, Failure> {
    let mut parameters = parameters(&args.parameters, &args.source, args.target.as_deref())?;
    parameters.extend(args.reduction.parameters());
    Ok(Request {
        algorithm: algorithm.to_string(),
        parameters,
        threads: args.threads(),
        memory_limit: args.memory_limit,
        durable: args.durable.durable()?,
        projection: args.projection.projection()?,
        name_by: args.projection.name_by.clone(),
        by_number: args.rows.numbers,
        write_back: args.projection.write.is_some(),
    })
}

/// Parameters as they were given, and the ends of paths among them.
pub fn parameters(
    given: &[String],
    sources: &[String],
    target: Option<&str>,
) -> Result<Vec<(String, String)>, Failure> {
    let mut parameters = Vec::new();
    for given in given {
        let (name, value) = given.split_once('=').ok_or_else(|| {
            Failure::usage(
                format!("--param {given} has no `=`"),
                "write --param name=value",
            )
        })?;
        parameters.push((name.to_string(), value.to_string()));
    }
    for source in sources {
        parameters.push(("source".to_string(), source.clone()));
    }
    parameters.extend(target.map(|target| ("target".to_string(), target.to_string())));
    Ok(parameters)
}

/// Says that nodes were named by internal numbers, where nothing gives them other names:
/// after `COPY` such a number is easily taken for a key.
fn note_numbers(db: &Database, args: &Args) -> Result<(), Failure> {
    let has_ends = !args.source.is_empty() || args.target.is_some();
    let is_said = args.rows.numbers || !args.projection.name_by.is_empty();
    if !has_ends || is_said || !db.is_property_graph() {
        return Ok(());
    }
    let graph = db.property_graph()?;
    if !NodeNames::of(graph).is_empty() {
        return Ok(());
    }
    let definitions = graph.definitions();
    let mut keys =
        definitions
            .iter()
            .filter_map(|one| match (&one.subject, &one.keys[..], one.rule) {
                (Subject::Nodes(_), [key], Rule::Unique | Rule::Key) => Some(key.as_str()),
                _ => None,
            });
    let key = match (keys.next(), keys.next()) {
        (Some(key), None) => key,
        _ => "KEY",
    };
    note(&format!(
        "note: nodes were named by internal numbers; --name-by {key} names them by a property, \
         --numbers leaves this note out"
    ));
    Ok(())
}

fn compute(
    (db, view): (&Database, &View),
    request: &Request,
    control: Control<'_>,
) -> Result<Outcome, Failure> {
    let bar = progress::spinner(&request.algorithm);
    let show = |progress: Progress| {
        let of = progress
            .total
            .map_or(String::new(), |total| format!(" of at most {total}"));
        bar.set_message(format!(
            "{}: {}{of} {}",
            request.algorithm, progress.done, progress.unit
        ));
    };
    let control = control.with_progress(&show);
    let outcome = evergraph::run::run(db, view, request, &control, Some(crate::memory::METER));
    bar.finish_and_clear();
    let outcome = outcome?;
    note_doubts(&outcome);
    Ok(outcome)
}

fn list() -> Report {
    let rows: Vec<(&str, String)> = algorithms()
        .map(|algorithm| {
            let also = match algorithm.aliases {
                [] => String::new(),
                aliases => format!(" ({})", aliases.join(", ")),
            };
            (algorithm.name, format!("{}{also}", algorithm.computes))
        })
        .collect();
    let all: Vec<Value> = algorithms().map(described).collect();
    Report::new(json!({ "algorithms": all }), table(&rows))
}

/// The registry's entry of an algorithm, for `--json`.
fn described(algorithm: &Algorithm) -> Value {
    let parameters: Vec<Value> = algorithm
        .all_parameters()
        .map(|parameter| {
            json!({
                "name": parameter.name,
                "meaning": parameter.meaning,
                "values": parameter.kind.range(),
                "default": parameter.default,
            })
        })
        .collect();
    json!({
        "name": algorithm.name,
        "aliases": algorithm.aliases,
        "computes": algorithm.computes,
        "value": algorithm.value,
        "parameters": parameters,
        "reads": algorithm.needs.text(),
        "on_directed": algorithm.needs.on_directed(),
        "weights": algorithm.weights.text(),
        "bound": algorithm.bound,
        "dram": algorithm.dram.text(),
        "deterministic": algorithm.determinism.text(),
        "step": algorithm.step(),
        "source": algorithm.source,
    })
}

/// Whether the algorithm stands where the database should, and the database behind it.
fn is_swapped(path: &Path, algorithm: &str) -> bool {
    let is_known = path.to_str().is_some_and(|name| find(name).is_ok());
    is_known && Path::new(algorithm).is_dir()
}

/// A complaint about a flag that is called as a parameter of an algorithm says how those are
/// given.
pub fn with_parameter_hint(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let name = flag.trim_start_matches('-').to_string();
    let mut parameters = algorithms().flat_map(Algorithm::all_parameters);
    if error.kind() == ErrorKind::UnknownArgument && parameters.any(|one| one.name == name) {
        let hint = format!("parameters of algorithms are given as --param {name}=VALUE");
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![hint.into()]),
        );
    }
    error
}

fn help(algorithm: Option<&str>) -> Result<Report, Failure> {
    let Some(name) = algorithm else {
        let mut command = crate::Cli::command();
        // The usage names the program, too.
        command.build();
        let run = command
            .find_subcommand_mut("run")
            .expect("the command exists");
        write_out(&run.render_long_help().to_string());
        return Ok(Report::new(json!({}), ""));
    };
    let algorithm = find(name)?;
    let facts = [
        ("also called", algorithm.aliases.join(", ")),
        ("-o writes", algorithm.value.to_string()),
        ("reads", algorithm.needs.text().to_string()),
        ("directed graphs", algorithm.needs.on_directed().to_string()),
        ("weights", algorithm.weights.text().to_string()),
        ("bound", algorithm.bound.to_string()),
        ("memory", algorithm.dram.text()),
        ("deterministic", algorithm.determinism.text().to_string()),
        (
            "checkpoints",
            match algorithm.step() {
                Some(step) => format!("after any {step}"),
                None => "none: it runs in one go".to_string(),
            },
        ),
        ("source", algorithm.source.to_string()),
    ];
    let mut text = format!(
        "{}: {}\n\n{}\nparameters:\n",
        algorithm.name,
        algorithm.computes,
        table(&facts)
    );
    for parameter in algorithm.all_parameters() {
        let (name, range) = (parameter.name, parameter.kind.range());
        let _ = writeln!(text, "  {name}: {} ({range})", parameter.meaning);
        let _ = writeln!(
            text,
            "  {:width$}  default: {}",
            "",
            parameter.default,
            width = name.len()
        );
    }
    Ok(Report::new(described(algorithm), text))
}
