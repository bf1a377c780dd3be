//! What a word that is begun may become.

use evergraph::Database;
use evergraph::query::{function_names, keywords};

use super::commands::COMMANDS;

/// Names that a database has.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub labels: Vec<String>,
    pub types: Vec<String>,
    pub keys: Vec<String>,
    pub procedures: Vec<String>,
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
        }
    }
}

/// Where the word before a place begins, and what it may become: commands at the beginning,
/// procedures behind `CALL`, types behind `[:` and labels behind other colons, properties
/// behind a dot, else keywords and functions.
pub fn complete(line: &str, place: usize, names: &Names) -> (usize, Vec<String>) {
    let before = line.get(..place).unwrap_or(line);
    if before.starts_with(':') && !before.contains(char::is_whitespace) {
        let commands = COMMANDS.iter().map(|(name, _)| {
            let name = name.split(' ').next().unwrap_or(name);
            name.to_string()
        });
        return (0, beginning_with(before, commands));
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
    let found = match head.chars().next_back() {
        Some(':' | '|') if is_in_brackets(head) => {
            beginning_with(word, names.types.iter().cloned())
        }
        Some(':' | '|') => beginning_with(word, names.labels.iter().cloned()),
        Some('.') if !head.ends_with("..") => beginning_with(word, names.keys.iter().cloned()),
        _ if word.is_empty() => Vec::new(),
        _ => {
            let functions = function_names().map(|name| format!("{name}("));
            let mut found = beginning_with(word, keywords().into_iter().map(str::to_string));
            found.extend(beginning_with(word, functions));
            found
        }
    };
    (begin, found)
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
            labels: vec!["Person".to_string(), "City".to_string()],
            types: vec!["KNOWS".to_string(), "LIVES_IN".to_string()],
            keys: vec!["name".to_string(), "née".to_string()],
            procedures: vec!["algo.pagerank".to_string(), "db.labels".to_string()],
        };
        complete(line, line.len(), &names).1
    }

    #[test]
    fn words_become_what_can_stand_there() {
        assert_eq!(found("MATCH (p:Pe"), ["Person"]);
        assert_eq!(found("MATCH (p:"), ["Person", "City"]);
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
        // A place that is within a character, or beyond the end.
        assert_eq!(complete("é", 1, &Names::default()).0, 0);
        assert_eq!(complete("a", 9, &Names::default()).0, 0);
    }
}
