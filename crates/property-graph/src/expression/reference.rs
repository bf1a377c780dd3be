//! The slow reference: trees that are made by chance, evaluated by the definition of each
//! operator over all its operands, and written as texts for the other to read.

use std::cmp::Ordering;

use evergraph_graph::random::Random;

use super::{Expression, TypeError};
use crate::value::Value;

const KEYS: [&str; 4] = ["a", "b", "c", "d"];

enum Tree {
    Value(Value),
    Key(usize),
    List(Vec<Tree>),
    Not(Box<Tree>),
    /// AND, XOR or OR.
    Joined(&'static str, Box<Tree>, Box<Tree>),
    Compared(&'static str, Box<Tree>, Box<Tree>),
    Tested(&'static str, Box<Tree>, Box<Tree>),
    In(Box<Tree>, Box<Tree>),
    IsNull(bool, Box<Tree>),
}

/// A type that an operator does not take.
#[derive(Debug, PartialEq)]
struct Wrong;

fn boolean(value: Value) -> Result<Option<bool>, Wrong> {
    match value {
        Value::Null => Ok(None),
        Value::Boolean(truth) => Ok(Some(truth)),
        _ => Err(Wrong),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

fn equal(a: &Value, b: &Value) -> Option<bool> {
    if matches!(a, Value::Null) || matches!(b, Value::Null) {
        return None;
    }
    if let (Some(a), Some(b)) = (number(a), number(b)) {
        return Some(a == b);
    }
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => Some(a == b),
        (Value::Boolean(a), Value::Boolean(b)) => Some(a == b),
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return Some(false);
            }
            let pairs: Vec<_> = a.iter().zip(&**b).map(|(a, b)| equal(a, b)).collect();
            match () {
                () if pairs.contains(&Some(false)) => Some(false),
                () if pairs.contains(&None) => None,
                () => Some(true),
            }
        }
        _ => Some(false),
    }
}

fn ordered(a: &Value, b: &Value) -> Option<Ordering> {
    if let (Some(a), Some(b)) = (number(a), number(b)) {
        return a.partial_cmp(&b);
    }
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::Boolean(a), Value::Boolean(b)) => Some(a.cmp(b)),
        (Value::List(a), Value::List(b)) => {
            for at in 0..a.len().max(b.len()) {
                match (a.get(at), b.get(at)) {
                    (None, _) => return Some(Ordering::Less),
                    (_, None) => return Some(Ordering::Greater),
                    (Some(a), Some(b)) => match ordered(a, b) {
                        Some(Ordering::Equal) => {}
                        other => return other,
                    },
                }
            }
            Some(Ordering::Equal)
        }
        _ => None,
    }
}

fn not(truth: Option<bool>) -> Option<bool> {
    match truth {
        Some(true) => Some(false),
        Some(false) => Some(true),
        None => None,
    }
}

/// Tables of three-valued logic: rows and columns are false, null, true.
fn joined(word: &str, a: Option<bool>, b: Option<bool>) -> Option<bool> {
    const F: Option<bool> = Some(false);
    const T: Option<bool> = Some(true);
    const N: Option<bool> = None;
    let at = |truth| match truth {
        Some(false) => 0,
        None => 1,
        Some(true) => 2,
    };
    let table = match word {
        "AND" => [[F, F, F], [F, N, N], [F, N, T]],
        "OR" => [[F, N, T], [N, N, T], [T, T, T]],
        _ => [[F, N, T], [N, N, N], [T, N, F]],
    };
    table[at(a)][at(b)]
}

fn value(tree: &Tree, of: &[Value; 4]) -> Result<Value, Wrong> {
    let truth = match tree {
        Tree::Value(value) => return Ok(value.clone()),
        Tree::Key(key) => return Ok(of[*key].clone()),
        Tree::List(trees) => {
            let values: Result<Vec<Value>, Wrong> = trees.iter().map(|t| value(t, of)).collect();
            return Ok(Value::List(values?.into()));
        }
        Tree::Not(inner) => not(boolean(value(inner, of)?)?),
        Tree::Joined(word, a, b) => {
            let a = boolean(value(a, of)?)?;
            if (*word, a) == ("AND", Some(false)) || (*word, a) == ("OR", Some(true)) {
                return Ok(a.into());
            }
            joined(word, a, boolean(value(b, of)?)?)
        }
        Tree::Compared(sign, a, b) => {
            let (a, b) = (value(a, of)?, value(b, of)?);
            match (*sign, ordered(&a, &b)) {
                ("=", _) => equal(&a, &b),
                ("<>", _) => not(equal(&a, &b)),
                (_, None) if number(&a).is_some() && number(&b).is_some() => Some(false),
                (_, None) => None,
                ("<", Some(order)) => Some(order == Ordering::Less),
                ("<=", Some(order)) => Some(order != Ordering::Greater),
                (">", Some(order)) => Some(order == Ordering::Greater),
                (_, Some(order)) => Some(order != Ordering::Less),
            }
        }
        Tree::Tested(test, a, b) => match (value(a, of)?, value(b, of)?) {
            (Value::Text(a), Value::Text(b)) => {
                let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
                let places = (0..=a.len()).filter(|&at| a[at..].starts_with(&b));
                let places: Vec<usize> = places.collect();
                Some(match *test {
                    "STARTS WITH" => places.contains(&0),
                    "ENDS WITH" => places.iter().any(|at| at + b.len() == a.len()),
                    _ => !places.is_empty(),
                })
            }
            _ => None,
        },
        Tree::In(member, list) => {
            let member = value(member, of)?;
            match value(list, of)? {
                Value::Null => None,
                Value::List(list) => {
                    let found: Vec<_> = list.iter().map(|other| equal(&member, other)).collect();
                    match () {
                        () if found.contains(&Some(true)) => Some(true),
                        () if found.contains(&None) => None,
                        () => Some(false),
                    }
                }
                _ => return Err(Wrong),
            }
        }
        Tree::IsNull(wanted, inner) => Some(matches!(value(inner, of)?, Value::Null) == *wanted),
    };
    Ok(truth.into())
}

/// Type of its value, where that does not depend on properties and it is not null.
fn type_of(tree: &Tree) -> Option<&'static str> {
    match tree {
        Tree::Value(Value::Null) | Tree::Key(_) => None,
        Tree::Value(value) => Some(value.type_name()),
        Tree::List(_) => Some("LIST"),
        _ => Some("BOOLEAN"),
    }
}

/// Whether an operand has a wrong type whatever the properties are.
fn is_refused(tree: &Tree) -> bool {
    fn has_wrong(tree: &Tree) -> bool {
        let is_no = |tree: &Tree, wanted| type_of(tree).is_some_and(|found| found != wanted);
        match tree {
            Tree::Value(_) | Tree::Key(_) => false,
            Tree::List(trees) => trees.iter().any(has_wrong),
            Tree::Not(inner) => is_no(inner, "BOOLEAN") || has_wrong(inner),
            Tree::IsNull(_, inner) => has_wrong(inner),
            Tree::Joined(_, a, b) => {
                let is_wrong = is_no(a, "BOOLEAN") || is_no(b, "BOOLEAN");
                is_wrong || has_wrong(a) || has_wrong(b)
            }
            Tree::In(a, b) => is_no(b, "LIST") || has_wrong(a) || has_wrong(b),
            Tree::Compared(_, a, b) | Tree::Tested(_, a, b) => has_wrong(a) || has_wrong(b),
        }
    }
    has_wrong(tree) || type_of(tree).is_some_and(|found| found != "BOOLEAN")
}

/// Place in the order of precedence, the tightest last.
fn precedence(tree: &Tree) -> u32 {
    match tree {
        Tree::Joined("OR", ..) => 0,
        Tree::Joined("XOR", ..) => 1,
        Tree::Joined(..) => 2,
        Tree::Not(_) => 3,
        Tree::Compared(..) => 4,
        Tree::Tested(..) | Tree::In(..) | Tree::IsNull(..) => 5,
        Tree::Value(_) | Tree::Key(_) | Tree::List(_) => 6,
    }
}

/// With parentheses where precedence needs them, and now and then where not.
fn within(tree: &Tree, least: u32, random: &mut Random) -> String {
    let text = written(tree, random);
    match precedence(tree) < least || random.below(8) == 0 {
        true => format!("({text})"),
        false => text,
    }
}

fn written(tree: &Tree, random: &mut Random) -> String {
    match tree {
        Tree::Value(value) => value.to_string(),
        Tree::Key(key) => match random.below(2) {
            0 => KEYS[*key].to_string(),
            _ => format!("`{}`", KEYS[*key]),
        },
        Tree::List(trees) => {
            let parts: Vec<String> = trees.iter().map(|t| within(t, 0, random)).collect();
            format!("[{}]", parts.join(", "))
        }
        Tree::Not(inner) => format!("NOT {}", within(inner, 3, random)),
        Tree::Joined(word, a, b) => {
            // Equal operators group from the left, and give the same from the right.
            let own = precedence(tree);
            let word = match random.below(2) {
                0 => word.to_lowercase(),
                _ => (*word).to_string(),
            };
            format!(
                "{} {word} {}",
                within(a, own, random),
                within(b, own + 1, random)
            )
        }
        // A comparison beside one would be a chain.
        Tree::Compared(sign, a, b) => {
            format!("{} {sign} {}", within(a, 5, random), within(b, 5, random))
        }
        Tree::Tested(test, a, b) => {
            format!("{} {test} {}", within(a, 5, random), within(b, 6, random))
        }
        Tree::In(a, b) => format!("{} IN {}", within(a, 5, random), within(b, 6, random)),
        Tree::IsNull(true, a) => format!("{} IS NULL", within(a, 5, random)),
        Tree::IsNull(false, a) => format!("{} IS NOT NULL", within(a, 5, random)),
    }
}

fn scalar(random: &mut Random, with_nan: bool) -> Value {
    match random.below(9) {
        0 => Value::Null,
        1 | 2 => Value::Boolean(random.below(2) == 0),
        3 | 4 => Value::Integer(random.below(5) as i64 - 2),
        5 if with_nan => Value::Float(f64::NAN),
        5 | 6 => Value::Float(random.below(9) as f64 / 2.0 - 2.0),
        _ => ["", "a", "ab", "b", "ba'\\"][random.below(5) as usize].into(),
    }
}

fn property(random: &mut Random) -> Value {
    match random.below(6) {
        0 => Value::List((0..random.below(3)).map(|_| scalar(random, true)).collect()),
        _ => scalar(random, true),
    }
}

fn tree(random: &mut Random, depth: u32) -> Tree {
    let part = |random: &mut Random| Box::new(tree(random, depth.saturating_sub(1)));
    match if depth == 0 {
        7 + random.below(4)
    } else {
        random.below(11)
    } {
        0 => Tree::Not(part(random)),
        1 | 2 => {
            let word = ["AND", "OR", "XOR"][random.below(3) as usize];
            Tree::Joined(word, part(random), part(random))
        }
        3 => {
            let sign = ["=", "<>", "<", "<=", ">", ">="][random.below(6) as usize];
            Tree::Compared(sign, part(random), part(random))
        }
        4 => {
            let test = ["STARTS WITH", "ENDS WITH", "CONTAINS"][random.below(3) as usize];
            Tree::Tested(test, part(random), part(random))
        }
        5 => Tree::In(part(random), part(random)),
        6 => Tree::IsNull(random.below(2) == 0, part(random)),
        7 | 8 => Tree::Key(random.below(4) as usize),
        9 => Tree::List((0..random.below(3)).map(|_| tree(random, 0)).collect()),
        _ => Tree::Value(scalar(random, false)),
    }
}

#[test]
fn expressions_agree_with_the_reference() {
    let mut random = Random::new(18);
    let (mut read, mut outcomes) = (0, [0; 4]);
    for _ in 0..30_000 {
        let tree = tree(&mut random, 4);
        let text = written(&tree, &mut random);
        // Literals of a wrong type are told before anything is evaluated.
        let Ok(expression) = Expression::parse(&text) else {
            assert!(is_refused(&tree), "{text}");
            continue;
        };
        assert!(!is_refused(&tree), "{text}");
        read += 1;
        for _ in 0..4 {
            let of = [(); 4].map(|()| property(&mut random));
            let keys = expression.keys();
            let found = expression.holds(|key| {
                let at = KEYS.iter().position(|known| *known == keys[key].name);
                Ok::<_, TypeError>(of[at.unwrap()].clone())
            });
            let expected = value(&tree, &of).and_then(boolean);
            outcomes[match expected {
                Ok(Some(false)) => 0,
                Ok(None) => 1,
                Ok(Some(true)) => 2,
                Err(Wrong) => 3,
            }] += 1;
            let expected = expected.map(|truth| truth == Some(true)).ok();
            assert_eq!(found.ok(), expected, "{text} of {of:?}");
        }
    }
    assert!(
        read > 10_000 && outcomes.iter().all(|&count| count > 1000),
        "{read} {outcomes:?}"
    );
}
