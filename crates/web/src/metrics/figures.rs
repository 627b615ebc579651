//! Figures, and the forms in which they are written.

use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Figures in the order in which they are written.
#[derive(Debug, Default)]
pub(super) struct Figures(Vec<Figure>);

#[derive(Debug)]
struct Figure {
    name: &'static str,
    kind: &'static str,
    help: &'static str,
    /// A value for each holder of memory, or one alone.
    values: Vec<(Option<&'static str>, u64)>,
}

impl Figures {
    pub(super) fn gauge(&mut self, name: &'static str, help: &'static str, value: u64) {
        self.put(name, "gauge", help, vec![(None, value)]);
    }

    pub(super) fn counter(&mut self, name: &'static str, help: &'static str, value: u64) {
        self.put(name, "counter", help, vec![(None, value)]);
    }

    pub(super) fn of_holders<'u>(
        &mut self,
        name: &'static str,
        kind: &'static str,
        help: &'static str,
        values: impl Iterator<Item = (&'u memory::Usage, u64)>,
    ) {
        let values = values.map(|(of, value)| (Some(of.holder.name()), value));
        self.put(name, kind, help, values.collect());
    }

    fn put(
        &mut self,
        name: &'static str,
        kind: &'static str,
        help: &'static str,
        values: Vec<(Option<&'static str>, u64)>,
    ) {
        self.0.push(Figure {
            name,
            kind,
            help,
            values,
        });
    }

    /// Prometheus' text format.
    pub(super) fn to_prometheus(&self) -> String {
        let mut text = String::with_capacity(8 << 10);
        // Writing to a String cannot fail, here and below.
        for Figure {
            name,
            kind,
            help,
            values,
        } in &self.0
        {
            let _ = writeln!(text, "# HELP {name} {help}.\n# TYPE {name} {kind}");
            for (holder, value) in values {
                let _ = match holder {
                    Some(holder) => writeln!(text, "{name}{{holder=\"{holder}\"}} {value}"),
                    None => writeln!(text, "{name} {value}"),
                };
            }
        }
        text
    }

    /// One JSON object; a figure of each holder of memory is an object in it.
    pub(super) fn to_json(&self) -> String {
        let figures = self.0.iter().map(|figure| {
            let value = match &figure.values[..] {
                [(None, value)] => json!(value),
                values => {
                    let held = values
                        .iter()
                        .filter_map(|(holder, value)| Some(((*holder)?.to_owned(), json!(value))));
                    Value::Object(held.collect())
                }
            };
            (figure.name.to_owned(), value)
        });
        let mut text = Value::Object(figures.collect::<Map<_, _>>()).to_string();
        text.push('\n');
        text
    }

    /// An element for each value, with a stylesheet by which a browser shows them as a table.
    pub(super) fn to_xml(&self) -> String {
        let mut text = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<?xml-stylesheet type=\"text/css\" href=\"/metrics.css\"?>\n<figures>\n",
        );
        for Figure {
            name,
            kind,
            help,
            values,
        } in &self.0
        {
            for (holder, value) in values {
                let holder = holder.map_or_else(String::new, |holder| format!(" holder=\"{holder}\""));
                // Names and helps are this program's own, and have nothing that needs an escape.
                let _ = writeln!(
                    text,
                    "  <figure name=\"{name}\"{holder} kind=\"{kind}\" help=\"{help}\">{value}</figure>"
                );
            }
        }
        text.push_str("</figures>\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Figures {
        let mut figures = Figures::default();
        figures.counter("a_total", "Things", 7);
        figures.put("b", "gauge", "Held", vec![(Some("files"), 1), (Some("views"), 2)]);
        figures
    }

    #[test]
    fn the_same_figures_are_told_in_each_form() {
        let text = "# HELP a_total Things.\n# TYPE a_total counter\na_total 7\n# HELP b Held.\n# TYPE b gauge\nb{holder=\"files\"} 1\nb{holder=\"views\"} 2\n";
        assert_eq!(two().to_prometheus(), text);
        let told: Value = serde_json::from_str(&two().to_json()).unwrap();
        assert_eq!(told, json!({"a_total": 7, "b": {"files": 1, "views": 2}}));
        let xml = two().to_xml();
        for line in [
            "<figure name=\"a_total\" kind=\"counter\" help=\"Things\">7</figure>",
            "<figure name=\"b\" holder=\"views\" kind=\"gauge\" help=\"Held\">2</figure>",
        ] {
            assert!(xml.contains(line), "{xml}");
        }
    }
}
