//! How values are written where somebody names a format, or the field has one.

use crate::FieldKind;
use crate::dates::DateFormats;
use crate::decimals::DecimalFormat;
use crate::error::{Result, SearchError};
use crate::mapping::Field;
use jiff::tz::TimeZone;

/// How the values of a field are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ValueFormat {
    /// As they are.
    #[default]
    Raw,
    /// `true` where they are not 0.
    Boolean,
    /// By a pattern.
    Decimal(DecimalFormat),
    /// As moments, in a zone.
    Dates(DateFormats, TimeZone),
}

impl ValueFormat {
    /// How the values of a field are written, by this format where there is one.
    pub fn of(field: &Field, format: Option<&str>, zone: &TimeZone) -> Result<ValueFormat> {
        // The ends of ranges are written as values.
        let kind = match &field.kind {
            FieldKind::Range(of) => &**of,
            kind => kind,
        };
        match (kind, format) {
            (FieldKind::Date, format) => {
                let formats = match format {
                    Some(format) => DateFormats::parse(format)?.in_locale_of(&field.formats),
                    None => field.formats.clone(),
                };
                Ok(ValueFormat::Dates(formats, zone.clone()))
            }
            (FieldKind::Integer(..) | FieldKind::Float(_), Some(format)) => {
                DecimalFormat::parse(format).map(ValueFormat::Decimal)
            }
            // A format is taken and means nothing.
            (FieldKind::Unsigned, _) => Ok(ValueFormat::Raw),
            (_, Some(_)) => Err(SearchError::illegal(format!(
                "Field [{}] of type [{}] does not support custom formats",
                field.name, field.type_name
            ))),
            (FieldKind::Boolean, None) => Ok(ValueFormat::Boolean),
            (_, None) => Ok(ValueFormat::Raw),
        }
    }

    /// A number as text; `None` where it is written as it is.
    pub fn text(&self, number: f64) -> Option<String> {
        match self {
            ValueFormat::Raw => None,
            ValueFormat::Boolean => Some((number != 0.0).to_string()),
            ValueFormat::Decimal(format) => Some(format.write(number)),
            ValueFormat::Dates(formats, zone) => Some(formats.write(number as i64, zone)),
        }
    }

    /// Whether numbers are moments.
    pub fn is_of_dates(&self) -> bool {
        matches!(self, ValueFormat::Dates(..))
    }
}

/// What values are, where keys are made of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueType {
    /// Texts as wholes.
    Text,
    /// Numbers.
    Number,
    /// Moments.
    Date,
    /// Addresses.
    Ip,
    /// True or false.
    Boolean,
}

impl ValueType {
    /// The type that requests have this name for.
    pub fn parse(name: &str) -> Option<ValueType> {
        Some(match name {
            "string" => ValueType::Text,
            "byte" | "short" | "integer" | "long" | "double" | "float" | "number" | "numeric" => {
                ValueType::Number
            }
            "date" => ValueType::Date,
            "ip" => ValueType::Ip,
            "boolean" => ValueType::Boolean,
            _ => return None,
        })
    }

    /// How such values are written.
    pub fn format(self, format: Option<&str>, zone: &TimeZone) -> Result<ValueFormat> {
        Ok(match (self, format) {
            (ValueType::Number, Some(format)) => ValueFormat::Decimal(DecimalFormat::parse(format)?),
            (ValueType::Date, format) => {
                let formats = format.map_or(Ok(DateFormats::default()), DateFormats::parse)?;
                ValueFormat::Dates(formats, zone.clone())
            }
            (ValueType::Boolean, _) => ValueFormat::Boolean,
            _ => ValueFormat::Raw,
        })
    }

    /// That of a field; `None` where no keys are made of its values.
    pub fn of(field: &Field) -> Option<ValueType> {
        Some(match field.kind {
            FieldKind::Text | FieldKind::Keyword | FieldKind::Binary => ValueType::Text,
            FieldKind::Integer(..) | FieldKind::Unsigned | FieldKind::Float(_) => ValueType::Number,
            FieldKind::Date => ValueType::Date,
            FieldKind::Ip => ValueType::Ip,
            FieldKind::Boolean => ValueType::Boolean,
            _ => return None,
        })
    }
}
