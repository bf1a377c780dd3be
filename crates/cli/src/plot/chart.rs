//! Charts of numbers over numbers.

use std::fmt::Display;

use plotters::prelude::*;

use crate::report::Failure;

/// Size of every picture, in pixels.
pub const SIZE: (u32, u32) = (960, 640);
/// Color of each series in turn.
pub const COLORS: [RGBColor; 2] = [RGBColor(31, 96, 160), RGBColor(200, 90, 30)];

/// Numbers along one side.
pub struct Axis<'a> {
    pub title: &'a str,
    /// Powers of ten are equally far apart; numbers are positive then.
    pub logarithmic: bool,
    /// How a number is written.
    pub label: &'a dyn Fn(f64) -> String,
}

/// Points of one kind.
pub struct Series<'a> {
    pub name: &'a str,
    pub points: Vec<(f64, f64)>,
}

/// Points over two axes.
pub struct Chart<'a> {
    pub title: &'a str,
    pub x: Axis<'a>,
    pub y: Axis<'a>,
    pub series: Vec<Series<'a>>,
    /// Whether the points of a series are joined.
    pub lines: bool,
}

impl Axis<'_> {
    /// Where a number lies.
    fn place(&self, number: f64) -> f64 {
        match self.logarithmic {
            true => number.log10(),
            false => number,
        }
    }

    /// How the number at a place is written.
    fn text(&self, place: f64) -> String {
        match self.logarithmic {
            true => (self.label)(10_f64.powf(place)),
            false => (self.label)(place),
        }
    }

    /// From the least to the greatest of these places, and a little on both sides.
    fn range(&self, places: impl Iterator<Item = f64>) -> std::ops::Range<f64> {
        let (least, most) = places.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), at| {
            (least.min(at), most.max(at))
        });
        let margin = ((most - least) * 0.03).max(if self.logarithmic { 0.1 } else { 0.5 });
        least - margin..most + margin
    }
}

impl Chart<'_> {
    /// The picture.
    ///
    /// # Errors
    /// If there are no points.
    pub fn svg(mut self) -> Result<String, Failure> {
        for series in &mut self.series {
            series.points.retain(|&(x, y)| {
                (!self.x.logarithmic || x > 0.0) && (!self.y.logarithmic || y > 0.0)
            });
            for (x, y) in &mut series.points {
                (*x, *y) = (self.x.place(*x), self.y.place(*y));
            }
        }
        let points = || self.series.iter().flat_map(|series| &series.points);
        if points().next().is_none() {
            return Err(Failure::new(
                format!("there is nothing to draw: {} has no points", self.title),
                "import edges first, or choose another moment",
            ));
        }
        let (x, y) = (
            self.x.range(points().map(|point| point.0)),
            self.y.range(points().map(|point| point.1)),
        );
        let mut svg = String::new();
        self.draw(
            &SVGBackend::with_string(&mut svg, SIZE).into_drawing_area(),
            x,
            y,
        )
        .map_err(failed)?;
        Ok(svg)
    }

    fn draw(
        &self,
        area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
        x: std::ops::Range<f64>,
        y: std::ops::Range<f64>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(area)
            .caption(self.title, ("sans-serif", 22))
            .margin(16)
            .x_label_area_size(48)
            .y_label_area_size(76)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .x_desc(self.x.title)
            .y_desc(self.y.title)
            .x_label_formatter(&|at| self.x.text(*at))
            .y_label_formatter(&|at| self.y.text(*at))
            .label_style(("sans-serif", 14))
            .draw()?;
        for (series, color) in self.series.iter().zip(COLORS.iter().cycle()) {
            let dots = series.points.iter();
            let drawn = chart.draw_series(dots.map(|&at| Circle::new(at, 3, color.filled())))?;
            if self.series.len() > 1 {
                drawn
                    .label(series.name)
                    .legend(move |(x, y)| Circle::new((x + 8, y), 4, color.filled()));
            }
            if self.lines {
                chart.draw_series(LineSeries::new(series.points.iter().copied(), color))?;
            }
        }
        if self.series.len() > 1 {
            chart
                .configure_series_labels()
                .border_style(BLACK)
                .background_style(WHITE)
                .label_font(("sans-serif", 14))
                .draw()?;
        }
        area.present()?;
        Ok(())
    }
}

/// That a picture could not be drawn.
pub fn failed(error: impl Display) -> Failure {
    Failure::new(
        format!("the picture could not be drawn: {error}"),
        "nothing was written",
    )
}

/// A number in few letters.
pub fn short(number: f64) -> String {
    let (number, unit) = match number.abs() {
        size if size >= 1e9 => (number / 1e9, "G"),
        size if size >= 1e6 => (number / 1e6, "M"),
        size if size >= 1e4 => (number / 1e3, "k"),
        size if size >= 0.01 || size == 0.0 => (number, ""),
        _ => return format!("{number:.0e}"),
    };
    let digits = if number.abs() < 10.0 { 2 } else { 0 };
    let text = format!("{number:.digits$}");
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(points: Vec<(f64, f64)>, logarithmic: bool) -> Result<String, Failure> {
        let axis = || Axis {
            title: "some",
            logarithmic,
            label: &short,
        };
        Chart {
            title: "a title",
            x: axis(),
            y: axis(),
            series: vec![Series {
                name: "points",
                points,
            }],
            lines: false,
        }
        .svg()
    }

    #[test]
    fn every_point_is_a_circle() {
        let points = vec![(1.0, 100.0), (10.0, 10.0), (100.0, 1.0)];
        for logarithmic in [false, true] {
            let svg = chart(points.clone(), logarithmic).unwrap();
            assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
            assert!(svg.contains("a title") && svg.contains("some"));
        }
        assert_eq!(
            chart(vec![(5.0, 5.0)], false)
                .unwrap()
                .matches("<circle")
                .count(),
            1
        );
    }

    #[test]
    fn what_a_logarithm_has_no_place_for_is_left_out() {
        let svg = chart(vec![(0.0, 3.0), (2.0, 3.0)], true).unwrap();
        assert_eq!(svg.matches("<circle").count(), 1);
        assert!(chart(vec![(0.0, 3.0)], true).is_err());
        assert!(chart(Vec::new(), false).is_err());
    }

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (0.25, "0.25"),
            (5.0, "5"),
            (3.1623, "3.16"),
            (12.0, "12"),
            (100.0, "100"),
            (45_000.0, "45k"),
            (3_000_000.0, "3M"),
            (2.5e9, "2.5G"),
            (1e-7, "1e-7"),
        ];
        for (number, text) in cases {
            assert_eq!(short(number), text);
        }
    }
}
