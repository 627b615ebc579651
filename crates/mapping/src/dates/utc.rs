//! Times as most programs write them: `2026-01-02T03:04:05Z`, with milliseconds or without.

use value::civil::Civil;

/// The form of both, with `0` for a digit.
const FORMS: [&[u8]; 2] = [b"0000-00-00T00:00:00.000Z", b"0000-00-00T00:00:00Z"];

/// The moment that such a text means; `None` for what is no such text, or no moment.
pub(super) fn moment(text: &str) -> Option<i64> {
    let text = text.as_bytes();
    let form = FORMS.iter().find(|form| form.len() == text.len())?;
    let fits = |(byte, wanted): (&u8, &u8)| match wanted {
        b'0' => byte.is_ascii_digit(),
        mark => byte == mark,
    };
    if !text.iter().zip(*form).all(fits) {
        return None;
    }
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to).unwrap_or_default();
        digits
            .iter()
            .fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
    };
    let at = Civil {
        year: number(0, 4),
        month: number(5, 7),
        day: number(8, 10),
        hour: number(11, 13),
        minute: number(14, 16),
        second: number(17, 19),
        millisecond: if text.len() > 20 { number(20, 23) } else { 0 },
    };
    let ms = at.to_milliseconds()?;
    // What is out of its range would have been carried.
    (Civil::from_milliseconds(ms) == at).then_some(ms)
}
