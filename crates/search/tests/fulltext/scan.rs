//! Reference implementation: every node is read, cut into words, and held against the
//! query.

use std::collections::BTreeSet;

use evergraph_property_graph::Value;
use evergraph_property_graph::graph::{Node, NodeId, Reading};
use evergraph_search::fulltext::{FullText, Hit, TextDefinition, Tokenizer};

/// The index that all tests are about.
pub fn definition() -> TextDefinition {
    TextDefinition {
        name: "posts".to_string(),
        labels: vec!["Post".to_string(), "Page".to_string()],
        keys: vec!["title".to_string(), "tags".to_string()],
        tokenizer: Tokenizer::Words,
    }
}

/// A query that can be written, and decided by hand.
#[derive(Clone, Debug)]
pub enum Asked {
    All(Vec<&'static str>),
    Any(Vec<&'static str>),
    Phrase(&'static str, &'static str),
    Without(&'static str, &'static str),
    Everything,
}

impl Asked {
    pub fn text(&self) -> String {
        match self {
            Asked::All(words) => words.join(" "),
            Asked::Any(words) => words.join(" OR "),
            Asked::Phrase(first, second) => format!("\"{first} {second}\""),
            Asked::Without(word, without) => format!("{word} -{without}"),
            Asked::Everything => "*".to_string(),
        }
    }

    fn is_met(&self, texts: &[Vec<String>]) -> bool {
        let has = |word: &str| texts.iter().flatten().any(|other| other == word);
        match self {
            Asked::All(words) => words.iter().all(|word| has(word)),
            Asked::Any(words) => words.iter().any(|word| has(word)),
            Asked::Phrase(first, second) => texts.iter().any(|words| {
                let mut pairs = words.windows(2);
                pairs.any(|pair| pair[0] == *first && pair[1] == *second)
            }),
            Asked::Without(word, without) => has(word) && !has(without),
            Asked::Everything => true,
        }
    }
}

fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// The words of a node's texts; `None` if it has none that counts.
fn texts_of(node: &Node) -> Option<Vec<Vec<String>>> {
    let mut texts = Vec::new();
    for key in definition().keys {
        match node.get(&key) {
            Some(Value::Text(text)) => texts.push(words_of(text)),
            Some(Value::List(values)) => {
                let inner = values.iter().filter_map(|value| match value {
                    Value::Text(text) => Some(words_of(text)),
                    _ => None,
                });
                texts.extend(inner);
            }
            _ => {}
        }
    }
    let is_labelled = node.has_label("Post") || node.has_label("Page");
    (is_labelled && !texts.is_empty()).then_some(texts)
}

/// Reference implementation: reads every node.
pub fn scanned(reader: &impl Reading, all: &[NodeId], asked: &Asked) -> BTreeSet<NodeId> {
    let mut found = BTreeSet::new();
    for &id in all {
        let node = reader.node(id).expect("readable");
        let texts = node.as_ref().and_then(texts_of);
        if texts.is_some_and(|texts| asked.is_met(&texts)) {
            found.insert(id);
        }
    }
    found
}

/// Compares a search by the index with the scan: the same nodes, each once, the best
/// first; and with a limit, as many of them as there may be.
pub fn compare(text: &FullText<'_>, reader: &impl Reading, all: &[NodeId], asked: &Asked) {
    let before = text.statistics().csn;
    let hits = text
        .search(reader, &asked.text(), usize::MAX)
        .expect("found");
    assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
    let found: BTreeSet<NodeId> = hits.iter().map(|hit| hit.node).collect();
    assert_eq!(found.len(), hits.len(), "each once");
    let csn = reader.view().csn();
    let expected = scanned(reader, all, asked);
    assert_eq!(
        found,
        expected,
        "{asked:?} as of {csn}, {:?}",
        text.statistics()
    );
    let some = text.search(reader, &asked.text(), 2).expect("found");
    assert_eq!(some.len(), expected.len().min(2));
    assert!(some.iter().all(|hit| expected.contains(&hit.node)));
    // Others may bring the index up to date, and then words are counted anew.
    if text.statistics().csn == before {
        let scores = |hits: &[Hit]| hits.iter().map(|hit| hit.score).collect::<Vec<_>>();
        assert_eq!(
            scores(&some),
            scores(&hits[..some.len()]),
            "the best come first"
        );
    }
}
