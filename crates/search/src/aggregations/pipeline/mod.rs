//! Aggregations over the buckets of others. They work on answers: the numbers that clients see are those they take.

mod annealing;
mod average;
mod carried_out;
mod check;
mod models;
mod moving;
mod normalized;
mod paths;

use super::path::{self, Step};
use super::values::number_of;
use average::Average;
pub(super) use carried_out::{parents, siblings};
pub(super) use check::{check_parents, check_siblings, check_top, ordered};
use mapping::decimals::DecimalFormat;
use mapping::error::{self, Result, SearchError};
use mapping::json::{Members, as_i64, scalar, token};
use moving::Window;
use normalized::Normalization;
use querying::DocumentScript;
use querying::time_of;
use serde_json::{Map, Value};

/// Which one it is.
#[derive(Clone, Debug)]
pub(super) enum PipelineKind {
    Avg,
    Max,
    Min,
    Sum,
    Stats,
    ExtendedStats(f64),
    Percentiles {
        percents: Vec<f64>,
        keyed: bool,
    },
    /// With the milliseconds that a difference is given for besides.
    Derivative(Option<f64>),
    CumulativeSum,
    Normalize(Normalization),
    SerialDiff(usize),
    Moving(Window),
    MovingAverage(Average),
    Script(DocumentScript),
    Selector(DocumentScript),
    Sort {
        by: Vec<(Path, bool)>,
        from: usize,
        size: Option<usize>,
    },
}

/// The path of a number.
#[derive(Clone, Debug)]
pub(super) struct Path {
    whole: String,
    steps: Vec<Step>,
}

impl Path {
    fn parse(text: &str) -> Result<Path> {
        Ok(Path {
            steps: path::parse(text)?.unwrap_or_default(),
            whole: text.to_owned(),
        })
    }

    /// The names and keys of all steps, one after another.
    fn flat(&self) -> Vec<&str> {
        let parts = self.steps.iter();
        parts
            .flat_map(|step| std::iter::once(step.name.as_str()).chain(step.key.as_deref()))
            .collect()
    }
}

/// What is asked of a pipeline aggregation.
#[derive(Clone, Debug)]
pub(crate) struct PipelineSpec {
    kind: PipelineKind,
    type_name: &'static str,
    /// The paths of the numbers that it takes, by the names that a script has for them.
    paths: Vec<(String, Path)>,
    /// Whether a bucket without the number counts as 0.
    zeros: bool,
    format: Option<DecimalFormat>,
}

/// The aggregations over buckets that are here.
pub(super) const NAMES: [&str; 16] = [
    "avg_bucket",
    "max_bucket",
    "min_bucket",
    "sum_bucket",
    "stats_bucket",
    "extended_stats_bucket",
    "percentiles_bucket",
    "derivative",
    "cumulative_sum",
    "normalize",
    "serial_diff",
    "moving_avg",
    "moving_fn",
    "bucket_script",
    "bucket_selector",
    "bucket_sort",
];

/// How Elasticsearch's parser of an aggregation refuses a member.
#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// As one of objects.
    Content,
    /// By its value.
    Value,
    /// By its value and its name.
    Named,
    /// As a key.
    Key,
}

impl Style {
    fn of(kind: &str) -> Style {
        match kind {
            "cumulative_sum" | "normalize" | "moving_fn" | "bucket_script" | "bucket_sort" => Style::Content,
            "derivative" | "bucket_selector" => Style::Value,
            "serial_diff" | "moving_avg" => Style::Key,
            _ => Style::Named,
        }
    }

    fn refused(self, kind: &str, name: &str, member: &str, value: &Value) -> SearchError {
        let token = token(value);
        match self {
            Style::Content => SearchError::content(format!(
                "[{kind}] {member} doesn't support values of type: {token}"
            )),
            Style::Value => SearchError::parsing(format!("Unexpected token {token} in [{name}].")),
            Style::Named => SearchError::parsing(format!("Unexpected token {token} [{member}] in [{name}]")),
            Style::Key => SearchError::parsing(format!("Unknown key for a {token} in [{name}]: [{member}].")),
        }
    }
}

/// Reads the members of one aggregation.
struct Reader<'a> {
    kind: &'a str,
    name: &'a str,
    style: Style,
    members: Members<'a>,
}

impl Reader<'_> {
    fn refused(&self, member: &str, value: &Value) -> SearchError {
        self.style.refused(self.kind, self.name, member, value)
    }

    fn missing(&self, member: &str) -> SearchError {
        let (kind, name) = (self.kind, self.name);
        let of = match (self.style, kind) {
            (Style::Content, _) => return SearchError::illegal(format!("Required [{member}]")),
            (Style::Named, _) => "aggregation".to_owned(),
            (_, "serial_diff") => "derivative aggregation".to_owned(),
            (_, "moving_avg") => "movingAvg aggregation".to_owned(),
            _ => format!("{kind} aggregation"),
        };
        SearchError::parsing(format!("Missing required field [{member}] for {of} [{name}]"))
    }

    /// The paths of the numbers that it takes; several have names where a script sees them.
    fn paths(&mut self) -> Result<Vec<(String, Path)>> {
        let is_script = matches!(self.kind, "bucket_script" | "bucket_selector");
        let own = |text: &str| Path::parse(text);
        match self.members.take("buckets_path") {
            None if self.kind == "bucket_sort" => Ok(Vec::new()),
            None => Err(self.missing("buckets_path")),
            Some(Value::String(text)) => Ok(vec![("_value".to_owned(), own(text)?)]),
            Some(Value::Array(list)) => {
                let texts = list.iter().filter_map(scalar).enumerate();
                texts
                    .map(|(at, text)| Ok((format!("_value{at}"), own(&text)?)))
                    .collect()
            }
            Some(Value::Object(named)) if is_script => {
                let read = |(name, path): (&String, &Value)| {
                    Ok((name.clone(), own(&scalar(path).unwrap_or_default())?))
                };
                named.iter().map(read).collect()
            }
            Some(other) => Err(self.refused("buckets_path", other)),
        }
    }

    /// Whether a bucket without a number counts as 0.
    fn zeros(&mut self) -> Result<bool> {
        let text = match self.members.take("gap_policy") {
            None => return Ok(false),
            Some(_) if matches!(self.kind, "cumulative_sum" | "normalize") => {
                return Err(SearchError::content(format!(
                    "[{}] unknown field [gap_policy]",
                    self.kind
                )));
            }
            Some(Value::String(text)) if self.style == Style::Content => text.to_lowercase(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => return Err(self.refused("gap_policy", other)),
        };
        match text.as_str() {
            "skip" => Ok(false),
            "insert_zeros" => Ok(true),
            other => Err(SearchError::parsing(format!(
                "Invalid gap policy: [{other}], accepted values: [insert_zeros, skip]"
            ))),
        }
    }

    fn script(&mut self) -> Result<DocumentScript> {
        let Some(given) = self.members.take("script") else {
            return Err(self.missing("script"));
        };
        match given {
            Value::String(_) | Value::Object(_) => DocumentScript::parse(given),
            other => Err(self.refused("script", other)),
        }
    }

    fn end(mut self) -> Result<()> {
        match self.members.take_first() {
            None => Ok(()),
            Some((member, _)) if self.style == Style::Content => Err(SearchError::content(format!(
                "[{}] unknown field [{member}]",
                self.kind
            ))),
            Some((member, value)) => Err(self.refused(member, value)),
        }
    }
}

impl PipelineSpec {
    pub(super) fn parse(kind: &str, name: &str, body: &Map<String, Value>) -> Result<PipelineSpec> {
        let mut reader = Reader {
            kind,
            name,
            style: Style::of(kind),
            members: Members::of_content(kind, body),
        };
        let paths = reader.paths()?;
        let zeros = reader.zeros()?;
        let format = match reader.members.take("format") {
            None => None,
            Some(Value::String(format)) => Some(DecimalFormat::parse(format)?),
            Some(other) => return Err(reader.refused("format", other)),
        };
        let found = reader.kind()?;
        reader.end()?;
        let type_name = NAMES.iter().find(|known| **known == kind);
        Ok(PipelineSpec {
            kind: found,
            type_name: type_name.copied().unwrap_or_default(),
            paths,
            zeros,
            format,
        })
    }

    /// Whether it works within the buckets of the aggregation around it, and not beside it.
    pub(super) fn is_parent(&self) -> bool {
        matches!(
            self.kind,
            PipelineKind::Derivative(_)
                | PipelineKind::CumulativeSum
                | PipelineKind::Normalize(_)
                | PipelineKind::SerialDiff(_)
                | PipelineKind::Moving(_)
                | PipelineKind::MovingAverage(_)
                | PipelineKind::Script(_)
                | PipelineKind::Selector(_)
                | PipelineKind::Sort { .. }
        )
    }

    /// Whether it goes by the order of buckets, each of which must be there.
    fn is_of_histograms(&self) -> bool {
        self.is_parent()
            && !matches!(
                self.kind,
                PipelineKind::Normalize(_)
                    | PipelineKind::Script(_)
                    | PipelineKind::Selector(_)
                    | PipelineKind::Sort { .. }
            )
    }

    /// The name that typed keys have in front.
    fn typed_name(&self) -> &'static str {
        match self.kind {
            PipelineKind::Max | PipelineKind::Min => "bucket_metric_value",
            PipelineKind::Stats => "stats_bucket",
            PipelineKind::ExtendedStats(_) => "extended_stats_bucket",
            PipelineKind::Percentiles { .. } => "percentiles_bucket",
            PipelineKind::Derivative(_) => "derivative",
            _ => "simple_value",
        }
    }

    /// All paths that it names.
    fn all_paths(&self) -> impl Iterator<Item = &Path> {
        let sorted: &[(Path, bool)] = match &self.kind {
            PipelineKind::Sort { by, .. } => by,
            _ => &[],
        };
        let named = self.paths.iter().map(|(_, path)| path);
        named.chain(sorted.iter().map(|(path, _)| path))
    }

    fn path(&self) -> Result<&Path> {
        let first = self.paths.first().map(|(_, path)| path);
        first.ok_or_else(|| SearchError::illegal("[buckets_path] names no path"))
    }

    /// A number as the answer has it.
    fn value(&self, value: f64) -> Map<String, Value> {
        let mut out = Map::from_iter([("value".to_owned(), number_of(value))]);
        let is_number = value.is_finite();
        let text = self
            .format
            .as_ref()
            .filter(|_| is_number)
            .map(|format| format.write(value));
        out.extend(text.map(|text| ("value_as_string".to_owned(), text.into())));
        out
    }
}

/// Milliseconds of a unit of the calendar, or of a time.
fn unit_ms(text: &str) -> Option<f64> {
    const SECOND: f64 = 1000.0;
    const DAY: f64 = 86_400.0 * SECOND;
    // As long as a year of the calendar is on the average, or a part of it.
    const YEAR: f64 = 365.2425 * DAY;
    Some(match text {
        "second" | "1s" => SECOND,
        "minute" | "1m" => 60.0 * SECOND,
        "hour" | "1h" => 3600.0 * SECOND,
        "day" | "1d" => DAY,
        "week" | "1w" => 7.0 * DAY,
        "month" | "1M" => (YEAR / 12.0).floor(),
        "quarter" | "1q" => (YEAR / 4.0).floor(),
        "year" | "1y" => YEAR,
        other => time_of(other)?.as_millis() as f64,
    })
}

impl Reader<'_> {
    fn kind(&mut self) -> Result<PipelineKind> {
        Ok(match self.kind {
            "avg_bucket" => PipelineKind::Avg,
            "max_bucket" => PipelineKind::Max,
            "min_bucket" => PipelineKind::Min,
            "sum_bucket" => PipelineKind::Sum,
            "stats_bucket" => PipelineKind::Stats,
            "extended_stats_bucket" => {
                let sigma = self.members.number("sigma")?.unwrap_or(2.0);
                if sigma < 0.0 {
                    return Err(SearchError::illegal("sigma must be a non-negative double"));
                }
                PipelineKind::ExtendedStats(sigma)
            }
            "percentiles_bucket" => self.percentiles()?,
            "derivative" => PipelineKind::Derivative(match self.members.take("unit") {
                None => None,
                Some(Value::String(unit)) => Some(unit_ms(unit).ok_or_else(|| {
                    SearchError::illegal(format!(
                        "failed to parse setting [DerivativePipelineAggregationBuilder.unit] with value [{unit}] as a time value: unit \
                         is missing or unrecognized"
                    ))
                })?),
                Some(other) => return Err(self.refused("unit", other)),
            }),
            "cumulative_sum" => PipelineKind::CumulativeSum,
            "normalize" => {
                let method = self.members.text("method")?;
                let method = method.ok_or_else(|| self.missing("method"))?;
                PipelineKind::Normalize(Normalization::parse(&method)?)
            }
            "moving_avg" => PipelineKind::MovingAverage(Average::parse(self.name, &mut self.members)?),
            "moving_fn" => PipelineKind::Moving(Window::parse(&mut self.members)?),
            "serial_diff" => self.lag()?,
            "bucket_script" => PipelineKind::Script(self.script()?),
            "bucket_selector" => PipelineKind::Selector(self.script()?),
            _ => self.sort()?,
        })
    }

    fn lag(&mut self) -> Result<PipelineKind> {
        let lag = match self.members.take("lag") {
            None => 1,
            Some(Value::Number(lag)) => lag.as_f64().unwrap_or(0.0) as i64,
            Some(other) => return Err(self.refused("lag", other)),
        };
        match lag > 0 {
            true => Ok(PipelineKind::SerialDiff(lag as usize)),
            false => Err(SearchError::parsing(format!(
                "Lag must be a positive, non-zero integer.  Value supplied was{lag} in [{}]: [lag].",
                self.name
            ))),
        }
    }

    fn percentiles(&mut self) -> Result<PipelineKind> {
        let keyed = match self.members.take("keyed") {
            None => true,
            Some(Value::Bool(keyed)) => *keyed,
            Some(other) => return Err(self.refused("keyed", other)),
        };
        let percents = match self.members.take("percents") {
            None => vec![1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0],
            Some(Value::Array(list)) => {
                let number =
                    |value: &Value| mapping::decimals::java_number(&scalar(value).unwrap_or_default());
                list.iter().map(number).collect::<Result<_>>()?
            }
            Some(other) => return Err(self.refused("percents", other)),
        };
        match percents.iter().all(|percent| (0.0..=100.0).contains(percent)) {
            true => Ok(PipelineKind::Percentiles { percents, keyed }),
            false => Err(SearchError::illegal(
                "percents must only contain non-null doubles from 0.0-100.0 inclusive",
            )),
        }
    }

    /// What buckets are sorted by, and whether ascending.
    fn sorted_by(&mut self) -> Result<Vec<(Path, bool)>> {
        let mut by = Vec::new();
        let listed = match self.members.take("sort") {
            None => Vec::new(),
            Some(Value::Array(list)) => list.iter().collect(),
            Some(one @ Value::Object(_)) => vec![one],
            Some(other) => return Err(self.refused("sort", other)),
        };
        let failed = |why: String| SearchError::of_member("bucket_sort", "sort", SearchError::illegal(why));
        for one in listed {
            let Value::Object(fields) = one else {
                by.push((Path::parse(&scalar(one).unwrap_or_default())?, true));
                continue;
            };
            for (path, order) in fields {
                let order = match order {
                    Value::Object(options) => {
                        if let Some(other) = options.keys().find(|name| *name != "order") {
                            return Err(failed(format!("[{other}] is not known in the sort of buckets")));
                        }
                        options.get("order").map_or(Some("asc"), Value::as_str)
                    }
                    order => order.as_str(),
                };
                match order.map(str::to_ascii_lowercase).as_deref() {
                    Some(order @ ("asc" | "desc")) => by.push((Path::parse(path)?, order == "asc")),
                    _ => return Err(failed(format!("Unknown SortOrder of [{path}]"))),
                }
            }
        }
        Ok(by)
    }

    fn sort(&mut self) -> Result<PipelineKind> {
        let by = self.sorted_by()?;
        let mut count = |name: &str, least: i64| match self.members.take(name) {
            None => Ok(None),
            Some(given) => match as_i64(given) {
                Some(number) if number >= least => Ok(Some(number as usize)),
                _ => {
                    let why = format!("[{name}] must be an integer from {least}: [{given}]");
                    Err(SearchError::of_member(
                        "bucket_sort",
                        name,
                        SearchError::illegal(why),
                    ))
                }
            },
        };
        let (from, size) = (count("from", 0)?, count("size", 1)?);
        if by.is_empty() && from.unwrap_or(0) == 0 && size.is_none() {
            return Err(SearchError::new(
                error::ErrorKind::Validation,
                format!(
                    "Validation Failed: 1: [{}] is configured to perform nothing. Please set either of [sort, size, from] to use \
                     bucket_sort;",
                    self.name
                ),
            ));
        }
        Ok(PipelineKind::Sort {
            by,
            from: from.unwrap_or(0),
            size,
        })
    }
}
