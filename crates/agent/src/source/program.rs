//! What a program writes that is run again and again.

use super::stream::{End, Stream};
use super::{Intake, Line};
use crate::config::{Program, Source};
use anyhow::{Context, Result};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::time::{Instant, timeout};

/// How often it is looked whether a program has ended.
const LOOK_TIME: Duration = Duration::from_millis(20);
/// Bytes of an output that is one message.
const WHOLE_BYTES_MAX: u64 = 1 << 20;

/// A program that runs; it does not outlive this.
pub struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    /// Starts a program and gives what it writes.
    pub fn start(command: &mut Command) -> Result<(Running, Receiver)> {
        let program = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot run {program}"))?;
        let out = child.stdout.take().context("a program without output")?;
        let out = Receiver::from_owned_fd(OwnedFd::from(out))?;
        Ok((Running(child), out))
    }

    /// How it ended, when it has written all.
    pub async fn ended(&mut self) -> Result<ExitStatus> {
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(status);
            }
            tokio::time::sleep(LOOK_TIME).await;
        }
    }
}

/// Runs the program until it is time to end.
pub async fn run(mut intake: Intake, source: &Source, program: &Program) -> Result<()> {
    loop {
        let begun = Instant::now();
        match timeout(program.timeout.0, once(&mut intake, source, program)).await {
            Ok(Ok(End::Stopped)) => return Ok(()),
            Ok(Ok(End::Closed)) => {}
            Ok(Err(error)) => tracing::warn!(source = intake.name, "the program failed: {error:#}"),
            Err(_) => tracing::warn!(source = intake.name, "the program took too long and was ended"),
        }
        let rest = program.every.0.saturating_sub(begun.elapsed());
        if intake.is_once || !intake.pause(rest).await {
            return Ok(());
        }
    }
}

async fn once(intake: &mut Intake, source: &Source, program: &Program) -> Result<End> {
    let mut command = Command::new(&program.command[0]);
    let (mut running, mut out) = Running::start(command.args(&program.command[1..]))?;
    let end = match program.whole {
        false => Stream::of_lines(source)?.run(&mut out, intake).await?,
        true => {
            let mut bytes = Vec::new();
            out.take(WHOLE_BYTES_MAX).read_to_end(&mut bytes).await?;
            let line = Line {
                text: String::from_utf8_lossy(&bytes).trim_end().to_owned(),
                is_cut: bytes.len() as u64 == WHOLE_BYTES_MAX,
                end: 0,
            };
            let records = intake.processor.text(&line.text, line.is_cut);
            match intake.give(records.into_iter().collect(), [].into()).await {
                true => End::Closed,
                false => End::Stopped,
            }
        }
    };
    if end == End::Closed {
        let status = running.ended().await?;
        if !status.success() {
            tracing::warn!(source = intake.name, %status, "the program tells that it failed");
        }
    }
    Ok(end)
}
