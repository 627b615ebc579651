//! `larder-agent`: the agent alone, for devices. It does what `larder agent` does in a tenth of the program.

use clap::Parser;
use std::process::ExitCode;

/// Gathers what this machine writes, and sends it to a server: each record once.
#[derive(Debug, Parser)]
#[command(name = "larder-agent", version)]
struct Cli {
    #[command(flatten)]
    options: agent::cli::Options,
}

#[allow(
    clippy::print_stderr,
    reason = "what went wrong is said where programs say it"
)]
fn main() -> ExitCode {
    match agent::cli::run(&Cli::parse().options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("larder-agent: {error:#}");
            ExitCode::FAILURE
        }
    }
}
