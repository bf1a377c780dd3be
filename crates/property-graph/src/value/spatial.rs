//! Points.

use crate::value::ValueError;

/// Coordinate systems of points, with the numbers that indexes order them by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CoordinateSystem {
    /// Longitude and latitude in degrees (SRID 4326).
    Wgs84 = 0,
    /// Longitude, latitude in degrees, height in metres (SRID 4979).
    Wgs84Height = 1,
    /// Two axes of no named unit (SRID 7203).
    Cartesian = 2,
    /// Three axes of no named unit (SRID 9157).
    Cartesian3d = 3,
}

impl CoordinateSystem {
    /// The number by which databases know it.
    pub fn srid(self) -> u32 {
        match self {
            CoordinateSystem::Wgs84 => 4326,
            CoordinateSystem::Wgs84Height => 4979,
            CoordinateSystem::Cartesian => 7203,
            CoordinateSystem::Cartesian3d => 9157,
        }
    }

    /// The system of a number, if it is one of the four.
    pub fn from_srid(srid: u32) -> Option<Self> {
        use CoordinateSystem::*;
        let all = [Wgs84, Wgs84Height, Cartesian, Cartesian3d];
        all.into_iter().find(|system| system.srid() == srid)
    }

    /// Two or three.
    pub fn dimensions(self) -> usize {
        match self {
            CoordinateSystem::Wgs84 | CoordinateSystem::Cartesian => 2,
            CoordinateSystem::Wgs84Height | CoordinateSystem::Cartesian3d => 3,
        }
    }

    fn is_geographic(self) -> bool {
        matches!(
            self,
            CoordinateSystem::Wgs84 | CoordinateSystem::Wgs84Height
        )
    }
}

/// A place.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    system: CoordinateSystem,
    /// The third is 0 in two dimensions.
    coordinates: [f64; 3],
}

impl Point {
    /// A point of as many coordinates as the system has. They are finite, and a
    /// latitude lies in −90..=90; a longitude is taken modulo 360 degrees.
    pub fn new(system: CoordinateSystem, coordinates: &[f64]) -> Result<Self, ValueError> {
        let dimensions = system.dimensions();
        if coordinates.len() != dimensions {
            let range = "as many as the coordinate system has";
            return Err(ValueError::range(
                "number of coordinates",
                coordinates.len(),
                range,
            ));
        }
        let mut point = [0.0; 3];
        for (to, &from) in point.iter_mut().zip(coordinates) {
            if !from.is_finite() {
                return Err(ValueError::range("coordinate", from, "finite numbers"));
            }
            *to = from;
        }
        if system.is_geographic() {
            if !(-90.0..=90.0).contains(&point[1]) {
                return Err(ValueError::range("latitude", point[1], "-90 to 90 degrees"));
            }
            if !(-180.0..=180.0).contains(&point[0]) {
                point[0] = (point[0] + 180.0).rem_euclid(360.0) - 180.0;
            }
        }
        Ok(Point {
            system,
            coordinates: point,
        })
    }

    /// Coordinate system.
    pub fn system(&self) -> CoordinateSystem {
        self.system
    }

    /// Two or three numbers: x, y, z, or longitude, latitude, height.
    pub fn coordinates(&self) -> &[f64] {
        &self.coordinates[..self.system.dimensions()]
    }
}
