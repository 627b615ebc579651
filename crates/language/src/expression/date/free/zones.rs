//! Zones as they stand in texts: distances from UTC, abbreviations, and the letters of military time.

/// Abbreviations with their minutes ahead of UTC; those of summer time are names of their own.
const ABBREVIATIONS: &[(&str, i64)] = &[
    ("utc", 0),
    ("gmt", 0),
    ("wet", 0),
    ("west", 60),
    ("bst", 60),
    ("cet", 60),
    ("cest", 120),
    ("met", 60),
    ("mest", 120),
    ("eet", 120),
    ("eest", 180),
    ("msk", 180),
    ("msd", 240),
    ("wat", 60),
    ("cat", 120),
    ("sast", 120),
    ("eat", 180),
    ("pkt", 300),
    ("hkt", 480),
    ("awst", 480),
    ("jst", 540),
    ("acst", 570),
    ("acdt", 630),
    ("aest", 600),
    ("aedt", 660),
    ("nzst", 720),
    ("nzdt", 780),
    ("nst", -210),
    ("ndt", -150),
    ("ast", -240),
    ("adt", -180),
    ("est", -300),
    ("edt", -240),
    ("cst", -360),
    ("cdt", -300),
    ("mst", -420),
    ("mdt", -360),
    ("pst", -480),
    ("pdt", -420),
    ("akst", -540),
    ("akdt", -480),
    ("hst", -600),
    ("hdt", -540),
];

const MINUTE_MS: i64 = 60_000;

/// Milliseconds ahead of UTC of `GMT+02`, `-0330`, `(CEST)`, `A`; none for what is no zone.
pub(in crate::expression::date) fn offset_ms(zone: &str) -> Option<i64> {
    let bare = zone.trim_matches(['(', ')', ' ', '\t']);
    let signed = bare
        .strip_prefix("GMT")
        .filter(|rest| !rest.is_empty())
        .unwrap_or(bare);
    let minutes = match signed.split_at_checked(1)? {
        ("+", distance) => minutes(distance)?,
        ("-", distance) => -minutes(distance)?,
        _ => abbreviated(&bare.to_ascii_lowercase())?,
    };
    Some(minutes * MINUTE_MS)
}

/// The minutes of `2`, `02`, `230`, `0230`, `2:30`, `02:30`.
fn minutes(distance: &str) -> Option<i64> {
    let whole = if distance.len() > 2 {
        distance.len() - 2
    } else {
        distance.len()
    };
    let (hours, minutes) = distance.split_once(':').unwrap_or(distance.split_at(whole));
    let number = |digits: &str| {
        if digits.is_empty() {
            Some(0)
        } else {
            digits.parse::<i64>().ok()
        }
    };
    Some(number(hours)? * 60 + number(minutes)?)
}

fn abbreviated(name: &str) -> Option<i64> {
    if let &[letter] = name.as_bytes() {
        return military(letter);
    }
    ABBREVIATIONS
        .iter()
        .find_map(|&(known, minutes)| (known == name).then_some(minutes))
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
    Some(hours * 60)
}
