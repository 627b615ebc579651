//! The Larder server and its command line: configuration, `serve`, and a file or folder for each other command; wiring.

mod backup;
mod cert;
mod check;
mod cli;
mod config;
mod descriptors;
mod export;
mod figures;
mod folder;
mod given;
mod help;
mod http_server;
mod import;
mod listening;
mod logging;
mod memory;
mod meter;
mod mounts;
mod protocols;
mod repair;
mod restore;
mod serve;
mod shutdown;
mod status;
mod supervisor;
mod target;
mod user;
mod verify;
mod watch;

use anyhow::{Context, Result};
use rustix::fs::Mode;
use rustix::process::umask;
use std::process::ExitCode;
use std::time::Duration;

// One allocator for our own code and RocksDB: it gives memory back to the system, glibc's keeps it.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// How long the process waits for threads whose work nobody wants any more.
const THREADS_END_MAX: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    // Whoever asks how a server is takes the usual codes of failures for an answer.
    let is_check = std::env::args_os().nth(1).is_some_and(|word| word == "check");
    let cli = match cli::Cli::read(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) if is_check && error.use_stderr() => {
            let _ = error.print();
            return check::unknown(&error.to_string());
        }
        Err(error) => error.exit(),
    };
    match run(&cli.command) {
        Ok(code) => code,
        Err(error) if is_check => check::unknown(&format!("{error:#}")),
        Err(error) => {
            eprintln!("larder: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The stack of a thread: twice the usual one, since compressors keep their tables on it and builds without optimization
/// need several times as much as others. What is not used takes no memory.
const STACK_BYTES: usize = 4 << 20;

fn run(command: &cli::Command) -> Result<ExitCode> {
    if let cli::Command::Agent(options) = command {
        // It is small: one thread, and a runtime of its own.
        return agent::cli::run(options).map(|()| ExitCode::SUCCESS);
    }
    // What is kept is its owner's alone, in a data folder that is exported too. Certificates that clients trust, and manual pages go
    // where others may be meant to read them; so does the file of an export, which has the mode that it had without this.
    let is_for_others = matches!(command, cli::Command::Cert(_) | cli::Command::Manual(_));
    let mask = (!is_for_others).then(|| umask(Mode::RWXG | Mode::RWXO));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("larder")
        .thread_stack_size(STACK_BYTES)
        .build()
        .context("cannot start the runtime's threads")?;
    let ran = match command {
        cli::Command::Agent(options) => agent::cli::run(options),
        // It has exit codes of its own.
        cli::Command::Check(options) => return runtime.block_on(check::run(options)),
        cli::Command::Status(options) => runtime.block_on(status::run(options)),
        cli::Command::Completions(options) => help::completions(options),
        cli::Command::Manual(options) => help::manual(options),
        cli::Command::Config(options) => config::run(options),
        cli::Command::Serve(options) => runtime.block_on(serve::run(options)),
        cli::Command::Import(options) => runtime.block_on(import::run(options)),
        cli::Command::Cert(options) => cert::run(options),
        cli::Command::User(options) => runtime.block_on(user::run(options)),
        cli::Command::Export(options) => {
            runtime.block_on(export::run(options, mask.unwrap_or(Mode::empty())))
        }
        cli::Command::Backup(options) => runtime.block_on(backup::run(options)),
        cli::Command::Restore(options) => runtime.block_on(restore::run(options)),
        cli::Command::Verify(options) => runtime.block_on(verify::run(options)),
        cli::Command::Repair(options) => runtime.block_on(repair::run(options)),
    };
    // What still holds a thread has been waited for long enough.
    runtime.shutdown_timeout(THREADS_END_MAX);
    ran.map(|()| ExitCode::SUCCESS)
}
