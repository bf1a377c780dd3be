//! A network and the ways through its rows.

use crate::snb::friendship::{Friend, Friendships};
use crate::snb::occasions::Occasions;
use crate::snb::person::{Profile, person};
use crate::snb::rows::{Friendship, Person};
use crate::snb::world::World;
use crate::snb::{Parameters, SocialError};

/// A social network of given parameters. About 70 bytes a person; all rows are made
/// on demand, from any number of threads.
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) parameters: Parameters,
    pub(crate) world: World,
    pub(crate) profiles: Vec<Profile>,
    friendships: Friendships,
    occasions: Occasions,
}

impl Network {
    /// Draws the profile of each person and orders the persons by it.
    ///
    /// # Errors
    /// If the parameters are out of range; the message says which.
    pub fn new(parameters: Parameters) -> Result<Self, SocialError> {
        parameters.validate()?;
        let world = World::new();
        let profile = |person| Profile::new(&parameters, &world, person);
        let profiles: Vec<Profile> = (0..parameters.persons as u32).map(profile).collect();
        Ok(Self {
            friendships: Friendships::new(&parameters, &profiles),
            occasions: Occasions::new(&parameters, &world),
            profiles,
            world,
            parameters,
        })
    }

    /// Parameters that the network was made from.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Places, organisations and tags.
    pub fn world(&self) -> &World {
        &self.world
    }

    pub(crate) fn occasions(&self) -> &Occasions {
        &self.occasions
    }

    /// How many persons there are; their ids are `0..person_count`.
    pub fn person_count(&self) -> u32 {
        self.profiles.len() as u32
    }

    /// A person.
    ///
    /// # Panics
    /// If there are not so many, as everywhere a person is named.
    pub fn person(&self, id: u32) -> Person {
        person(
            &self.parameters,
            &self.world,
            &self.profiles[id as usize],
            id,
        )
    }

    /// All persons by id.
    pub fn persons(&self) -> impl ExactSizeIterator<Item = Person> + '_ {
        (0..self.person_count()).map(|id| self.person(id))
    }

    /// Friends of a person, oldest friendships first. Some microseconds.
    pub fn friends(&self, person: u32) -> Vec<Friend> {
        self.friendships.of(&self.profiles, person)
    }

    /// All friendships, each once, by the lower of the two ids.
    pub fn friendships(&self) -> impl Iterator<Item = Friendship> + '_ {
        (0..self.person_count()).flat_map(|person| {
            let higher = self
                .friends(person)
                .into_iter()
                .filter(move |f| f.person > person);
            higher.map(move |friend| Friendship {
                first: u64::from(person),
                second: u64::from(friend.person),
                creation_date: friend.since,
            })
        })
    }
}
