//! What a program writes that is run again and again.

use super::stream::{End, Stream};
use super::{Intake, Line};
use crate::config::{Program, Source};
use anyhow::{Context, Result};
use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::task::{self, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};
use tokio::net::unix::pipe::Receiver;
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};

/// How often to check whether a program has ended.
const LOOK_TIME: Duration = Duration::from_millis(20);
/// The most bytes of an output that is one message.
const WHOLE_BYTES_MAX: u64 = 1 << 20;

/// A running program, which is killed when this is dropped.
pub struct RunningProgram(Child);

impl Drop for RunningProgram {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl RunningProgram {
    /// Starts a program. Returns it with its output.
    pub fn start(command: &mut Command) -> Result<(RunningProgram, Receiver)> {
        let program = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot run {program}"))?;
        let out = child.stdout.take().context("a program without output")?;
        let out = Receiver::from_owned_fd(OwnedFd::from(out))?;
        Ok((RunningProgram(child), out))
    }

    /// How it ended, once it has written all.
    pub async fn ended(&mut self) -> Result<ExitStatus> {
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(status);
            }
            tokio::time::sleep(LOOK_TIME).await;
        }
    }
}

/// What a program writes until a moment; then that is an error, so that what came before it is kept.
struct OutputUntil {
    out: Receiver,
    late: Pin<Box<Sleep>>,
}

impl AsyncRead for OutputUntil {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.late.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(late()));
        }
        Pin::new(&mut self.out).poll_read(context, buffer)
    }
}

fn late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "it took too long and was ended")
}

/// Runs the program until it is time to end.
pub async fn run(mut intake: Intake, source: &Source, program: &Program) -> Result<()> {
    loop {
        let begun = Instant::now();
        match once(&mut intake, source, program, begun + program.timeout.0).await {
            Ok(End::Stopped) => return Ok(()),
            Ok(End::Closed) => {}
            Err(error) => tracing::warn!(source = intake.name, "the program failed: {error:#}"),
        }
        let rest = program.every.0.saturating_sub(begun.elapsed());
        if intake.is_once || !intake.pause(rest).await {
            return Ok(());
        }
    }
}

async fn once(intake: &mut Intake, source: &Source, program: &Program, end_by: Instant) -> Result<End> {
    let mut command = Command::new(&program.command[0]);
    let (mut running, out) = RunningProgram::start(command.args(&program.command[1..]))?;
    let mut out = OutputUntil {
        out,
        late: Box::pin(sleep_until(end_by)),
    };
    let end = match program.whole {
        false => Stream::of_lines(source)?.run(&mut out, intake).await?,
        true => whole(out, intake).await?,
    };
    if end == End::Closed {
        let ended = timeout_at(end_by, running.ended()).await;
        let status = ended.map_err(|_| late())??;
        if !status.success() {
            tracing::warn!(source = intake.name, %status, "the program tells that it failed");
        }
    }
    Ok(end)
}

/// All that a program writes, as one message; what it has written so far if it takes too long.
async fn whole(out: OutputUntil, intake: &mut Intake) -> Result<End> {
    let mut bytes = Vec::new();
    let read = out.take(WHOLE_BYTES_MAX).read_to_end(&mut bytes).await;
    let line = Line {
        text: String::from_utf8_lossy(&bytes).trim_end().to_owned(),
        is_cut: read.is_err() || bytes.len() as u64 == WHOLE_BYTES_MAX,
        end: 0,
    };
    let is_nothing = read.is_err() && line.text.is_empty();
    let records = match is_nothing {
        true => None,
        false => intake.processor.text(&line.text, line.is_cut),
    };
    let is_given = intake.give(records.into_iter().collect(), [].into()).await;
    read?;
    Ok(match is_given {
        true => End::Closed,
        false => End::Stopped,
    })
}
