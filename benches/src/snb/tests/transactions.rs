//! Effects of each update, and updates that meet.

use std::collections::BTreeSet;

use evergraph::Database;
use evergraph::property::{Direction, GraphError, PropertyGraph, View};
use evergraph_generators::snb::{Change, Like, Message, csv};

use super::{in_memory, network};
use crate::snb::parameters::Updates;
use crate::snb::schema::{FORUM, HAS_MEMBER, HAS_MODERATOR, LIKES, MESSAGE, PERSON};
use crate::snb::updates::{apply, number};
use crate::snb::{nodes, reads};

/// A network without its updates, and some of them.
fn initial() -> (Database, Updates) {
    let network = network(100);
    let db = in_memory(&network, csv::Part::Initial);
    (db, Updates::of(&network, 600))
}

/// Whether a relationship of a type leads from one node to another.
fn leads(view: &View, from: (&str, u64), kind: &str, to: (&str, u64)) -> bool {
    let node = |(label, id): (&str, u64)| nodes::find(view, label, id as i64).unwrap().unwrap();
    let neighbors = view.neighbors(node(from).id(), Direction::Outgoing, &[kind]);
    let to = node(to).id();
    neighbors
        .unwrap()
        .iter()
        .any(|adjacent| adjacent.neighbor == to)
}

/// Whether the graph shows a change, as it must as soon as that is made and not before.
fn shows(view: &View, change: &Change) -> bool {
    let message = |id: u64| reads::content(view, id as i64).unwrap();
    let recent = |person: u64, id: u64| {
        let recent = reads::recent_messages(view, person as i64).unwrap();
        let is_old = |date: i64| recent.len() == 10 && recent[9].creation_date >= date;
        recent.iter().any(|row| row.message == id as i64)
            || message(id).is_some_and(|message| is_old(message.creation_date))
    };
    match change {
        Change::Person(row) => {
            let profile = reads::profile(view, row.id as i64).unwrap();
            profile.is_some_and(|profile| {
                (&*profile.first_name, profile.city) == (row.first_name, row.city.into())
            })
        }
        Change::Friendship(row) => {
            let knows = |one: u64, other: u64| {
                let friends = reads::friends(view, one as i64).unwrap();
                let friend = friends.iter().find(|row| row.name.person == other as i64);
                friend.is_some_and(|friend| friend.since == row.creation_date)
            };
            let (one, other) = (knows(row.first, row.second), knows(row.second, row.first));
            assert_eq!(one, other);
            one
        }
        Change::Forum(row) => {
            let forum = nodes::find(view, FORUM, row.id as i64).unwrap();
            let moderator = (PERSON, row.moderator);
            forum.is_some() && leads(view, (FORUM, row.id), HAS_MODERATOR, moderator)
        }
        Change::Membership(row) => {
            leads(view, (FORUM, row.forum), HAS_MEMBER, (PERSON, row.person))
        }
        Change::Post(row) => {
            let forum = reads::forum(view, row.id as i64).unwrap();
            let creator = reads::creator(view, row.id as i64).unwrap();
            forum.is_some_and(|forum| forum.forum == row.forum as i64)
                && creator.is_some_and(|creator| creator.person == row.creator as i64)
                && recent(row.creator, row.id)
        }
        Change::Comment(row) => {
            let (Message::Post(parent) | Message::Comment(parent)) = row.reply_of;
            let replies = reads::replies(view, parent as i64).unwrap();
            let reply = replies.iter().find(|reply| reply.comment == row.id as i64);
            let is_there = reply.is_some_and(|reply| *reply.content == *row.content);
            is_there && recent(row.creator, row.id)
        }
        Change::Like(row) => {
            let (Message::Post(message) | Message::Comment(message)) = row.message;
            leads(view, (PERSON, row.person), LIKES, (MESSAGE, message))
        }
    }
}

#[test]
fn each_update_shows_at_once_and_not_before() {
    let (db, updates) = initial();
    let graph = db.property_graph().unwrap();
    let mut seen = BTreeSet::new();
    for change in updates.persons.iter().chain(&updates.others) {
        let before = graph.view();
        graph.write(|tx| apply(tx, change)).unwrap();
        assert!(shows(&graph.view(), change), "{change:?}");
        assert!(!shows(&before, change), "{change:?}");
        seen.insert(number(change));
    }
    assert_eq!(seen, (1..=8).collect());
}

#[test]
fn an_id_is_given_once() {
    let (db, updates) = initial();
    let graph = db.property_graph().unwrap();
    let mut refused = BTreeSet::new();
    for change in updates.persons.iter().chain(&updates.others) {
        graph.write(|tx| apply(tx, change)).unwrap();
        let makes_a_node = [1, 4, 6, 7].contains(&number(change));
        if makes_a_node && refused.insert(number(change)) {
            let twice = graph.write(|tx| apply(tx, change));
            let is_refused = matches!(twice, Err(GraphError::Constraint(_)));
            assert!(is_refused, "{change:?}");
        }
    }
    assert_eq!(refused.len(), 4);
}

/// The most recent message of someone, and persons who will like it.
fn likes(graph: &PropertyGraph) -> Vec<Change> {
    let view = graph.view();
    let persons = view.nodes_with_label(PERSON);
    let ids: Vec<i64> = persons
        .map(|person| nodes::integer(&person.unwrap(), "id").unwrap())
        .collect();
    let recent = |&id: &i64| {
        reads::recent_messages(&view, id)
            .unwrap()
            .into_iter()
            .next()
    };
    let post = ids.iter().find_map(recent).unwrap().post as u64;
    let like = |&person: &i64| {
        Change::Like(Like {
            person: person as u64,
            message: Message::Post(post),
            creation_date: 1,
        })
    };
    ids.iter().map(like).collect()
}

#[test]
fn two_likes_of_one_post_at_a_time_do_not_conflict() {
    let (db, _) = initial();
    let graph = db.property_graph().unwrap();
    let likes = likes(graph);
    let (mut one, mut other) = (graph.begin(), graph.begin());
    apply(&mut one, &likes[0]).unwrap();
    apply(&mut other, &likes[1]).unwrap();
    other.commit().unwrap();
    one.commit().unwrap();
    for like in &likes[..2] {
        assert!(shows(&graph.view(), like));
    }
}

#[test]
fn everybody_likes_one_post_without_a_conflict() {
    let (db, _) = initial();
    let graph = db.property_graph().unwrap();
    let likes = likes(graph);
    let before = graph.statistics().transactions.conflicts;
    let count = || match &likes[0] {
        Change::Like(Like {
            message: Message::Post(id),
            ..
        }) => {
            let view = graph.view();
            let post = nodes::find(&view, MESSAGE, *id as i64).unwrap().unwrap();
            view.degree(post.id(), Direction::Incoming, &[LIKES])
                .unwrap()
        }
        _ => unreachable!("likes are of one post"),
    };
    let earlier = count();
    std::thread::scope(|scope| {
        for some in likes.chunks(likes.len().div_ceil(8)) {
            scope.spawn(move || {
                for like in some {
                    let mut transaction = graph.begin();
                    apply(&mut transaction, like).unwrap();
                    transaction.commit().unwrap();
                }
            });
        }
    });
    assert_eq!(count(), earlier + likes.len());
    assert_eq!(graph.statistics().transactions.conflicts, before);
}
