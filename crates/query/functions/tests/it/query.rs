//! A slow evaluator of queries without patterns, so that calls can be tested as they are
//! written: `UNWIND`, `WITH`, `WHERE` and `RETURN`, and `MATCH` of single nodes that are
//! maps here. It knows no more than the tests need.

use evergraph_functions::aggregates::{Accumulator, Aggregate};
use evergraph_functions::functions::{self, Evaluation};
use evergraph_functions::{Datum, Environment, operators};

pub use crate::expression::{Failure, Row, evaluate};
use crate::expression::{Reader, Result, with};

/// Names of columns, and rows of a query. `nodes` are what `MATCH` finds, with labels.
pub fn run(
    text: &str,
    nodes: &[(Vec<String>, Datum)],
    parameters: &Row,
    environment: &Environment<'_>,
) -> Result<(Vec<String>, Vec<Vec<Datum>>)> {
    let mut rows = vec![parameters.clone()];
    let mut reader = Reader {
        text,
        at: 0,
        row: Row::new(),
        environment,
    };
    loop {
        if reader.word("UNWIND") {
            let start = reader.at;
            let mut unwound = Vec::new();
            for row in &rows {
                (reader.at, reader.row) = (start, row.clone());
                let list = reader.expression()?;
                reader.need_word("AS")?;
                let name = reader.name()?;
                if let Some(elements) = list.elements() {
                    unwound.extend(elements.iter().map(|element| with(row, &name, element)));
                }
            }
            rows = unwound;
        } else if reader.word("MATCH") {
            rows = reader.matched(rows, nodes)?;
        } else if reader.word("WHERE") {
            let start = reader.at;
            let mut kept = Vec::new();
            for row in rows {
                (reader.at, reader.row) = (start, row.clone());
                if operators::boolean(&reader.expression()?)? == Some(true) {
                    kept.push(row);
                }
            }
            rows = kept;
        } else if reader.word("WITH") {
            let (names, projected) = reader.projected(&rows)?;
            let named = |values: Vec<Datum>| {
                let parameters = parameters
                    .iter()
                    .map(|(name, value)| (name.clone(), value.clone()));
                names
                    .iter()
                    .cloned()
                    .zip(values)
                    .chain(parameters)
                    .collect()
            };
            rows = projected.into_iter().map(named).collect();
        } else if reader.word("RETURN") {
            let result = reader.projected(&rows)?;
            reader.end()?;
            return Ok(result);
        } else {
            return Err(reader.unknown());
        }
        if rows.is_empty() {
            // Nothing says where the clause ends.
            return Err(reader.unknown());
        }
    }
}

impl Reader<'_> {
    /// `(n)`, `(n:Label)`, several with commas.
    fn matched(&mut self, mut rows: Vec<Row>, nodes: &[(Vec<String>, Datum)]) -> Result<Vec<Row>> {
        loop {
            self.need("(")?;
            let name = self.name()?;
            let label = self.symbol(":").then(|| self.name()).transpose()?;
            self.need(")")?;
            let found = nodes
                .iter()
                .filter(|(labels, _)| label.as_ref().is_none_or(|label| labels.contains(label)));
            let found: Vec<&Datum> = found.map(|(_, node)| node).collect();
            let pairs = rows
                .iter()
                .flat_map(|row| found.iter().map(move |node| (row, node)));
            rows = pairs
                .map(|(row, node)| with(row, &name, (*node).clone()))
                .collect();
            if !self.symbol(",") {
                return Ok(rows);
            }
        }
    }

    /// Items of `WITH` or `RETURN`, grouped by those that do not aggregate if one does.
    fn projected(&mut self, rows: &[Row]) -> Result<(Vec<String>, Vec<Vec<Datum>>)> {
        let start = self.at;
        let mut names = Vec::new();
        let mut groups: Vec<(Vec<Datum>, Vec<Accumulator>)> = Vec::new();
        let mut order = Vec::new();
        for row in rows {
            (self.at, self.row) = (start, row.clone());
            (names, order) = (Vec::new(), Vec::new());
            let (mut keys, mut aggregated) = (Vec::new(), Vec::new());
            loop {
                self.space();
                let begin = self.at;
                match self.aggregate()? {
                    Some(taken) => {
                        order.push(false);
                        aggregated.push(taken);
                    }
                    None => {
                        order.push(true);
                        keys.push(self.expression()?);
                    }
                }
                let shown = self.text[begin..self.at].trim().to_string();
                names.push(if self.word("AS") { self.name()? } else { shown });
                if !self.symbol(",") {
                    break;
                }
            }
            let known = match aggregated.is_empty() {
                true => None,
                false => groups.iter().position(|(known, _)| *known == keys),
            };
            let group = known.unwrap_or(groups.len());
            if known.is_none() {
                let states = aggregated
                    .iter()
                    .map(|(aggregate, distinct, _)| Accumulator::new(*aggregate, *distinct));
                groups.push((keys, states.collect()));
            }
            for (state, (_, _, arguments)) in groups[group].1.iter_mut().zip(&aggregated) {
                state.add(arguments)?;
            }
        }
        let mut results = Vec::new();
        for (keys, states) in groups {
            let (mut keys, mut states) = (keys.into_iter(), states.into_iter());
            let mut result = Vec::new();
            for is_key in &order {
                result.push(match is_key {
                    true => keys.next().unwrap(),
                    false => states.next().unwrap().finish()?,
                });
            }
            results.push(result);
        }
        Ok((names, results))
    }

    /// A call that aggregates and is all of an item.
    fn aggregate(&mut self) -> Result<Option<(Aggregate, bool, Vec<Datum>)>> {
        let start = self.at;
        let function = match self.name() {
            Ok(name) if self.symbol("(") => functions::find(&name).ok(),
            _ => None,
        };
        let Some(Evaluation::Aggregate(aggregate)) = function.map(|function| function.evaluation)
        else {
            self.at = start;
            return Ok(None);
        };
        if self.symbol("*") {
            self.need(")")?;
            return Ok(Some((Aggregate::CountRows, false, Vec::new())));
        }
        let distinct = self.word("DISTINCT");
        let arguments = self.list(")")?;
        Ok(Some((aggregate, distinct, arguments)))
    }
}
