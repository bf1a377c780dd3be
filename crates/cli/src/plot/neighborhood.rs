//! `plot neighborhood`.

use std::collections::{HashMap, VecDeque};

use evergraph::graph::StoredLists;
use evergraph::property::{self, Direction, NodeId, NodeNames, value::Value};
use evergraph::{Database, View};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde_json::json;

use super::chart::{COLORS, SIZE, failed};
use super::{Common, Drawn, MomentArgs};
use crate::report::{Failure, counted, edges as edges_text};
use crate::show::the_one;

/// Rounds in which the vertices are moved.
const ROUNDS: usize = 400;
/// Color of vertices that are more than an edge away.
const FAR: RGBColor = RGBColor(130, 170, 205);
/// Pixels around the picture.
const MARGIN: f64 = 60.0;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub(super) common: Common,
    /// The vertex in the middle, by its external id
    #[arg(long, value_name = "V")]
    source: String,
    /// Edges from the middle to the farthest that is drawn
    #[arg(long, value_name = "N", default_value_t = 2)]
    hops: u32,
    /// Most vertices that are drawn, the nearest first
    #[arg(long, value_name = "N", default_value_t = 60,
          value_parser = clap::value_parser!(u32).range(1..=500))]
    most: u32,
    /// Show this property of nodes instead of their ids
    #[arg(long, value_name = "KEY")]
    name_by: Option<String>,
    #[command(flatten)]
    moment: MomentArgs,
}

/// Vertices around one, the nearest first, and the edges between them.
struct Neighborhood {
    /// With how many edges each is away from the first.
    vertices: Vec<(u32, u32)>,
    /// By positions in `vertices`.
    edges: Vec<(usize, usize)>,
    /// Whether there are more within as many edges.
    is_cut: bool,
}

/// The picture of what is around a vertex.
pub fn draw(args: &Args) -> Result<Drawn, Failure> {
    let db = args.common.open()?;
    let view = db.as_of(&args.moment.at())?;
    let lists = Lists::of(&db, &view)?;
    let source = match &lists.nodes {
        Some(nodes) => {
            let names = NodeNames::of(db.property_graph()?);
            Some(the_one(nodes, &names, &args.source)?.id().0)
        }
        None => db.vertex_of_name(&args.source)?,
    };
    let source = source
        .filter(|&vertex| (vertex as usize) < view.vertex_count())
        .ok_or_else(|| {
            Failure::usage(
                format!("there is no vertex {}", args.source),
                "give the external id of a vertex that exists at this moment",
            )
        })?;
    let found = Neighborhood::around(&lists, source, args)?;
    let names = names(&db, &lists, &found, args.name_by.as_deref())?;
    let places = found.places();
    let directed = lists.direction != StoredLists::Undirected;
    let svg = picture(&found, &names, &places, directed).map_err(failed)?;
    let json = json!({
        "vertices": names,
        "edges": found.edges.iter().map(|&(a, b)| [&names[a], &names[b]]).collect::<Vec<_>>(),
        "is_cut": found.is_cut,
    });
    let more = match found.is_cut {
        true => " (there are more; --most draws up to 500)".to_string(),
        false => String::new(),
    };
    let text = format!(
        "{} and {} around {}{more}",
        counted(found.vertices.len() as u64, "vertex", "vertices"),
        edges_text(found.edges.len() as u64),
        args.source
    );
    Ok(Drawn { svg, json, text })
}

/// The lists of a moment, of plain edges or of all types of relationships.
struct Lists<'a> {
    view: &'a View,
    nodes: Option<property::View>,
    direction: StoredLists,
}

impl<'a> Lists<'a> {
    fn of(db: &Database, view: &'a View) -> Result<Self, evergraph::Error> {
        let nodes = match db.is_property_graph() {
            true => Some(db.property_graph()?.as_of_commit(view.csn())?),
            false => None,
        };
        Ok(Self {
            view,
            direction: match nodes {
                Some(_) => StoredLists::Both,
                None => db.config().direction,
            },
            nodes,
        })
    }

    fn direction(&self, vertex: u32, direction: Direction) -> Result<Vec<u32>, evergraph::Error> {
        match (&self.nodes, direction) {
            (Some(nodes), _) => {
                let found = nodes.neighbors(NodeId(vertex), direction, &[])?;
                Ok(found.iter().map(|adjacent| adjacent.neighbor.0).collect())
            }
            (None, Direction::Incoming) => Ok(self.view.in_neighbors(vertex)?),
            (None, _) => Ok(self.view.neighbors(vertex)?),
        }
    }

    /// Targets of the edges of a vertex.
    fn targets(&self, vertex: u32) -> Result<Vec<u32>, evergraph::Error> {
        self.direction(vertex, Direction::Outgoing)
    }

    /// The other ends of all edges of a vertex that are stored with it.
    fn neighbors(&self, vertex: u32) -> Result<Vec<u32>, evergraph::Error> {
        let mut found = self.targets(vertex)?;
        if self.direction == StoredLists::Both {
            found.extend(self.direction(vertex, Direction::Incoming)?);
        }
        Ok(found)
    }
}

impl Neighborhood {
    fn around(lists: &Lists<'_>, source: u32, args: &Args) -> Result<Self, Failure> {
        let mut vertices = vec![(source, 0)];
        let mut position = HashMap::from([(source, 0)]);
        let mut waiting = VecDeque::from([(source, 0)]);
        let mut is_cut = false;
        while let Some((vertex, hops)) = waiting.pop_front() {
            if hops == args.hops {
                continue;
            }
            for neighbor in lists.neighbors(vertex)? {
                if position.contains_key(&neighbor) {
                    continue;
                }
                if vertices.len() == args.most as usize {
                    is_cut = true;
                    break;
                }
                position.insert(neighbor, vertices.len());
                vertices.push((neighbor, hops + 1));
                waiting.push_back((neighbor, hops + 1));
            }
        }
        let mut edges = Vec::new();
        for (from, &(vertex, _)) in vertices.iter().enumerate() {
            let targets = lists.targets(vertex)?;
            let inside = targets.iter().filter_map(|target| position.get(target));
            edges.extend(inside.map(|&to| (from, to)));
        }
        if lists.direction == StoredLists::Undirected {
            edges.retain(|(from, to)| from <= to);
        }
        edges.sort_unstable();
        edges.dedup();
        Ok(Self {
            vertices,
            edges,
            is_cut,
        })
    }

    /// Where each vertex is drawn, in pixels: neighbors attract each other, all push
    /// each other away (Fruchterman and Reingold, 1991). The same for the same graph.
    fn places(&self) -> Vec<(f64, f64)> {
        let n = self.vertices.len();
        let mut places: Vec<(f64, f64)> = (0..n)
            .map(|i| {
                // No two in one place, and the middle where the first is.
                let angle = i as f64 * 2.399_963;
                let radius = (i as f64 / n as f64).sqrt();
                (radius * angle.cos(), radius * angle.sin())
            })
            .collect();
        let wanted = 1.5 / (n as f64).sqrt();
        for round in 0..ROUNDS {
            let most = 0.15 * (1.0 - round as f64 / ROUNDS as f64);
            let mut moves = vec![(0.0, 0.0); n];
            for a in 0..n {
                for b in a + 1..n {
                    let (dx, dy, distance) = between(places[a], places[b]);
                    let push = wanted * wanted / (distance * distance);
                    shift(&mut moves, a, (-dx * push, -dy * push));
                    shift(&mut moves, b, (dx * push, dy * push));
                }
            }
            for &(a, b) in self.edges.iter().filter(|(a, b)| a != b) {
                let (dx, dy, distance) = between(places[a], places[b]);
                let pull = distance / wanted;
                shift(&mut moves, a, (dx * pull, dy * pull));
                shift(&mut moves, b, (-dx * pull, -dy * pull));
            }
            for (place, (dx, dy)) in places.iter_mut().zip(moves) {
                let length = dx.hypot(dy).max(1e-9);
                let step = length.min(most) / length;
                // Towards the middle too, or parts that are not connected fly apart.
                place.0 += dx * step - 0.01 * place.0;
                place.1 += dy * step - 0.01 * place.1;
            }
        }
        fit(&places)
    }
}

/// The way from one place to another, and its length.
fn between(a: (f64, f64), b: (f64, f64)) -> (f64, f64, f64) {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    (dx, dy, dx.hypot(dy).max(1e-6))
}

fn shift(moves: &mut [(f64, f64)], at: usize, by: (f64, f64)) {
    moves[at].0 += by.0;
    moves[at].1 += by.1;
}

/// The places in pixels, so that they fill the picture.
fn fit(places: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let along = |of: fn(&(f64, f64)) -> f64, pixels: u32| {
        let least = places.iter().map(of).fold(f64::INFINITY, f64::min);
        let most = places.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        let room = f64::from(pixels) - 2.0 * MARGIN;
        move |place: &(f64, f64)| match most - least {
            0.0 => f64::from(pixels) / 2.0,
            width => MARGIN + (of(place) - least) / width * room,
        }
    };
    let (x, y) = (
        along(|place| place.0, SIZE.0),
        along(|place| place.1, SIZE.1),
    );
    places.iter().map(|place| (x(place), y(place))).collect()
}

/// External names, or the property `key` of the nodes that have it.
fn names(
    db: &Database,
    lists: &Lists<'_>,
    found: &Neighborhood,
    key: Option<&str>,
) -> Result<Vec<String>, Failure> {
    let Some(nodes) = &lists.nodes else {
        if key.is_some() {
            return Err(Failure::usage(
                "plain edges have no properties",
                "leave out --name-by",
            ));
        }
        let vertices = found.vertices.iter();
        return Ok(vertices.map(|vertex| db.vertex_name(vertex.0)).collect());
    };
    let keys = NodeNames::of(db.property_graph()?);
    let name = |&(vertex, _): &(u32, u32)| {
        let node = nodes.node(NodeId(vertex)).map_err(evergraph::Error::from)?;
        let Some(node) = node else {
            return Ok(db.vertex_name(vertex));
        };
        Ok(match key.and_then(|key| node.get(key)) {
            Some(Value::Text(text)) => text.to_string(),
            Some(value) => value.to_string(),
            None if key.is_some() => db.vertex_name(vertex),
            None => keys.text(&node),
        })
    };
    found.vertices.iter().map(name).collect()
}

fn picture(
    found: &Neighborhood,
    names: &[String],
    places: &[(f64, f64)],
    directed: bool,
) -> Result<String, Box<dyn std::error::Error>> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let pixel = |(x, y): (f64, f64)| (x.round() as i32, y.round() as i32);
    let line = RGBColor(150, 150, 150);
    for &(from, to) in &found.edges {
        let (from, to) = (places[from], places[to]);
        area.draw(&PathElement::new([pixel(from), pixel(to)], line))?;
        if directed && from != to {
            area.draw(&Polygon::new(tip(from, to).map(pixel), line.filled()))?;
        }
    }
    let style = ("sans-serif", 12).into_font().color(&BLACK);
    let style = style.pos(Pos::new(HPos::Center, VPos::Bottom));
    for ((&(_, hops), name), &place) in found.vertices.iter().zip(names).zip(places) {
        let (size, color) = match hops {
            0 => (9, COLORS[1]),
            1 => (7, COLORS[0]),
            _ => (5, FAR),
        };
        let (x, y) = pixel(place);
        area.draw(&Circle::new((x, y), size, color.filled()))?;
        area.draw(&Text::new(name.clone(), (x, y - size - 2), style.clone()))?;
    }
    area.present()?;
    drop(area);
    Ok(svg)
}

/// Corners of the tip of an arrow, just before the circle at its end.
fn tip(from: (f64, f64), to: (f64, f64)) -> [(f64, f64); 3] {
    let (dx, dy, distance) = between(from, to);
    let (dx, dy) = (dx / distance, dy / distance);
    let end = (to.0 - 8.0 * dx, to.1 - 8.0 * dy);
    let back = (end.0 - 8.0 * dx, end.1 - 8.0 * dy);
    [
        end,
        (back.0 - 3.5 * dy, back.1 + 3.5 * dx),
        (back.0 + 3.5 * dy, back.1 - 3.5 * dx),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_keep_apart_and_fill_the_picture() {
        // A star, a triangle beside it, and one alone.
        let star = (1..6).map(|leaf| (0, leaf));
        let edges = star.chain([(6, 7), (7, 8), (6, 8), (8, 8)]).collect();
        let found = Neighborhood {
            vertices: (0..10).map(|vertex| (vertex, 1)).collect(),
            edges,
            is_cut: false,
        };
        let places = found.places();
        let inside =
            |at: f64, size: u32| at >= MARGIN - 1e-6 && at <= f64::from(size) - MARGIN + 1e-6;
        for (i, &a) in places.iter().enumerate() {
            assert!(inside(a.0, SIZE.0) && inside(a.1, SIZE.1), "{a:?}");
            for &b in &places[..i] {
                assert!(between(a, b).2 > 10.0, "{a:?} {b:?}");
            }
        }
        assert_eq!(fit(&[(3.0, 3.0)]), [(480.0, 320.0)]);
    }
}
