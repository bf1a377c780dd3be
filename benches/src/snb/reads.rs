//! The seven short reads of LDBC SNB Interactive v1, each on a view. What is not
//! there gives `None`, or no rows.

mod message;
mod person;

use std::sync::Arc;

use evergraph::property::{Direction, GraphError, Node, View};

use super::nodes::{integer, only_neighbor, text};
use super::schema::{POST, REPLY_OF};

pub use message::{Content, ForumOf, Reply, content, creator, forum, replies};
pub use person::{Friend, Profile, Recent, friends, profile, recent_messages};

/// A person as messages and friends show it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Name {
    pub person: i64,
    pub first_name: Arc<str>,
    pub last_name: Arc<str>,
}

impl Name {
    fn of(person: &Node) -> Result<Self, GraphError> {
        Ok(Name {
            person: integer(person, "id")?,
            first_name: text(person, "firstName")?,
            last_name: text(person, "lastName")?,
        })
    }
}

/// Content of a message; of a photo its file.
fn content_of(message: &Node) -> Result<Arc<str>, GraphError> {
    let key = match message.get("imageFile") {
        Some(_) => "imageFile",
        None => "content",
    };
    text(message, key)
}

/// The post at which the thread of a message begins.
fn original_post(view: &View, message: Node) -> Result<Node, GraphError> {
    let mut post = message;
    while !post.has_label(POST) {
        post = only_neighbor(view, &post, Direction::Outgoing, REPLY_OF)?;
    }
    Ok(post)
}
