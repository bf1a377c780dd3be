//! All that hangs on one person, as events.

use crate::snb::forum::{Room, rooms};
use crate::snb::message::messages;
use crate::snb::network::Network;
use crate::snb::rows::{Change, Event, Friendship, Membership};

impl Network {
    /// Everything that hangs on a person: itself, its friendships with persons of
    /// higher ids, the forums that it moderates, and all that is in them: members,
    /// posts, comments and likes. Not in the order of time, but what refers to
    /// something in the same group comes behind it.
    ///
    /// All groups together are the network, each row once. Takes memory for the
    /// group, some megabytes for the most popular.
    pub fn activity_of(&self, person: u32) -> Vec<Event> {
        of_person(self, person)
    }

    /// All rows, by [`Network::activity_of`] one person after the other.
    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        (0..self.person_count()).flat_map(|person| self.activity_of(person))
    }
}

fn of_person(network: &Network, person: u32) -> Vec<Event> {
    let row = network.person(person);
    let mut events = vec![Event {
        time: row.creation_date,
        depends_on: 0,
        change: Change::Person(row.clone()),
    }];
    let friends = network.friends(person);
    for friend in friends.iter().filter(|friend| friend.person > person) {
        let of = |person: u32| network.profiles[person as usize].creation_date;
        events.push(Event {
            time: friend.since,
            depends_on: of(person).max(of(friend.person)),
            change: Change::Friendship(Friendship {
                first: u64::from(person),
                second: u64::from(friend.person),
                creation_date: friend.since,
            }),
        });
    }
    for (room, draw) in rooms(network, person, &row, &friends) {
        open(&room, &mut events);
        messages(network, &room, draw, &mut events);
    }
    events
}

/// The forum and its members.
fn open(room: &Room, events: &mut Vec<Event>) {
    events.push(Event {
        time: room.forum.creation_date,
        depends_on: room.moderator_since,
        change: Change::Forum(room.forum.clone()),
    });
    for member in room.members.iter().skip(1) {
        events.push(Event {
            time: member.since,
            depends_on: member.depends_on.max(room.forum.creation_date),
            change: Change::Membership(Membership {
                forum: room.forum.id,
                person: u64::from(member.person),
                join_date: member.since,
            }),
        });
    }
}
