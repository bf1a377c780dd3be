//! A whole network held against what it promises, by going over its rows once and
//! remembering everything.

use std::collections::{BTreeMap, BTreeSet};

use evergraph_generators::snb::{CAUSAL_GAP, Change, Event, Message, Network, Parameters};
use proptest::prelude::*;

fn network(persons: u64, seed: u64) -> Network {
    Network::new(Parameters::with_persons(persons).with_seed(seed)).unwrap()
}

/// All ids with the time at which each comes into being; no id comes twice.
#[derive(Default)]
struct Births {
    persons: BTreeMap<u64, i64>,
    forums: BTreeMap<u64, i64>,
    messages: BTreeMap<Message, i64>,
    message_ids: BTreeSet<u64>,
    friendships: BTreeMap<(u64, u64), i64>,
    members: BTreeMap<(u64, u64), i64>,
    moderators: BTreeMap<u64, u64>,
    /// The forum of each message, found through posts and replies.
    forum_of: BTreeMap<Message, u64>,
    likes: BTreeSet<(u64, Message)>,
}

impl Births {
    fn of(events: &[Event]) -> Self {
        let mut births = Births::default();
        for event in events {
            births.add(event);
        }
        births
    }

    fn add(&mut self, event: &Event) {
        let time = event.time;
        let twice = match &event.change {
            Change::Person(person) => self.persons.insert(person.id, time).is_some(),
            Change::Friendship(f) => {
                assert!(f.first < f.second);
                self.friendships.insert((f.first, f.second), time).is_some()
            }
            Change::Forum(forum) => {
                self.moderators.insert(forum.id, forum.moderator);
                self.forums.insert(forum.id, time).is_some()
            }
            Change::Membership(m) => self.members.insert((m.forum, m.person), time).is_some(),
            Change::Post(post) => {
                let message = Message::Post(post.id);
                self.forum_of.insert(message, post.forum);
                self.messages.insert(message, time);
                !self.message_ids.insert(post.id)
            }
            Change::Comment(comment) => {
                let message = Message::Comment(comment.id);
                // The parent stands before the comment in its group.
                self.forum_of
                    .insert(message, self.forum_of[&comment.reply_of]);
                self.messages.insert(message, time);
                !self.message_ids.insert(comment.id)
            }
            Change::Like(like) => !self.likes.insert((like.person, like.message)),
        };
        assert!(!twice, "{event:?} comes twice");
    }

    /// Time from which a person may write in a forum.
    fn since(&self, forum: u64, person: u64) -> i64 {
        match self.moderators[&forum] == person {
            true => self.forums[&forum],
            false => self.members[&(forum, person)],
        }
    }

    /// The times of everything that an event refers to.
    fn references(&self, event: &Event) -> Vec<i64> {
        match &event.change {
            Change::Person(_) => Vec::new(),
            Change::Friendship(f) => vec![self.persons[&f.first], self.persons[&f.second]],
            Change::Forum(forum) => vec![self.persons[&forum.moderator]],
            Change::Membership(m) => {
                assert_ne!(self.moderators[&m.forum], m.person);
                vec![self.persons[&m.person], self.forums[&m.forum]]
            }
            Change::Post(post) => {
                assert_eq!(post.image_file.is_some(), post.content.is_empty());
                assert_eq!(post.language.is_some(), post.image_file.is_none());
                vec![
                    self.persons[&post.creator],
                    self.since(post.forum, post.creator),
                ]
            }
            Change::Comment(comment) => {
                let forum = self.forum_of[&comment.reply_of];
                vec![
                    self.persons[&comment.creator],
                    self.messages[&comment.reply_of],
                    self.since(forum, comment.creator),
                ]
            }
            Change::Like(like) => {
                let forum = self.forum_of[&like.message];
                vec![
                    self.persons[&like.person],
                    self.messages[&like.message],
                    self.since(forum, like.person),
                ]
            }
        }
    }
}

fn assert_sound(network: &Network) {
    let events: Vec<Event> = network.events().collect();
    let births = Births::of(&events);
    let parameters = network.parameters();
    let world = network.world();
    assert_eq!(births.persons.len() as u64, parameters.persons);
    for event in &events {
        assert!(
            (parameters.start..parameters.end).contains(&event.time),
            "{event:?}"
        );
        let references = births.references(event);
        let youngest = references.iter().copied().max().unwrap_or(0);
        assert!(
            event.depends_on >= youngest,
            "{event:?} depends on {youngest}"
        );
        if youngest > 0 {
            assert!(event.time >= event.depends_on + CAUSAL_GAP, "{event:?}");
        }
        let (tags, place) = match &event.change {
            Change::Person(person) => (&person.interests, person.city),
            Change::Forum(forum) => (&forum.tags, 0),
            Change::Post(post) => (&post.tags, post.country),
            Change::Comment(comment) => (&comment.tags, comment.country),
            _ => continue,
        };
        assert!(tags.is_sorted_by(|a, b| a < b), "{event:?}");
        assert!(tags.iter().all(|&tag| (tag as usize) < world.tags().len()));
        assert!((place as usize) < world.places().len());
    }
}

#[test]
fn a_network_is_sound() {
    assert_sound(&network(300, 1));
}

#[test]
fn friendships_alone_are_those_of_the_events() {
    let network = network(200, 3);
    let mut alone: Vec<_> = network.friendships().collect();
    let mut among: Vec<_> = network
        .events()
        .filter_map(|event| match event.change {
            Change::Friendship(friendship) => Some(friendship),
            _ => None,
        })
        .collect();
    alone.sort_by_key(|f| (f.first, f.second));
    among.sort_by_key(|f| (f.first, f.second));
    assert_eq!(alone, among);
}

#[test]
fn a_persons_rows_do_not_depend_on_the_order_in_which_they_are_made() {
    let (forth, back) = (network(60, 9), network(60, 9));
    let mut last_first: Vec<Vec<Event>> = (0..60).rev().map(|p| back.activity_of(p)).collect();
    last_first.reverse();
    assert!(forth.events().eq(last_first.into_iter().flatten()));
    assert!(network(60, 10).events().ne(forth.events()));
}

/// The same on every machine and in every release; a deliberate change belongs in the
/// changelog.
#[test]
fn the_network_of_seed_one_is_always_the_same() {
    let network = network(100, 1);
    let mut sum = 0_u64;
    let mut count = 0_u64;
    for event in network.events() {
        for byte in format!("{event:?}").bytes() {
            // FNV-1a.
            sum = (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        count += 1;
    }
    assert_eq!((count, sum), (29_393, 14_002_659_801_813_888_174));
}

#[test]
fn rows_are_about_as_many_as_the_benchmark_has() {
    // 1700 persons are its scale factor 0.1, whose rows a person are given here.
    let network = network(1_700, 5);
    let mut rows = BTreeMap::new();
    for event in network.events() {
        let kind = match event.change {
            Change::Person(_) => "person",
            Change::Friendship(_) => "knows",
            Change::Forum(_) => "forum",
            Change::Membership(_) => "member",
            Change::Post(_) => "post",
            Change::Comment(_) => "comment",
            Change::Like(_) => "like",
        };
        *rows.entry(kind).or_insert(0_u64) += 1;
    }
    let expected = [
        ("knows", 9.2),
        ("forum", 9.0),
        ("member", 80.0),
        ("post", 89.0),
        ("comment", 99.0),
        ("like", 72.0),
    ];
    for (kind, a_person) in expected {
        let found = rows[kind] as f64 / 1_700.0;
        let near = found > a_person * 0.6 && found < a_person * 1.7;
        assert!(
            near,
            "{kind}: {found} a person, the benchmark has {a_person}: {rows:?}"
        );
    }
}

#[test]
fn attributes_follow_the_country() {
    let network = network(2_000, 2);
    let world = network.world();
    let country_of = |city: u32| world.places()[city as usize].part_of.unwrap();
    let (mut chinese, mut wang, mut others, mut wang_elsewhere) = (0, 0, 0, 0);
    for person in network.persons() {
        let country = &world.places()[country_of(person.city) as usize];
        if let Some(study) = person.study {
            let city = world.organisations()[study.organisation as usize].place;
            assert_eq!(country_of(city), country.id, "{person:?} studied abroad");
        }
        let is_wang = usize::from(person.last_name == "Wang");
        if country.name == "China" {
            chinese += 1;
            wang += is_wang;
        } else {
            others += 1;
            wang_elsewhere += is_wang;
        }
    }
    assert!(chinese > 300 && others > 300, "{chinese} {others}");
    assert!(wang * 5 > chinese, "{wang} of {chinese}");
    assert_eq!(wang_elsewhere, 0);
}

#[test]
fn messages_pile_up_around_occasions() {
    let network = network(400, 2);
    let mut by_tag: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
    for event in network.events() {
        if let Change::Post(post) = event.change {
            for tag in post.tags {
                by_tag.entry(tag).or_default().push(post.creation_date);
            }
        }
    }
    // Somewhere, five posts of a tag come within a day, written in different forums.
    let day = evergraph_generators::snb::DAY;
    let burst = by_tag.values_mut().any(|times| {
        times.sort_unstable();
        times.windows(5).any(|five| five[4] - five[0] < day)
    });
    assert!(burst);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn small_networks_are_sound(persons in 1_u64..25, seed: u64, friends in 0.0..30.0_f64, days in 30_i64..400) {
        let mut parameters = Parameters::with_persons(persons).with_seed(seed).with_mean_friends(friends);
        parameters.end = parameters.start + days * evergraph_generators::snb::DAY;
        assert_sound(&Network::new(parameters).unwrap());
    }
}
