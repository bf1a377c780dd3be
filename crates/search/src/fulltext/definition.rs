//! Definition of an index: labels, properties and tokenizer.

use crate::{check_name, join, name_of, split};
use tantivy::tokenizer::{
    self as library, LowerCaser, RemoveLongFilter, SimpleTokenizer, Stemmer, TextAnalyzer,
};

use crate::fulltext::error::TextError;

/// Bytes of the longest word that is indexed; longer ones are left out.
const LONGEST_WORD: usize = 255;

const WORDS: &str = "words";

/// Stands between the tokenizer of an identity and the number of labels, if that is not one.
const LABELS: char = '*';

/// Definition of a full-text index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDefinition {
    /// Names its files: 1 to 64 letters, digits, `-` and `_` of ASCII.
    pub name: String,
    /// Labels of the nodes, which have one of them at least.
    pub labels: Vec<String>,
    /// The properties that are searched, as if they were one text. Texts and lists of
    /// texts count; other values do not.
    pub keys: Vec<String>,
    /// Splits texts into words.
    pub tokenizer: Tokenizer,
}

/// How text becomes words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tokenizer {
    /// Runs of letters and digits, in lower case.
    #[default]
    Words,
    /// As [`Tokenizer::Words`], without the endings of a language, so that `graphs`
    /// finds `graph`.
    Stems(Language),
}

/// Languages whose endings are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Language {
    Arabic,
    Danish,
    Dutch,
    English,
    Finnish,
    French,
    German,
    Greek,
    Hungarian,
    Italian,
    Norwegian,
    Portuguese,
    Romanian,
    Russian,
    Spanish,
    Swedish,
    Tamil,
    Turkish,
}

impl Language {
    /// All, with the names that the command line uses.
    pub const ALL: &[(&'static str, Language)] = &[
        ("arabic", Language::Arabic),
        ("danish", Language::Danish),
        ("dutch", Language::Dutch),
        ("english", Language::English),
        ("finnish", Language::Finnish),
        ("french", Language::French),
        ("german", Language::German),
        ("greek", Language::Greek),
        ("hungarian", Language::Hungarian),
        ("italian", Language::Italian),
        ("norwegian", Language::Norwegian),
        ("portuguese", Language::Portuguese),
        ("romanian", Language::Romanian),
        ("russian", Language::Russian),
        ("spanish", Language::Spanish),
        ("swedish", Language::Swedish),
        ("tamil", Language::Tamil),
        ("turkish", Language::Turkish),
    ];

    fn of_library(self) -> library::Language {
        use library::Language as Of;
        match self {
            Language::Arabic => Of::Arabic,
            Language::Danish => Of::Danish,
            Language::Dutch => Of::Dutch,
            Language::English => Of::English,
            Language::Finnish => Of::Finnish,
            Language::French => Of::French,
            Language::German => Of::German,
            Language::Greek => Of::Greek,
            Language::Hungarian => Of::Hungarian,
            Language::Italian => Of::Italian,
            Language::Norwegian => Of::Norwegian,
            Language::Portuguese => Of::Portuguese,
            Language::Romanian => Of::Romanian,
            Language::Russian => Of::Russian,
            Language::Spanish => Of::Spanish,
            Language::Swedish => Of::Swedish,
            Language::Tamil => Of::Tamil,
            Language::Turkish => Of::Turkish,
        }
    }
}

impl Tokenizer {
    /// `words`, or the language whose endings it cuts off.
    pub fn name(self) -> &'static str {
        let Tokenizer::Stems(language) = self else {
            return WORDS;
        };
        let named = Language::ALL.iter().find(|named| named.1 == language);
        named.expect("every language has a name").0
    }

    /// The one of a name.
    pub fn named(name: &str) -> Option<Self> {
        if name == WORDS {
            return Some(Tokenizer::Words);
        }
        let named = Language::ALL.iter().find(|named| named.0 == name)?;
        Some(Tokenizer::Stems(named.1))
    }

    pub(crate) fn analyzer(self) -> TextAnalyzer {
        let words = TextAnalyzer::builder(SimpleTokenizer::default())
            .filter(RemoveLongFilter::limit(LONGEST_WORD))
            .filter(LowerCaser);
        match self {
            Tokenizer::Words => words.build(),
            Tokenizer::Stems(language) => words.filter(Stemmer::new(language.of_library())).build(),
        }
    }
}

impl TextDefinition {
    /// Definition of an index whose name is made of its labels and properties.
    pub fn unnamed(labels: &[String], keys: &[String], tokenizer: Tokenizer) -> Self {
        let mut definition = TextDefinition {
            name: String::new(),
            labels: labels.to_vec(),
            keys: keys.to_vec(),
            tokenizer,
        };
        let words = labels.iter().chain(keys).map(String::as_str);
        definition.name = name_of(words, &definition.identity());
        definition
    }

    pub(crate) fn check(&self) -> Result<(), TextError> {
        let reason = match () {
            () if !check_name(&self.name) => "a name is 1 to 64 letters, digits, - and _ of ASCII",
            () if self.labels.is_empty() => "it is about one label at least",
            () if self.keys.is_empty() => "it is about one property at least",
            () => return Ok(()),
        };
        Err(TextError::Definition {
            name: self.name.clone(),
            reason: reason.to_string(),
        })
    }

    /// Says all that decides what the files of an index hold. Files of another
    /// definition are not used: programs that know one label alone read no other number.
    pub(crate) fn identity(&self) -> String {
        let tokenizer = match self.labels.len() {
            1 => self.tokenizer.name().to_string(),
            number => format!("{}{LABELS}{number}", self.tokenizer.name()),
        };
        let names = self.labels.iter().chain(&self.keys).map(String::as_str);
        join(std::iter::once(tokenizer.as_str()).chain(names))
    }

    /// Definition of an index of this name and identity.
    pub(crate) fn of_identity(name: &str, identity: &str) -> Option<Self> {
        let mut parts = split(identity)?.into_iter();
        let tokenizer = parts.next()?;
        let (tokenizer, number): (&str, usize) = match tokenizer.split_once(LABELS) {
            None => (tokenizer.as_str(), 1),
            Some((tokenizer, number)) => (tokenizer, number.parse().ok()?),
        };
        let labels: Vec<String> = parts.by_ref().take(number).collect();
        (labels.len() == number).then_some(TextDefinition {
            name: name.to_string(),
            labels,
            keys: parts.collect(),
            tokenizer: Tokenizer::named(tokenizer)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_known_by_its_identity() {
        let keys = vec!["a:b".to_string(), String::new()];
        let mut tokenizers = vec![Tokenizer::Words];
        tokenizers.extend(Language::ALL.iter().map(|named| Tokenizer::Stems(named.1)));
        let mut names = std::collections::BTreeSet::new();
        for tokenizer in tokenizers {
            for labels in [&["La bel"][..], &["La", "bel"], &["La bel", "a:b"]] {
                let labels: Vec<String> = labels.iter().map(ToString::to_string).collect();
                let definition = TextDefinition::unnamed(&labels, &keys, tokenizer);
                assert!(definition.check().is_ok(), "{definition:?}");
                let (name, identity) = (&definition.name, definition.identity());
                assert_eq!(
                    TextDefinition::of_identity(name, &identity).as_ref(),
                    Some(&definition)
                );
                assert!(names.insert(definition.name), "each a name of its own");
            }
        }
        for wrong in ["7:klingon1:a", "7:words*21:a", "7:words*x1:a1:b"] {
            assert_eq!(TextDefinition::of_identity("name", wrong), None);
        }
    }

    #[test]
    fn the_identity_of_a_stored_definition_is_pinned() {
        let identity = |labels: &[&str]| {
            let labels: Vec<String> = labels.iter().map(ToString::to_string).collect();
            let keys = ["title".to_string()];
            TextDefinition::unnamed(&labels, &keys, Tokenizer::Words).identity()
        };
        assert_eq!(identity(&["Post"]), "5:words4:Post5:title");
        assert_eq!(identity(&["Post", "Page"]), "7:words*24:Post4:Page5:title");
    }
}
