//! Documents as the published experiments describe them, the same for every peer and every run.

use std::fmt::Write as _;
use value::ValueRef;
use value::raw::DocumentWriter;

/// A number that looks random and depends on `number` alone (splitmix64).
pub fn scramble(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// How ids are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// 26 hex digits that stay for 8,000 ids, 6 that rise: CouchDB's sequential ids.
    Sequential,
    /// 32 random hex digits.
    Random,
}

impl Ids {
    /// The id of a document.
    pub fn id(self, number: u64) -> String {
        let (first, second) = (scramble(number), scramble(!number));
        match self {
            Ids::Random => format!("{first:016x}{second:016x}"),
            Ids::Sequential => {
                let (group, place) = (number / 8000, number % 8000);
                let prefix = (u128::from(scramble(group)) << 40) | u128::from(scramble(!group) >> 24);
                format!("{prefix:026x}{:06x}", place * 0x7FF + first % 0x7FF)
            }
        }
    }
}

/// A reading of a device, about 100 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    device: u64,
    at_s: u64,
    celsius: f64,
    volts: f64,
}

impl Reading {
    /// The reading with that number.
    pub fn new(number: u64) -> Reading {
        let random = scramble(number ^ 0xABCD);
        Reading {
            device: random % 5000,
            at_s: 1_700_000_000 + number,
            celsius: ((random >> 16) % 600) as f64 / 10.0 - 20.0,
            volts: ((random >> 40) % 500) as f64 / 100.0,
        }
    }

    /// Appends it as BSON.
    pub fn put_bson(&self, id: &str, out: &mut Vec<u8>) {
        let mut document = DocumentWriter::new(out);
        document.put("_id", ValueRef::String(id));
        document.put("device", ValueRef::Int32(self.device as i32));
        document.put("at", ValueRef::DateTime(self.at_s as i64 * 1000));
        document.put("celsius", ValueRef::Double(self.celsius));
        document.put("volts", ValueRef::Double(self.volts));
        document.finish();
    }

    /// It as JSON, without the id, which SQL keeps in a column.
    pub fn json(&self) -> String {
        let Reading {
            device,
            at_s,
            celsius,
            volts,
        } = self;
        format!("{{\"device\":{device},\"at\":{at_s},\"celsius\":{celsius},\"volts\":{volts}}}")
    }
}

/// Placeholders for an `INSERT` of so many rows of two columns: `($1,$2),($3,$4)…`.
pub fn placeholders(rows: u64, second_type: &str) -> String {
    let mut out = String::new();
    for row in 0..rows {
        let comma = if row == 0 { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(out, "{comma}(${},${}::{second_type})", 2 * row + 1, 2 * row + 2);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_of_their_kind() {
        let ids: Vec<String> = (0..20_000).map(|number| Ids::Sequential.id(number)).collect();
        assert!(
            ids[..8000].is_sorted() && ids[8000..16_000].is_sorted() && ids.iter().all(|id| id.len() == 32)
        );
        let ids: std::collections::BTreeSet<String> =
            (0..20_000).map(|number| Ids::Random.id(number)).collect();
        assert!(ids.len() == 20_000 && ids.iter().all(|id| id.len() == 32));
    }

    #[test]
    fn a_reading_is_about_a_hundred_bytes() {
        let mut bytes = Vec::new();
        Reading::new(1).put_bson(&Ids::Random.id(1), &mut bytes);
        assert!((90..130).contains(&bytes.len()), "{}", bytes.len());
    }
}
