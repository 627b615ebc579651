//! The published experiments. Each runs the same work on Larder and on its peers in one run, prints both and
//! their ratios, and keeps table and chart in a folder.

mod client;
mod experiment;
mod load;
mod peer;
mod report;
mod server;
mod svg;
mod workload;

use anyhow::{Context, Result, ensure};
use clap::{Parser, ValueEnum};
use std::path::{Path, PathBuf};

/// Runs one experiment.
#[derive(Debug, Parser)]
#[command(name = "bench")]
pub struct Settings {
    /// Which.
    experiment: Experiment,
    /// A tenth of the work or less: some seconds, to see that it works; the ratios then say little.
    #[arg(long)]
    small: bool,
    /// Larder's program.
    #[arg(long, env = "LARDER", default_value = "target/release/larder")]
    larder: PathBuf,
    /// The agent's program, as devices have it.
    #[arg(long, env = "LARDER_AGENT", default_value = "target/small/larder-agent")]
    agent: PathBuf,
    /// Where the data of all servers goes: on the disk that is to be measured. Emptied before and after.
    #[arg(long, env = "SCRATCH", default_value = "target/experiments")]
    scratch: PathBuf,
    /// MongoDB's sample of postal codes, a document a line; without it `pipelines` makes places of its own.
    #[arg(long, env = "ZIPS")]
    zips: Option<PathBuf>,
    /// How many lines `logs` takes instead of as many as usual.
    #[arg(long)]
    lines: Option<u64>,
    /// Which peers `logs` is measured beside: with many lines some take an hour.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "elasticsearch,postgresql,sqlite,xapian"
    )]
    peers: Vec<experiment::logs::Peer>,
    /// Where table and chart are kept.
    #[arg(long, default_value = "experiments/results")]
    results: PathBuf,
}

/// The experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Experiment {
    Batching,
    Coupons,
    Files,
    Flush,
    Ids,
    Leaves,
    Logs,
    Pagetable,
    Parking,
    Pi,
    Pipelines,
    Plans,
    Shippers,
    Uploads,
    Ycsb,
}

fn main() -> Result<()> {
    let mut settings = Settings::parse();
    ensure!(
        settings.larder.exists(),
        "{} is not there: make build",
        settings.larder.display()
    );
    // Servers are started in other folders.
    settings.larder = std::fs::canonicalize(&settings.larder)?;
    std::fs::create_dir_all(&settings.scratch)?;
    settings.scratch = std::fs::canonicalize(&settings.scratch)?;
    let run = match settings.experiment {
        Experiment::Batching => experiment::batching::run,
        Experiment::Coupons => experiment::coupons::run,
        Experiment::Files => experiment::files::run,
        Experiment::Flush => experiment::flush::run,
        Experiment::Ids => experiment::ids::run,
        Experiment::Leaves => experiment::leaves::run,
        Experiment::Logs => experiment::logs::run,
        Experiment::Pagetable => experiment::pagetable::run,
        Experiment::Parking => experiment::parking::run,
        Experiment::Pi => experiment::pi::run,
        Experiment::Pipelines => experiment::pipelines::run,
        Experiment::Plans => experiment::plans::run,
        Experiment::Shippers => experiment::shippers::run,
        Experiment::Uploads => experiment::uploads::run,
        Experiment::Ycsb => experiment::ycsb::run,
    };
    run(&settings)?.publish(&settings.results)
}

impl Settings {
    /// The larger number in earnest, the smaller one for a look.
    fn size(&self, full: u64, small: u64) -> u64 {
        if self.small { small } else { full }
    }

    /// An empty folder for one server. Its parents may be entered by PostgreSQL's account.
    fn folder(&self, name: &str) -> Result<Scratch> {
        let folder = self.scratch.join(name);
        let made = Scratch { folder };
        made.empty()
            .with_context(|| format!("emptying {}", made.folder.display()))?;
        Ok(made)
    }
}

/// A folder that goes when it is dropped.
#[derive(Debug)]
struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    fn path(&self) -> &Path {
        &self.folder
    }

    fn empty(&self) -> Result<()> {
        if self.folder.exists() {
            std::fs::remove_dir_all(&self.folder)?;
        }
        Ok(std::fs::create_dir_all(&self.folder)?)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Left-over scratch data is emptied by the next run.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
