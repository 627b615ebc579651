//! Lines of the log that a flood of connections must not multiply.

use std::time::Duration;
use tokio::time::Instant;

/// The least time between two lines about the same thing.
const INTERVAL: Duration = Duration::from_secs(10);

/// Something that is logged when it first happens, and then not more than once in [`INTERVAL`].
#[derive(Debug, Default)]
pub(crate) struct Seldom {
    said: Option<Instant>,
    /// How often it has happened since it was logged.
    times: u64,
}

impl Seldom {
    /// To be called when it happens. Returns how often it has happened since it was logged, if it is to be logged again.
    pub(crate) fn happened(&mut self) -> Option<u64> {
        self.times += 1;
        if self.said.is_some_and(|said| said.elapsed() < INTERVAL) {
            return None;
        }
        self.said = Some(Instant::now());
        Some(std::mem::take(&mut self.times))
    }
}
