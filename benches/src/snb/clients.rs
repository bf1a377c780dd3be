//! Updates by many clients at once.

use std::collections::HashMap;

use evergraph::property::{GraphError, PropertyGraph};
use evergraph_generators::snb::{Change, Comment, Like, Message};
use serde_json::json;

use super::load::Loaded;
use super::text;
use super::updates::apply;
use crate::meter::{Measured, Meter};
use crate::table::{Table, number};

/// An equal part of the updates by each number of clients.
pub fn table(loaded: &Loaded, updates: &[Change], clients: &[usize]) -> Result<Table, String> {
    let columns = [
        "clients",
        "commits",
        "seconds",
        "commits_per_second",
        "over_first",
        "conflicts",
        "others",
    ];
    let mut table = Table::new("updates by several clients, durable", &columns);
    let graph = loaded.graph()?;
    let share = (updates.len() / clients.len().max(1)).max(1);
    let mut first = None;
    for (&clients, part) in clients.iter().zip(updates.chunks(share)) {
        let before = graph.statistics().transactions.conflicts;
        let took = race(graph, deal(part, clients)).map_err(text)?;
        let conflicts = graph.statistics().transactions.conflicts - before;
        let rate = part.len() as f64 / took.seconds;
        table.row(vec![
            json!(clients),
            json!(part.len()),
            number(took.seconds),
            number(rate),
            number(rate / *first.get_or_insert(rate)),
            json!(conflicts),
            number(took.others),
        ]);
    }
    Ok(table)
}

/// Group of a change: changes that may refer to each other belong together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Topic {
    Forum(u64),
    /// A message that was there before.
    Message(u64),
    Person(u64),
}

/// Deals changes out so that each client has about as many, in the order of time,
/// and nothing refers to what another client makes.
pub fn deal(changes: &[Change], clients: usize) -> Vec<Vec<&Change>> {
    let mut hands: Vec<Vec<&Change>> = vec![Vec::new(); clients.max(1)];
    let mut topic_of_message = HashMap::new();
    let mut client_of_topic = HashMap::new();
    for change in changes {
        let of = |message: Message, known: &HashMap<u64, Topic>| {
            let (Message::Post(id) | Message::Comment(id)) = message;
            known.get(&id).copied().unwrap_or(Topic::Message(id))
        };
        let topic = match change {
            Change::Person(person) => Topic::Person(person.id),
            Change::Friendship(friendship) => Topic::Person(friendship.first),
            Change::Forum(forum) => Topic::Forum(forum.id),
            Change::Membership(membership) => Topic::Forum(membership.forum),
            Change::Post(post) => {
                let topic = Topic::Forum(post.forum);
                topic_of_message.insert(post.id, topic);
                topic
            }
            Change::Comment(Comment { id, reply_of, .. }) => {
                let topic = of(*reply_of, &topic_of_message);
                topic_of_message.insert(*id, topic);
                topic
            }
            Change::Like(Like { message, .. }) => of(*message, &topic_of_message),
        };
        let idlest = || (0..hands.len()).min_by_key(|&client| hands[client].len());
        let client = *client_of_topic
            .entry(topic)
            .or_insert_with(|| idlest().unwrap_or(0));
        hands[client].push(change);
    }
    hands
}

/// Each client makes its changes, one transaction each.
fn race(graph: &PropertyGraph, hands: Vec<Vec<&Change>>) -> Result<Measured, GraphError> {
    let client = |changes: Vec<&Change>| -> Result<(), GraphError> {
        for change in changes {
            graph.write(|tx| apply(tx, change))?;
        }
        Ok(())
    };
    let meter = Meter::start();
    std::thread::scope(|scope| {
        let hands = hands.into_iter();
        let threads: Vec<_> = hands
            .map(|changes| scope.spawn(|| client(changes)))
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("a client does not panic"))
    })?;
    Ok(meter.stop())
}
