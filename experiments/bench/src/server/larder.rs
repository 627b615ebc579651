//! A Larder server.

use super::{folder_bytes, free_address, status_bytes, stop, tied_command, wait_until_listening};
use crate::client::{Http, Mongo};
use crate::load::run_batches;
use anyhow::{Context, Result};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

/// A running server with its own data folder.
#[derive(Debug)]
pub struct Larder {
    child: Child,
    folder: PathBuf,
    /// Where it listens to the MongoDB protocol.
    pub address: SocketAddr,
    /// Where it listens to the CouchDB protocol.
    pub couch_address: SocketAddr,
    /// Where it listens to Riak's HTTP.
    pub riak_address: SocketAddr,
    /// Where it listens to Riak's protocol buffers.
    pub riak_buffers_address: SocketAddr,
    /// Where it listens to Elasticsearch's protocol.
    pub elastic_address: SocketAddr,
    /// Where it serves files.
    pub http_address: SocketAddr,
}

impl Larder {
    /// Starts the program on a data folder, which it makes where there is none.
    pub fn start(program: &Path, folder: &Path, memory: &str) -> Result<Larder> {
        let (address, couch_address, http_address) = (free_address()?, free_address()?, free_address()?);
        let (riak_address, riak_buffers_address) = (free_address()?, free_address()?);
        let elastic_address = free_address()?;
        let mut child = tied_command(program, None)
            .args(["serve", "--memory", memory, "--log", "warn"])
            .args(["--mongo-listen", &address.to_string()])
            .args(["--couch-listen", &couch_address.to_string()])
            .args(["--elastic-listen", &elastic_address.to_string()])
            .args([
                "--riak-listen",
                &riak_address.to_string(),
                "--riak-pb-listen",
                &riak_buffers_address.to_string(),
            ])
            .args(["--http-listen", &http_address.to_string()])
            .arg("--data")
            .arg(folder)
            .stdin(Stdio::null())
            .spawn()
            .with_context(|| format!("starting {}", program.display()))?;
        wait_until_listening(&mut child, address).context("starting Larder")?;
        wait_until_listening(&mut child, riak_address).context("starting Larder")?;
        wait_until_listening(&mut child, riak_buffers_address).context("starting Larder")?;
        wait_until_listening(&mut child, elastic_address).context("starting Larder")?;
        wait_until_listening(&mut child, couch_address).context("starting Larder")?;
        wait_until_listening(&mut child, http_address).context("starting Larder")?;
        Ok(Larder {
            child,
            folder: folder.to_path_buf(),
            address,
            couch_address,
            riak_address,
            riak_buffers_address,
            elastic_address,
            http_address,
        })
    }

    /// A connection.
    pub fn connect(&self) -> Result<Mongo> {
        Mongo::connect(self.address)
    }

    /// Inserts documents into a collection, batches of them by some clients at once; documents a second. `put` appends the one
    /// of a number.
    pub fn load(
        &self,
        collection: &str,
        documents: u64,
        (clients, batch): (usize, u64),
        put: impl Fn(u64, &mut Vec<u8>) + Sync,
    ) -> Result<f64> {
        let connect = || Ok((self.connect()?, Vec::new()));
        run_batches(clients, documents, batch, connect, |(client, bytes), numbers| {
            bytes.clear();
            numbers.for_each(|number| put(number, bytes));
            client.insert(collection, bytes)
        })
    }

    /// A connection of the CouchDB protocol.
    pub fn connect_couch(&self) -> Result<Http> {
        Http::connect(self.couch_address)
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Bytes of memory resident now.
    pub fn resident_bytes(&self) -> Result<u64> {
        resident_bytes(self.child.id())
    }

    /// Keeps it on one core.
    pub fn pin_to_one_core(&self) -> Result<()> {
        super::pin_to_one_core(self.child.id())
    }

    /// The most bytes of memory that were resident, since [`Larder::reset_peak`] where that was called.
    pub fn resident_peak_bytes(&self) -> Result<u64> {
        status_bytes(self.child.id(), "VmHWM:")
    }

    /// Bytes that it has given to files of a disk so far.
    pub fn written_bytes(&self) -> Result<u64> {
        let counters = std::fs::read_to_string(format!("/proc/{}/io", self.child.id()))?;
        let line = counters
            .lines()
            .find_map(|line| line.strip_prefix("write_bytes:"));
        Ok(line.context("a process without write_bytes")?.trim().parse()?)
    }

    /// Lets the peak of its resident memory begin anew (proc(5), `clear_refs`).
    pub fn reset_peak(&self) -> Result<()> {
        Ok(std::fs::write(
            format!("/proc/{}/clear_refs", self.child.id()),
            "5",
        )?)
    }

    /// Stops it, and gives the bytes of its data on disk. The logs do not count: they are of a fixed size,
    /// used again, and empty after a stop.
    pub fn stop(mut self) -> Result<u64> {
        stop(&mut self.child, "-TERM").context("stopping Larder")?;
        folder_bytes(&self.folder, &|name| name.ends_with(".sst"))
    }

    /// Kills it without warning.
    pub fn kill(mut self) -> Result<()> {
        stop(&mut self.child, "-KILL").context("killing Larder")
    }
}

impl Drop for Larder {
    fn drop(&mut self) {
        // The experiment has ended or failed; a server left running would be worse than a message lost.
        let _ = stop(&mut self.child, "-TERM");
    }
}

/// Bytes of memory resident in a process.
pub fn resident_bytes(process: u32) -> Result<u64> {
    status_bytes(process, "VmRSS:")
}
