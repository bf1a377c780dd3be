//! Names of the benchmark's schema, as its Cypher queries and `evergraph import`
//! have them, and what has to be found fast.

#![allow(missing_docs, reason = "the benchmark's names")]

use evergraph::property::{Definition, GraphError, PropertyGraph, Rule};

pub const PERSON: &str = "Person";
pub const FORUM: &str = "Forum";
/// Posts and comments have it as well; their ids are of one space.
pub const MESSAGE: &str = "Message";
pub const POST: &str = "Post";
pub const COMMENT: &str = "Comment";
pub const PLACE: &str = "Place";
pub const ORGANISATION: &str = "Organisation";
pub const TAG: &str = "Tag";

pub const KNOWS: &str = "KNOWS";
pub const HAS_CREATOR: &str = "HAS_CREATOR";
pub const REPLY_OF: &str = "REPLY_OF";
pub const CONTAINER_OF: &str = "CONTAINER_OF";
pub const HAS_MODERATOR: &str = "HAS_MODERATOR";
pub const HAS_MEMBER: &str = "HAS_MEMBER";
pub const HAS_TAG: &str = "HAS_TAG";
pub const HAS_INTEREST: &str = "HAS_INTEREST";
pub const IS_LOCATED_IN: &str = "IS_LOCATED_IN";
pub const STUDY_AT: &str = "STUDY_AT";
pub const WORK_AT: &str = "WORK_AT";
pub const LIKES: &str = "LIKES";

/// Whatever has an id has one of its own: six constraints, each with an index that
/// reads and updates find their nodes by.
///
/// # Errors
/// Two nodes with the same id.
pub fn define(graph: &PropertyGraph) -> Result<(), GraphError> {
    let labels = [PERSON, FORUM, MESSAGE, PLACE, ORGANISATION, TAG];
    let of_label = |label| {
        let name = format!("{label} id");
        Definition::of_nodes(&name, label, &["id"], Rule::Unique)
    };
    graph.define_all(&labels.map(of_label))
}
