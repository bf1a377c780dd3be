//! What the parser and its checks make of a scenario, without executing it.

use std::collections::BTreeSet;

use evergraph_syntax::scope::{Environment, check};
use evergraph_syntax::{Error, parse};

use crate::scenario::{Expected, Outcome, Phase, Scenario};
use crate::signature::Given;

/// Columns of a query, or why it is refused.
///
/// # Errors
/// What the parser or the checks refuse.
pub fn columns(scenario: &Scenario, query: &str) -> Result<Vec<String>, Error> {
    let parameters: BTreeSet<String> = scenario
        .parameters
        .iter()
        .map(|(name, _)| name.clone())
        .collect();
    let procedures = Given(&scenario.procedures);
    let statement = parse(query)?;
    let environment = Environment {
        functions: Some(&evergraph_functions::functions::Table),
        procedures: Some(&procedures),
        parameters: Some(&parameters),
    };
    let columns = check(query, &statement, environment)?.columns;
    let again = statement.to_string();
    assert_eq!(parse(&again).as_ref(), Ok(&statement), "{query}\n{again}");
    Ok(columns)
}

/// What is wrong with what becomes of a scenario, if something is.
pub fn fault(scenario: &Scenario) -> Option<String> {
    for query in &scenario.setup {
        if let Err(error) = columns(scenario, query) {
            return Some(format!("{query}\nis refused: {}: {error}", error.detail()));
        }
    }
    scenario
        .queries
        .iter()
        .find_map(|expected| query_fault(scenario, expected))
}

fn query_fault(scenario: &Scenario, expected: &Expected) -> Option<String> {
    let query = &expected.query;
    let found = columns(scenario, query);
    let wanted = match &expected.outcome {
        Outcome::Error(error) => error,
        outcome => {
            return match (found, outcome) {
                (Err(error), _) => {
                    Some(format!("{query}\nis refused: {}: {error}", error.detail()))
                }
                // The kit writes columns of CALL in the order of the procedure.
                (Ok(found), Outcome::Rows(rows)) if found != rows.columns => Some(format!(
                    "{query}\nhas columns {found:?}, and not {:?}",
                    rows.columns
                )),
                _ => None,
            };
        }
    };
    let phase = wanted.phase;
    match found {
        Ok(_) if phase == Phase::CompileTime => Some(format!(
            "{query}\nis accepted, and not refused: {}",
            wanted.detail
        )),
        Ok(_) => None,
        Err(error) if phase == Phase::Runtime => {
            Some(format!("{query}\nis refused: {}: {error}", error.detail()))
        }
        Err(error) => {
            let class = format!("{:?}", error.class());
            let is_named = wanted.detail == "*" || error.detail().name() == wanted.detail;
            match is_named && class == wanted.class {
                true => None,
                false => Some(format!(
                    "{query}\nis refused, by {class} {} and not {} {}: {error}",
                    error.detail(),
                    wanted.class,
                    wanted.detail
                )),
            }
        }
    }
}
