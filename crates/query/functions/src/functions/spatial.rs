//! Functions of points.

use evergraph_property_graph::Value;
use evergraph_property_graph::value::{CoordinateSystem, Point};

use evergraph_syntax::scope::Types;

use super::definition::{Category, Function, needs};
use super::{not_storable, wrong};
use crate::datum::Datum;
use crate::environment::Environment;
use crate::error::{ErrorKind, EvaluationError};
use crate::temporal::Fields;

type Result = std::result::Result<Datum, EvaluationError>;

const SPATIAL: Category = Category::Spatial;
const TWO: &[evergraph_syntax::scope::Parameter] =
    &[needs("from", Types::ANY), needs("to", Types::ANY)];
const DISTANCE: &str = "Distance of two points: in metres on the globe, else by their \
    coordinates; null if they are of different coordinate systems, or one is no point.";

/// Radius of the globe in metres: the one that Neo4j takes, so that distances agree.
const RADIUS: f64 = 6_378_140.0;

#[rustfmt::skip] // Rows of a table.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(SPATIAL, "point", &[needs("fields", Types::MAP)], Types::POINT,
        "A point of x, y and z, or of longitude, latitude and height; crs or srid may name the \
         coordinate system; other fields are left out, null in any gives null.",
        ("point({longitude: 12.5, latitude: 41.9})", "point({srid: 4326, x: 12.5, y: 41.9})"),
        point),
    Function::new(SPATIAL, "point.distance", TWO, Types::FLOAT,
        DISTANCE,
        ("point.distance(point({x: 0, y: 0}), point({x: 3, y: 4}))", "5.0"), distance),
    Function::new(SPATIAL, "distance", TWO, Types::FLOAT,
        "As point.distance.",
        ("distance(point({x: 0, y: 0}), point({x: 3, y: 4}))", "5.0"), distance),
    Function::new(SPATIAL, "point.withinBBox",
        &[needs("point", Types::ANY), needs("lower", Types::ANY), needs("upper", Types::ANY)],
        Types::BOOLEAN,
        "Whether a point lies in the box between two corners; null if one is no point.",
        ("point.withinBBox(point({x: 1, y: 1}), point({x: 0, y: 0}), point({x: 2, y: 2}))", "true"),
        within),
];

fn point(arguments: &[Datum], _: &Environment<'_>) -> Result {
    let Datum::Value(Value::Map(map)) = &arguments[0] else {
        return Err(not_storable());
    };
    if map.values().any(Value::is_null) {
        return Ok(Datum::NULL);
    }
    let fields = Fields::among_others(map);
    let by_axes = (fields.float("x")?, fields.float("y")?);
    let on_globe = (fields.float("longitude")?, fields.float("latitude")?);
    let (x, y, is_geographic) = match (by_axes, on_globe) {
        ((Some(x), Some(y)), _) => (x, y, false),
        (_, (Some(longitude), Some(latitude))) => (longitude, latitude, true),
        _ => {
            let message = "point() needs x and y, or longitude and latitude";
            return Err(wrong(ErrorKind::InvalidArgumentValue, message));
        }
    };
    let told = match (fields.integer("srid")?, fields.text("crs")?) {
        (Some(_), Some(_)) => {
            let message = "point() takes a crs or a srid, not both";
            return Err(wrong(ErrorKind::InvalidArgumentValue, message));
        }
        (Some(srid), None) => Some(
            u32::try_from(srid)
                .ok()
                .and_then(CoordinateSystem::from_srid),
        ),
        (None, Some(name)) => Some(system_of(name)),
        (None, None) => None,
    };
    let has_height = is_geographic || told == Some(Some(CoordinateSystem::Wgs84Height));
    let z = match fields.float("z")? {
        None if has_height => fields.float("height")?,
        z => z,
    };
    let system = match (told, is_geographic, z.is_some()) {
        (Some(Some(CoordinateSystem::Cartesian | CoordinateSystem::Cartesian3d)), true, _) => {
            let message = "longitude and latitude are of wgs-84 or wgs-84-3d; write x and y";
            return Err(wrong(ErrorKind::InvalidArgumentValue, message));
        }
        (Some(Some(system)), ..) => system,
        (Some(None), ..) => {
            let message = "point() knows the coordinate systems wgs-84, wgs-84-3d, cartesian and \
                           cartesian-3d (4326, 4979, 7203, 9157)";
            return Err(wrong(ErrorKind::InvalidArgumentValue, message));
        }
        (None, true, false) => CoordinateSystem::Wgs84,
        (None, true, true) => CoordinateSystem::Wgs84Height,
        (None, false, false) => CoordinateSystem::Cartesian,
        (None, false, true) => CoordinateSystem::Cartesian3d,
    };
    let coordinates: Vec<f64> = [Some(x), Some(y), z].into_iter().flatten().collect();
    Ok(Value::Point(Point::new(system, &coordinates)?).into())
}

fn system_of(name: &str) -> Option<CoordinateSystem> {
    Some(match name.to_ascii_lowercase().as_str() {
        "wgs-84" | "wgs-84-2d" => CoordinateSystem::Wgs84,
        "wgs-84-3d" => CoordinateSystem::Wgs84Height,
        "cartesian" => CoordinateSystem::Cartesian,
        "cartesian-3d" => CoordinateSystem::Cartesian3d,
        _ => return None,
    })
}

/// Arguments that are points of one coordinate system.
fn points<const N: usize>(arguments: &[Datum]) -> Option<[Point; N]> {
    let points = arguments.iter().map(|argument| match argument {
        Datum::Value(Value::Point(point)) => Some(*point),
        _ => None,
    });
    let points: Vec<Point> = points.collect::<Option<_>>()?;
    let first = points.first()?.system();
    let are_alike = points.iter().all(|point| point.system() == first);
    points.try_into().ok().filter(|_| are_alike)
}

fn distance(arguments: &[Datum], _: &Environment<'_>) -> Result {
    let Some([from, to]) = points(arguments) else {
        return Ok(Datum::NULL);
    };
    let (a, b) = (from.coordinates(), to.coordinates());
    let on_globe = matches!(
        from.system(),
        CoordinateSystem::Wgs84 | CoordinateSystem::Wgs84Height
    );
    let distance = match on_globe {
        false => hypotenuse(a.iter().zip(b).map(|(a, b)| a - b)),
        true => {
            // Points at a height are as far as on a globe of their average height.
            let height = |point: &[f64]| point.get(2).copied().unwrap_or(0.0);
            let radius = RADIUS + (height(a) + height(b)) / 2.0;
            hypotenuse([arc(a, b) * radius, height(a) - height(b)].into_iter())
        }
    };
    Ok(distance.into())
}

fn hypotenuse(differences: impl Iterator<Item = f64>) -> f64 {
    differences
        .map(|difference| difference * difference)
        .sum::<f64>()
        .sqrt()
}

/// Angle between two points of the globe, in radians, by the haversine formula.
fn arc(a: &[f64], b: &[f64]) -> f64 {
    let haversine = |angle: f64| (angle / 2.0).sin().powi(2);
    let (latitude_a, latitude_b) = (a[1].to_radians(), b[1].to_radians());
    let of_longitudes = haversine((b[0] - a[0]).to_radians());
    let sum =
        haversine(latitude_b - latitude_a) + latitude_a.cos() * latitude_b.cos() * of_longitudes;
    2.0 * sum.sqrt().min(1.0).asin()
}

fn within(arguments: &[Datum], _: &Environment<'_>) -> Result {
    let Some([point, lower, upper]) = points(arguments) else {
        return Ok(Datum::NULL);
    };
    let on_globe = matches!(
        point.system(),
        CoordinateSystem::Wgs84 | CoordinateSystem::Wgs84Height
    );
    let mut axes = (point.coordinates().iter().zip(lower.coordinates())).zip(upper.coordinates());
    let inside = axes.by_ref().enumerate().all(|(axis, ((at, low), high))| {
        match on_globe && axis == 0 && low > high {
            // The box crosses the meridian where longitudes begin again.
            true => at >= low || at <= high,
            false => (low..=high).contains(&at),
        }
    });
    Ok(inside.into())
}
