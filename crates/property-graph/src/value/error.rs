//! Errors of values.

use evergraph_syntax::with_article;

/// A value that does not exist or does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// A component of a temporal or spatial value is out of range.
    #[error("{what} {found} is out of range: {range}")]
    OutOfRange {
        /// The component.
        what: &'static str,
        /// Value that was given.
        found: String,
        /// Allowed range, for the message.
        range: &'static str,
    },
    /// A text that does not read as the type.
    #[error("{text:?} is not a {type_name}: {why}")]
    NotReadable {
        /// The type that was asked for.
        type_name: &'static str,
        /// The text.
        text: String,
        /// Reason, for the message.
        why: String,
    },
    /// Another type than the caller asked for.
    #[error("expected {}, found {}", with_article(expected), with_article(found))]
    WrongType {
        /// The type that was asked for.
        expected: &'static str,
        /// The type that is there.
        found: &'static str,
    },
    /// Stored bytes that are no value.
    #[error("damaged value at byte {at}: {what}")]
    Damaged {
        /// Offset in the bytes given.
        at: usize,
        /// Reason, for the message.
        what: &'static str,
    },
    /// Lists and maps in each other, deeper than is stored.
    #[error("lists and maps lie {depth} deep in each other; at most {most} are stored")]
    TooDeep {
        /// Depth of the value.
        depth: usize,
        /// Greatest depth that is stored.
        most: usize,
    },
}

impl ValueError {
    /// Shorthand for [`ValueError::OutOfRange`].
    pub(crate) fn range(what: &'static str, found: impl ToString, range: &'static str) -> Self {
        ValueError::OutOfRange {
            what,
            found: found.to_string(),
            range,
        }
    }
}
