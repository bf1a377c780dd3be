//! `evergraph query`: statements of the query language.

pub mod format;
pub mod limits;
pub mod open;
pub mod runner;
pub mod script;

use std::io;
use std::path::PathBuf;

use evergraph::At;
use evergraph::query::json::{from_json, parse};
use evergraph::query::{Error, Parameters, Statement};
use serde_json::Value as Json;

use crate::medium::{MediumArgs, close};
use crate::report::{Failure, Report, note, write_out};
use format::Format;
use limits::{Interrupts, LimitArgs};
use runner::Runner;
use script::{End, Part, Script};

/// Arguments of `query`.
#[derive(clap::Args)]
pub struct Args {
    /// Directory of the database
    db: PathBuf,
    /// Statement; `-` reads statements from standard input, each ended by ; at the end of a
    /// line, with its parameters before it as a line `:params {json}`
    statement: String,
    /// More of them, which are refused with advice
    #[arg(hide = true)]
    more: Vec<String>,
    /// Make the database, a property graph, if there is none
    #[arg(long)]
    create: bool,
    /// Value of a parameter as JSON, such as ids=[1,2], or else a text
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    parameters: Vec<(String, evergraph::property::value::Value)>,
    /// The graph as it was: the name of a snapshot, a date, or a commit
    #[arg(long, value_name = "AT")]
    as_of: Option<String>,
    /// Format of the results [default: table]
    #[arg(long, value_name = "F")]
    format: Option<Format>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    medium: MediumArgs,
}

fn parameter(text: &str) -> Result<(String, evergraph::property::value::Value), String> {
    let parted = text
        .split_once('=')
        .filter(|(name, _)| !name.trim().is_empty());
    let (name, value) = parted.ok_or("write NAME=VALUE")?;
    let name = name.trim().trim_start_matches('$').to_string();
    match parse(value) {
        Ok(json) => Ok((name, from_json(&json)?)),
        Err(error) if value.trim_start().starts_with(['{', '[', '"']) => Err(format!(
            "the value is no JSON: {error}; a text that begins so is written \"...\""
        )),
        Err(_) if is_large_number(value.trim()) => Err(
            "an integer has 64 bits, a float is less than 1.8e308; write 1e20 for a float, \
             \"...\" for a text"
                .to_string(),
        ),
        Err(_) => Ok((name, value.into())),
    }
}

/// Whether a text is a number as JSON has them, and none that a value can be.
fn is_large_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let has_begin_of_number = digits.starts_with(|digit: char| ('1'..='9').contains(&digit));
    let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit());
    let fits = match is_integer {
        true => text.parse::<i64>().is_ok(),
        false => !text.parse::<f64>().is_ok_and(f64::is_infinite),
    };
    has_begin_of_number && !fits
}

/// The format that two flags ask for.
///
/// # Errors
/// If they ask for different ones.
pub fn format_of(format: Option<Format>, as_json: bool) -> Result<Format, Failure> {
    match (format, as_json) {
        (None, true) => Ok(Format::Json),
        (Some(format), true) if !format.is_json() => Err(Failure::usage(
            "--json and --format ask for different formats",
            "leave one of them out",
        )),
        (format, _) => Ok(format.unwrap_or(Format::Table)),
    }
}

/// Runs the command.
pub fn execute(args: &Args, as_json: bool) -> Result<Report, Failure> {
    let format = format_of(args.format, as_json)?;
    if !args.more.is_empty() {
        return Err(Failure::usage("several statements were given", SEVERAL));
    }
    let interrupts = Interrupts::listen(false);
    let statement = (args.statement != "-").then_some(args.statement.as_str());
    let first = statement.map(|text| {
        let parameters: Parameters = args.parameters.iter().cloned().collect();
        Statement::new(text).parameters(parameters)
    });
    let (db, is_reading) = match first {
        Some(first) => open::for_statement(&args.db, &args.medium, args.create, &first)?,
        None => open::for_many(&args.db, &args.medium, args.create)?,
    };
    let mut runner = Runner::new(&db, &args.limits, &interrupts);
    runner.as_of = args.as_of.as_deref().map(At::from_text);
    runner.parameters = args.parameters.iter().cloned().collect();
    let done = match statement {
        Some(text) => one(&mut runner, text, format),
        None => many(&mut runner, format),
    };
    drop(runner);
    match is_reading {
        true => drop(db),
        false => close(db, done.is_ok()),
    }
    done
}

/// A report of what has been printed already.
fn printed(is_failure: bool) -> Report {
    Report {
        json: Json::Null,
        text: String::new(),
        is_failure,
    }
}

/// Told of statements behind the one that Ctrl-C has ended.
pub const INTERRUPTED: &str = "interrupted: what follows is not run";

/// How several statements are run.
const SEVERAL: &str = "give one, or `-` as the statement and all of them on standard input, \
                       each with ; at the end of its line";

/// Runs one statement.
fn one(runner: &mut Runner<'_>, text: &str, format: Format) -> Result<Report, Failure> {
    let done = match script::split(text).len() {
        0 | 1 => runner.run(text, format),
        _ => Err(refused(
            usage("several statements were given", SEVERAL),
            format,
        )),
    };
    match done {
        Ok(_) => Ok(printed(false)),
        Err(error) if format.is_json() => {
            // The reason is for people, too.
            crate::report::tell(&format::failure(&error));
            Ok(printed(true))
        }
        Err(error) => Err(format::failure(&error)),
    }
}

/// Runs the statements of standard input. With a JSON format each gives a line, also one
/// that fails; otherwise the first failure ends it.
fn many(runner: &mut Runner<'_>, format: Format) -> Result<Report, Failure> {
    let end = match format.is_json() {
        true => End::Line,
        false => End::Statement,
    };
    let mut script = Script::new(io::stdin().lock(), end);
    let given = runner.parameters.clone();
    let mut failed = false;
    // What a line before the next statement was wrong about.
    let mut wrong: Option<Error> = None;
    loop {
        let part = script.next();
        let part = part.map_err(|error| evergraph::Error::io("standard input", error))?;
        let done = match part {
            None => break,
            Some(Part::Command(line)) => {
                match parameters_of(&line) {
                    Ok(more) => runner.parameters.extend(more),
                    // Nor is the statement behind it run.
                    Err(error) => wrong = Some(error),
                }
                continue;
            }
            Some(Part::Bad(why)) => {
                let error = usage(&why, "write statements in UTF-8, one after another");
                Err(refused(error, format))
            }
            Some(Part::Statement(text)) => match wrong.take() {
                Some(error) => Err(refused(error, format)),
                None => runner.run(&text, format).map(drop),
            },
        };
        runner.parameters = given.clone();
        match done {
            Ok(()) => {}
            Err(error) if !format.is_json() => return Err(format::failure(&error)),
            Err(_) => failed = true,
        }
        if runner.was_interrupted {
            note(INTERRUPTED);
            failed = true;
            break;
        }
    }
    match wrong {
        Some(error) if !format.is_json() => Err(format::failure(&error)),
        Some(_) => Ok(printed(true)),
        None => Ok(printed(failed)),
    }
}

/// Tells programs of a statement that is not run.
pub fn refused(error: Error, format: Format) -> Error {
    if format.is_json() {
        write_out(&format::error_line(&error));
    }
    error
}

fn usage(message: &str, hint: &str) -> Error {
    evergraph::Error::argument(message, hint).into()
}

/// Parameters of a line `:params {json}`.
///
/// # Errors
/// Another command, or no JSON object.
pub fn parameters_of(line: &str) -> Result<Parameters, Error> {
    let hint = "write :params {\"name\": \"Ann\", \"ids\": [1, 2]}";
    let json = line
        .strip_prefix(":params")
        .or_else(|| line.strip_prefix(":param"));
    let Some(json) = json.filter(|rest| rest.starts_with([' ', '\t', '{'])) else {
        let hint = format!("{hint}; other commands are those of `evergraph shell`");
        return Err(usage(&format!("{line:?} is no line of parameters"), &hint));
    };
    let json = parse(json)
        .map_err(|error| usage(&format!("the parameters are no JSON: {error}"), hint))?;
    let Json::Object(members) = json else {
        return Err(usage("the parameters are no JSON object", hint));
    };
    let entries = members.iter().map(|(name, json)| {
        let value = from_json(json);
        let value = value.map_err(|why| usage(&format!("parameter {name}: {why}"), hint))?;
        Ok((name.clone(), value))
    });
    entries
        .collect::<Result<Vec<_>, Error>>()
        .map(|entries| entries.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_json_or_texts() {
        let of = |text: &str| parameter(text).map(|(name, value)| format!("{name} {value}"));
        assert_eq!(of("age=3").unwrap(), "age 3");
        assert_eq!(of("$name=Ann Lee").unwrap(), "name 'Ann Lee'");
        assert_eq!(of("zip=\"0815\"").unwrap(), "zip '0815'");
        assert_eq!(of("ids=[1, 2.5, null]").unwrap(), "ids [1, 2.5, null]");
        let date = r#"day={"$type":"Date","_value":"2020-02-29"}"#;
        assert_eq!(of(date).unwrap(), "day date('2020-02-29')");
        assert!(of("age").is_err() && of("=3").is_err());
        assert!(of("map={\"a\": 1").is_err() && of("ids=[1, 2").is_err());
        for beyond in [
            "99999999999999999999",
            "-9223372036854775809",
            "9223372036854775808",
            "1e999",
            "-1.5e400",
            "[1, 99999999999999999999]",
            r#"{"a": {"b": -99999999999999999999}}"#,
        ] {
            assert!(of(&format!("big={beyond}")).is_err(), "{beyond}");
        }
        assert_eq!(
            of("big=-9223372036854775808").unwrap(),
            "big -9223372036854775808"
        );
        assert_eq!(
            of(r#"big=["99999999999999999999\\\"1", 1.0]"#).unwrap(),
            r#"big ['99999999999999999999\\"1', 1.0]"#
        );
        assert_eq!(of("zip=0815").unwrap(), "zip '0815'");
        assert_eq!(of("big=1e20").unwrap(), "big 1e20");
        assert!(of(r#"day={"$type":"Date","_value":"2021-02-29"}"#).is_err());
    }

    #[test]
    fn lines_of_parameters_are_json_objects() {
        let read = parameters_of(r#":params {"a": 1, "b": {"c": [true]}}"#).unwrap();
        let shown: Vec<String> = read
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        assert_eq!(shown, ["a=1", "b={c: [true]}"]);
        for bad in [
            ":params",
            ":params [1]",
            ":params {a: 1}",
            ":help",
            ":paramsx {}",
            ":params {\"a\": 123456789012345678901234567890}",
        ] {
            assert!(parameters_of(bad).is_err(), "{bad}");
        }
    }
}
