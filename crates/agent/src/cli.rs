//! The agent's command line: that of `larder agent`, and of `larder-agent`, which is the same without the server.

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use rustix::fs::Mode;
use std::path::PathBuf;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt};

/// Where the configuration is by default.
const CONFIG: &str = "/etc/larder/agent.toml";

/// What the agent is to do.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Options {
    #[command(subcommand)]
    command: Option<Command>,
    /// The configuration, a TOML file.
    #[arg(long, value_name = "FILE", default_value = CONFIG, env = "LARDER_AGENT_CONFIG")]
    config: PathBuf,
    /// Send what is there now, and end.
    #[arg(long)]
    once: bool,
    /// What is logged: error, warn, info, debug, trace, or a filter such as `info,agent=debug`.
    #[arg(long, value_name = "FILTER", default_value = "info", env = "LARDER_LOG", value_parser = filter)]
    log: String,
    /// How the log is written.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        env = "LARDER_LOG_FORMAT"
    )]
    log_format: LogFormat,
}

/// What else can be done with a configuration.
#[derive(Clone, Debug, Subcommand)]
enum Command {
    /// Say what is wrong with a configuration, or what each source of it would read.
    Check {
        /// The configuration.
        #[arg(value_name = "FILE", default_value = CONFIG)]
        file: PathBuf,
    },
    /// Show the figures that the agent of a configuration wrote down last.
    Status {
        /// The configuration.
        #[arg(value_name = "FILE", default_value = CONFIG)]
        file: PathBuf,
    },
}

/// How the log is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogFormat {
    /// One line of text an event.
    Text,
    /// One JSON object an event.
    Json,
}

/// What is logged. A word by itself is a level: it could name a crate, too, and of all others nothing would be logged then.
fn filter(text: &str) -> Result<String, String> {
    let is_level = |word: &str| word.trim().parse::<LevelFilter>().is_ok();
    let mut words = text.split(',').filter(|part| !part.contains(['=', '[']));
    if let Some(word) = words.find(|word| !is_level(word)) {
        return Err(format!(
            "'{word}' is no level: error, warn, info, debug, trace and off are; of one crate, agent=debug"
        ));
    }
    let compiled = EnvFilter::try_new(text).map_err(|error| error.to_string());
    compiled.map(|_| text.to_owned())
}

/// Does it. What is written is its owner's alone.
pub fn run(options: &Options) -> Result<()> {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    match &options.command {
        Some(Command::Check { file }) => crate::check(file, &mut std::io::stdout().lock()),
        Some(Command::Status { file }) => crate::show(file, &mut std::io::stdout().lock()),
        None => {
            start_log(&options.log, options.log_format)?;
            crate::run(&options.config, options.once)
        }
    }
}

fn start_log(filter: &str, format: LogFormat) -> Result<()> {
    let registry = tracing_subscriber::registry().with(EnvFilter::try_new(filter)?);
    let output = fmt::layer().with_writer(std::io::stderr);
    match format {
        LogFormat::Text => registry.with(output.with_ansi(false)).try_init()?,
        LogFormat::Json => registry.with(output.json().flatten_event(true)).try_init()?,
    }
    Ok(())
}
