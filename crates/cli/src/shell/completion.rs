//! What a word that is begun may become.

use clap::ValueEnum;
use evergraph::Database;
use evergraph::query::{function_names, keywords};

use super::commands::COMMANDS;
use crate::query::format::Format;
use crate::report::is_obeyed;

/// Names that a database has.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub labels: Vec<String>,
    pub types: Vec<String>,
    pub keys: Vec<String>,
    pub procedures: Vec<String>,
    pub snapshots: Vec<String>,
}

impl Names {
    /// Of the newest commit.
    pub fn of(db: &Database) -> Self {
        let Ok(graph) = db.property_graph() else {
            return Names::default();
        };
        let view = graph.view();
        let texts = |names: Vec<std::sync::Arc<str>>| names.iter().map(|n| n.to_string()).collect();
        Names {
            labels: texts(view.known_labels()),
            types: texts(view.known_types()),
            keys: texts(view.known_keys()),
            procedures: db.procedure_names().map(str::to_string).collect(),
            snapshots: db.snapshots().into_iter().map(|one| one.name).collect(),
        }
    }
}

/// Where the word before a place begins, and what it may become: commands at the beginning,
/// procedures behind `CALL`, types behind `[:`, labels behind other colons, both where it
/// may be either, properties behind a dot and in maps, else keywords and functions.
pub fn complete(line: &str, place: usize, names: &Names) -> (usize, Vec<String>) {
    let before = line.get(..place).unwrap_or(line);
    if before.starts_with(':') && !before.contains(char::is_whitespace) {
        let commands = COMMANDS.iter().map(|(name, _)| {
            let name = name.split(' ').next().unwrap_or(name);
            name.to_string()
        });
        return (0, beginning_with(before, commands));
    }
    if let Some(begun) = before.strip_prefix(":asof ") {
        return (
            ":asof ".len(),
            beginning_with(begun, names.snapshots.iter().cloned()),
        );
    }
    if let Some(begun) = before.strip_prefix(":format ") {
        let all = Format::value_variants().iter();
        let known = all.filter_map(|one| Some(one.to_possible_value()?.get_name().to_string()));
        return (":format ".len(), beginning_with(begun, known));
    }
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let called = before.trim_end_matches(|c| is_of_name(c) || c == '.').len();
    let mut words = before[..called].split_whitespace();
    if words
        .next_back()
        .is_some_and(|word| word.eq_ignore_ascii_case("CALL"))
    {
        let names = names.procedures.iter().map(|name| format!("{name}("));
        return (called, beginning_with(&before[called..], names));
    }
    let begin = before.trim_end_matches(is_of_name).len();
    let (head, word) = before.split_at(begin);
    let head = head.strip_suffix('`').unwrap_or(head);
    let inner = head
        .rfind(['(', '[', '{', ')', ']', '}'])
        .map(|at| head.as_bytes()[at]);
    let found = match head.trim_end().chars().next_back() {
        Some(':' | '|') if is_in_brackets(head) => named(word, &names.types),
        Some(':' | '|') if inner == Some(b'(') => named(word, &names.labels),
        Some(':' | '|') => [named(word, &names.labels), named(word, &names.types)].concat(),
        Some('.') if !head.ends_with("..") => named(word, &names.keys),
        _ if word.is_empty() => Vec::new(),
        before => {
            let is_key = before == Some('{') || (before == Some(',') && inner == Some(b'{'));
            let keys = if is_key { &names.keys[..] } else { &[] };
            let functions = function_names().map(|name| format!("{name}("));
            let mut found = named(word, keys);
            found.extend(beginning_with(
                word,
                keywords().into_iter().map(str::to_string),
            ));
            found.extend(beginning_with(word, functions));
            found
        }
    };
    (head.len(), found)
}

/// Names that begin with a word, as a statement has them; none that a terminal would obey.
fn named(word: &str, names: &[String]) -> Vec<String> {
    let found = beginning_with(word, names.iter().cloned()).into_iter();
    let found = found.filter(|name| !name.contains(is_obeyed));
    found.map(|name| quoted(&name)).collect()
}

/// A name, in backticks if it needs them.
fn quoted(name: &str) -> String {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let begins = |c: char| c.is_alphabetic() || c == '_';
    match name.starts_with(begins) && name.chars().all(is_of_name) {
        true => name.to_string(),
        false => format!("`{}`", name.replace('`', "``")),
    }
}

/// Whether a relationship is being written.
fn is_in_brackets(text: &str) -> bool {
    text.rfind('[') > text.rfind([']', '('])
}

/// In any case, in the order given.
fn beginning_with(word: &str, known: impl Iterator<Item = String>) -> Vec<String> {
    let begins = |name: &String| {
        let begin = name.get(..word.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(word))
    };
    known.filter(begins).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Vec<String> {
        let names = Names {
            labels: ["Person", "City", "My Label", "Bad\u{1b}"]
                .map(str::to_string)
                .to_vec(),
            types: vec!["KNOWS".to_string(), "LIVES_IN".to_string()],
            keys: vec!["name".to_string(), "née".to_string()],
            procedures: vec!["algo.pagerank".to_string(), "db.labels".to_string()],
            snapshots: vec!["2016-05".to_string()],
        };
        complete(line, line.len(), &names).1
    }

    #[test]
    fn words_become_what_can_stand_there() {
        assert_eq!(found("MATCH (p:Pe"), ["Person"]);
        assert_eq!(found("MATCH (p:"), ["Person", "City", "`My Label`"]);
        assert_eq!(found("MATCH (p:my"), ["`My Label`"]);
        assert_eq!(found("MATCH (p:`My"), ["`My Label`"]);
        assert_eq!(found("MATCH (p:b"), [""; 0]);
        assert_eq!(found("MATCH ()-[r]->() WHERE r:kn"), ["KNOWS"]);
        assert_eq!(found("MATCH (p {na"), ["name"]);
        assert_eq!(found("MATCH (p {x: 1, na"), ["name"]);
        assert_eq!(found(":asof 2"), ["2016-05"]);
        assert_eq!(found(":format typ"), ["typed-json"]);
        assert_eq!(found("MATCH (p:Person)-[r:kn"), ["KNOWS"]);
        assert_eq!(found("MATCH (p)-[:KNOWS|l"), ["LIVES_IN"]);
        assert_eq!(found("MATCH (p)-[:KNOWS]->(c:c"), ["City"]);
        assert_eq!(found("RETURN p.n"), ["name", "née"]);
        assert_eq!(found("RETURN p.né"), ["née"]);
        assert_eq!(found("mat"), ["MATCH"]);
        assert!(found("RETURN toUp").contains(&"toUpper(".to_string()));
        assert_eq!(found(":sch"), [":schema"]);
        assert_eq!(found("MATCH (n) call algo.pa"), ["algo.pagerank("]);
        assert_eq!(found("CALL d"), ["db.labels("]);
        assert_eq!(found("RETURN "), [""; 0]);
        assert_eq!(found("MATCH ()-[*1..n"), found("n"));
    }

    #[test]
    fn words_begin_where_names_do() {
        let begin = |line: &str| complete(line, line.len(), &Names::default()).0;
        assert_eq!(begin("RETURN p.né"), "RETURN p.".len());
        assert_eq!(begin(":sch"), 0);
        assert_eq!(begin("MATCH (p:`My"), "MATCH (p:".len());
        // A place that is within a character, or beyond the end.
        assert_eq!(complete("é", 1, &Names::default()).0, 0);
        assert_eq!(complete("a", 9, &Names::default()).0, 0);
    }
}
