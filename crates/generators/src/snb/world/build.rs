//! The world from its dictionaries.

use super::classes::{self, ADJECTIVES, CLASSES, NOUNS, Tags};
use super::countries::{CONTINENTS, COUNTRIES};
use super::names::{CULTURES, NAMES, Names};
use super::{CITIES, Organisation, OrganisationKind, Place, PlaceKind, Tag, TagClass};

/// Tags of a class of persons.
const TAGS_OF_CLASS: usize = 96;

pub(super) fn places() -> Vec<Place> {
    let mut places = Vec::new();
    let continents = COUNTRIES.len() * (1 + CITIES);
    let mut place = |name, kind, part_of: Option<usize>| {
        let id = places.len() as u32;
        let part_of = part_of.map(|place| place as u32);
        places.push(Place {
            id,
            name,
            kind,
            part_of,
        });
    };
    for country in &COUNTRIES {
        let continent = continents + country.continent as usize;
        place(country.name, PlaceKind::Country, Some(continent));
    }
    for (i, country) in COUNTRIES.iter().enumerate() {
        for city in country.cities {
            place(city, PlaceKind::City, Some(i));
        }
    }
    for continent in CONTINENTS {
        place(continent, PlaceKind::Continent, None);
    }
    places
}

/// Companies country by country, then universities city by city.
pub(super) fn organisations() -> Vec<Organisation> {
    let mut organisations = Vec::new();
    let mut organisation = |kind, name, place: usize| {
        let (id, place) = (organisations.len() as u32, place as u32);
        organisations.push(Organisation {
            id,
            kind,
            name,
            place,
        });
    };
    for (i, country) in COUNTRIES.iter().enumerate() {
        let national = ["Airlines", "Railways"].map(|kind| format!("{}_{kind}", country.name));
        let local = country
            .cities
            .iter()
            .flat_map(|city| [format!("Bank_of_{city}"), format!("{city}_Telecom")]);
        for name in national.into_iter().chain(local) {
            organisation(OrganisationKind::Company, name, i);
        }
    }
    for (i, city) in COUNTRIES
        .iter()
        .flat_map(|country| country.cities)
        .enumerate()
    {
        let names = [
            format!("University_of_{city}"),
            format!("{city}_Institute_of_Technology"),
            format!("{city}_Academy_of_Arts"),
        ];
        for name in names {
            organisation(OrganisationKind::University, name, COUNTRIES.len() + i);
        }
    }
    organisations
}

pub(super) fn tag_classes() -> Vec<TagClass> {
    let id_of = |name| CLASSES.iter().position(|class| class.name == name);
    let class = |(id, entry): (usize, &classes::ClassEntry)| TagClass {
        id: id as u32,
        name: entry.name,
        above: entry.above.and_then(id_of).map(|id| id as u32),
    };
    CLASSES.iter().enumerate().map(class).collect()
}

/// Tags class by class.
pub(super) fn tags() -> Vec<Tag> {
    let mut tags = Vec::new();
    for (class, entry) in CLASSES.iter().enumerate() {
        for name in tag_names(entry.tags) {
            let (id, class) = (tags.len() as u32, class as u32);
            tags.push(Tag { id, name, class });
        }
    }
    tags
}

fn tag_names(kind: Tags) -> Vec<String> {
    match kind {
        Tags::Below => Vec::new(),
        Tags::Persons(class) => (0..TAGS_OF_CLASS).map(|i| person_name(class, i)).collect(),
        Tags::Works(nouns) => ADJECTIVES
            .iter()
            .flat_map(|adjective| nouns.iter().map(move |noun| format!("{adjective}_{noun}")))
            .collect(),
        Tags::Bands => NOUNS.iter().map(|noun| format!("The_{noun}")).collect(),
    }
}

/// The `i`-th known person of a class: another name for each.
fn person_name(class: usize, i: usize) -> String {
    // Known persons are numbered through; cultures take turns, and within a
    // culture each number is another pair of names.
    let number = class * TAGS_OF_CLASS + i;
    let names: &Names = &NAMES[number % CULTURES];
    let number = number / CULTURES;
    let given = names.female.len();
    // Surnames shift with each round of given names, so all pairs differ.
    let (round, at) = (number / (2 * given), number % (2 * given));
    let first = if at % 2 == 0 {
        names.female[at / 2]
    } else {
        names.male[at / 2]
    };
    let last = names.surnames[(at + round) % names.surnames.len()];
    format!("{first}_{}", last.replace(' ', "_"))
}
