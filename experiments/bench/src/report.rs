//! What an experiment found: a table, what had to come out, and a chart; printed, and kept as Markdown and
//! SVG.

use crate::svg::{self, Chart, Group};
use anyhow::Result;
use std::fmt::Write as _;
use std::path::Path;

/// The findings of one experiment.
#[derive(Debug)]
pub struct Report {
    name: &'static str,
    title: &'static str,
    columns: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    checks: Vec<Check>,
    chart: Chart,
}

#[derive(Debug)]
struct Check {
    wanted: String,
    found: String,
    met: bool,
}

impl Report {
    /// A report with the columns of its table.
    pub fn new(name: &'static str, title: &'static str, columns: &[&'static str]) -> Report {
        let columns = columns.to_vec();
        Report {
            name,
            title,
            columns,
            rows: Vec::new(),
            checks: Vec::new(),
            chart: Chart::default(),
        }
    }

    /// Adds a row to the table.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Adds what had to come out, and what did.
    pub fn check(&mut self, wanted: impl Into<String>, found: impl Into<String>, met: bool) {
        self.checks.push(Check {
            wanted: wanted.into(),
            found: found.into(),
            met,
        });
    }

    /// Says what the chart's bars are.
    pub fn chart(&mut self, unit: &'static str, series: &[&str]) {
        self.chart.unit = unit;
        self.chart.series = series.iter().map(|name| (*name).to_owned()).collect();
    }

    /// Adds a group of bars, one for each series.
    pub fn bars(&mut self, group: impl Into<String>, values: &[f64]) {
        self.chart.groups.push(Group {
            name: group.into(),
            values: values.to_vec(),
        });
    }

    /// Prints the report, and writes `NAME.md` and `NAME.svg` into a folder.
    #[allow(clippy::print_stdout, reason = "the report is what the program is for")]
    pub fn publish(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder)?;
        let text = self.markdown();
        println!("{text}");
        std::fs::write(folder.join(format!("{}.md", self.name)), &text)?;
        std::fs::write(
            folder.join(format!("{}.svg", self.name)),
            svg::draw(self.title, &self.chart),
        )?;
        Ok(())
    }

    fn markdown(&self) -> String {
        let mut text = format!("# {}: {}\n\n", self.name, self.title);
        let head: Vec<String> = self.columns.iter().map(|name| (*name).to_owned()).collect();
        let widths: Vec<usize> = (0..head.len())
            .map(|at| {
                self.rows
                    .iter()
                    .chain([&head])
                    .map(|row| row[at].chars().count())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        put_row(&mut text, &head, &widths);
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        put_row(&mut text, &rule, &widths);
        for row in &self.rows {
            put_row(&mut text, row, &widths);
        }
        if !self.checks.is_empty() {
            text.push_str("\nWhat must come out:\n\n");
        }
        for Check { wanted, found, met } in &self.checks {
            let mark = if *met { "met" } else { "MISSED" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "- {mark}: {wanted}; found {found}");
        }
        text
    }
}

/// A row of a Markdown table: the first column to the left, numbers to the right.
fn put_row(text: &mut String, cells: &[String], widths: &[usize]) {
    for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let _ = match at {
            0 => write!(text, "| {cell:<width$} "),
            _ => write!(text, "| {cell:>width$} "),
        };
    }
    text.push_str("|\n");
}

/// A number with as many digits as mean something.
pub fn number(value: f64) -> String {
    match value {
        value if value >= 1000.0 => thousands(value.round() as u64),
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

/// How many times as large.
pub fn ratio(value: f64, base: f64) -> String {
    format!("{}x", number(value / base))
}

fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        let shown = [0.0, 0.127, 9.96, 42.42, 512.4, 1000.0, 1_234_567.4].map(number);
        assert_eq!(
            shown,
            ["0.00", "0.13", "9.96", "42.4", "512", "1 000", "1 234 567"]
        );
    }

    #[test]
    fn a_table_is_aligned_markdown() {
        let mut report = Report::new("n", "t", &["who", "x"]);
        report.row(["long name".into(), "1".into()]);
        report.check("x > 0", "1", true);
        let expected = "# n: t\n\n| who       | x |\n| --------- | - |\n| long name | 1 |\n\n\
                        What must come out:\n\n- met: x > 0; found 1\n";
        assert_eq!(report.markdown(), expected);
    }
}
