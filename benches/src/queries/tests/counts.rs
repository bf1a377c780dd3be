//! The counts of LSQB by loops over the rows.

use std::collections::BTreeMap;

use evergraph_generators::snb::Message;
use evergraph_generators::snb::world::World;

use crate::snb::tests::reference::{Reference as Rows, id_of};

/// Count 1 to 9, and that of cliques.
pub fn count(rows: &Rows, world: &World, number: usize) -> u64 {
    match number {
        1 => members_and_comments(rows),
        2 => replies_to_friends(rows),
        3 => triangles_of_countries(rows, world),
        4 => messages(rows, 0),
        5 => other_tags(rows, false),
        6 => interests(rows, false),
        7 => messages(rows, 1),
        8 => other_tags(rows, true),
        9 => interests(rows, true),
        _ => four_cliques(rows),
    }
}

fn tags_of(rows: &Rows, message: i64) -> &[u32] {
    match rows.posts.get(&message) {
        Some(post) => &post.tags,
        None => &rows.comments[&message].tags,
    }
}

fn members_and_comments(rows: &Rows) -> u64 {
    let mut count = 0;
    for member in &rows.members {
        for comment in rows.comments.values() {
            let Message::Post(post) = comment.reply_of else {
                continue;
            };
            if rows.posts[&(post as i64)].forum == member.forum {
                count += comment.tags.len() as u64;
            }
        }
    }
    count
}

fn replies_to_friends(rows: &Rows) -> u64 {
    let is_to_friend = |author: u64, parent: Message| match parent {
        Message::Post(post) => {
            let of = rows.posts[&(post as i64)].creator as i64;
            rows.knows.contains_key(&(author as i64, of))
        }
        Message::Comment(_) => false,
    };
    let comments = rows.comments.values();
    comments
        .filter(|comment| is_to_friend(comment.creator, comment.reply_of))
        .count() as u64
}

fn triangles_of_countries(rows: &Rows, world: &World) -> u64 {
    let country = |person: i64| world.places()[rows.persons[&person].city as usize].part_of;
    let mut count = 0;
    for &(a, b) in rows.knows.keys() {
        for &(from, c) in rows.knows.keys() {
            let is_closed = from == b && rows.knows.contains_key(&(c, a));
            count += u64::from(is_closed && country(a) == country(b) && country(b) == country(c));
        }
    }
    count
}

fn four_cliques(rows: &Rows) -> u64 {
    let knows = |a: i64, b: i64| a < b && rows.knows.contains_key(&(a, b));
    let mut count = 0;
    for &(a, b) in rows.knows.keys().filter(|pair| pair.0 < pair.1) {
        let both = |c: &i64| knows(a, *c) && knows(b, *c);
        let thirds: Vec<i64> = rows.persons.keys().copied().filter(both).collect();
        let pairs = thirds
            .iter()
            .flat_map(|c| thirds.iter().map(move |d| (*c, *d)));
        count += pairs.filter(|&(c, d)| knows(c, d)).count() as u64;
    }
    count
}

/// Messages by tag, like and reply; with at least so many of the latter two.
fn messages(rows: &Rows, least: u64) -> u64 {
    let mut likes: BTreeMap<i64, u64> = BTreeMap::new();
    for like in &rows.likes {
        *likes.entry(id_of(like.message)).or_default() += 1;
    }
    let of = |message: i64| {
        let likes = likes.get(&message).copied().unwrap_or(0);
        let replies = rows.replies.get(&message).map_or(0, Vec::len) as u64;
        tags_of(rows, message).len() as u64 * likes.max(least) * replies.max(least)
    };
    rows.message_ids().into_iter().map(of).sum()
}

/// Pairs of different tags of a message and a reply, of which the reply has not that of the
/// message, if that is asked for.
fn other_tags(rows: &Rows, only_new: bool) -> u64 {
    let mut count = 0;
    for comment in rows.comments.values() {
        for one in tags_of(rows, id_of(comment.reply_of)) {
            if !(only_new && comment.tags.contains(one)) {
                count += comment.tags.iter().filter(|other| *other != one).count() as u64;
            }
        }
    }
    count
}

fn interests(rows: &Rows, only_strangers: bool) -> u64 {
    let mut count = 0;
    for &(a, b) in rows.knows.keys() {
        for &(from, c) in rows.knows.keys() {
            if from == b && a != c && !(only_strangers && rows.knows.contains_key(&(a, c))) {
                count += rows.persons[&c].interests.len() as u64;
            }
        }
    }
    count
}
