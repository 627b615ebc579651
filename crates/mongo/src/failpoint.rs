//! `configureFailPoint` with `failCommand`, by which drivers test how they retry. Off unless the server was started
//! with test commands.

use crate::error::CommandError;
use parking_lot::Mutex;
use std::time::Duration;
use value::{Document, Value};

/// The fail point that is set, if any.
#[derive(Debug, Default)]
pub struct FailPoints {
    fail_command: Mutex<Option<FailCommand>>,
}

/// What `failCommand` does, and to which commands.
#[derive(Clone, Debug)]
pub struct FailCommand {
    /// How often it still strikes; none for always.
    pub times: Option<u64>,
    /// How many commands it lets pass first.
    pub skip: u64,
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
        if fail.skip > 0 {
            fail.skip -= 1;
            return None;
        }
        let effect = fail.effect.clone();
        if let Some(times) = &mut fail.times {
            *times = times.saturating_sub(1);
            if *times == 0 {
                *set = None;
            }
        }
        Some(effect)
    }
}
