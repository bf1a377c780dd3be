//! Calls of procedures.

use std::fmt;

use super::types::Type;
use super::value::Place;
use super::{Checker, already_bound, problem};
use crate::error::Detail::*;
use crate::error::{Class, Problem, with_article};
use crate::parse::Parsed;
use crate::tree::{Call, Name, Yield};

/// Parameters and results of a procedure, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// Parameters.
    pub inputs: Vec<(String, Type)>,
    /// Parameters at the end that need not be given; they are null then.
    pub optional: usize,
    /// Columns of its results.
    pub outputs: Vec<(String, Type)>,
    /// Whether it changes the graph.
    pub writes: bool,
}

/// As Neo4j writes signatures: `(config = null :: MAP) :: (node :: NODE)`.
impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let needed = self.inputs.len().saturating_sub(self.optional);
        f.write_str("(")?;
        for (at, (name, of)) in self.inputs.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            let default = if at < needed { "" } else { " = null" };
            write!(f, "{comma}{name}{default} :: {of}")?;
        }
        f.write_str(") :: (")?;
        for (at, (name, of)) in self.outputs.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            write!(f, "{comma}{name} :: {of}")?;
        }
        f.write_str(")")
    }
}

/// The name and the signature of what [`Signature`] displays behind a name, as
/// `my.degree(node :: NODE, least = null :: INTEGER) :: (degree :: INTEGER)`. A `?` behind a
/// type means nothing: each takes null.
///
/// # Errors
/// Why it cannot be read.
pub fn read_signature(text: &str) -> Result<(String, Signature), String> {
    let form = "a signature is name(parameter :: TYPE, ...) :: (result :: TYPE, ...)";
    let (name, rest) = text.split_once('(').ok_or(form)?;
    let (inputs, rest) = rest.split_once(')').ok_or(form)?;
    let results = rest.trim_start().strip_prefix("::").ok_or(form)?.trim();
    let outputs = results
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    let name = name.trim();
    let is_word = |word: &str| {
        let mut letters = word.chars();
        let begins = letters
            .next()
            .is_some_and(|first| first.is_alphabetic() || first == '_');
        begins && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    if !name.split('.').all(is_word) {
        return Err(format!(
            "`{name}` is no name of a procedure: write words with dots between"
        ));
    }
    let mut signature = Signature {
        outputs: fields(outputs.ok_or(form)?)?
            .into_iter()
            .map(|field| field.0)
            .collect(),
        ..Signature::default()
    };
    for (field, is_optional) in fields(inputs)? {
        if signature.optional > 0 && !is_optional {
            let (name, _) = field;
            return Err(format!(
                "{name} has to be given, behind a parameter that need not"
            ));
        }
        signature.optional += usize::from(is_optional);
        signature.inputs.push(field);
    }
    Ok((name.to_string(), signature))
}

/// A parameter or result, and whether it has `= null` behind its name.
type Field = ((String, Type), bool);

fn fields(text: &str) -> Result<Vec<Field>, String> {
    let mut found: Vec<Field> = Vec::new();
    for field in text.split(',').filter(|field| !field.trim().is_empty()) {
        let (name, of) = field
            .split_once("::")
            .ok_or_else(|| format!("`{}` has no type: write name :: TYPE", field.trim()))?;
        let (name, is_optional) = match name.split_once('=') {
            Some((name, default)) if default.trim().eq_ignore_ascii_case("null") => (name, true),
            Some(_) => {
                return Err(format!(
                    "the default of `{}` can be null alone",
                    field.trim()
                ));
            }
            None => (name, false),
        };
        let name = name.trim().to_string();
        if name.is_empty() || found.iter().any(|((other, _), _)| *other == name) {
            return Err(format!("`{}` has no name of its own", field.trim()));
        }
        let of = of.trim().trim_end_matches('?');
        let of = Type::named(of).map_err(|error| error.what().to_string())?;
        found.push(((name, of), is_optional));
    }
    Ok(found)
}

/// The procedures that there are.
pub trait Procedures {
    /// The one of a full name.
    fn find(&self, name: &str) -> Option<Signature>;

    /// Full names of all, for suggestions.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Signature {
    /// How many of the parameters have to be given.
    pub fn needed(&self) -> usize {
        self.inputs.len().saturating_sub(self.optional)
    }
}

fn unknown(call: &Call, name: &str, known: &dyn Procedures) -> Problem {
    let what = format!("there is no procedure {name}");
    let hint = "SHOW PROCEDURES lists those that there are";
    let problem = problem(ProcedureNotFound, call.at, what, hint);
    let problem = problem.of_class(Class::ProcedureError);
    let mut commands = COMMANDS.into_iter();
    if let Some((_, command)) = commands.find(|(of, _)| of.eq_ignore_ascii_case(name)) {
        return problem.meant(command);
    }
    // As Neo4j's library of algorithms has it, where a procedure gives the values.
    let algorithm = name.strip_prefix("gds.").map(|of| {
        let of = of.strip_suffix(".stream").unwrap_or(of);
        format!("algo.{of}")
    });
    let name = algorithm.as_deref().unwrap_or(name);
    let names = known.names();
    problem.near(name, names.iter().map(String::as_str))
}

/// Procedures of Neo4j in earlier versions, and the commands for them.
const COMMANDS: [(&str, &str); 4] = [
    ("db.indexes", "SHOW INDEXES"),
    ("db.constraints", "SHOW CONSTRAINTS"),
    ("dbms.procedures", "SHOW PROCEDURES"),
    ("dbms.functions", "SHOW FUNCTIONS"),
];

impl Checker<'_> {
    /// `stands_alone` if nothing else is in the statement. Returns the columns.
    pub(super) fn call(&mut self, call: &Call, stands_alone: bool) -> Parsed<Vec<String>> {
        let name: Vec<&str> = call.name.iter().map(|name| name.text.as_str()).collect();
        let name = name.join(".");
        let signature = match self.environment.procedures {
            Some(known) => match known.find(&name) {
                Some(signature) => Some(signature),
                None => return Err(unknown(call, &name, known)),
            },
            None => None,
        };
        self.arguments(call, signature.as_ref(), stands_alone)?;
        self.results(call, signature, stands_alone)
    }

    fn arguments(
        &mut self,
        call: &Call,
        signature: Option<&Signature>,
        stands_alone: bool,
    ) -> Parsed<()> {
        let inputs = signature.map(|signature| &signature.inputs);
        let Some(arguments) = &call.arguments else {
            if !stands_alone {
                let what = "a call within a query has no arguments";
                let hint = "write them in parentheses, or () if there are none";
                return Err(problem(InvalidArgumentPassingMode, call.at, what, hint));
            }
            let given = self.environment.parameters;
            let needed = signature.map_or(0, Signature::needed);
            let names = inputs.into_iter().flatten().map(|(name, _)| name);
            let names = names.take(needed);
            let mut names = names;
            let missing = given.and_then(|given| names.find(|name| !given.contains(*name)));
            if let Some(missing) = missing {
                let what = format!("the parameter ${missing} is not given");
                let hint = "give it, or write the arguments in parentheses";
                let problem = problem(MissingParameter, call.at, what, hint);
                return Err(problem.of_class(Class::ParameterMissing));
            }
            return Ok(());
        };
        let place = Place::without_aggregation("an argument of a procedure");
        let mut types = Vec::new();
        for argument in arguments {
            types.push(self.value(argument, place)?);
        }
        let Some(inputs) = inputs else {
            return Ok(());
        };
        let needed = signature.map_or(0, Signature::needed);
        if !(needed..=inputs.len()).contains(&arguments.len()) {
            let what = format!(
                "{} arguments of a procedure with {}",
                arguments.len(),
                inputs.len()
            );
            let names: Vec<&str> = inputs.iter().map(|(name, _)| name.as_str()).collect();
            let hint = format!("it takes ({})", names.join(", "));
            return Err(problem(InvalidNumberOfArguments, call.at, what, hint));
        }
        for ((found, (name, declared)), argument) in types.iter().zip(inputs).zip(arguments) {
            if !found.fits(declared) {
                let (found, declared) = (with_article(found), with_article(declared));
                let what = format!("this is {found}, and {name} {declared}");
                let hint = format!("give {declared}");
                return Err(problem(InvalidArgumentType, argument.at, what, hint));
            }
        }
        Ok(())
    }

    fn results(
        &mut self,
        call: &Call,
        signature: Option<Signature>,
        stands_alone: bool,
    ) -> Parsed<Vec<String>> {
        let outputs = signature.map(|signature| signature.outputs);
        let names = |outputs: Option<Vec<(String, Type)>>| {
            let outputs = outputs.unwrap_or_default().into_iter();
            outputs.map(|(name, _)| name).collect::<Vec<_>>()
        };
        let (items, filter) = match &call.results {
            None if stands_alone => return Ok(names(outputs)),
            None => return self.need_no_results(call, &names(outputs)),
            Some(Yield::All) if stands_alone => return Ok(names(outputs)),
            Some(Yield::All) => {
                let hint = "name the results, such as YIELD a, b";
                let what = "YIELD * stands within a query";
                return Err(problem(UnexpectedSyntax, call.at, what, hint));
            }
            Some(Yield::Items(items, filter)) => (items, filter),
        };
        let mut columns = Vec::new();
        for item in items {
            let of = match &outputs {
                None => Type::Any,
                Some(outputs) => self.output(outputs, &item.name)?,
            };
            let variable = item.variable();
            if self.find(&variable.text).is_some() {
                return Err(already_bound(variable));
            }
            self.bind(&variable.text, of);
            columns.push(variable.text.clone());
        }
        self.filter(filter.as_ref())?;
        Ok(columns)
    }

    /// Refuses a call within a query whose results nothing names.
    fn need_no_results(&self, call: &Call, results: &[String]) -> Parsed<Vec<String>> {
        if results.is_empty() {
            return Ok(Vec::new());
        }
        let what = "a call within a query does not name its results";
        let hint = format!("write YIELD {} behind it", results.join(", "));
        Err(problem(UndefinedVariable, call.at, what, hint))
    }

    fn output(&self, outputs: &[(String, Type)], name: &Name) -> Parsed<Type> {
        if let Some((_, of)) = outputs.iter().find(|(known, _)| *known == name.text) {
            return Ok(of.clone());
        }
        let what = format!("the procedure has no result {}", name.text);
        let known: Vec<&str> = outputs.iter().map(|(known, _)| known.as_str()).collect();
        let hint = format!("it has {}", known.join(", "));
        let problem = problem(UndefinedVariable, name.at, what, hint);
        Err(problem.near(&name.text, known))
    }
}
