//! The eight updates of LDBC SNB Interactive v1, each in a transaction of the
//! caller's, and of a row as the generator's streams have it.

use evergraph::property::value::Value;
use evergraph::property::{GraphError, NodeId, Transaction};
use evergraph_generators::snb::{
    Change, Comment, Forum, Friendship, Like, Membership, Message, Person, Post,
};

use super::nodes::missing;
use super::schema::{
    COMMENT, CONTAINER_OF, FORUM, HAS_CREATOR, HAS_INTEREST, HAS_MEMBER, HAS_MODERATOR, HAS_TAG,
    IS_LOCATED_IN, KNOWS, LIKES, MESSAGE, ORGANISATION, PERSON, PLACE, POST, REPLY_OF, STUDY_AT,
    TAG, WORK_AT,
};

/// Which update adds a change, 1 to 8.
pub fn number(change: &Change) -> usize {
    match change {
        Change::Person(_) => 1,
        Change::Like(Like {
            message: Message::Post(_),
            ..
        }) => 2,
        Change::Like(Like {
            message: Message::Comment(_),
            ..
        }) => 3,
        Change::Forum(_) => 4,
        Change::Membership(_) => 5,
        Change::Post(_) => 6,
        Change::Comment(_) => 7,
        Change::Friendship(_) => 8,
    }
}

/// Adds whatever it is.
///
/// # Errors
/// Something that it refers to is not there; a conflict.
pub fn apply(tx: &mut Transaction, change: &Change) -> Result<(), GraphError> {
    match change {
        Change::Person(person) => add_person(tx, person),
        Change::Like(like) => add_like(tx, like),
        Change::Forum(forum) => add_forum(tx, forum),
        Change::Membership(membership) => add_membership(tx, membership),
        Change::Post(post) => add_post(tx, post),
        Change::Comment(comment) => add_comment(tx, comment),
        Change::Friendship(friendship) => add_friendship(tx, friendship),
    }
}

/// Update 1.
fn add_person(tx: &mut Transaction, row: &Person) -> Result<(), GraphError> {
    let person = tx.create_node(
        &[PERSON],
        [
            ("id", id_value(row.id)),
            ("firstName", row.first_name.into()),
            ("lastName", row.last_name.into()),
            ("gender", row.gender.name().into()),
            ("birthday", row.birthday.into()),
            ("creationDate", row.creation_date.into()),
            ("locationIP", row.location_ip.to_string().into()),
            ("browserUsed", row.browser.into()),
            ("language", row.languages.clone().into()),
            ("email", row.emails.clone().into()),
        ],
    )?;
    link(tx, person, IS_LOCATED_IN, PLACE, row.city.into())?;
    for &tag in &row.interests {
        link(tx, person, HAS_INTEREST, TAG, tag.into())?;
    }
    if let Some(study) = &row.study {
        let university = find(tx, ORGANISATION, study.organisation.into())?;
        let year = [("classYear", study.class_year.into())];
        tx.create_relationship(person, STUDY_AT, university, year)?;
    }
    for job in &row.jobs {
        let company = find(tx, ORGANISATION, job.organisation.into())?;
        let year = [("workFrom", job.work_from.into())];
        tx.create_relationship(person, WORK_AT, company, year)?;
    }
    Ok(())
}

/// Updates 2 and 3.
fn add_like(tx: &mut Transaction, row: &Like) -> Result<(), GraphError> {
    let (Message::Post(message) | Message::Comment(message)) = row.message;
    let person = find(tx, PERSON, row.person)?;
    let message = find(tx, MESSAGE, message)?;
    let since = [("creationDate", row.creation_date.into())];
    tx.create_relationship(person, LIKES, message, since)?;
    Ok(())
}

/// Update 4.
fn add_forum(tx: &mut Transaction, row: &Forum) -> Result<(), GraphError> {
    let forum = tx.create_node(
        &[FORUM],
        [
            ("id", id_value(row.id)),
            ("title", row.title.as_str().into()),
            ("creationDate", row.creation_date.into()),
        ],
    )?;
    link(tx, forum, HAS_MODERATOR, PERSON, row.moderator)?;
    tagged(tx, forum, &row.tags)
}

/// Update 5.
fn add_membership(tx: &mut Transaction, row: &Membership) -> Result<(), GraphError> {
    let forum = find(tx, FORUM, row.forum)?;
    let person = find(tx, PERSON, row.person)?;
    let since = [("joinDate", row.join_date.into())];
    tx.create_relationship(forum, HAS_MEMBER, person, since)?;
    Ok(())
}

/// Update 6. What is empty is not there.
fn add_post(tx: &mut Transaction, row: &Post) -> Result<(), GraphError> {
    let content = (!row.content.is_empty()).then_some(row.content.as_str());
    let post = tx.create_node(
        &[POST, MESSAGE],
        [
            ("id", id_value(row.id)),
            ("imageFile", row.image_file.as_deref().into()),
            ("creationDate", row.creation_date.into()),
            ("locationIP", row.location_ip.to_string().into()),
            ("browserUsed", row.browser.into()),
            ("language", row.language.into()),
            ("content", content.into()),
            ("length", length(&row.content)),
        ],
    )?;
    link(tx, post, HAS_CREATOR, PERSON, row.creator)?;
    link(tx, post, IS_LOCATED_IN, PLACE, row.country.into())?;
    let forum = find(tx, FORUM, row.forum)?;
    tx.create_relationship(forum, CONTAINER_OF, post, [])?;
    tagged(tx, post, &row.tags)
}

/// Update 7.
fn add_comment(tx: &mut Transaction, row: &Comment) -> Result<(), GraphError> {
    let comment = tx.create_node(
        &[COMMENT, MESSAGE],
        [
            ("id", id_value(row.id)),
            ("creationDate", row.creation_date.into()),
            ("locationIP", row.location_ip.to_string().into()),
            ("browserUsed", row.browser.into()),
            ("content", row.content.as_str().into()),
            ("length", length(&row.content)),
        ],
    )?;
    let (Message::Post(parent) | Message::Comment(parent)) = row.reply_of;
    link(tx, comment, HAS_CREATOR, PERSON, row.creator)?;
    link(tx, comment, IS_LOCATED_IN, PLACE, row.country.into())?;
    link(tx, comment, REPLY_OF, MESSAGE, parent)?;
    tagged(tx, comment, &row.tags)
}

/// Update 8.
fn add_friendship(tx: &mut Transaction, row: &Friendship) -> Result<(), GraphError> {
    let first = find(tx, PERSON, row.first)?;
    let second = find(tx, PERSON, row.second)?;
    let since = [("creationDate", row.creation_date.into())];
    tx.create_relationship(first, KNOWS, second, since)?;
    Ok(())
}

fn tagged(tx: &mut Transaction, node: NodeId, tags: &[u32]) -> Result<(), GraphError> {
    for &tag in tags {
        link(tx, node, HAS_TAG, TAG, tag.into())?;
    }
    Ok(())
}

/// A relationship without properties to the node that has an id.
fn link(
    tx: &mut Transaction,
    from: NodeId,
    kind: &str,
    label: &str,
    id: u64,
) -> Result<(), GraphError> {
    let to = find(tx, label, id)?;
    tx.create_relationship(from, kind, to, [])?;
    Ok(())
}

fn find(tx: &Transaction, label: &str, id: u64) -> Result<NodeId, GraphError> {
    let found = tx.find(label, &[("id", id_value(id))])?.pop();
    let found = found.ok_or_else(|| missing(format!("{label} {id}")))?;
    Ok(found.id())
}

/// The generator's ids have 50 bits.
fn id_value(id: u64) -> Value {
    Value::Integer(id as i64)
}

fn length(content: &str) -> Value {
    Value::Integer(content.chars().count() as i64)
}
