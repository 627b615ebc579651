//! `larder status`: what a running server does, in figures.

use crate::figures::Figures;
use crate::http_server::StatusServer;
use anyhow::{Context, Result};
use clap::Args;
use http::{Client, Reach};
use std::io::Write;
use std::time::Duration;

/// How long the server may take for an answer.
const ANSWER_TIME_MAX: Duration = Duration::from_secs(10);

/// Which server.
#[derive(Clone, Debug, Args)]
pub struct StatusOptions {
    #[command(flatten)]
    from: StatusServer,
    /// Write one JSON object.
    #[arg(long)]
    json: bool,
}

/// Writes the figures on standard output.
pub async fn run(options: &StatusOptions) -> Result<()> {
    let client = Client::new(Reach::Anywhere);
    options.from.server.recognize(&client, ANSWER_TIME_MAX).await?;
    let figures = Figures::of(&options.from.server, &client, ANSWER_TIME_MAX).await;
    let figures = figures.with_context(|| format!("{:?} does not tell its figures", options.from.server))?;
    let mut out = std::io::stdout().lock();
    if options.json {
        let object: serde_json::Map<_, _> = figures
            .iter()
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    let width = figures.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in figures.iter() {
        writeln!(out, "{name:width$}  {value}")?;
    }
    Ok(())
}
