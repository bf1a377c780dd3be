//! Events in the world about which many write at once, so that messages and their
//! tags pile up in time (the "flash mobs" of the benchmark's generator).

use crate::snb::Parameters;
use crate::snb::draw::{Draw, Purpose};
use crate::snb::parameters::DAY;
use crate::snb::person::interest;
use crate::snb::world::World;

/// Days from one occasion to the next, on the average.
const EVERY: i64 = 6;

/// Something happens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occasion {
    pub(crate) time: i64,
    pub(crate) tag: u32,
}

/// All occasions, in the order of time.
#[derive(Clone, Debug)]
pub(crate) struct Occasions(Vec<Occasion>);

impl Occasions {
    pub(crate) fn new(parameters: &Parameters, world: &World) -> Self {
        let mut draw = Draw::new(parameters.seed, Purpose::Occasions, 0);
        let count = (parameters.end - parameters.start) / (EVERY * DAY);
        let mut all: Vec<Occasion> = (0..count)
            .map(|_| {
                let country = world.country_of_person(draw.below(world.people()));
                Occasion {
                    time: draw.time(parameters.start, parameters.end),
                    tag: interest(world, country, &mut draw),
                }
            })
            .collect();
        all.sort_by_key(|occasion| occasion.time);
        Self(all)
    }

    /// The last one before `time`.
    pub(crate) fn near(&self, time: i64) -> Option<Occasion> {
        let after = self.0.partition_point(|occasion| occasion.time <= time);
        after.checked_sub(1).map(|last| self.0[last])
    }
}
