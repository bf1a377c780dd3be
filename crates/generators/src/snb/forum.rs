//! The forums that a person moderates, and their members.

use crate::snb::CAUSAL_GAP;
use crate::snb::draw::{Draw, Purpose};
use crate::snb::friendship::Friend;
use crate::snb::network::Network;
use crate::snb::parameters::DAY;
use crate::snb::rows::{Forum, Person};

/// Forums of a person, at most: a wall, albums, groups.
const MOST_FORUMS: u64 = 64;
const MOST_ALBUMS: usize = 40;
const MOST_MEMBERS: usize = 100;

/// Members join within a month after they can, most of them soon.
const SLOWEST_JOIN: i64 = 30 * DAY;
const FASTEST_JOIN: i64 = 30 * 60 * 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Wall,
    Album,
    Group,
}

/// A person who may write in a forum.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    /// Since when; the forum's creation for the moderator.
    pub(crate) since: i64,
    pub(crate) person: u32,
    /// When the person came into being, or the friendship that led here.
    pub(crate) depends_on: i64,
}

/// A forum with what its messages depend on.
pub(crate) struct Room {
    pub(crate) kind: Kind,
    pub(crate) forum: Forum,
    /// The creation of the moderator.
    pub(crate) moderator_since: i64,
    /// The moderator first, then members in the order in which they joined.
    pub(crate) members: Vec<Member>,
}

impl Room {
    /// How many of [`Room::members`] may write at `time`.
    pub(crate) fn present(&self, time: i64) -> usize {
        self.members
            .partition_point(|member| member.since + CAUSAL_GAP <= time)
    }
}

/// The forums that a person moderates, one at a time, each with the randomness
/// of its messages.
pub(crate) fn rooms<'a>(
    network: &'a Network,
    person: u32,
    row: &'a Person,
    friends: &'a [Friend],
) -> impl Iterator<Item = (Room, Draw)> + 'a {
    let profile = &network.profiles[person as usize];
    let mut draw = Draw::new(network.parameters.seed, Purpose::Forum, u64::from(person));
    let span = (network.parameters.end - network.parameters.start) as f64;
    let left = (network.parameters.end - profile.ready()) as f64 / span;
    let albums = (32.0 * draw.unit() * left) as usize;
    let groups = if draw.chance(80) {
        1 + draw.below(2)
    } else {
        0
    };
    let kinds = std::iter::once(Kind::Wall)
        .chain(std::iter::repeat_n(Kind::Album, albums.min(MOST_ALBUMS)))
        .chain(std::iter::repeat_n(Kind::Group, groups));
    let mut album = 0;
    kinds.enumerate().filter_map(move |(i, kind)| {
        let id = u64::from(person) * MOST_FORUMS + i as u64;
        let mut draw = Draw::new(network.parameters.seed, Purpose::Messages, id);
        let creation_date = match kind {
            Kind::Wall => profile.ready(),
            _ => draw.time(profile.ready(), network.parameters.end),
        };
        if creation_date >= network.parameters.end {
            return None;
        }
        let tags = tags(kind, row, &mut draw);
        let title = match kind {
            Kind::Wall => format!("Wall of {} {}", row.first_name, row.last_name),
            Kind::Album => {
                album += 1;
                format!(
                    "Album {} of {} {}",
                    album - 1,
                    row.first_name,
                    row.last_name
                )
            }
            Kind::Group => group_title(network, row, &tags),
        };
        let moderator = Member {
            since: creation_date,
            person,
            depends_on: profile.creation_date,
        };
        let members = members(network, kind, moderator, friends, &mut draw);
        let forum = Forum {
            id,
            title,
            creation_date,
            moderator: row.id,
            tags,
        };
        let room = Room {
            kind,
            forum,
            moderator_since: profile.creation_date,
            members,
        };
        Some((room, draw))
    })
}

fn tags(kind: Kind, row: &Person, draw: &mut Draw) -> Vec<u32> {
    let count = match kind {
        Kind::Wall => 1 + draw.below(8),
        Kind::Album => 1 + draw.below(4),
        Kind::Group => 1,
    };
    let mut tags: Vec<u32> = draw
        .distinct(count, row.interests.len())
        .into_iter()
        .map(|i| row.interests[i])
        .collect();
    tags.sort_unstable();
    tags
}

fn group_title(network: &Network, row: &Person, tags: &[u32]) -> String {
    let city = network.world.places()[row.city as usize].name;
    let subject = tags.first().map_or("all", |&tag| {
        network.world.tags()[tag as usize].name.as_str()
    });
    format!("Group for {subject} in {city}")
}

/// The moderator and all who join before the end.
fn members(
    network: &Network,
    kind: Kind,
    moderator: Member,
    friends: &[Friend],
    draw: &mut Draw,
) -> Vec<Member> {
    // Friends see the forum; groups are open to all persons.
    let per_mille = match kind {
        Kind::Wall => 1000,
        Kind::Album => 400,
        Kind::Group => 300,
    };
    let mut candidates: Vec<Member> = Vec::new();
    for friend in friends {
        if draw.chance(per_mille) {
            candidates.push(candidate(friend.person, friend.since));
        }
    }
    if kind == Kind::Group {
        let count = 10 + draw.low(MOST_MEMBERS - 10);
        for person in draw.distinct(count, network.profiles.len()) {
            let person = person as u32;
            let stranger =
                person != moderator.person && friends.iter().all(|friend| friend.person != person);
            if stranger {
                let created = network.profiles[person as usize].creation_date;
                candidates.push(candidate(person, created));
            }
        }
    }
    let mut joined = vec![moderator];
    for mut member in candidates {
        let earliest = member.depends_on.max(moderator.since);
        member.since = earliest + draw.delay(FASTEST_JOIN, SLOWEST_JOIN);
        if member.since < network.parameters.end {
            joined.push(member);
        }
    }
    joined[1..].sort_unstable_by_key(|member| (member.since, member.person));
    joined
}

fn candidate(person: u32, depends_on: i64) -> Member {
    Member {
        since: 0,
        person,
        depends_on,
    }
}
