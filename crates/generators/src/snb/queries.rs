//! Parameters of the fourteen complex and the seven short reads of the benchmark.
//!
//! A read should do about the same work whatever its parameters, so persons are
//! chosen whose numbers of friends are next to the median (a simple form of the
//! benchmark's parameter curation: Gubichev and Boncz, TPCTC 2014). What else a
//! query asks for is taken from where the person looks, so that there are answers.
//! Short reads look at what complex reads have found: friends of such persons, and
//! messages in their forums.

use std::io::{self, Write};

use crate::snb::draw::{Draw, Purpose};
use crate::snb::network::Network;
use crate::snb::parameters::DAY;
use crate::snb::rows::{Change, Person};

/// Persons whose friends are counted to find the median.
const SAMPLE: usize = 2_000;

/// Queries to be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// Complex reads, 1 to 14.
    Complex,
    /// Short reads, 1 to 7.
    Short,
}

/// Parameters of one query, one row a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Of which queries it is one.
    pub reads: Reads,
    /// From 1 on.
    pub query: u32,
    /// The names of the parameters.
    pub columns: &'static [&'static str],
    /// The values of each call, as they are written.
    pub rows: Vec<Vec<String>>,
}

impl Parameters {
    /// The name of the benchmark's file; of short reads, which have none there, one
    /// like it.
    pub fn file_name(&self) -> String {
        match self.reads {
            Reads::Complex => format!("interactive_{}_param.txt", self.query),
            Reads::Short => format!("interactive_short_{}_param.txt", self.query),
        }
    }

    /// Writes the file: `|` between columns, names first.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        writeln!(to, "{}", self.columns.join("|"))?;
        for row in &self.rows {
            writeln!(to, "{}", row.join("|"))?;
        }
        to.flush()
    }
}

const COLUMNS: [&[&str]; 14] = [
    &["personId", "firstName"],
    &["personId", "maxDate"],
    &[
        "personId",
        "startDate",
        "durationDays",
        "countryXName",
        "countryYName",
    ],
    &["personId", "startDate", "durationDays"],
    &["personId", "minDate"],
    &["personId", "tagName"],
    &["personId"],
    &["personId"],
    &["personId", "maxDate"],
    &["personId", "month"],
    &["personId", "countryName", "workFromYear"],
    &["personId", "tagClassName"],
    &["person1Id", "person2Id"],
    &["person1Id", "person2Id"],
];

/// `calls` calls of each query, on persons that are there before the updates (less
/// if there are not so many with friends).
pub fn parameters(network: &Network, calls: usize) -> Vec<Parameters> {
    let persons = typical_persons(network, calls);
    let query = |(i, columns): (usize, &&'static [&'static str])| {
        let query = i as u32 + 1;
        let row = |(call, &person): (usize, &u32)| {
            let mut draw = Draw::new(
                network.parameters.seed,
                Purpose::Queries,
                (call * 16 + i) as u64,
            );
            Call {
                network,
                person,
                persons: &persons,
                draw: &mut draw,
            }
            .row(query)
        };
        Parameters {
            reads: Reads::Complex,
            query,
            columns,
            rows: persons.iter().enumerate().map(row).collect(),
        }
    };
    COLUMNS.iter().enumerate().map(query).collect()
}

/// `calls` calls of each short read, on persons and messages that are there before
/// the updates (less if there are not so many typical persons with friends).
pub fn short_parameters(network: &Network, calls: usize) -> Vec<Parameters> {
    let persons = typical_persons(network, calls);
    let (mut found, mut messages) = (Vec::new(), Vec::new());
    for (call, &person) in persons.iter().enumerate() {
        let mut draw = Draw::new(
            network.parameters.seed,
            Purpose::Queries,
            (call * 16 + 14) as u64,
        );
        let friend = earlier_friend(network, person, &mut draw);
        found.push(u64::from(friend));
        let near = [friend, person];
        messages.extend(
            near.iter()
                .find_map(|&of| message_at(network, of, &mut draw)),
        );
    }
    let query = |query: u32| {
        let (columns, ids): (&'static [&'static str], _) = match query {
            1..=3 => (&["personId"], &found),
            _ => (&["messageId"], &messages),
        };
        Parameters {
            reads: Reads::Short,
            query,
            columns,
            rows: ids.iter().map(|id| vec![id.to_string()]).collect(),
        }
    };
    (1..=7).map(query).collect()
}

/// A friend that a person had before the updates; the person itself if there is none.
fn earlier_friend(network: &Network, person: u32, draw: &mut Draw) -> u32 {
    let cut = network.parameters.cut();
    let friends = network.friends(person);
    let known = &friends[..friends.partition_point(|friend| friend.since < cut)];
    match known.is_empty() {
        true => person,
        false => draw.pick(known).person,
    }
}

/// A message of before the updates, in a forum that a person moderates.
fn message_at(network: &Network, person: u32, draw: &mut Draw) -> Option<u64> {
    let cut = network.parameters.cut();
    let events = network.activity_of(person).into_iter();
    let messages: Vec<u64> = events
        .filter(|event| event.time < cut)
        .filter_map(|event| match event.change {
            Change::Post(post) => Some(post.id),
            Change::Comment(comment) => Some(comment.id),
            _ => None,
        })
        .collect();
    (!messages.is_empty()).then(|| *draw.pick(&messages))
}

/// Persons with a typical number of friends before the updates.
fn typical_persons(network: &Network, count: usize) -> Vec<u32> {
    let mut draw = Draw::new(network.parameters.seed, Purpose::Queries, u64::MAX);
    let cut = network.parameters.cut();
    let sample = draw.distinct(SAMPLE.max(count), network.person_count() as usize);
    let known = |person: u32| {
        let friends = network.friends(person);
        (friends.partition_point(|friend| friend.since < cut), person)
    };
    let mut ranked: Vec<(usize, u32)> = sample
        .into_iter()
        .map(|person| known(person as u32))
        .filter(|ranked| ranked.0 > 0)
        .collect();
    ranked.sort_unstable();
    let count = count.min(ranked.len());
    let first = (ranked.len() - count) / 2;
    let mut persons: Vec<u32> = ranked[first..first + count].iter().map(|r| r.1).collect();
    draw.shuffle(&mut persons);
    persons
}

/// One call of one query.
struct Call<'a> {
    network: &'a Network,
    person: u32,
    persons: &'a [u32],
    draw: &'a mut Draw,
}

impl Call<'_> {
    fn row(&mut self, query: u32) -> Vec<String> {
        let mut row = vec![self.person.to_string()];
        match query {
            1 => row.push(self.near().first_name.to_string()),
            2 | 9 => row.push(self.day(0.6, 0.4).to_string()),
            3 => {
                row.extend([self.day(0.3, 0.4).to_string(), self.days().to_string()]);
                row.extend(self.two_countries());
            }
            4 => row.extend([self.day(0.3, 0.5).to_string(), self.days().to_string()]),
            5 => row.push(self.day(0.5, 0.3).to_string()),
            6 => row.push(self.tag().name.clone()),
            10 => row.push((1 + self.draw.below(12)).to_string()),
            11 => {
                let city = self.near().city;
                let country = self.network.world().country_of_city(city);
                row.push(self.network.world().country(country).name.to_string());
                row.push((2000 + self.draw.below(14)).to_string());
            }
            12 => {
                let class = self.tag().class as usize;
                row.push(self.network.world().tag_classes()[class].name.to_string());
            }
            13 | 14 => row.push(self.other().to_string()),
            _ => {}
        }
        row
    }

    /// A friend, or the person itself.
    fn near(&mut self) -> Person {
        let friends = self.network.friends(self.person);
        let near = friends
            .get(self.draw.below(friends.len()))
            .map_or(self.person, |f| f.person);
        self.network.person(near)
    }

    fn tag(&mut self) -> &crate::snb::world::Tag {
        let person = self.near();
        let tag = *self.draw.pick(&person.interests);
        &self.network.world().tags()[tag as usize]
    }

    /// A midnight, from `from` of the time before the updates on, in the next `length`.
    fn day(&mut self, from: f64, length: f64) -> i64 {
        let parameters = &self.network.parameters;
        let span = (parameters.cut() - parameters.start) as f64;
        let time = parameters.start + (span * (from + length * self.draw.unit())) as i64;
        time - time.rem_euclid(DAY)
    }

    fn days(&mut self) -> usize {
        28 + self.draw.below(15)
    }

    /// Two countries in which the person does not live, populous ones mostly.
    fn two_countries(&mut self) -> [String; 2] {
        let world = self.network.world();
        let profile = &self.network.profiles[self.person as usize];
        let mut taken = vec![world.country_of_city(profile.city)];
        [(); 2].map(|()| {
            let mut country = self.draw.low(world.country_count());
            while taken.contains(&country) {
                country = (country + 1) % world.country_count();
            }
            taken.push(country);
            world.country(country).name.to_string()
        })
    }

    /// Another person of the calls, if there is one.
    fn other(&mut self) -> u32 {
        let at = self.draw.below(self.persons.len());
        let turned = self.persons[at..].iter().chain(&self.persons[..at]);
        turned
            .copied()
            .find(|&person| person != self.person)
            .unwrap_or(self.person)
    }
}
