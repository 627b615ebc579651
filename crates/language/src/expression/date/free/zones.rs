//! Zones as they stand in texts: distances from UTC, abbreviations, and the letters of military time.

/// The abbreviations that timelib knows, with the seconds that they are ahead of UTC; of those that were used in several places
/// the one that it has first, however long ago that was. Those of summer time are names of their own.
const ABBREVIATIONS: &[(&str, i64)] = &[
    ("acdt", 37_800),
    ("acst", 34_200),
    ("addt", -7_200),
    ("adt", -10_800),
    ("aedt", 39_600),
    ("aest", 36_000),
    ("ahdt", -32_400),
    ("ahst", -36_000),
    ("akdt", -28_800),
    ("akst", -32_400),
    ("amt", -13_840),
    ("apt", -10_800),
    ("ast", -14_400),
    ("awdt", 32_400),
    ("awst", 28_800),
    ("awt", -10_800),
    ("bdst", 7_200),
    ("bdt", -36_000),
    ("bmt", -14_309),
    ("bst", 3_600),
    ("cast", 34_200),
    ("cat", 7_200),
    ("cddt", -14_400),
    ("cdt", -18_000),
    ("cemt", 10_800),
    ("cest", 7_200),
    ("cet", 3_600),
    ("chst", 36_000),
    ("cmt", -15_408),
    ("cpt", -18_000),
    ("cst", -21_600),
    ("cwt", -18_000),
    ("dmt", -1_521),
    ("eat", 10_800),
    ("eddt", -10_800),
    ("edt", -14_400),
    ("eest", 10_800),
    ("eet", 7_200),
    ("emt", -26_248),
    ("ept", -14_400),
    ("est", -18_000),
    ("ewt", -14_400),
    ("ffmt", -14_660),
    ("fmt", -4_056),
    ("gdt", 39_600),
    ("gmt", 0),
    ("gst", 36_000),
    ("hdt", -34_200),
    ("hkst", 32_400),
    ("hkt", 28_800),
    ("hmt", -19_776),
    ("hpt", -34_200),
    ("hst", -36_000),
    ("hwt", -34_200),
    ("iddt", 14_400),
    ("idt", 10_800),
    ("imt", 25_025),
    ("ist", 7_200),
    ("jdt", 36_000),
    ("jmt", 8_440),
    ("jst", 32_400),
    ("kdt", 36_000),
    ("kmt", 5_736),
    ("kst", 30_600),
    ("lst", 9_394),
    ("mddt", -18_000),
    ("mdst", 16_279),
    ("mdt", -21_600),
    ("mest", 7_200),
    ("met", 3_600),
    ("mmt", 9_017),
    ("mpt", -21_600),
    ("msd", 14_400),
    ("msk", 10_800),
    ("mst", -25_200),
    ("mwt", -21_600),
    ("nddt", -5_400),
    ("ndt", -9_052),
    ("npt", -9_000),
    ("nst", -12_600),
    ("nwt", -9_000),
    ("nzdt", 46_800),
    ("nzmt", 41_400),
    ("nzst", 43_200),
    ("pddt", -21_600),
    ("pdt", -25_200),
    ("pkst", 21_600),
    ("pkt", 18_000),
    ("plmt", 25_590),
    ("pmt", -13_236),
    ("ppmt", -17_340),
    ("ppt", -25_200),
    ("pst", -28_800),
    ("pwt", -25_200),
    ("qmt", -18_840),
    ("rmt", 5_794),
    ("sast", 7_200),
    ("sdmt", -16_800),
    ("sjmt", -20_173),
    ("smt", -13_884),
    ("sst", -39_600),
    ("tbmt", 10_751),
    ("tmt", 12_344),
    ("uct", 0),
    ("utc", 0),
    ("wast", 7_200),
    ("wat", 3_600),
    ("wemt", 7_200),
    ("west", 3_600),
    ("wet", 0),
    ("wib", 25_200),
    ("wit", 32_400),
    ("wita", 28_800),
    ("wmt", 5_040),
    ("yddt", -25_200),
    ("ydt", -28_800),
    ("ypt", -28_800),
    ("yst", -32_400),
    ("ywt", -28_800),
];

const HOUR: i64 = 3_600;
const MINUTE: i64 = 60;

/// Milliseconds ahead of UTC of `GMT+02`, `-0330`, `(CEST)`, `A`; none for what is no zone.
pub(super) fn offset_ms(zone: &str) -> Option<i64> {
    zone_at(zone).map(|(offset_ms, _)| offset_ms)
}

/// The milliseconds ahead of UTC of the zone that a text begins with, and what follows it; none if it begins with no zone.
pub(in crate::expression::date) fn zone_at(text: &str) -> Option<(i64, &str)> {
    let bare = text.trim_start_matches([' ', '\t', '(']);
    let signed = bare
        .strip_prefix("GMT")
        .filter(|rest| rest.starts_with(['+', '-']))
        .unwrap_or(bare);
    let (seconds, rest) = match signed.strip_prefix(['+', '-']) {
        Some(distance) => {
            let (digits, rest) = split_after(distance, |c| c.is_ascii_digit() || c == ':');
            let seconds = distance_seconds(digits)?;
            (
                if signed.starts_with('-') {
                    -seconds
                } else {
                    seconds
                },
                rest,
            )
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

/// A text in two: the characters that belong to something, and what begins with the first one that does not.
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
    ABBREVIATIONS
        .iter()
        .find_map(|&(known, seconds)| (known == name).then_some(seconds))
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
