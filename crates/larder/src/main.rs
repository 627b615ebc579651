//! The Larder server and its command line: configuration, `serve`, `import`, `export`, wiring.

mod cli;
mod config;
mod logging;
mod memory;
mod serve;
mod shutdown;

use clap::Parser;
use std::process::ExitCode;

// One allocator for our own code and RocksDB: it gives memory back to the system, glibc's keeps it.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let outcome = match cli::Cli::parse().command {
        cli::Command::Serve(options) => serve::run(&options),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("larder: {error:#}");
            ExitCode::FAILURE
        }
    }
}
