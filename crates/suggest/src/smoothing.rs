//! Smoothing: how likely words are that follow each other seldom or never.

use mapping::error::{Result, SearchError};
use mapping::json::Members;
use serde_json::Value;

/// How much the sum of weights may differ from 1.
const TOLERANCE: f64 = 0.001;

/// The frequencies of a word and of the one before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    /// How often the word occurs.
    pub(super) word: f64,
    /// How often the word before it occurs, and how often the two occur together.
    pub(super) before: Option<(f64, f64)>,
    /// The number of all words of all texts.
    pub(super) total: f64,
    /// The number of different words.
    pub(super) different: f64,
}

/// A model of smoothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Smoothing {
    /// Where two words never occur together, the frequency of the word alone times `discount`.
    StupidBackoff { discount: f64 },
    /// Every frequency is raised by `alpha`.
    Laplace { alpha: f64 },
    /// A weighted sum of the frequencies of the two words together and of the word alone.
    Linear { pair: f64, alone: f64 },
}

impl Smoothing {
    pub(super) fn parse(given: &Value) -> Result<Smoothing> {
        let mut members = Members::of("smoothing", given)?;
        let missing = || SearchError::parsing("[smoothing] names no model");
        let (name, settings) = members.take_first().ok_or_else(missing)?;
        let name = name.to_owned();
        let mut settings = Members::of(name.as_str(), settings)?;
        let model = match name.as_str() {
            "stupid_backoff" => Smoothing::StupidBackoff {
                discount: number(&mut settings, "discount", 0.4)?,
            },
            "laplace" => Smoothing::Laplace {
                alpha: number(&mut settings, "alpha", 0.5)?,
            },
            "linear_interpolation" => {
                let mut weight = |name: &str| {
                    let missing = || SearchError::parsing(format!("[linear_interpolation] needs [{name}]"));
                    settings.number(name)?.ok_or_else(missing)
                };
                let (triple, pair, alone) = (
                    weight("trigram_lambda")?,
                    weight("bigram_lambda")?,
                    weight("unigram_lambda")?,
                );
                if (triple + pair + alone - 1.0).abs() > TOLERANCE
                    || triple < 0.0
                    || pair < 0.0
                    || alone < 0.0
                {
                    return Err(SearchError::illegal("linear smoothing lambdas must sum to 1"));
                }
                Smoothing::Linear { pair, alone }
            }
            other => {
                return Err(SearchError::illegal(format!(
                    "suggester[phrase] doesn't support object field [{other}]"
                )));
            }
        };
        settings.end()?;
        members.end()?;
        Ok(model)
    }

    /// How likely a word is.
    pub(super) fn likelihood(self, counts: &Counts) -> f64 {
        let share = |alpha: f64| (alpha + counts.word) / (counts.total + alpha * counts.different);
        // Where the model says nothing of words alone, their frequency is raised by 1, as Elasticsearch does.
        let single = match self {
            Smoothing::Laplace { alpha } => share(alpha),
            Smoothing::StupidBackoff { .. } | Smoothing::Linear { .. } => share(1.0),
        };
        let Some((before, together)) = counts.before else {
            return single;
        };
        match self {
            Smoothing::StupidBackoff { discount } if together < 1.0 => discount * single,
            Smoothing::StupidBackoff { .. } => together / before.max(1.0),
            Smoothing::Laplace { alpha } => (alpha + together) / (before + alpha * counts.different),
            Smoothing::Linear { pair, alone } => pair * (together / (0.5 + before)) + alone * single,
        }
    }
}

fn number(settings: &mut Members<'_>, name: &str, otherwise: f64) -> Result<f64> {
    match settings.number(name)?.unwrap_or(otherwise) {
        number if number > 0.0 => Ok(number),
        number => Err(SearchError::illegal(format!(
            "[{name}] of a smoothing model must be positive: [{number}]"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(given: Value) -> Result<Smoothing> {
        Smoothing::parse(&given)
    }

    #[test]
    fn models_are_read_with_what_they_have_by_default() {
        let discount = 0.4;
        assert_eq!(
            parsed(json!({"stupid_backoff": {}})).ok(),
            Some(Smoothing::StupidBackoff { discount })
        );
        assert_eq!(
            parsed(json!({"laplace": {"alpha": 0.7}})).ok(),
            Some(Smoothing::Laplace { alpha: 0.7 })
        );
        let linear = json!({"trigram_lambda": 0.2, "bigram_lambda": 0.5, "unigram_lambda": 0.3});
        let (pair, alone) = (0.5, 0.3);
        assert_eq!(
            parsed(json!({"linear_interpolation": linear})).ok(),
            Some(Smoothing::Linear { pair, alone })
        );
        for wrong in [
            json!({}),
            json!({"other": {}}),
            json!({"laplace": {"discount": 1}}),
            json!({"laplace": {"alpha": 0}}),
            json!({"laplace": {}, "stupid_backoff": {}}),
            json!({"linear_interpolation": {"trigram_lambda": 0.2, "bigram_lambda": 0.5, "unigram_lambda": 0.2}}),
            json!({"linear_interpolation": {"bigram_lambda": 0.5, "unigram_lambda": 0.5}}),
        ] {
            assert!(parsed(wrong.clone()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn words_that_never_occur_together_are_less_likely() {
        let counts = |together: f64| Counts {
            word: 4.0,
            before: Some((2.0, together)),
            total: 10.0,
            different: 6.0,
        };
        for model in [
            Smoothing::StupidBackoff { discount: 0.4 },
            Smoothing::Laplace { alpha: 0.5 },
            Smoothing::Linear {
                pair: 0.7,
                alone: 0.3,
            },
        ] {
            assert!(
                model.likelihood(&counts(1.0)) > model.likelihood(&counts(0.0)),
                "{model:?}"
            );
        }
        let laplace = Smoothing::Laplace { alpha: 0.5 };
        assert_eq!(laplace.likelihood(&counts(1.0)), 1.5 / 5.0);
        let linear = Smoothing::Linear {
            pair: 0.5,
            alone: 0.5,
        };
        assert_eq!(linear.likelihood(&counts(0.0)), 0.5 * 5.0 / 16.0);
    }
}
