//! The models of `moving_avg`, which predict the next numbers of a series.

use mapping::error::{Result, SearchError};
use mapping::json::Members;
use painless::moving::{self, PADDING, Seasons};
use serde_json::Value;

/// The default weight of the last number.
const ALPHA: f64 = 0.3;
/// Its default weight in the trend.
const BETA: f64 = 0.1;
/// Its default weight in the seasons.
const GAMMA: f64 = 0.3;

/// A model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Model {
    Simple,
    Linear,
    Ewma(f64),
    Holt { alpha: f64, beta: f64 },
    HoltWinters(Seasons),
}

impl Model {
    /// Parses a model with its settings, for windows of this many buckets.
    pub(super) fn parse(model: &str, settings: Option<&Value>, buckets: usize) -> Result<Model> {
        let empty = Value::Object(serde_json::Map::new());
        let mut settings = Members::of("settings", settings.unwrap_or(&empty))?;
        let parsed = match model {
            "simple" => Model::Simple,
            "linear" => Model::Linear,
            "ewma" => Model::Ewma(share(&mut settings, "alpha", ALPHA)?),
            "holt" => Model::Holt {
                alpha: share(&mut settings, "alpha", ALPHA)?,
                beta: share(&mut settings, "beta", BETA)?,
            },
            "holt_winters" => Model::HoltWinters(seasons(&mut settings, buckets)?),
            other => {
                return Err(SearchError::parsing(format!(
                    "no [moving_avg_model] registered for [{other}]"
                )));
            }
        };
        settings.end()?;
        Ok(parsed)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Model::Simple => "simple",
            Model::Linear => "linear",
            Model::Ewma(_) => "ewma",
            Model::Holt { .. } => "holt",
            Model::HoltWinters(_) => "holt_winters",
        }
    }

    /// Whether it has parameters that can be fitted.
    pub(super) fn can_be_fitted(self) -> bool {
        !matches!(self, Model::Simple | Model::Linear)
    }

    pub(super) fn is_fitted_by_default(self) -> bool {
        matches!(self, Model::HoltWinters(_))
    }

    /// The model with one of its parameters, by its index, replaced.
    pub(super) fn neighbour(self, which: usize, number: f64) -> Model {
        match (self, which) {
            (Model::Ewma(_), _) => Model::Ewma(number),
            (Model::Holt { beta, .. }, 0) => Model::Holt { alpha: number, beta },
            (Model::Holt { alpha, .. }, _) => Model::Holt { alpha, beta: number },
            (Model::HoltWinters(by), 0) => Model::HoltWinters(Seasons { alpha: number, ..by }),
            (Model::HoltWinters(by), 1) => Model::HoltWinters(Seasons { beta: number, ..by }),
            (Model::HoltWinters(by), _) => Model::HoltWinters(Seasons { gamma: number, ..by }),
            (other, _) => other,
        }
    }

    /// How many parameters it has that can be fitted.
    pub(super) fn choices(self) -> usize {
        match self {
            Model::Simple | Model::Linear => 0,
            Model::Ewma(_) => 1,
            Model::Holt { .. } => 2,
            Model::HoltWinters(_) => 3,
        }
    }

    /// Whether this many numbers suffice for a prediction.
    pub(super) fn has_next(self, numbers: usize) -> bool {
        match self {
            Model::HoltWinters(by) => numbers >= by.period.saturating_mul(2),
            _ => numbers > 0,
        }
    }

    /// Predicts the next `count` numbers.
    pub(super) fn next(self, numbers: &[f64], count: usize) -> Result<Vec<f64>> {
        Ok(match self {
            Model::Simple => vec![moving::unweighted_avg(numbers); count],
            Model::Linear => vec![moving::linear_weighted_avg(numbers); count],
            Model::Ewma(alpha) => vec![moving::ewma(numbers, alpha); count],
            Model::Holt { alpha, beta } => moving::holt(numbers, alpha, beta, count),
            Model::HoltWinters(by) => {
                moving::holt_winters(numbers, by, count).map_err(SearchError::illegal)?
            }
        })
    }
}

/// Takes a setting, a number from 0 to 1.
fn share(settings: &mut Members<'_>, name: &str, otherwise: f64) -> Result<f64> {
    match settings.number(name)?.unwrap_or(otherwise) {
        share if (0.0..=1.0).contains(&share) => Ok(share),
        other => Err(SearchError::parsing(format!(
            "Parameter [{name}] must be between 0-1 inclusive.  Provided value was [{other}]"
        ))),
    }
}

fn seasons(settings: &mut Members<'_>, buckets: usize) -> Result<Seasons> {
    let period = settings.integer("period")?.unwrap_or(1);
    let period = usize::try_from(period).ok().filter(|period| *period > 0);
    let period = period.ok_or_else(|| SearchError::parsing("Parameter [period] must be positive"))?;
    if buckets < period.saturating_mul(2) {
        return Err(SearchError::illegal(format!(
            "Field [window] must be at least twice as large as the period when using Holt-Winters.  Value provided was [{buckets}], \
             which is less than (2*period) == {}",
            period.saturating_mul(2)
        )));
    }
    let are_factors = match settings.text("type")?.as_deref() {
        None | Some("add") => false,
        Some("mult") => true,
        Some(other) => {
            return Err(SearchError::parsing(format!(
                "failed to parse seasonality type [{other}]. accepted values are [[add, mult]]"
            )));
        }
    };
    let is_padded = settings.flag("pad")?.unwrap_or(are_factors);
    Ok(Seasons {
        alpha: share(settings, "alpha", ALPHA)?,
        beta: share(settings, "beta", BETA)?,
        gamma: share(settings, "gamma", GAMMA)?,
        period,
        are_factors,
        padding: if are_factors && is_padded { PADDING } else { 0.0 },
    })
}
