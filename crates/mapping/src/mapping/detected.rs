//! What values that no field is mapped for look like: numbers and dates in texts among them.

use super::Mapping;
use crate::dates::{DateFormats, Rounding};
use crate::error::{Result, SearchError};
use crate::json::{as_bool, one_or_many, scalar};
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use value::ValueRef;

/// The formats by which dates are found in texts where a mapping names none: that of fields that name none, and another.
const DATES: [&str; 2] = [
    "strict_date_optional_time||epoch_millis",
    "yyyy/MM/dd HH:mm:ss||yyyy/MM/dd||epoch_millis",
];

/// What a value looks like.
#[derive(Clone, Copy)]
pub(super) struct DetectedKind<'m> {
    pub(super) name: &'static str,
    /// The format of a date that was found in a text, where a field has it only if it is said.
    pub(super) format: Option<&'m str>,
}

impl DetectedKind<'_> {
    pub(super) fn of(name: &'static str) -> Self {
        DetectedKind { name, format: None }
    }
}

impl Mapping {
    /// What a value looks like.
    pub(super) fn kind_of(&self, value: ValueRef<'_>) -> DetectedKind<'_> {
        DetectedKind::of(match value {
            ValueRef::String(text) => return self.kind_of_text(text),
            ValueRef::Bool(_) => "boolean",
            ValueRef::Int32(_) | ValueRef::Int64(_) => "long",
            ValueRef::Double(_) => "double",
            ValueRef::Decimal128(_) => "decimal",
            ValueRef::DateTime(_) | ValueRef::Timestamp(_) => "date",
            ValueRef::Binary { .. } => "binary",
            ValueRef::ObjectId(_) => "id",
            _ => "other",
        })
    }

    /// A text may be a number or a date, as the mapping says.
    fn kind_of_text(&self, text: &str) -> DetectedKind<'_> {
        let is_on = |name: &str, default: bool| self.source.get(name).and_then(as_bool).unwrap_or(default);
        let number = text.parse::<f64>();
        if is_on("numeric_detection", false) {
            if text.parse::<i64>().is_ok() {
                return DetectedKind::of("long");
            }
            if number.as_ref().is_ok_and(|number| number.is_finite()) {
                return DetectedKind::of("double");
            }
        }
        // A number alone could be a year.
        let format = match number.is_err() && is_on("date_detection", true) {
            true => self.date_format(text),
            false => None,
        };
        match format {
            None => DetectedKind::of("string"),
            Some(format) => DetectedKind {
                name: "date",
                format: Some(format).filter(|format| *format != DATES[0]),
            },
        }
    }

    /// The first of the formats by which dates are found that a text has.
    fn date_format(&self, text: &str) -> Option<&str> {
        match self.source.get("dynamic_date_formats") {
            None => {
                let is_usual = text.as_bytes().first().is_some_and(u8::is_ascii_digit);
                let may_be = is_usual && text.contains(['-', '/', 'T']);
                DATES.into_iter().find(|format| may_be && reads(format, text))
            }
            Some(Value::String(one)) if one == "none" => None,
            Some(given) => {
                let mut formats = one_or_many(given).into_iter().filter_map(Value::as_str);
                formats.find(|format| reads(format, text))
            }
        }
    }
}

/// Says the format of the dates of a field, if it says none itself.
pub(super) fn put_format(definition: &mut Value, format: Option<&str>) {
    let is_date = matches!(
        definition.get("type").and_then(Value::as_str),
        Some("date" | "date_nanos")
    );
    if let (Value::Object(definition), Some(format), true) = (definition, format, is_date) {
        definition.entry("format").or_insert_with(|| json!(format));
    }
}

/// Whether a text is a date of this format.
fn reads(format: &str, text: &str) -> bool {
    let formats = DateFormats::parse(format);
    formats.is_ok_and(|formats| formats.read(text, &TimeZone::UTC, Rounding::Down).is_some())
}

/// Refuses formats by which no dates can be found.
pub(super) fn check_given_dates(given: Option<&Value>) -> Result<()> {
    for format in given.map(one_or_many).unwrap_or_default() {
        let format = scalar(format).unwrap_or_default();
        if format.starts_with("epoch_") {
            let reason = format!("Epoch [{format}] is not supported as dynamic date format");
            return Err(SearchError::mapper(reason));
        }
        if format != "none" {
            DateFormats::parse(&format)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use value::doc;

    /// What a text is mapped as.
    fn mapped(source: Value, text: &str) -> Value {
        let mut mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
        for _ in 0..2 {
            mapping.learn((&doc! {"a": text}).into()).expect("learnt");
        }
        mapping.source()["properties"]["a"].clone()
    }

    #[test]
    fn dates_in_texts_have_the_format_by_which_they_were_found() {
        let date = |format: &str| json!({"type": "date", "format": format});
        let formats = |formats: Value| json!({"dynamic_date_formats": formats});
        for (source, text, wanted) in [
            (json!({}), "2020-01-02T10:00:00Z", json!({"type": "date"})),
            (json!({}), "2015/09/02", date(DATES[1])),
            (json!({}), "2015/09/02 10:00:00", date(DATES[1])),
            (
                formats(json!(["MM/dd/yyyy", "dd.MM.yyyy"])),
                "02.09.2015",
                date("dd.MM.yyyy"),
            ),
            (formats(json!("MMM yyyy")), "Sep 2015", date("MMM yyyy")),
            (
                json!({"dynamic_templates": [{"d": {"match_mapping_type": "date", "mapping": {"index": false}}}]}),
                "2015/09/02",
                json!({"type": "date", "format": DATES[1], "index": false}),
            ),
        ] {
            assert_eq!(mapped(source.clone(), text), wanted, "{source} {text}");
        }
        for (source, text) in [
            (json!({}), "2015"),
            (json!({}), "2015-1-2"),
            (json!({"date_detection": false}), "2015-01-02"),
            (formats(json!("none")), "2015-01-02"),
            (formats(json!([])), "2015-01-02"),
            (formats(json!(["yyyy"])), "2015"),
            (formats(json!(["yyyy"])), "2015-01-02"),
        ] {
            assert_eq!(mapped(source.clone(), text)["type"], "text", "{source} {text}");
        }
    }

    #[test]
    fn moments_of_the_epoch_are_not_found_in_texts() {
        for (given, is_fine) in [
            (json!(["yyyy", "epoch_millis"]), false),
            (json!(["tt"]), false),
            (json!(["yyyy"]), true),
            (json!("none"), true),
        ] {
            assert_eq!(check_given_dates(Some(&given)).is_ok(), is_fine, "{given}");
        }
    }
}
