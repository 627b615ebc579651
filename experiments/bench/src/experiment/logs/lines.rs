//! Log lines out of a seed: shapes of real systems' lines with made-up values, of 500 devices over ten days, nearly in the order of time.

use crate::workload::scramble;
use std::fmt::Write as _;

pub const DEVICES: u64 = 500;
/// A word that few lines have, one that many have, and two that follow each other.
pub const RARE: &str = "quarantined";
pub const COMMON: &str = "from";
pub const PHRASE: &str = "authentication failure";

const TEMPLATES: &str = include_str!("../../../../logs/templates.txt");
/// Of so many lines one has the rare word; of so many one comes late, by so much at most.
const RARE_EVERY: u64 = 40_000;
const STRAGGLER_EVERY: u64 = 100;
const LATE_MS_MAX: u64 = 600_000;
/// 2026-01-02T00:00:00Z, and how long the lines go on.
const START_MS: u64 = 1_767_312_000_000;
const DAY_MS: u64 = 86_400_000;
const SPAN_MS: u64 = 10 * DAY_MS;
const USERS: u64 = 3000;

/// A part of a message.
#[derive(Clone, Copy, Debug)]
enum Piece {
    Text(&'static str),
    Variable(&'static str),
}

#[derive(Debug)]
struct Template {
    level: &'static str,
    program: &'static str,
    pieces: Vec<Piece>,
}

/// Makes the lines of a run.
#[derive(Debug)]
pub struct Lines {
    templates: Vec<Template>,
    /// The templates by weight: at each place the number of one.
    places: Vec<usize>,
    /// How many lines there are before those that arrive while questions are asked.
    pub count: u64,
}

/// A line.
#[derive(Debug)]
pub struct Line {
    pub at_ms: u64,
    pub device: String,
    pub level: &'static str,
    pub program: &'static str,
    pub message: String,
}

impl Lines {
    pub fn new(count: u64) -> Lines {
        let (mut templates, mut places) = (Vec::new(), Vec::new());
        for line in TEMPLATES.lines().filter(|line| !line.starts_with('#')) {
            let mut columns = line.splitn(4, '\t');
            let mut column = || columns.next().unwrap_or_default();
            let (weight, level, program, message) = (column(), column(), column(), column());
            places.extend(std::iter::repeat_n(templates.len(), weight.parse().unwrap_or(0)));
            templates.push(Template {
                level,
                program,
                pieces: pieces(message),
            });
        }
        Lines {
            templates,
            places,
            count,
        }
    }

    /// The line with this number; they go on beyond `count`.
    pub fn line(&self, number: u64) -> Line {
        let random = scramble(number ^ 0x1065);
        let late = match random % STRAGGLER_EVERY {
            0 => (random >> 32) % LATE_MS_MAX,
            _ => 0,
        };
        let template = &self.templates[self.places[(random >> 8) as usize % self.places.len()]];
        let mut message = String::with_capacity(160);
        for (at, piece) in template.pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => message.push_str(text),
                Piece::Variable(name) => put_variable(name, scramble(random ^ at as u64), &mut message),
            }
        }
        if scramble(random).is_multiple_of(RARE_EVERY) {
            message.push(' ');
            message.push_str(RARE);
        }
        Line {
            at_ms: START_MS + (SPAN_MS as f64 * (number as f64 / self.count as f64)) as u64 - late,
            device: device(scramble(!random)),
            level: template.level,
            program: template.program,
            message,
        }
    }

    /// From when to when the hour in the middle is.
    pub fn hour(&self) -> (u64, u64) {
        let from = START_MS + SPAN_MS / 2;
        (from, from + DAY_MS / 24)
    }
}

/// The name of a device.
pub fn device(random: u64) -> String {
    format!("device-{:03}", random % DEVICES)
}

impl Line {
    /// Its time as Elasticsearch writes it.
    pub fn time(&self) -> String {
        time(self.at_ms)
    }

    /// Appends it as an object of JSON.
    pub fn put_json(&self, out: &mut String) {
        let Line {
            device,
            level,
            program,
            ..
        } = self;
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "{{\"@timestamp\":\"{}\",\"device\":\"{device}\",\"level\":\"{level}\",\"program\":\"{program}\",\"message\":\"",
            self.time()
        );
        for part in self.message.split_inclusive(['"', '\\']) {
            match part.as_bytes().last() {
                Some(mark @ (b'"' | b'\\')) => {
                    out.push_str(&part[..part.len() - 1]);
                    out.push('\\');
                    out.push(char::from(*mark));
                }
                _ => out.push_str(part),
            }
        }
        out.push_str("\"}");
    }
}

/// A time of January 2026.
pub fn time(at_ms: u64) -> String {
    let since = at_ms + DAY_MS - START_MS;
    let (day, rest) = (since / DAY_MS + 1, since % DAY_MS);
    let (seconds, ms) = (rest / 1000, rest % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("2026-01-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

fn pieces(message: &'static str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = message;
    while let Some((text, after)) = rest.split_once('<') {
        let variable = after
            .split_once('>')
            .filter(|(name, _)| ["number", "ip", "hex", "hash", "uuid", "user", "host"].contains(name));
        match variable {
            Some((name, after)) => {
                pieces.extend([Piece::Text(text), Piece::Variable(name)]);
                rest = after;
            }
            None => {
                pieces.push(Piece::Text(&rest[..=text.len()]));
                rest = after;
            }
        }
    }
    pieces.push(Piece::Text(rest));
    pieces
}

fn put_variable(name: &str, random: u64, out: &mut String) {
    let of = |shift: u32| (random >> shift) & 0xFF;
    // Writing to a string cannot fail.
    let _ = match name {
        // Small numbers often, large ones seldom.
        "number" => write!(out, "{}", (random >> 24) % 10_u64.pow(1 + (random % 6) as u32)),
        "ip" => write!(out, "10.{}.{}.{}", of(0) % 4, of(8) % 32, of(16)),
        "hex" => write!(out, "{:x}", random >> 36),
        "hash" => write!(out, "{random:016x}{:016x}", scramble(random)),
        "uuid" => write!(
            out,
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            random >> 32,
            random & 0xFFFF,
            0x4000 | (random >> 16) & 0xFFF,
            0x8000 | random & 0xFFF,
            scramble(random) >> 16
        ),
        // The first of them are by far the most frequent.
        "user" => write!(
            out,
            "user{}",
            (random % USERS) * (random >> 32) % USERS * (of(24)) / 256
        ),
        _ => write!(out, "host{}.example.net", random % 2000),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_the_same_each_time_and_of_the_expected_kinds() {
        let lines = Lines::new(100_000);
        let (mut rare, mut common, mut phrases, mut bytes) = (0, 0, 0, 0);
        for number in 0..lines.count {
            let line = lines.line(number);
            let mut json = String::new();
            line.put_json(&mut json);
            bytes += json.len();
            rare += u32::from(line.message.contains(RARE));
            common += u32::from(line.message.contains(COMMON));
            phrases += u32::from(line.message.contains(PHRASE));
            assert!(!line.message.contains("<number>"), "{line:?}");
        }
        assert!((1..10).contains(&rare), "{rare}");
        assert!(common > 15_000 && phrases > 3000, "{common} {phrases}");
        assert!((180..280).contains(&(bytes / 100_000)), "{bytes}");
        assert_eq!(lines.line(7).message, Lines::new(100_000).line(7).message);
    }

    #[test]
    fn a_line_is_an_object_of_json() {
        let lines = Lines::new(1000);
        for number in 0..1000 {
            let line = lines.line(number);
            let mut json = String::new();
            line.put_json(&mut json);
            let read: serde_json::Value = serde_json::from_str(&json).unwrap_or_default();
            assert_eq!(read["message"], line.message);
        }
        assert_eq!(time(START_MS), "2026-01-02T00:00:00.000Z");
    }
}
