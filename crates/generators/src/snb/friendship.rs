//! Friendships of persons, and their dates.
//!
//! Persons stand in three circles: ordered by where and when they studied, by what
//! they are interested in, and at random. Two who are close in a circle know each
//! other with a probability that falls with their distance and grows with the
//! popularity of both. Whether they do is a pure function of the pair, so no edge
//! is stored: the friends of a person are found by walking its surroundings.
//!
//! The shares of the circles are those of the benchmark's generator (Erling et al.,
//! SIGMOD 2015, section 2.3); degrees have a power-law tail, as popularity has.

use crate::snb::draw::{Draw, Purpose, pair_bits, pair_unit};
use crate::snb::person::Profile;
use crate::snb::{CAUSAL_GAP, Parameters};

/// Steps in each direction in which friends are looked for.
const REACH: usize = 600;

/// Distance at which half of the closeness is lost.
const HALF: f64 = 12.0;

/// The part of the friendships that each circle brings.
const SHARES: [f64; 3] = [0.45, 0.45, 0.1];

/// One end of a friendship, as seen from the other person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Friend {
    /// Since when, in milliseconds since 1970.
    pub since: i64,
    /// The person.
    pub person: u32,
}

/// All friendships of a network; 24 bytes a person.
#[derive(Clone, Debug)]
pub(crate) struct Friendships {
    circles: [Circle; 3],
    /// Of two persons of popularity 1, by circle and distance − 1.
    probabilities: [Vec<f64>; 3],
    /// Of the dates.
    date_key: u64,
    end: i64,
}

/// An order of the persons, first and last side by side.
#[derive(Clone, Debug)]
struct Circle {
    key: u64,
    order: Vec<u32>,
    place: Vec<u32>,
}

impl Circle {
    fn new(key: u64, order: Vec<u32>) -> Self {
        let mut place = vec![0; order.len()];
        for (at, &person) in order.iter().enumerate() {
            place[person as usize] = at as u32;
        }
        Self { key, order, place }
    }

    /// The persons `distance` steps before and behind.
    fn beside(&self, person: u32, distance: usize) -> [u32; 2] {
        let (at, count) = (self.place[person as usize] as usize, self.order.len());
        let behind = (at + distance) % count;
        let before = (at + count - distance) % count;
        [self.order[before], self.order[behind]]
    }
}

impl Friendships {
    pub(crate) fn new(parameters: &Parameters, profiles: &[Profile]) -> Self {
        let mut draw = Draw::new(parameters.seed, Purpose::Order, 0);
        let mut chance: Vec<u32> = (0..profiles.len() as u32).collect();
        draw.shuffle(&mut chance);
        // Sorts are stable: who agrees in everything stands in random order.
        let (mut studies, mut interests) = (chance.clone(), chance.clone());
        studies.sort_by_key(|&person| {
            let profile = &profiles[person as usize];
            let class = profile
                .study
                .map(|(university, year)| (year / 3, university));
            (profile.city, class, profile.birthday)
        });
        interests.sort_by_key(|&person| profiles[person as usize].interest);
        let reach = REACH.min(profiles.len().saturating_sub(1) / 2);
        let mut key = || (draw.below(usize::MAX) as u64) << 1;
        Self {
            circles: [studies, interests, chance].map(|order| Circle::new(key(), order)),
            probabilities: SHARES.map(|share| probabilities(parameters.friends() * share, reach)),
            date_key: key(),
            end: parameters.end,
        }
    }

    /// The friends of a person, oldest friendships first. Takes time in the reach
    /// of the circles (some thousand steps), not in the persons.
    pub(crate) fn of(&self, profiles: &[Profile], person: u32) -> Vec<Friend> {
        let popularity = f64::from(profiles[person as usize].popularity);
        let mut found = Vec::new();
        for (circle, probabilities) in self.circles.iter().zip(&self.probabilities) {
            for (i, probability) in probabilities.iter().enumerate() {
                for other in circle.beside(person, i + 1) {
                    let others = f64::from(profiles[other as usize].popularity);
                    // Both sides compute the same product: it commutes exactly.
                    let probability = probability * (popularity * others);
                    if pair_unit(circle.key, person, other) < probability {
                        found.push(other);
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        let friend = |other| Friend {
            since: self.since(profiles, person, other),
            person: other,
        };
        let mut friends: Vec<Friend> = found.into_iter().map(friend).collect();
        friends.sort_unstable();
        friends
    }

    /// Since when two persons who know each other do: rather soon after the younger
    /// of both has come.
    fn since(&self, profiles: &[Profile], a: u32, b: u32) -> i64 {
        let of = |person: u32| profiles[person as usize].creation_date;
        let earliest = of(a).max(of(b)) + CAUSAL_GAP;
        let left = (self.end - earliest).max(1) as f64;
        let unit = (pair_bits(self.date_key, a, b) >> 11) as f64 / (1_u64 << 53) as f64;
        earliest + (unit * unit * left) as i64
    }
}

/// The probabilities at each distance, so that a person of popularity 1 among such
/// has `friends` friends on the average.
fn probabilities(friends: f64, reach: usize) -> Vec<f64> {
    let closeness = |distance: usize| HALF / (HALF + distance as f64 - 1.0);
    let both_sides: f64 = 2.0 * (1..=reach).map(closeness).sum::<f64>();
    (1..=reach)
        .map(|distance| friends * closeness(distance) / both_sides)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snb::world::World;

    fn profiles(parameters: &Parameters) -> Vec<Profile> {
        let world = World::new();
        let profile = |person| Profile::new(parameters, &world, person);
        (0..parameters.persons as u32).map(profile).collect()
    }

    #[test]
    fn friendship_is_mutual_and_never_with_oneself() {
        for persons in [1, 2, 3, 4, 5, 20, 300] {
            let parameters = Parameters::with_persons(persons).with_seed(persons);
            let profiles = profiles(&parameters);
            let friendships = Friendships::new(&parameters, &profiles);
            for person in 0..persons as u32 {
                let friends = friendships.of(&profiles, person);
                assert!(friends.is_sorted());
                for friend in &friends {
                    assert_ne!(friend.person, person);
                    let back = friendships.of(&profiles, friend.person);
                    let mutual = Friend { person, ..*friend };
                    assert!(back.contains(&mutual), "{person} and {friend:?}");
                    assert!(friend.since < parameters.end);
                    for both in [person, friend.person] {
                        let ready = profiles[both as usize].ready();
                        assert!(friend.since >= ready);
                    }
                }
            }
        }
    }

    #[test]
    fn degrees_have_the_mean_asked_for_and_a_long_tail() {
        let parameters = Parameters::with_persons(3_000).with_mean_friends(20.0);
        let profiles = profiles(&parameters);
        let friendships = Friendships::new(&parameters, &profiles);
        let mut degrees: Vec<usize> = (0..3_000)
            .map(|person| friendships.of(&profiles, person).len())
            .collect();
        degrees.sort_unstable();
        let mean = degrees.iter().sum::<usize>() as f64 / 3_000.0;
        assert!((16.0..22.0).contains(&mean), "{mean}");
        let (median, last) = (degrees[1_500], degrees[2_999]);
        assert!(median * 12 < last, "median {median}, most {last}");
    }

    #[test]
    fn friends_are_alike() {
        let parameters = Parameters::with_persons(3_000).with_mean_friends(20.0);
        let profiles = profiles(&parameters);
        let friendships = Friendships::new(&parameters, &profiles);
        let world = World::new();
        let class = |profile: &Profile| world.tags()[usize::from(profile.interest)].class;
        let alike = |a: &Profile, b: &Profile| [a.city == b.city, class(a) == class(b)];
        let (mut friends, mut strangers) = ((0, [0; 2]), (0, [0; 2]));
        for person in 0..3_000_u32 {
            let own = &profiles[person as usize];
            let count = |all: &mut (usize, [usize; 2]), other: u32| {
                let alike = alike(own, &profiles[other as usize]);
                all.0 += 1;
                all.1[0] += usize::from(alike[0]);
                all.1[1] += usize::from(alike[1]);
            };
            for friend in friendships.of(&profiles, person) {
                count(&mut friends, friend.person);
            }
            count(&mut strangers, (person * 7 + 11) % 3_000);
        }
        for trait_of in 0..2 {
            let part = |all: (usize, [usize; 2])| all.1[trait_of] as f64 / all.0 as f64;
            let (found, expected) = (part(friends), part(strangers));
            assert!(
                found > 2.0 * expected,
                "{found} of friends, {expected} of all"
            );
        }
    }
}
