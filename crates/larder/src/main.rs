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

/// How long the process waits for threads whose work is not needed any more.
const THREADS_END_MAX: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    // A monitor that runs `larder check` takes the usual exit codes of failures for an answer of the check.
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

/// Runs a command, in a runtime if it needs one.
fn run(command: &cli::Command) -> Result<ExitCode> {
    // Files are made for their owner alone. Certificates that clients trust, and manual pages, may be meant for others to read; so
    // may the file of an export, which gets the mode that it would have without this.
    let is_for_others = matches!(command, cli::Command::Cert(_) | cli::Command::Manual(_));
    let mask = (!is_for_others).then(|| umask(Mode::RWXG | Mode::RWXO));
    let ran = match command {
        // The agent is small: it has one thread, and a runtime of its own.
        cli::Command::Agent(options) => agent::cli::run(options),
        cli::Command::Completions(options) => help::completions(options),
        cli::Command::Manual(options) => help::manual(options),
        cli::Command::Config(options) => config::run(options),
        cli::Command::Cert(options) => cert::run(options),
        // `check` has exit codes of its own.
        cli::Command::Check(options) => return in_runtime(check::run(options)),
        cli::Command::Status(options) => in_runtime(status::run(options)),
        cli::Command::Serve(options) => in_runtime(serve::run(options)),
        cli::Command::Import(options) => in_runtime(import::run(options)),
        cli::Command::User(options) => in_runtime(user::run(options)),
        cli::Command::Export(options) => in_runtime(export::run(options, mask.unwrap_or(Mode::empty()))),
        cli::Command::Backup(options) => in_runtime(backup::run(options)),
        cli::Command::Restore(options) => in_runtime(restore::run(options)),
        cli::Command::Verify(options) => in_runtime(verify::run(options)),
        cli::Command::Repair(options) => in_runtime(repair::run(options)),
    };
    ran.map(|()| ExitCode::SUCCESS)
}

/// The stack of a thread: twice the usual one, since compressors keep their tables on it and builds without optimization
/// need several times as much as others. What is not used takes no memory.
const STACK_BYTES: usize = 4 << 20;

/// Runs a command's work in a runtime of many threads.
fn in_runtime<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("larder")
        .thread_stack_size(STACK_BYTES)
        .build()
        .context("cannot start the runtime's threads")?;
    let ran = runtime.block_on(work);
    // Work that still holds a thread has been waited for long enough.
    runtime.shutdown_timeout(THREADS_END_MAX);
    ran
}
