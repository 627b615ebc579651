//! Zones in texts: offsets from UTC, abbreviations, and the letters of military time.

/// The abbreviations that timelib knows, with their seconds ahead of UTC. If one was used in several places, it is the first in
/// timelib's list, however old. Summer time has its own abbreviations.
const ABBREVIATIONS: &str = include_str!("zones.txt");

const HOUR: i64 = 3_600;
const MINUTE: i64 = 60;

/// The milliseconds ahead of UTC of `GMT+02`, `-0330`, `(CEST)`, `A`; `None` if it is not a zone.
pub(super) fn offset_ms(zone: &str) -> Option<i64> {
    zone_at(zone).map(|(offset_ms, _)| offset_ms)
}

/// The milliseconds ahead of UTC of the zone at the beginning of a text, and the rest; `None` if it does not begin with a zone.
pub(crate) fn zone_at(text: &str) -> Option<(i64, &str)> {
    let bare = text.trim_start_matches([' ', '\t', '(']);
    let signed = bare
        .strip_prefix("GMT")
        .filter(|rest| rest.starts_with(['+', '-']))
        .unwrap_or(bare);
    let (seconds, rest) = match signed.strip_prefix(['+', '-']) {
        Some(distance) => {
            let (digits, rest) = split_after(distance, |c| c.is_ascii_digit() || c == ':');
            let seconds = distance_seconds(digits)?;
            let sign = if signed.starts_with('-') { -1 } else { 1 };
            (sign * seconds, rest)
        }
        None => {
            let (name, rest) = split_after(bare, |c| {
                c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '+')
            });
            (abbreviated(&name.to_ascii_lowercase())?, rest)
        }
    };
    Some((seconds * 1_000, rest.trim_start_matches(')')))
}

/// Splits a text before the first character that does not belong.
fn split_after(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c: char| !belongs(c)).unwrap_or(text.len());
    text.split_at(end)
}

/// The seconds of `2`, `02`, `2:3`, `230`, `0230`, `02:30`, `023015`, `02:30:15`.
fn distance_seconds(distance: &str) -> Option<i64> {
    let has_colon = |at: usize| distance.as_bytes().get(at) == Some(&b':');
    let number = |from: usize| {
        let rest = distance.get(from..).unwrap_or_default();
        let (digits, _) = split_after(rest, |c| c.is_ascii_digit());
        digits.parse::<i64>().unwrap_or(0)
    };
    match distance.len() {
        1 | 2 => Some(number(0) * HOUR),
        3 | 4 if has_colon(1) => Some(number(0) * HOUR + number(2) * MINUTE),
        3..=5 if has_colon(2) => Some(number(0) * HOUR + number(3) * MINUTE),
        3 | 4 => Some(number(0) / 100 * HOUR + number(0) % 100 * MINUTE),
        6 => Some(number(0) / 10_000 * HOUR + number(0) / 100 % 100 * MINUTE + number(0) % 100),
        8 if has_colon(2) && has_colon(5) => Some(number(0) * HOUR + number(3) * MINUTE + number(6)),
        _ => None,
    }
}

fn abbreviated(name: &str) -> Option<i64> {
    if let &[letter] = name.as_bytes() {
        return military(letter);
    }
    let mut lines = ABBREVIATIONS.lines().filter_map(|line| line.split_once(' '));
    let (_, seconds) = lines.find(|(known, _)| *known == name)?;
    seconds.parse().ok()
}

/// A to M, without J, are the hours east of Greenwich, N to Y those west of it.
fn military(letter: u8) -> Option<i64> {
    let hours = match letter {
        b'a'..=b'i' => i64::from(letter - b'a') + 1,
        b'k'..=b'm' => i64::from(letter - b'k') + 10,
        b'n'..=b'y' => -i64::from(letter - b'n') - 1,
        b'z' => 0,
        _ => return None,
    };
    Some(hours * HOUR)
}
