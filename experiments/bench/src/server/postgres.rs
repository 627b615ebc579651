//! A PostgreSQL server from the system's packages.

use super::{START_TIMEOUT, free_address, stop, tied_command, wait_until_listening};
use crate::client::Postgres;
use anyhow::{Context, Result, ensure};
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The account that the package makes; PostgreSQL refuses to run as root.
const ACCOUNT: &str = "postgres";

/// A running server with its own cluster. As durable as Larder: every commit is flushed.
#[derive(Debug)]
pub struct PostgresServer {
    child: Child,
    address: SocketAddr,
}

impl PostgresServer {
    /// Makes a cluster in a folder and starts it with as much memory for its caches as Larder has.
    pub fn start(folder: &Path, shared_buffers: &str) -> Result<PostgresServer> {
        let programs = programs()?;
        std::fs::create_dir_all(folder)?;
        let owner = std::fs::metadata(folder)?.uid();
        let account = (owner == 0).then_some(ACCOUNT);
        if account.is_some() {
            let owned = Command::new("chown").arg(ACCOUNT).arg(folder).status()?;
            ensure!(owned.success(), "cannot give {} to {ACCOUNT}", folder.display());
        }
        let cluster = folder.join("cluster");
        let made = tied_command(&programs.join("initdb"), account)
            .args([
                "--auth=trust",
                "--username=postgres",
                "--encoding=UTF8",
                "--no-locale",
                "--pgdata",
            ])
            .arg(&cluster)
            .current_dir(folder)
            .stdout(Stdio::null())
            .status()?;
        ensure!(made.success(), "initdb failed");

        let address = free_address()?;
        let mut child = tied_command(&programs.join("postgres"), account)
            .arg("-D")
            .arg(&cluster)
            .args([
                "-h",
                &address.ip().to_string(),
                "-p",
                &address.port().to_string(),
                "-k",
                "",
            ])
            .args([
                "-c",
                &format!("shared_buffers={shared_buffers}"),
                "-c",
                "max_connections=400",
            ])
            .args(["-c", "max_wal_size=4GB", "-c", "log_min_messages=error"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        wait_until_listening(&mut child, address).context("starting PostgreSQL")?;
        let server = PostgresServer { child, address };
        // It listens before it lets anybody in.
        let started = Instant::now();
        while let Err(error) = server.connect() {
            if started.elapsed() > START_TIMEOUT {
                return Err(error.context("PostgreSQL lets nobody in"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    /// A connection.
    pub fn connect(&self) -> Result<Postgres> {
        Postgres::connect(self.address)
    }

    /// Bytes of memory resident in all of its processes; what they share counts once.
    pub fn resident_bytes(&self) -> Result<u64> {
        let main = self.child.id();
        let children = std::fs::read_to_string(format!("/proc/{main}/task/{main}/children"))?;
        let children = children.split_whitespace().map(str::parse);
        let mut bytes = 0;
        for process in children.chain([Ok(main)]) {
            let process: u32 = process?;
            // A process may be gone by now.
            let parts = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
            let part = parts.lines().find_map(|line| line.strip_prefix("Pss:"));
            let kilobytes = part.and_then(|part| part.trim().trim_end_matches(" kB").parse::<u64>().ok());
            bytes += kilobytes.unwrap_or(0) << 10;
        }
        Ok(bytes)
    }

    /// Keeps it on one core: connections that are made from now on.
    pub fn pin_to_one_core(&self) -> Result<()> {
        super::pin_to_one_core(self.child.id())
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // "Fast" shutdown. As for Larder: a message lost is better than a server left running.
        let _ = stop(&mut self.child, "-INT");
    }
}

/// The folder of the newest version's programs.
fn programs() -> Result<PathBuf> {
    let versions = Path::new("/usr/lib/postgresql");
    let newest = std::fs::read_dir(versions)
        .context("PostgreSQL is not installed (Debian package postgresql)")?
        .flatten()
        .max_by_key(|version| version.file_name().to_string_lossy().parse::<u32>().unwrap_or(0));
    Ok(newest
        .with_context(|| format!("nothing in {}", versions.display()))?
        .path()
        .join("bin"))
}
