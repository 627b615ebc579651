//! Lines of a FIFO, or of a serial device.

use super::Intake;
use super::stream::{End, Stream};
use crate::config::{Device, Source};
use anyhow::{Context, Result, bail};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::process::Command;
use std::time::Duration;
use tokio::net::unix::pipe::Receiver;

/// The pause before a device that is not there is looked for again.
const RETRY_TIME: Duration = Duration::from_secs(5);

/// Reads lines until it is time to end; a device that goes is waited for.
pub async fn run(mut intake: Intake, source: &Source, device: &Device) -> Result<()> {
    if intake.is_once {
        tracing::info!(source = intake.name, "a device has no end: it is left out");
        return Ok(());
    }
    let mut trouble = String::new();
    loop {
        match read(&mut intake, source, device).await {
            Ok(End::Stopped) => return Ok(()),
            Ok(End::Closed) => tracing::info!(source = intake.name, "the device has ended"),
            Err(error) => {
                let error = format!("{error:#}");
                if error != trouble {
                    tracing::warn!(
                        source = intake.name,
                        error,
                        "the device cannot be read; this is tried again"
                    );
                    trouble = error;
                }
            }
        }
        if !intake.pause(RETRY_TIME).await {
            return Ok(());
        }
    }
}

async fn read(intake: &mut Intake, source: &Source, device: &Device) -> Result<End> {
    if let Some(baud) = device.baud {
        set_baud(device, baud)?;
    }
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    // It is opened for writing too, so that a FIFO does not end when its last writer goes.
    let open = |writes| {
        OpenOptions::new()
            .read(true)
            .write(writes)
            .custom_flags(nonblocking)
            .open(&device.path)
    };
    let file = open(true).or_else(|_| open(false));
    let file = file.with_context(|| format!("cannot open {}", device.path.display()))?;
    if file.metadata()?.is_file() {
        bail!(
            "{} is a file: it belongs to [source.files]",
            device.path.display()
        );
    }
    // A device is read as a pipe is: the system tells when there is something.
    let mut reader = Receiver::from_file_unchecked(file)?;
    Ok(Stream::of_lines(source)?.run(&mut reader, intake).await?)
}

fn set_baud(device: &Device, baud: u32) -> Result<()> {
    let set = Command::new("stty")
        .arg("-F")
        .arg(&device.path)
        .arg(baud.to_string())
        .args(["raw", "-echo"])
        .output();
    let set = set.context("cannot run stty")?;
    if !set.status.success() {
        bail!("stty: {}", String::from_utf8_lossy(&set.stderr).trim());
    }
    Ok(())
}
