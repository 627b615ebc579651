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

    /// The next id by the algorithm of this name; `None` if there is no such algorithm or form.
    pub(crate) fn next(&self, algorithm: &str, form: &Form) -> Option<String> {
        Some(match algorithm {
            "sequential" => self.sequential.next_id(),
            "monotonic" => self.monotonic.next_id(),
            "random" => self.random.next_id(),
            "utc_id" => format!("{}{}", self.microsecond(), form.suffix),
            "uuid_v4" => return form.write(of_version(4, self.random_bits()?)),
            "uuid_v7" => {
                let now_ms = since_1970().as_millis();
                let random = self.random_bits()? & (u128::MAX >> 48);
                return form.write(of_version(7, now_ms << 80 | random));
            }
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
        let configured = self.next(&algorithm, &Form::configured(config));
        configured.unwrap_or_else(|| self.sequential.next_id())
    }

    /// As many random bits as a UUID has.
    fn random_bits(&self) -> Option<u128> {
        u128::from_str_radix(&self.random.next_id(), 16).ok()
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

/// The settings of ids besides the algorithm.
#[derive(Debug, Default)]
pub(crate) struct Form {
    /// What follows the time in ids of `utc_id`.
    suffix: String,
    /// How UUIDs are written; empty for hexadecimal digits.
    format: String,
}

impl Form {
    /// Reads them from the settings.
    pub(crate) fn configured(config: &Config) -> Form {
        Form {
            suffix: config.get("uuids", "utc_id_suffix").unwrap_or_default(),
            format: config.get("uuids", "format").unwrap_or_default(),
        }
    }

    /// A UUID as text; `None` in a format that does not exist.
    fn write(&self, uuid: u128) -> Option<String> {
        let digits = format!("{uuid:032x}");
        match self.format.as_str() {
            "" | "base_16" => Some(digits),
            "base_36" => Some(in_base_36(uuid)),
            "rfc9562" => {
                let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &digits[part]);
                Some(parts.join("-"))
            }
            _ => None,
        }
    }
}

/// A UUID of this version (RFC 9562), whose free bits are these.
fn of_version(version: u128, bits: u128) -> u128 {
    const OPEN: u128 = !(0xf << 76 | 0b11 << 62);
    bits & OPEN | version << 76 | 0b10 << 62
}

/// The 25 digits of base 36 that every UUID has.
fn in_base_36(mut uuid: u128) -> String {
    let mut digits = ['0'; 25];
    for digit in digits.iter_mut().rev() {
        *digit = char::from_digit((uuid % 36) as u32, 36).unwrap_or('0');
        uuid /= 36;
    }
    digits.iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(suffix: &str, format: &str) -> Form {
        Form {
            suffix: suffix.to_owned(),
            format: format.to_owned(),
        }
    }

    #[test]
    fn uuids_have_their_version_and_are_written_in_three_formats() {
        let ids = Generators::new();
        for (algorithm, version) in [("uuid_v4", '4'), ("uuid_v7", '7')] {
            for (format, length, place) in [("", 32, 12), ("base_16", 32, 12), ("rfc9562", 36, 14)] {
                let id = ids.next(algorithm, &form("", format)).unwrap();
                assert_eq!((id.len(), id.chars().nth(place)), (length, Some(version)), "{id}");
            }
            assert_eq!(
                ids.next(algorithm, &form("", "base_36")).map(|id| id.len()),
                Some(25)
            );
            assert_eq!(ids.next(algorithm, &form("", "base_1")), None);
        }
        assert_eq!(in_base_36(u128::MAX), "f5lxx1zz5pnorynqglhzmsp33");
        let variant = of_version(7, u128::MAX) >> 62 & 0b11;
        assert_eq!(variant, 0b10);
    }

    #[test]
    fn ids_of_time_rise_within_one_microsecond_too() {
        let ids = Generators::new();
        let made: Vec<String> = (0..1_000)
            .filter_map(|_| ids.next("utc_id", &form("frog", "")))
            .collect();
        assert_eq!(made.len(), 1_000);
        assert!(made.is_sorted_by(|a, b| a < b));
        assert!(made.iter().all(|id| id.len() == 18 && id.ends_with("frog")));
        assert_eq!(
            ids.next("utc_random", &Form::default()).map(|id| id.len()),
            Some(32)
        );
        assert_eq!(ids.next("nothing", &Form::default()), None);
    }
}
