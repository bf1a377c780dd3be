//! GQL's spelling (ISO/IEC 39075:2024) of what openCypher has under another one: it becomes
//! that in the tree.

use super::atom::{called, made};
use super::{Parsed, Parser};
use crate::lexer::Token;
use crate::tree::{Access, Comparison, Expression, FunctionCall, Name, Node, Operator, Span};

/// Functions, and what they are called here.
const FUNCTIONS: [(&str, &str); 15] = [
    ("CARDINALITY", "size"),
    ("CEILING", "ceil"),
    ("COLLECT_LIST", "collect"),
    ("DURATION_BETWEEN", "duration.between"),
    ("ELEMENT_ID", "elementId"),
    ("LN", "log"),
    ("LOCAL_DATETIME", "localdatetime"),
    ("LOCAL_TIME", "localtime"),
    ("PATH_LENGTH", "length"),
    ("PERCENTILE_CONT", "percentileCont"),
    ("PERCENTILE_DISC", "percentileDisc"),
    ("STDDEV_POP", "stDevP"),
    ("STDDEV_SAMP", "stDev"),
    ("ZONED_DATETIME", "datetime"),
    ("ZONED_TIME", "time"),
];

/// Words that are the time of the statement.
const MOMENTS: [(&str, &str); 5] = [
    ("CURRENT_DATE", "date"),
    ("CURRENT_TIME", "time"),
    ("CURRENT_TIMESTAMP", "datetime"),
    ("LOCAL_TIME", "localtime"),
    ("LOCAL_TIMESTAMP", "localdatetime"),
];

/// Elements that `ALL_DIFFERENT` compares two by two.
const MOST_COMPARED: usize = 32;

fn of(table: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    let mut entries = table.iter();
    let found = entries.find(|(name, _)| name.eq_ignore_ascii_case(word));
    found.map(|(_, here)| *here)
}

fn named(name: &str, at: Span) -> Name {
    let text = name.to_string();
    Name { text, at }
}

/// Whether a word is one of [`MOMENTS`].
pub(super) fn is_moment(word: &str) -> bool {
    of(&MOMENTS, word).is_some()
}

impl Parser<'_> {
    /// `CURRENT_DATE`, or `DATE '2026-01-31'` and its like, at a word.
    pub(super) fn temporal_literal(&mut self, word: &str) -> Option<Node> {
        if let Some(function) = of(&MOMENTS, word)
            && !self.is_ahead(1, "(")
            && !self.keyword_variables.contains(&word)
        {
            let at = self.at();
            self.advance();
            return Some(called(named(function, at), Vec::new()));
        }
        let Token::Text(text) = &self.ahead(1).token else {
            return None;
        };
        // What comes behind the time of day, if anything does, is the zone.
        let time = text
            .split_once(['T', 't'])
            .map_or(&**text, |(_, time)| time);
        let has_zone = time.contains(['Z', 'z', '+', '-', '[']);
        let function = match word.to_ascii_uppercase().as_str() {
            "DATE" => "date",
            "DURATION" => "duration",
            "TIME" if has_zone => "time",
            "TIME" => "localtime",
            "DATETIME" | "TIMESTAMP" if has_zone => "datetime",
            "DATETIME" | "TIMESTAMP" => "localdatetime",
            _ => return None,
        };
        let text = Node::Text(text.clone());
        let word = self.at();
        self.advance();
        let at = self.at();
        self.advance();
        Some(called(named(function, word), vec![self.spanned(at, text)]))
    }

    /// A test of a truth value, or of a node by the relationship that it is an end of, `by`
    /// tokens ahead; the operand again if it is none of these.
    pub(super) fn truth_or_end(
        &mut self,
        by: usize,
        part: Expression,
    ) -> Parsed<Result<Node, Expression>> {
        // Of truth values alone: others are refused by the operators.
        let truth = |part| made(Node::And(vec![part, made(Node::Boolean(true))]));
        let or_false = |node| {
            called(
                Name::new("coalesce"),
                vec![node, made(Node::Boolean(false))],
            )
        };
        let is_end = self.is_word_ahead(by + 1, "OF");
        let node = if self.is_word_ahead(by, "TRUE") {
            or_false(truth(part))
        } else if self.is_word_ahead(by, "FALSE") {
            or_false(made(Node::Not(Box::new(part))))
        } else if self.is_word_ahead(by, "UNKNOWN") {
            Node::IsNull(Box::new(truth(part)))
        } else if is_end && self.is_word_ahead(by, "SOURCE") {
            return self.end_of(by, "startNode", part).map(Ok);
        } else if is_end && self.is_word_ahead(by, "DESTINATION") {
            return self.end_of(by, "endNode", part).map(Ok);
        } else {
            return Ok(Err(part));
        };
        self.place += by + 1;
        Ok(Ok(node))
    }

    fn end_of(&mut self, by: usize, function: &str, node: Expression) -> Parsed<Node> {
        self.place += by + 2;
        let start = self.at();
        let relationship = self.arithmetic(0)?;
        let end = called(Name::new(function), vec![relationship]);
        let end = self.spanned(start, end);
        Ok(Node::Comparison(
            Box::new(node),
            vec![(Comparison::Equal, end)],
        ))
    }
}

/// The call of a function by its name here, or the operator that it is.
pub(super) fn translated(mut call: FunctionCall) -> Node {
    let [only] = &mut call.name[..] else {
        return Node::Call(Box::new(call));
    };
    let upper = only.text.to_ascii_uppercase();
    if let Some(here) = of(&FUNCTIONS, &upper) {
        let at = only.at;
        let parts = here.split('.').map(|part| named(part, at));
        call.name = parts.collect();
        return Node::Call(Box::new(call));
    }
    if call.distinct {
        return Node::Call(Box::new(call));
    }
    let arithmetic = |operator, [left, right]: [Expression; 2]| {
        Node::Arithmetic(Box::new(left), vec![(operator, right)])
    };
    let count = call.arguments.len();
    let key = match call.arguments.get(1).map(|key| &key.node) {
        Some(Node::Variable(key)) => Some(key.clone()),
        _ => None,
    };
    match (&*upper, count, key) {
        ("PROPERTY_EXISTS", 2, Some(key)) => {
            let step = Access::Property(named(&key, call.arguments[1].at));
            let of = Box::new(call.arguments.swap_remove(0));
            Node::IsNotNull(Box::new(made(Node::Access(of, vec![step]))))
        }
        ("POWER" | "MOD" | "LOG", 2, _) => match <[Expression; 2]>::try_from(call.arguments) {
            Ok(both) if upper == "POWER" => arithmetic(Operator::Power, both),
            Ok(both) if upper == "MOD" => arithmetic(Operator::Modulo, both),
            Ok(both) => {
                let log = |of| made(called(Name::new("log"), vec![of]));
                let [base, number] = both.map(log);
                arithmetic(Operator::Divide, [number, base])
            }
            Err(arguments) => Node::List(arguments),
        },
        ("SAME", 2.., _) => {
            let mut all = call.arguments.into_iter();
            let others = |all: std::vec::IntoIter<Expression>| {
                all.map(|other| (Comparison::Equal, other)).collect()
            };
            match all.next() {
                Some(first) => Node::Comparison(Box::new(first), others(all)),
                None => Node::Null,
            }
        }
        ("ALL_DIFFERENT", 2..=MOST_COMPARED, _) => {
            let all = &call.arguments;
            let mut pairs = Vec::new();
            for (at, first) in all.iter().enumerate() {
                for second in &all[at + 1..] {
                    let different = vec![(Comparison::Unequal, second.clone())];
                    pairs.push(made(Node::Comparison(Box::new(first.clone()), different)));
                }
            }
            match pairs.len() {
                1 => pairs.swap_remove(0).node,
                _ => Node::And(pairs),
            }
        }
        _ => Node::Call(Box::new(call)),
    }
}
