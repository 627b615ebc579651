//! A program that brings what others write to a server.

use super::{processor_time, status_bytes, stop};
use anyhow::{Context, Result};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running program.
#[derive(Debug)]
pub struct Shipper {
    child: Child,
}

impl Shipper {
    /// Starts it.
    pub fn start(mut command: Command) -> Result<Shipper> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null());
        let child = child.spawn().context("starting the program")?;
        Ok(Shipper { child })
    }

    /// The processor time that it has used.
    pub fn processor_time(&self) -> Result<Duration> {
        processor_time(self.child.id())
    }

    /// The most bytes of memory that were resident.
    pub fn resident_peak_bytes(&self) -> Result<u64> {
        status_bytes(self.child.id(), "VmHWM:")
    }

    /// Ends it as a service manager would.
    pub fn stop(mut self) -> Result<()> {
        stop(&mut self.child, "-TERM")
    }
}

impl Drop for Shipper {
    fn drop(&mut self) {
        // As with the servers: nothing is left running.
        let _ = stop(&mut self.child, "-TERM");
    }
}
