//! `larder agent`: the command line of the crate `agent`.

use crate::config::LogFormat;
use crate::logging;
use anyhow::Result;
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Where the configuration is where nothing else is said.
const CONFIG: &str = "/etc/larder/agent.toml";

/// What the agent is to do.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct AgentOptions {
    #[command(subcommand)]
    command: Option<AgentCommand>,
    /// The configuration, a TOML file.
    #[arg(long, value_name = "FILE", default_value = CONFIG, env = "LARDER_AGENT_CONFIG")]
    config: PathBuf,
    /// Send what is there now, and end.
    #[arg(long)]
    once: bool,
    /// What is logged: error, warn, info, debug, trace, or a filter such as `info,agent=debug`.
    #[arg(long, value_name = "FILTER", default_value = "info", env = "LARDER_LOG")]
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
enum AgentCommand {
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

/// Does it.
pub fn run(options: &AgentOptions) -> Result<()> {
    match &options.command {
        Some(AgentCommand::Check { file }) => agent::check(file, &mut std::io::stdout().lock()),
        Some(AgentCommand::Status { file }) => agent::show(file, &mut std::io::stdout().lock()),
        None => {
            logging::start(&options.log, options.log_format, None)?;
            agent::run(&options.config, options.once)
        }
    }
}
