//! The version of Cypher before a statement, and options behind it.

use super::{Parsed, Parser};
use crate::error::Detail;
use crate::lexer::Token;
use crate::tree::StatementOption;

/// Options of Neo4j, and their values.
#[rustfmt::skip] // Rows of a table.
const OPTIONS: [(&str, &[&str]); 14] = [
    ("runtime", &["default", "interpreted", "slotted", "pipelined", "parallel", "legacy"]),
    ("planner", &["default", "cost", "idp", "dp"]),
    ("connectComponentsPlanner", &["default", "greedy", "idp"]),
    ("updateStrategy", &["default", "eager"]),
    ("expressionEngine", &["default", "interpreted", "compiled", "onlyWhenHot"]),
    ("operatorEngine", &["default", "interpreted", "compiled"]),
    ("interpretedPipesFallback", &["default", "disabled", "whitelisted_plans_only", "all"]),
    ("replan", &["default", "force", "skip"]),
    ("inferSchemaParts", &["default", "off", "most_selective_label"]),
    ("statefulShortestPlanningMode",
        &["default", "cardinality_heuristic", "into_only", "all_if_possible"]),
    ("planVarExpandInto", &["default", "minimum_cost", "single_row"]),
    ("eagerAnalyzer", &["default", "ir", "lp"]),
    ("labelInference", &["default", "enabled", "disabled"]),
    ("parallelRuntimeSupport", &["default", "disabled", "all"]),
];

impl Parser<'_> {
    /// `CYPHER 5` or `CYPHER 25`, of which the same is read, and options.
    pub(super) fn language(&mut self) -> Parsed<Vec<StatementOption>> {
        if !self.take_word("CYPHER") {
            return Ok(Vec::new());
        }
        let has_version = matches!(self.token(), Token::Integer(5 | 25));
        if has_version {
            self.advance();
        }
        let mut options = Vec::new();
        while self.word().is_some() && self.is_ahead(1, "=") {
            options.push(self.option()?);
        }
        match has_version || !options.is_empty() {
            true => Ok(options),
            false => Err(self.unexpected("5 or 25, the version of Cypher,", &[])),
        }
    }

    fn option(&mut self) -> Parsed<StatementOption> {
        let name = self.name("an option")?;
        self.need("=")?;
        let value = self.name("a value, such as default,")?;
        let is_it = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        let mut known = OPTIONS.iter();
        let Some((_, values)) = known.find(|(known, _)| is_it(known, &name.text)) else {
            let what = format!("there is no option {}", name.text);
            let hint = "leave it out: options of Neo4j are read, and have no effect";
            let problem = self.problem(Detail::UnexpectedSyntax, name.at, what, hint);
            return Err(problem.near(&name.text, OPTIONS.map(|(known, _)| known)));
        };
        if !values.iter().any(|known| is_it(known, &value.text)) {
            let what = format!("the option {} has no value {}", name.text, value.text);
            let hint = format!("it has {}", values.join(", "));
            let problem = self.problem(Detail::UnexpectedSyntax, value.at, what, hint);
            return Err(problem.near(&value.text, values.iter().copied()));
        }
        Ok(StatementOption { name, value })
    }
}
