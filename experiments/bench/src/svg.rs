//! Bar charts as SVG, written directly: no library, no script, readable on light and dark pages.

use crate::report::number;
use std::fmt::Write as _;

const COLOURS: [&str; 6] = ["#2f6f9f", "#d98032", "#5f9e57", "#a0568c", "#8a7a3d", "#777777"];
const WIDTH: f64 = 820.0;
const LABELS_WIDTH: f64 = 190.0;
const VALUES_WIDTH: f64 = 90.0;
const BAR_HEIGHT: f64 = 15.0;
const GROUP_GAP: f64 = 12.0;
const HEAD_HEIGHT: f64 = 62.0;

/// Bars in groups; those of one series have one colour.
#[derive(Debug, Default)]
pub struct Chart {
    /// What the bars' lengths are.
    pub unit: &'static str,
    /// The names of the series.
    pub series: Vec<String>,
    /// From top to bottom.
    pub groups: Vec<Group>,
}

/// One bar for each series.
#[derive(Debug)]
pub struct Group {
    /// What stands beside them.
    pub name: String,
    /// Their lengths.
    pub values: Vec<f64>,
}

/// Draws a chart under a title.
pub fn draw(title: &str, Chart { unit, series, groups }: &Chart) -> String {
    let bars: usize = groups.iter().map(|group| group.values.len()).sum();
    let height = HEAD_HEIGHT + bars as f64 * BAR_HEIGHT + groups.len() as f64 * GROUP_GAP;
    let largest = groups
        .iter()
        .flat_map(|group| &group.values)
        .fold(0.0_f64, |left, right| left.max(*right));
    let scale = (WIDTH - LABELS_WIDTH - VALUES_WIDTH) / largest.max(f64::MIN_POSITIVE);

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <text x=\"10\" y=\"20\" font-size=\"14\" font-weight=\"bold\">{}</text>\n",
        escape(title)
    );
    put_legend(&mut svg, unit, series);
    let mut top = HEAD_HEIGHT;
    for Group { name, values } in groups {
        let middle = top + values.len() as f64 * BAR_HEIGHT / 2.0 + 4.0;
        let left = LABELS_WIDTH - 8.0;
        // Writing to a string cannot fail.
        let _ = writeln!(
            svg,
            "<text x=\"{left}\" y=\"{middle}\" text-anchor=\"end\">{}</text>",
            escape(name)
        );
        for (value, colour) in values.iter().zip(COLOURS.iter().cycle()) {
            put_bar(&mut svg, top, value * scale, colour, &number(*value));
            top += BAR_HEIGHT;
        }
        top += GROUP_GAP;
    }
    svg.push_str("</svg>\n");
    svg
}

fn put_legend(svg: &mut String, unit: &str, series: &[String]) {
    let mut left = 10.0;
    for (name, colour) in series.iter().zip(COLOURS.iter().cycle()) {
        let text = left + 16.0;
        let _ = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"33\" width=\"11\" height=\"11\" fill=\"{colour}\"/>\
             <text x=\"{text}\" y=\"43\">{}</text>",
            escape(name)
        );
        left = text + 7.0 * name.chars().count() as f64 + 18.0;
    }
    let right = WIDTH - 10.0;
    let _ = writeln!(
        svg,
        "<text x=\"{right}\" y=\"43\" text-anchor=\"end\" fill=\"#555555\">{}</text>",
        escape(unit)
    );
}

fn put_bar(svg: &mut String, top: f64, width: f64, colour: &str, value: &str) {
    let (height, text_left, text_top) = (BAR_HEIGHT - 2.0, LABELS_WIDTH + width + 5.0, top + 11.0);
    let _ = writeln!(
        svg,
        "<rect x=\"{LABELS_WIDTH}\" y=\"{top}\" width=\"{width:.1}\" height=\"{height}\" fill=\"{colour}\"/>\
         <text x=\"{text_left:.1}\" y=\"{text_top}\" font-size=\"11\">{value}</text>"
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_a_bar_and_text_is_escaped() {
        let group = |name: &str, values: [f64; 2]| Group {
            name: name.into(),
            values: values.to_vec(),
        };
        let chart = Chart {
            unit: "documents/s",
            series: vec!["one".into(), "two".into()],
            groups: vec![group("Larder", [10.0, 5.0]), group("peer", [1.0, 0.0])],
        };
        let svg = draw("a < b", &chart);
        assert_eq!(svg.matches("<rect").count(), 1 + 2 + 4);
        assert!(svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
    }
}
