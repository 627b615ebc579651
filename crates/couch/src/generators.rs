//! Ids of documents that come without one, by the algorithms that CouchDB has for them (`src/couch/src/couch_uuids.erl`).

use access::config::Config;
use engine::ids::{Generator, IdKind};
use std::sync::atomic::{AtomicU64, Ordering};
use value::date::since_1970;

/// One generator of each kind.
#[derive(Debug)]
pub(crate) struct Generators {
    sequential: Generator,
    monotonic: Generator,
    random: Generator,
    /// The microsecond of the last id that begins with one.
    last_us: AtomicU64,
}

impl Generators {
    /// New ones, which nobody shares.
    pub(crate) fn new() -> Generators {
        Generators {
            sequential: Generator::new(IdKind::Sequential, ""),
            monotonic: Generator::new(IdKind::Monotonic, ""),
            random: Generator::new(IdKind::Random, ""),
            last_us: AtomicU64::new(0),
        }
    }

    /// The next id by the algorithm of this name; `None` if there is no such algorithm. `suffix` is what follows the time in
    /// ids of `utc_id`.
    pub(crate) fn next(&self, algorithm: &str, suffix: &str) -> Option<String> {
        Some(match algorithm {
            "sequential" => self.sequential.next_id(),
            "monotonic" => self.monotonic.next_id(),
            "random" => self.random.next_id(),
            "utc_id" => format!("{}{suffix}", self.microsecond()),
            "utc_random" => {
                let random = self.random.next_id();
                format!("{}{}", self.microsecond(), random.get(..18).unwrap_or_default())
            }
            _ => return None,
        })
    }

    /// The next id as the settings say.
    pub(crate) fn next_configured(&self, config: &Config) -> String {
        let algorithm = config.get("uuids", "algorithm").unwrap_or_default();
        let suffix = config.get("uuids", "utc_id_suffix").unwrap_or_default();
        let configured = self.next(&algorithm, &suffix);
        configured.unwrap_or_else(|| self.sequential.next_id())
    }

    /// The time in 14 hexadecimal digits of microseconds, later than that of any id before.
    fn microsecond(&self) -> String {
        let now_us = u64::try_from(since_1970().as_micros()).unwrap_or(u64::MAX);
        let later = |last_us: u64| Some(now_us.max(last_us.saturating_add(1)));
        let last_us = self
            .last_us
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, later);
        // The update never declines, so this is the time that it put there.
        let time_us = now_us.max(last_us.unwrap_or_default().saturating_add(1));
        format!("{time_us:014x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_time_rise_within_one_microsecond_too() {
        let ids = Generators::new();
        let made: Vec<String> = (0..1_000).filter_map(|_| ids.next("utc_id", "frog")).collect();
        assert_eq!(made.len(), 1_000);
        assert!(made.is_sorted_by(|a, b| a < b));
        assert!(made.iter().all(|id| id.len() == 18 && id.ends_with("frog")));
        assert_eq!(ids.next("utc_random", "").map(|id| id.len()), Some(32));
        assert_eq!(ids.next("nothing", ""), None);
    }
}
