//! The static part of every network: places, organisations, tags and their classes.
//! Persons refer to it.

mod build;
mod classes;
mod countries;
mod names;

use std::ops::Range;

use build::{organisations, places, tag_classes, tags};
use countries::{COUNTRIES, CountryEntry};

/// Kinds of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum PlaceKind {
    City,
    Country,
    Continent,
}

impl PlaceKind {
    /// As the benchmark writes it.
    pub fn name(self) -> &'static str {
        match self {
            PlaceKind::City => "city",
            PlaceKind::Country => "country",
            PlaceKind::Continent => "continent",
        }
    }
}

/// A place. Ids are dense, countries first, then cities, then continents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Place {
    pub id: u32,
    pub name: &'static str,
    pub kind: PlaceKind,
    /// The country of a city, the continent of a country.
    pub part_of: Option<u32>,
}

/// Kinds of organisations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum OrganisationKind {
    University,
    Company,
}

impl OrganisationKind {
    /// As the benchmark writes it.
    pub fn name(self) -> &'static str {
        match self {
            OrganisationKind::University => "university",
            OrganisationKind::Company => "company",
        }
    }
}

/// A university in a city or a company in a country. Ids are dense.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Organisation {
    pub id: u32,
    pub kind: OrganisationKind,
    pub name: String,
    /// The id of a place.
    pub place: u32,
}

/// Topics of messages. Ids are dense.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct Tag {
    pub id: u32,
    pub name: String,
    /// The id of a tag class.
    pub class: u32,
}

/// A class of tags. Ids are dense.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the benchmark's columns")]
pub struct TagClass {
    pub id: u32,
    pub name: &'static str,
    /// The class above.
    pub above: Option<u32>,
}

const CITIES: usize = 5;
const UNIVERSITIES_OF_CITY: usize = 3;
const COMPANIES_OF_COUNTRY: usize = 12;

/// Everything that does not change.
#[derive(Clone, Debug)]
pub struct World {
    places: Vec<Place>,
    organisations: Vec<Organisation>,
    tags: Vec<Tag>,
    classes: Vec<TagClass>,
    /// Sums of the populations of all countries up to each.
    population: Vec<u32>,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// The world; takes about a megabyte.
    pub fn new() -> Self {
        let classes = tag_classes();
        Self {
            places: places(),
            organisations: organisations(),
            tags: tags(),
            classes,
            population: COUNTRIES
                .iter()
                .scan(0, |sum, country| {
                    *sum += country.population;
                    Some(*sum)
                })
                .collect(),
        }
    }

    /// All places by id.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// All organisations by id.
    pub fn organisations(&self) -> &[Organisation] {
        &self.organisations
    }

    /// All tags by id.
    pub fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// All tag classes by id.
    pub fn tag_classes(&self) -> &[TagClass] {
        &self.classes
    }

    /// The address of the page about something.
    pub fn url(name: &str) -> String {
        format!("http://example.org/resource/{name}")
    }

    /// How many countries there are; their places have the lowest ids.
    pub(crate) fn country_count(&self) -> usize {
        COUNTRIES.len()
    }

    pub(crate) fn country(&self, country: usize) -> &'static CountryEntry {
        &COUNTRIES[country]
    }

    /// The country in which the `person`-th of all lives, for numbers below
    /// [`World::people`].
    pub(crate) fn country_of_person(&self, person: usize) -> usize {
        self.population
            .partition_point(|&sum| sum as usize <= person)
    }

    pub(crate) fn people(&self) -> usize {
        self.population.last().map_or(0, |&sum| sum as usize)
    }

    /// The places of the cities of a country.
    pub(crate) fn cities_of(&self, country: usize) -> Range<usize> {
        let first = COUNTRIES.len() + country * CITIES;
        first..first + CITIES
    }

    pub(crate) fn country_of_city(&self, city: u32) -> usize {
        (city as usize - COUNTRIES.len()) / CITIES
    }

    pub(crate) fn companies_of(&self, country: usize) -> Range<usize> {
        let first = country * COMPANIES_OF_COUNTRY;
        first..first + COMPANIES_OF_COUNTRY
    }

    pub(crate) fn universities_of(&self, city: u32) -> Range<usize> {
        let companies = COUNTRIES.len() * COMPANIES_OF_COUNTRY;
        let first = companies + (city as usize - COUNTRIES.len()) * UNIVERSITIES_OF_CITY;
        first..first + UNIVERSITIES_OF_CITY
    }

    /// The tag that is `rank`-th in a country: each country has an order of its own.
    pub(crate) fn tag_by_rank(&self, country: usize, rank: usize) -> u32 {
        // 2741 is prime and larger than the number of tags has as a factor, so
        // this is a permutation.
        ((rank * 2741 + country * 613) % self.tags.len()) as u32
    }

    /// The tags of the same class.
    pub(crate) fn tags_like(&self, tag: u32) -> Range<usize> {
        let class = self.tags[tag as usize].class;
        let first = self.tags.partition_point(|other| other.class < class);
        first..self.tags.partition_point(|other| other.class <= class)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ids_are_dense_and_names_are_unique() {
        let world = World::new();
        let check = |names: Vec<(u32, &str)>| {
            for (i, (id, name)) in names.iter().enumerate() {
                assert_eq!(*id as usize, i, "{name}");
                assert!(!name.contains(['|', '\n', ' ', ';']), "{name}");
            }
            let distinct: BTreeSet<&str> = names.iter().map(|name| name.1).collect();
            let mut seen = BTreeSet::new();
            let twice: Vec<_> = names.iter().filter(|name| !seen.insert(name.1)).collect();
            assert_eq!(distinct.len(), names.len(), "twice: {twice:?}");
        };
        check(
            world
                .tags()
                .iter()
                .map(|tag| (tag.id, tag.name.as_str()))
                .collect(),
        );
        check(
            world
                .tag_classes()
                .iter()
                .map(|class| (class.id, class.name))
                .collect(),
        );
        let organisations = world.organisations().iter();
        check(organisations.map(|o| (o.id, o.name.as_str())).collect());
        // Australia is a country and a continent.
        let places = world
            .places()
            .iter()
            .filter(|p| p.kind != PlaceKind::Continent);
        check(places.map(|place| (place.id, place.name)).collect());
        assert!(world.tags().len() > 3000, "{}", world.tags().len());
    }

    #[test]
    fn everything_is_somewhere() {
        let world = World::new();
        for place in world.places() {
            let above = place.part_of.map(|id| world.places()[id as usize].kind);
            let expected = match place.kind {
                PlaceKind::City => Some(PlaceKind::Country),
                PlaceKind::Country => Some(PlaceKind::Continent),
                PlaceKind::Continent => None,
            };
            assert_eq!(above, expected, "{}", place.name);
        }
        for country in 0..world.country_count() {
            for city in world.cities_of(country) {
                assert_eq!(world.places()[city].part_of, Some(country as u32));
                assert_eq!(world.country_of_city(city as u32), country);
                for university in world.universities_of(city as u32) {
                    let university = &world.organisations()[university];
                    assert_eq!(university.kind, OrganisationKind::University);
                    assert_eq!(university.place as usize, city);
                }
            }
            for company in world.companies_of(country) {
                let company = &world.organisations()[company];
                assert_eq!(company.kind, OrganisationKind::Company);
                assert_eq!(company.place as usize, country);
            }
        }
    }

    #[test]
    fn classes_form_a_tree_and_tags_hang_in_it() {
        let world = World::new();
        for class in world.tag_classes() {
            assert_eq!(class.above.is_none(), class.id == 0, "{}", class.name);
            assert!(class.above.is_none_or(|above| above < class.id));
        }
        for tag in world.tags() {
            assert!(world.tags_like(tag.id).contains(&(tag.id as usize)));
        }
    }

    #[test]
    fn every_country_ranks_all_tags_and_has_its_share_of_people() {
        let world = World::new();
        let ranked: BTreeSet<u32> = (0..world.tags().len())
            .map(|rank| world.tag_by_rank(7, rank))
            .collect();
        assert_eq!(ranked.len(), world.tags().len());
        assert_eq!(world.country_of_person(0), 0);
        assert_eq!(world.country_of_person(1427), 0);
        assert_eq!(world.country_of_person(1428), 1);
        assert_eq!(
            world.country_of_person(world.people() - 1),
            world.country_count() - 1
        );
    }
}
