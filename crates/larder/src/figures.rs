//! The figures of a running server, as `/metrics` tells them.

use crate::http_server::HttpServer;
use anyhow::{Context, Result};
use http::{Client, Method};
use std::time::Duration;

/// Figures by name, those with labels under their whole name: `larder_memory_held_bytes{holder="files"}`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures(Vec<(String, f64)>);

impl Figures {
    /// Asks a server.
    pub async fn of(server: &HttpServer, client: &Client, time_max: Duration) -> Result<Figures> {
        let body = server.ask(client, Method::GET, "/metrics", time_max).await?;
        Ok(Figures::read(
            std::str::from_utf8(&body).context("the figures are not text")?,
        ))
    }

    /// Reads Prometheus' text format, as the server writes it.
    fn read(text: &str) -> Figures {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let pairs = lines.filter_map(|line| line.rsplit_once(' '));
        Figures(
            pairs
                .filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?)))
                .collect(),
        )
    }

    /// The figure of this name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0
            .iter()
            .find(|(has, _)| has == name)
            .map(|(_, value)| *value)
    }

    /// All of them, in the server's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_names_with_labels_or_without() {
        let figures = Figures::read("# HELP a b.\n# TYPE a gauge\na 7\nb{holder=\"x y\"} 1.5\nbroken\n");
        assert_eq!(figures.get("a"), Some(7.0));
        assert_eq!(figures.get("b{holder=\"x y\"}"), Some(1.5));
        assert_eq!(figures.iter().count(), 2);
    }
}
