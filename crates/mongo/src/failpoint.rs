//! `configureFailPoint` with `failCommand`, by which drivers test how they retry, and with `maxTimeAlwaysTimeOut`, by which they
//! test their time limits. Off unless the server was started with test commands.

use crate::error::CommandError;
use parking_lot::Mutex;
use std::time::Duration;
use value::{Document, Value};

/// The fail points that are set, if any.
#[derive(Debug, Default)]
pub struct FailPoints {
    fail_command: Mutex<Option<FailCommand>>,
    time_out: Mutex<Option<Turns>>,
}

/// When a fail point strikes.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// How often it still strikes; none for always.
    pub times: Option<u64>,
    /// How often it lets pass first.
    pub skip: u64,
}

impl Turns {
    /// Whether it strikes this time; counts it.
    fn take(&mut self) -> bool {
        if self.skip > 0 {
            self.skip -= 1;
            return false;
        }
        match &mut self.times {
            None => true,
            Some(0) => false,
            Some(times) => {
                *times -= 1;
                true
            }
        }
    }
}

/// What `failCommand` does, and to which commands.
#[derive(Clone, Debug)]
pub struct FailCommand {
    /// Which of them it strikes.
    pub turns: Turns,
    /// The commands.
    pub commands: Vec<String>,
    /// The application whose commands fail; none for all.
    pub application: Option<String>,
    /// What happens to them.
    pub effect: Effect,
}

/// What happens to a command that is to fail.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// The connection is closed.
    pub closes: bool,
    /// The answer waits so long.
    pub block: Option<Duration>,
    /// The command is not run and gives this error.
    pub error: Option<CommandError>,
    /// The command runs, and its reply carries this.
    pub write_concern_error: Option<Document>,
    /// The labels of the error, in place of those it would have.
    pub labels: Option<Vec<Value>>,
}

impl FailPoints {
    /// Sets or, with none, removes `failCommand`.
    pub fn set(&self, fail: Option<FailCommand>) {
        *self.fail_command.lock() = fail;
    }

    /// What is to happen to this command, if anything; counts it.
    pub fn strike(&self, command: &str, application: Option<&str>) -> Option<Effect> {
        let mut set = self.fail_command.lock();
        let fail = set.as_mut()?;
        // Drivers say hello by names of any case (`ismaster`).
        let meant = fail
            .commands
            .iter()
            .any(|name| name.eq_ignore_ascii_case(command))
            && (fail.application.is_none() || fail.application.as_deref() == application);
        if !meant {
            return None;
        }
        fail.turns.take().then(|| fail.effect.clone())
    }

    /// Sets or, with none, removes `maxTimeAlwaysTimeOut`.
    pub fn set_time_out(&self, turns: Option<Turns>) {
        *self.time_out.lock() = turns;
    }

    /// Whether the time limit of a command is to count as over; counts the command.
    pub fn times_out(&self) -> bool {
        self.time_out.lock().as_mut().is_some_and(Turns::take)
    }
}
