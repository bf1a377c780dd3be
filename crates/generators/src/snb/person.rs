//! Persons: a profile that stays in memory, and everything else on demand.

use std::net::Ipv4Addr;

use crate::snb::draw::{Draw, Purpose};
use crate::snb::parameters::DAY;
use crate::snb::rows::{Gender, Job, Person, Study};
use crate::snb::world::World;
use crate::snb::{CAUSAL_GAP, Parameters};

/// 1950-01-01 and the days in which persons are born, 45 years.
const FIRST_BIRTHDAY: i64 = -631_152_000_000;
const BIRTHDAYS: usize = 45 * 365;

/// Most interests of a person.
const MOST_INTERESTS: usize = 80;

const BROWSERS: [(&str, u64); 5] = [
    ("Firefox", 400),
    ("Chrome", 700),
    ("Internet Explorer", 930),
    ("Safari", 970),
    ("Opera", 1000),
];

const MAIL_HOSTS: [&str; 5] = [
    "example.com",
    "example.net",
    "example.org",
    "mail.example",
    "post.example",
];

/// Attributes that a person's friendships and messages depend on; 48 bytes.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    pub(crate) creation_date: i64,
    pub(crate) birthday: i64,
    /// Of mean 1: how many friends a person has and how much it writes.
    pub(crate) popularity: f32,
    /// The id of the place.
    pub(crate) city: u32,
    /// The id of the organisation, and the year of graduation.
    pub(crate) study: Option<(u32, u16)>,
    /// The id of the tag that a person cares about most.
    pub(crate) interest: u16,
}

impl Profile {
    pub(crate) fn new(parameters: &Parameters, world: &World, person: u32) -> Self {
        let mut draw = Draw::new(parameters.seed, Purpose::Profile, u64::from(person));
        let country = world.country_of_person(draw.below(world.people()));
        let cities = world.cities_of(country);
        let city = (cities.start + draw.low(cities.len())) as u32;
        let birthday = FIRST_BIRTHDAY + draw.below(BIRTHDAYS) as i64 * DAY;
        let last_year = year_of(parameters.start);
        let study = draw.chance(790).then(|| {
            let near = if draw.chance(900) {
                city
            } else {
                (cities.start + draw.below(cities.len())) as u32
            };
            let universities = world.universities_of(near);
            let university = universities.start + draw.low(universities.len());
            let class_year = (year_of(birthday) + 20 + draw.below(6) as i32).min(last_year);
            (university as u32, class_year.max(0) as u16)
        });
        // Something has to be left to do on the last day.
        let latest = (parameters.end - DAY).max(parameters.start + 1);
        Self {
            creation_date: draw.time(parameters.start, latest),
            birthday,
            popularity: draw.popularity() as f32,
            city,
            study,
            interest: interest(world, country, &mut draw) as u16,
        }
    }

    /// When a person may do something at the earliest.
    pub(crate) fn ready(&self) -> i64 {
        self.creation_date + CAUSAL_GAP
    }
}

/// A tag as liked in a country: those that rank low there, mostly.
pub(crate) fn interest(world: &World, country: usize, draw: &mut Draw) -> u32 {
    let rank = draw.low(world.tags().len());
    world.tag_by_rank(country, rank)
}

/// The whole row of a person.
pub(crate) fn person(parameters: &Parameters, world: &World, profile: &Profile, id: u32) -> Person {
    let mut draw = Draw::new(parameters.seed, Purpose::Person, u64::from(id));
    let country = world.country_of_city(profile.city);
    let names = world.country(country).culture.names();
    let gender = if draw.chance(500) {
        Gender::Female
    } else {
        Gender::Male
    };
    let given = match gender {
        Gender::Female => &names.female,
        Gender::Male => &names.male,
    };
    let first_name = given[draw.low(given.len())];
    let last_name = names.surnames[draw.low(names.surnames.len())];
    Person {
        id: u64::from(id),
        first_name,
        last_name,
        gender,
        birthday: profile.birthday,
        creation_date: profile.creation_date,
        location_ip: address(country, &mut draw),
        browser: own_browser(parameters, id),
        languages: languages(world, country, &mut draw),
        emails: emails(first_name, id, &mut draw),
        city: profile.city,
        interests: interests(world, country, profile, &mut draw),
        study: profile.study.map(|(organisation, class_year)| Study {
            organisation,
            class_year: i32::from(class_year),
        }),
        jobs: jobs(parameters, world, country, profile, &mut draw),
    }
}

/// An address of a country: each has two numbers for the first byte.
pub(crate) fn address(country: usize, draw: &mut Draw) -> Ipv4Addr {
    // From 14 to 109: none of the networks for private use.
    let first = 14 + 2 * country + draw.below(2);
    let rest = draw.below(1 << 24);
    Ipv4Addr::new(
        first as u8,
        (rest >> 16) as u8,
        (rest >> 8) as u8,
        rest as u8,
    )
}

/// The browser that a person uses at home.
pub(crate) fn own_browser(parameters: &Parameters, person: u32) -> &'static str {
    browser(&mut Draw::new(
        parameters.seed,
        Purpose::Browser,
        u64::from(person),
    ))
}

pub(crate) fn browser(draw: &mut Draw) -> &'static str {
    let at = draw.below(1000) as u64;
    let found = BROWSERS.iter().find(|browser| at < browser.1);
    found.map_or(BROWSERS[0].0, |browser| browser.0)
}

/// One or two languages of the country, and often English.
fn languages(world: &World, country: usize, draw: &mut Draw) -> Vec<&'static str> {
    let known = world.country(country).languages;
    let mut languages = vec![known[draw.low(known.len())]];
    for (language, per_mille) in [(*draw.pick(known), 300), ("en", 800)] {
        if draw.chance(per_mille) && !languages.contains(&language) {
            languages.push(language);
        }
    }
    languages
}

fn emails(first_name: &str, id: u32, draw: &mut Draw) -> Vec<String> {
    let count = 1 + draw.low(4);
    let mut hosts = draw.distinct(count, MAIL_HOSTS.len());
    hosts.sort_unstable();
    let name: String = first_name.chars().filter(|c| c.is_alphanumeric()).collect();
    hosts
        .into_iter()
        .map(|host| format!("{name}{id}@{}", MAIL_HOSTS[host]))
        .collect()
}

/// The main interest, tags like it, and what is liked in the country.
fn interests(world: &World, country: usize, profile: &Profile, draw: &mut Draw) -> Vec<u32> {
    let main = u32::from(profile.interest);
    let like = world.tags_like(main);
    let count = draw.low(MOST_INTERESTS);
    let others = (0..count).map(|_| {
        if draw.chance(300) {
            (like.start + draw.below(like.len())) as u32
        } else {
            interest(world, country, draw)
        }
    });
    let mut tags: Vec<u32> = std::iter::once(main).chain(others).collect();
    tags.sort_unstable();
    tags.dedup();
    tags
}

fn jobs(
    parameters: &Parameters,
    world: &World,
    country: usize,
    profile: &Profile,
    draw: &mut Draw,
) -> Vec<Job> {
    let graduated = profile.study.map(|study| i32::from(study.1));
    let first = graduated.unwrap_or(year_of(profile.birthday) + 18);
    let years = (year_of(parameters.end) - first).max(1);
    let count = draw.below(6).saturating_sub(1);
    let at_home = world.companies_of(country);
    let mut jobs: Vec<Job> = draw
        .distinct(count, at_home.len())
        .into_iter()
        .map(|company| {
            let abroad = draw.chance(50).then(|| draw.below(world.country_count()));
            let companies = abroad.map_or(at_home.clone(), |country| world.companies_of(country));
            Job {
                organisation: (companies.start + company) as u32,
                work_from: first + draw.below(years as usize) as i32,
            }
        })
        .collect();
    jobs.sort_unstable_by_key(|job| job.organisation);
    jobs.dedup_by_key(|job| job.organisation);
    jobs
}

/// The year of a time, by the mean length of a year: off by a day at most.
fn year_of(time: i64) -> i32 {
    (1970 + (time as f64 / (365.2425 * DAY as f64)).floor() as i64) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years() {
        assert_eq!(year_of(0), 1970);
        assert_eq!(year_of(1_356_998_400_000), 2013);
        assert_eq!(year_of(FIRST_BIRTHDAY + DAY), 1950);
        assert_eq!(year_of(-DAY), 1969);
    }

    #[test]
    fn a_profile_is_small() {
        assert!(std::mem::size_of::<Profile>() <= 48);
    }

    #[test]
    fn addresses_are_of_their_country_and_public() {
        let mut draw = Draw::new(1, Purpose::Person, 0);
        let countries = World::new().country_count();
        for country in 0..countries {
            let address = address(country, &mut draw);
            let first = usize::from(address.octets()[0]);
            assert_eq!((first - 14) / 2, country);
            assert!(!address.is_private() && !address.is_loopback() && first < 127);
        }
    }
}
