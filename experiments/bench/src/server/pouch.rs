//! pouchdb-server: the CouchDB protocol in Node.js, on LevelDB.

use super::{free_address, stop, tied_command, wait_until_listening};
use anyhow::{Context, Result};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Stdio};

/// Where `experiments/run` installs it.
const PROGRAM: &str = "target/peers/pouchdb-server/node_modules/.bin/pouchdb-server";

/// A running server with a folder of its own.
#[derive(Debug)]
pub struct PouchServer {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

impl PouchServer {
    /// Starts it, with its own settings.
    pub fn start(folder: &Path) -> Result<PouchServer> {
        let address = free_address()?;
        let program = std::path::absolute(PROGRAM)?;
        let mut child = tied_command(&program, None)
            .arg("--dir")
            .arg(folder)
            .args(["--host", &address.ip().to_string()])
            .args(["--port", &address.port().to_string()])
            .args(["--no-stdout-logs", "--no-color"])
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .context("starting pouchdb-server")?;
        wait_until_listening(&mut child, address).context("starting pouchdb-server")?;
        Ok(PouchServer { child, address })
    }
}

impl Drop for PouchServer {
    fn drop(&mut self) {
        // As with Larder: nothing is left running.
        let _ = stop(&mut self.child, "-TERM");
    }
}
