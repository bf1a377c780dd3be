//! Short reads 1 to 3: of persons.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use evergraph::property::{Direction, GraphError, NodeId, View};

use super::super::nodes::{
    find, integer, milliseconds, missing, node, only_neighbor, property, text,
};
use super::super::schema::{HAS_CREATOR, IS_LOCATED_IN, KNOWS, PERSON};
use super::{Name, content_of, original_post};

/// Row of short read 1.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Profile {
    pub first_name: Arc<str>,
    pub last_name: Arc<str>,
    pub birthday: i64,
    pub location_ip: Arc<str>,
    pub browser: Arc<str>,
    pub city: i64,
    pub gender: Arc<str>,
    pub creation_date: i64,
}

/// A row of short read 2.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Recent {
    pub message: i64,
    pub content: Arc<str>,
    pub creation_date: i64,
    pub post: i64,
    pub poster: Name,
}

/// A row of short read 3.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Friend {
    pub name: Name,
    pub since: i64,
}

/// Messages that short read 2 shows.
const MOST_RECENT: usize = 10;

/// Short read 1: who a person is.
///
/// # Errors
/// Errors of the store, or a network that is not as the schema says.
pub fn profile(view: &View, person: i64) -> Result<Option<Profile>, GraphError> {
    let Some(person) = find(view, PERSON, person)? else {
        return Ok(None);
    };
    let city = only_neighbor(view, &person, Direction::Outgoing, IS_LOCATED_IN)?;
    Ok(Some(Profile {
        first_name: text(&person, "firstName")?,
        last_name: text(&person, "lastName")?,
        birthday: milliseconds(person.get("birthday"))?,
        location_ip: text(&person, "locationIP")?,
        browser: text(&person, "browserUsed")?,
        city: integer(&city, "id")?,
        gender: text(&person, "gender")?,
        creation_date: milliseconds(person.get("creationDate"))?,
    }))
}

/// Short read 2: the last ten messages that a person wrote, with the post each is
/// about and who wrote that. The youngest first, higher ids before lower.
///
/// # Errors
/// Errors of the store, or a network that is not as the schema says.
pub fn recent_messages(view: &View, person: i64) -> Result<Vec<Recent>, GraphError> {
    let Some(person) = find(view, PERSON, person)? else {
        return Ok(Vec::new());
    };
    let messages = view.neighbors(person.id(), Direction::Incoming, &[HAS_CREATOR])?;
    let mut recent = BinaryHeap::with_capacity(MOST_RECENT + 1);
    // Younger ones tend to be last, and an older one than ten others costs its date.
    for message in messages.iter().rev().map(|adjacent| adjacent.neighbor) {
        let date = milliseconds(Some(&property(view, message, "creationDate")?))?;
        let is_older = |oldest: &Reverse<(i64, i64, NodeId)>| date < oldest.0.0;
        if recent.len() == MOST_RECENT && recent.peek().is_some_and(is_older) {
            continue;
        }
        let id = i64::try_from(property(view, message, "id")?)?;
        recent.push(Reverse((date, id, message)));
        if recent.len() > MOST_RECENT {
            recent.pop();
        }
    }
    let row = |Reverse((creation_date, id, message))| {
        let message = node(view, message)?;
        let content = content_of(&message)?;
        let post = original_post(view, message)?;
        let poster = only_neighbor(view, &post, Direction::Outgoing, HAS_CREATOR)?;
        Ok(Recent {
            message: id,
            content,
            creation_date,
            post: integer(&post, "id")?,
            poster: Name::of(&poster)?,
        })
    };
    recent.into_sorted_vec().into_iter().map(row).collect()
}

/// Short read 3: whom a person knows and since when. The youngest friendship first,
/// lower ids before higher.
///
/// # Errors
/// Errors of the store, or a network that is not as the schema says.
pub fn friends(view: &View, person: i64) -> Result<Vec<Friend>, GraphError> {
    let Some(person) = find(view, PERSON, person)? else {
        return Ok(Vec::new());
    };
    let mut friends = Vec::new();
    for adjacent in view.neighbors(person.id(), Direction::Both, &[KNOWS])? {
        let friendship = view.relationship(adjacent.relationship)?;
        let friendship = friendship.ok_or_else(|| missing(adjacent.relationship.to_string()))?;
        friends.push(Friend {
            name: Name::of(&node(view, adjacent.neighbor)?)?,
            since: milliseconds(friendship.get("creationDate"))?,
        });
    }
    friends.sort_unstable_by_key(|friend| (Reverse(friend.since), friend.name.person));
    Ok(friends)
}
