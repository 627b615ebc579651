//! The servers that are measured: started for one experiment in a scratch folder, stopped when dropped.

mod duckdb;
mod elasticsearch;
mod larder;
mod nginx;
mod postgres;
mod pouch;
mod shipper;

pub use duckdb::DuckDb;
pub use elasticsearch::ElasticsearchServer;
pub use larder::{Larder, resident_bytes};
pub use nginx::Nginx;
pub use postgres::PostgresServer;
pub use pouch::PouchServer;
pub use shipper::Shipper;

use anyhow::{Context, Result, bail, ensure};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const START_TIMEOUT: Duration = Duration::from_secs(30);
const STOP_TIMEOUT: Duration = Duration::from_secs(60);

/// A command that is ended when this process dies, however it dies. `setpriv` replaces itself with the
/// program, so that signals arrive there.
fn tied_command(program: &Path, account: Option<&str>) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "TERM"]);
    if let Some(account) = account {
        command.args(["--reuid", account, "--regid", account, "--clear-groups"]);
    }
    command.arg(program);
    command
}

/// A loopback address that nothing listens on.
fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?)
}

/// Waits until somebody listens, as long as the process lives.
fn wait_until_listening(child: &mut Child, address: SocketAddr) -> Result<()> {
    let started = Instant::now();
    while TcpStream::connect(address).is_err() {
        if let Some(status) = child.try_wait()? {
            bail!("it ended with {status}");
        }
        if started.elapsed() > START_TIMEOUT {
            bail!("nothing listens at {address} after {START_TIMEOUT:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Ends a process as a service manager would, and waits for it.
fn stop(child: &mut Child, signal: &str) -> Result<()> {
    if child.try_wait()?.is_some() {
        return Ok(());
    }
    Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .context("running kill")?;
    let asked = Instant::now();
    while child.try_wait()?.is_none() {
        if asked.elapsed() > STOP_TIMEOUT {
            child.kill()?;
            child.wait()?;
            bail!("it did not stop in {STOP_TIMEOUT:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Keeps a process, with what it starts from now on, on the first core.
fn pin_to_one_core(process: u32) -> Result<()> {
    let pinned = Command::new("taskset")
        .args(["--all-tasks", "--cpu-list", "--pid", "0", &process.to_string()])
        .stdout(Stdio::null())
        .status()
        .context("running taskset")?;
    ensure!(pinned.success(), "taskset failed");
    Ok(())
}

/// The processor time that a process has used.
pub fn processor_time(process: u32) -> Result<Duration> {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name of the program, in brackets, may hold anything.
    let (_, fields) = status.rsplit_once(')').context("a process without a state")?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    let ticks: u64 = ticks.sum::<std::result::Result<u64, _>>()?;
    Ok(Duration::from_millis(ticks * 10))
}

/// A figure of `/proc/PROCESS/status` that is told in kilobytes.
fn status_bytes(process: u32, name: &'static str) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .with_context(|| format!("a process without {name}"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes << 10)
}

/// Bytes of all files below a folder of which `counts` says so by name.
pub fn folder_bytes(folder: &Path, counts: &dyn Fn(&str) -> bool) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            bytes += folder_bytes(&entry.path(), counts)?;
        } else if counts(&entry.file_name().to_string_lossy()) {
            // A file may vanish meanwhile.
            bytes += entry.metadata().map_or(0, |file| file.len());
        }
    }
    Ok(bytes)
}
