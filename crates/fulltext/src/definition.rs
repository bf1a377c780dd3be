//! What an index is about.

use tantivy::tokenizer::{
    self as library, LowerCaser, RemoveLongFilter, SimpleTokenizer, Stemmer, TextAnalyzer,
};

use crate::error::TextError;

/// Bytes of the longest word that is indexed; longer ones are left out.
const LONGEST_WORD: usize = 255;

/// What a full-text index is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDefinition {
    /// Names its files: 1 to 64 letters, digits, `-` and `_` of ASCII.
    pub name: String,
    /// The label of the nodes.
    pub label: String,
    /// The properties that are searched, as if they were one text. Texts and lists of
    /// texts count; other values do not.
    pub keys: Vec<String>,
    /// What a word is.
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
    pub(crate) fn check(&self) -> Result<(), TextError> {
        let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let is_name = (1..=64).contains(&self.name.len()) && self.name.bytes().all(is_of_name);
        let reason = match (is_name, self.keys.is_empty()) {
            (true, false) => return Ok(()),
            (false, _) => "a name is 1 to 64 letters, digits, - and _ of ASCII",
            (_, true) => "it is about one property at least",
        };
        Err(TextError::Definition {
            name: self.name.clone(),
            reason: reason.to_string(),
        })
    }

    /// Says all that decides what the files of an index hold. Files of another
    /// definition are not used.
    pub(crate) fn identity(&self) -> String {
        format!("{:?} {:?} {:?}", self.label, self.keys, self.tokenizer)
    }
}
