//! Date math in names of indices: `<logs-{now/d{yyyy.MM.dd|+01:00}}>`.

use super::{DateFormats, Rounding, parse_math, zone};
use crate::error::{Result, SearchError};
use jiff::tz::TimeZone;

/// The name that an expression means; one without `<` and `>` around it means itself.
pub fn date_math_name(text: &str, now_ms: i64) -> Result<String> {
    let (sign, inner) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let Some(inner) = inner.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')) else {
        return Ok(text.to_owned());
    };
    let invalid = |why: &str| {
        SearchError::new(
            crate::error::ErrorKind::Parsing,
            format!("invalid dynamic name expression [{inner}]. {why}"),
        )
    };
    let mut out = sign.to_owned();
    let mut rest = inner;
    while let Some((before, math)) = rest.split_once('{') {
        out.push_str(&before.replace('\\', ""));
        let mut depth = 1;
        let end = math.char_indices().find(|(_, c)| {
            depth += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            depth == 0
        });
        let (end, _) = end.ok_or_else(|| invalid("date math placeholder is open ended"))?;
        out.push_str(&date(&math[..end], now_ms)?);
        rest = &math[end + 1..];
    }
    out.push_str(&rest.replace('\\', ""));
    Ok(out)
}

fn date(math: &str, now_ms: i64) -> Result<String> {
    let (math, format) = match math.split_once('{') {
        Some((math, format)) => (math, format.trim_end_matches('}')),
        None => (math, "yyyy.MM.dd"),
    };
    let (format, zone) = match format.split_once('|') {
        Some((format, name)) => (format, zone(name)?),
        None => (format, TimeZone::UTC),
    };
    let ms = parse_math(math, &DateFormats::default(), &zone, now_ms, Rounding::Down)?;
    Ok(DateFormats::parse(format)?.write(ms, &zone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_dates_in_them() {
        let now = 1_711_066_182_000;
        for (text, name) in [
            ("logs", "logs"),
            ("<logs-{now/d}>", "logs-2024.03.22"),
            ("<logs-{now/M{yyyy.MM}}-x>", "logs-2024.03-x"),
            ("<logs-{now/d-1d{yyyy.MM.dd|+12:00}}>", "logs-2024.03.21"),
        ] {
            assert_eq!(date_math_name(text, now).expect("a name"), name);
        }
        assert!(date_math_name("<logs-{now>", now).is_err());
    }
}
