//! Short reads 4 to 7: of messages.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use evergraph::property::{Direction, GraphError, NodeId, View};

use super::super::nodes::{find, integer, milliseconds, node, only_neighbor, text};
use super::super::schema::{CONTAINER_OF, HAS_CREATOR, HAS_MODERATOR, KNOWS, MESSAGE, REPLY_OF};
use super::{Name, content_of, original_post};

/// Row of short read 4.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Content {
    pub creation_date: i64,
    pub content: Arc<str>,
}

/// Row of short read 6.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct ForumOf {
    pub forum: i64,
    pub title: Arc<str>,
    pub moderator: Name,
}

/// A row of short read 7.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Reply {
    pub comment: i64,
    pub content: Arc<str>,
    pub creation_date: i64,
    pub author: Name,
    /// Whether the authors of the message and of the reply know each other.
    pub knows: bool,
}

/// Short read 4: what a message says, and since when.
///
/// # Errors
/// Errors of the store, or a network that is not as the schema says.
pub fn content(view: &View, message: i64) -> Result<Option<Content>, GraphError> {
    let Some(message) = find(view, MESSAGE, message)? else {
        return Ok(None);
    };
    Ok(Some(Content {
        creation_date: milliseconds(message.get("creationDate"))?,
        content: content_of(&message)?,
    }))
}

/// Short read 5: who wrote a message.
///
/// # Errors
/// Errors of the store, or a network that is not as the schema says.
pub fn creator(view: &View, message: i64) -> Result<Option<Name>, GraphError> {
    let Some(message) = find(view, MESSAGE, message)? else {
        return Ok(None);
    };
    let creator = only_neighbor(view, &message, Direction::Outgoing, HAS_CREATOR)?;
    Name::of(&creator).map(Some)
}

/// Short read 6: the forum in which the thread of a message is, and its moderator.
///
/// # Errors
/// Errors of the store, or a network that is not as the schema says.
pub fn forum(view: &View, message: i64) -> Result<Option<ForumOf>, GraphError> {
    let Some(message) = find(view, MESSAGE, message)? else {
        return Ok(None);
    };
    let post = original_post(view, message)?;
    let forum = only_neighbor(view, &post, Direction::Incoming, CONTAINER_OF)?;
    let moderator = only_neighbor(view, &forum, Direction::Outgoing, HAS_MODERATOR)?;
    Ok(Some(ForumOf {
        forum: integer(&forum, "id")?,
        title: text(&forum, "title")?,
        moderator: Name::of(&moderator)?,
    }))
}

/// Short read 7: the replies to a message, and whether their authors know that of
/// the message. The youngest first, then by author; the benchmark says no more, so
/// then by id.
///
/// # Errors
/// Errors of the store, or a network that is not as the schema says.
pub fn replies(view: &View, message: i64) -> Result<Vec<Reply>, GraphError> {
    let Some(message) = find(view, MESSAGE, message)? else {
        return Ok(Vec::new());
    };
    let comments = view.neighbors(message.id(), Direction::Incoming, &[REPLY_OF])?;
    if comments.is_empty() {
        return Ok(Vec::new());
    }
    let author = only_neighbor(view, &message, Direction::Outgoing, HAS_CREATOR)?;
    let knows = view.neighbors(author.id(), Direction::Both, &[KNOWS])?;
    let known: BTreeSet<NodeId> = knows.iter().map(|adjacent| adjacent.neighbor).collect();
    let mut replies = Vec::new();
    for adjacent in comments {
        let comment = node(view, adjacent.neighbor)?;
        let author = only_neighbor(view, &comment, Direction::Outgoing, HAS_CREATOR)?;
        replies.push(Reply {
            comment: integer(&comment, "id")?,
            content: content_of(&comment)?,
            creation_date: milliseconds(comment.get("creationDate"))?,
            knows: known.contains(&author.id()),
            author: Name::of(&author)?,
        });
    }
    let order = |reply: &Reply| {
        let Reply {
            author, comment, ..
        } = reply;
        (Reverse(reply.creation_date), author.person, *comment)
    };
    replies.sort_unstable_by_key(order);
    Ok(replies)
}
