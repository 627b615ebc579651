//! How fast a backup is copied.

use std::time::{Duration, Instant};

/// Keeps to this many bytes a second.
#[derive(Clone, Debug)]
pub struct Pace {
    bytes_per_second: Option<u64>,
    began: Instant,
    bytes: u64,
}

impl Pace {
    /// A pace of at most this many bytes a second; `None` for as fast as possible.
    pub fn new(bytes_per_second: Option<u64>) -> Pace {
        Pace {
            bytes_per_second,
            began: Instant::now(),
            bytes: 0,
        }
    }

    /// Waits until these bytes could have been copied at the pace.
    pub(crate) async fn copied(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        if let Some(rate) = self.bytes_per_second {
            let due = Duration::from_secs_f64(self.bytes as f64 / rate.max(1) as f64);
            tokio::time::sleep(due.saturating_sub(self.began.elapsed())).await;
        }
    }
}
