//! Dates: `date`, `date_index_name`.

use crate::context::Context;
use crate::error::{Failure, PipelineError, Result, failed};
use crate::options::{self, Options};
use crate::template::{Template, shown};
use mapping::dates::DateFormat;
use value::Value;

/// What is written by default.
const OUTPUT: &str = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX";

/// A form of dates, as processors name it.
#[derive(Clone, Debug)]
enum Form {
    Iso8601,
    Unix,
    UnixMilliseconds,
    Tai64n,
    Pattern(String),
}

impl Form {
    fn parse(text: &str) -> options::Result<Form> {
        Ok(match text {
            "ISO8601" => Form::Iso8601,
            "UNIX" => Form::Unix,
            "UNIX_MS" => Form::UnixMilliseconds,
            "TAI64N" => Form::Tai64n,
            pattern => {
                DateFormat::parse(pattern, "UTC")
                    .map_err(|error| PipelineError::of("formats", error.reason))?;
                Form::Pattern(pattern.to_owned())
            }
        })
    }

    fn read(&self, text: &str, zone: &str, now_ms: i64) -> Option<i64> {
        match self {
            Form::Iso8601 => {
                let format = DateFormat::parse(
                    "date_optional_time||yyyy-MM-dd HH:mm:ss||yyyy-MM-dd HH:mm:ssXXX",
                    zone,
                )
                .ok()?;
                format.read(text)
            }
            Form::Unix => text
                .parse::<f64>()
                .ok()
                .filter(|seconds| seconds.is_finite())
                .map(|seconds| (seconds * 1000.0) as i64),
            Form::UnixMilliseconds => text.parse().ok(),
            Form::Tai64n => {
                // 2^62 seconds before 1970, and ten leap seconds at its beginning.
                let seconds =
                    i64::from_str_radix(text.strip_prefix('@').unwrap_or(text).get(1..16)?, 16).ok()?;
                let nanos =
                    i64::from_str_radix(text.strip_prefix('@').unwrap_or(text).get(16..24)?, 16).ok()?;
                seconds
                    .checked_sub(10)?
                    .checked_mul(1000)?
                    .checked_add(nanos / 1_000_000)
            }
            Form::Pattern(pattern) if has_year(pattern) => DateFormat::parse(pattern, zone).ok()?.read(text),
            Form::Pattern(pattern) => {
                let year = &mapping::dates::date_text(now_ms)[..4];
                DateFormat::parse(&format!("yyyy {pattern}"), zone)
                    .ok()?
                    .read(&format!("{year} {text}"))
            }
        }
    }
}

/// Whether a pattern, or a format by its name, says which year is meant.
fn has_year(pattern: &str) -> bool {
    let mut is_literal = false;
    let unquoted = pattern.chars().filter(|c| {
        is_literal ^= *c == '\'';
        !is_literal
    });
    let unquoted: String = unquoted.collect();
    // Formats by a name all have one, or are times of the epoch.
    unquoted.contains(['y', 'u', '_'])
}

/// `date`: a text as the time of the document.
#[derive(Debug)]
pub(crate) struct Date {
    field: String,
    target: String,
    forms: Vec<Form>,
    zone: Option<Template>,
    output: String,
}

impl Date {
    pub(super) fn parse(options: &mut Options) -> options::Result<Date> {
        let forms = options.texts("formats")?;
        english(options)?;
        let output = options
            .optional_text("output_format")?
            .unwrap_or_else(|| OUTPUT.to_owned());
        DateFormat::parse(&output, "UTC")
            .map_err(|error| PipelineError::of("output_format", error.reason))?;
        let zone = options.optional_template("timezone")?;
        Ok(Date {
            field: options.text("field")?,
            target: options
                .optional_text("target_field")?
                .unwrap_or_else(|| "@timestamp".to_owned()),
            forms: forms
                .into_iter()
                .map(|text| Form::parse(&text))
                .collect::<options::Result<_>>()?,
            zone,
            output,
        })
    }

    pub(super) fn run(&self, context: &mut Context, now_ms: i64) -> Result<()> {
        let text = shown(&context.required(&self.field)?);
        let zone = match &self.zone {
            None => "UTC".to_owned(),
            Some(zone) => zone.render(context)?,
        };
        let ms = self.forms.iter().find_map(|form| form.read(&text, &zone, now_ms));
        let Some(ms) = ms else {
            return failed(format!("unable to parse date [{text}]"));
        };
        let output = DateFormat::parse(&self.output, &zone).map_err(|error| Failure::new(error.reason))?;
        context.set(&self.target, Value::from(output.write(ms)))
    }
}

/// Names of months are read in English.
fn english(options: &mut Options) -> options::Result<()> {
    match options.optional_text("locale")? {
        Some(locale) if !locale.to_ascii_lowercase().starts_with("en") => {
            Err(PipelineError::unsupported(format!("the [locale] [{locale}]")))
        }
        _ => Ok(()),
    }
}

/// `date_index_name`: the index of the day, month or year.
#[derive(Debug)]
pub(crate) struct DateIndexName {
    field: String,
    prefix: Template,
    rounding: &'static str,
    forms: Vec<Form>,
    zone: String,
    format: String,
}

impl DateIndexName {
    pub(super) fn parse(options: &mut Options) -> options::Result<DateIndexName> {
        let forms = options.optional_texts("date_formats")?;
        let forms = forms.unwrap_or_else(|| vec!["yyyy-MM-dd'T'HH:mm:ss.SSSXX".to_owned()]);
        english(options)?;
        let rounding = options.text("date_rounding")?;
        let known = ["y", "M", "w", "d", "h", "m", "s"]
            .into_iter()
            .find(|unit| *unit == rounding);
        let format = options.optional_text("index_name_format")?;
        Ok(DateIndexName {
            field: options.text("field")?,
            prefix: options
                .optional_template("index_name_prefix")?
                .unwrap_or(Template::parse("")?),
            rounding: known
                .ok_or_else(|| PipelineError::of("date_rounding", format!("unknown unit [{rounding}]")))?,
            forms: forms
                .iter()
                .map(|text| Form::parse(text))
                .collect::<options::Result<_>>()?,
            zone: options
                .optional_text("timezone")?
                .unwrap_or_else(|| "UTC".to_owned()),
            format: format.unwrap_or_else(|| "yyyy-MM-dd".to_owned()),
        })
    }

    pub(super) fn run(&self, context: &mut Context, now_ms: i64) -> Result<()> {
        let text = shown(&context.required(&self.field)?);
        let ms = self
            .forms
            .iter()
            .find_map(|form| form.read(&text, &self.zone, now_ms));
        let Some(ms) = ms else {
            return failed(format!("unable to parse date [{text}]"));
        };
        let expression = format!(
            "<{}{{{}||/{}{{{}|{}}}}}>",
            self.prefix.render(context)?,
            mapping::dates::date_text(ms),
            self.rounding,
            self.format,
            self.zone
        );
        let name = mapping::dates::date_math_name(&expression, now_ms)
            .map_err(|error| Failure::new(error.reason))?;
        context.set("_index", Value::from(name))
    }
}
