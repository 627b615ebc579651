//! Smoothing: how likely words are that follow each other seldom or never.

use mapping::error::{Result, SearchError};
use mapping::json::Members;
use serde_json::Value;

/// How much the sum of weights may differ from 1.
const TOLERANCE: f64 = 0.001;

/// What stands in the way of a division by nothing, as Elasticsearch has it.
const SOMETHING: f64 = 0.000_000_000_01;

/// How often words occur in a field.
pub(super) struct Frequencies<'f> {
    /// How often words occur one after another.
    pub(super) of: &'f dyn Fn(&[&str]) -> f64,
    /// The number of all terms of all texts.
    pub(super) total: f64,
    /// The number of different terms.
    pub(super) different: f64,
}

/// A model of smoothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Smoothing {
    /// Where words never occur together, the frequency of fewer of them times `discount`.
    StupidBackoff { discount: f64 },
    /// Every frequency is raised by `alpha`.
    Laplace { alpha: f64 },
    /// A weighted sum of the frequencies of three words together, of two, and of the word alone.
    Linear { triple: f64, pair: f64, alone: f64 },
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
                let sum = triple + pair + alone;
                Smoothing::Linear {
                    triple: triple / sum,
                    pair: pair / sum,
                    alone: alone / sum,
                }
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

    /// How likely a word is after up to two others.
    pub(super) fn likelihood(self, field: &Frequencies<'_>, before: &[&str], word: &str) -> f64 {
        match before {
            [] => self.alone(field, word),
            [one] => self.pair(field, one, word),
            [.., second, one] => self.triple(field, (second, one), word),
        }
    }

    fn alone(self, field: &Frequencies<'_>, word: &str) -> f64 {
        // Where the model says nothing of words alone, their frequency is raised by 1.
        let alpha = match self {
            Smoothing::Laplace { alpha } => alpha,
            Smoothing::StupidBackoff { .. } | Smoothing::Linear { .. } => 1.0,
        };
        (alpha + (field.of)(&[word])) / (field.total + alpha * field.different)
    }

    fn pair(self, field: &Frequencies<'_>, one: &str, word: &str) -> f64 {
        let (together, before) = ((field.of)(&[one, word]), (field.of)(&[one]));
        match self {
            Smoothing::StupidBackoff { discount } if together < 1.0 => discount * self.alone(field, word),
            Smoothing::StupidBackoff { .. } => together / (before + SOMETHING),
            Smoothing::Laplace { alpha } => (alpha + together) / (before + alpha * field.different),
            Smoothing::Linear { alone, .. } if together < 1.0 => alone * self.alone(field, word),
            Smoothing::Linear { pair, alone, .. } => {
                pair * (together / (0.5 + before)) + alone * self.alone(field, word)
            }
        }
    }

    fn triple(self, field: &Frequencies<'_>, (second, one): (&str, &str), word: &str) -> f64 {
        let (pair, all) = ((field.of)(&[one, word]), (field.of)(&[second, one, word]));
        match self {
            Smoothing::StupidBackoff { discount } if pair < 1.0 => discount * self.alone(field, word),
            Smoothing::StupidBackoff { discount } if all < 1.0 => {
                discount * (pair / ((field.of)(&[one]) + SOMETHING))
            }
            Smoothing::StupidBackoff { .. } => all / (pair + SOMETHING),
            Smoothing::Laplace { alpha } => (alpha + all) / (pair + alpha * field.different),
            Smoothing::Linear { triple, .. } => {
                // Elasticsearch asks for the words in the opposite order.
                let turned = (field.of)(&[word, one, second]);
                let rest = self.pair(field, one, word);
                match turned < 1.0 {
                    true => rest,
                    false => triple * (turned / (1.0 + (field.of)(&[word, one]))) + rest,
                }
            }
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
        let Ok(Smoothing::Linear { triple, pair, alone }) = parsed(json!({"linear_interpolation": linear}))
        else {
            panic!("a linear model");
        };
        assert!((triple - 0.2).abs() < 1e-9 && (pair - 0.5).abs() < 1e-9 && (alone - 0.3).abs() < 1e-9);
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

    /// How often words are in `a b c a b c a b d`, with the pairs and triples of them.
    fn frequency(words: &[&str]) -> f64 {
        match words {
            ["a" | "b"] => 3.0,
            ["c"] => 2.0,
            ["d"] => 1.0,
            ["a", "b"] => 3.0,
            ["b", "c"] => 2.0,
            ["b", "d"] => 1.0,
            ["a", "b", "c"] => 2.0,
            ["a", "b", "d"] => 1.0,
            _ => 0.0,
        }
    }

    #[test]
    fn words_are_as_likely_as_the_model_says() {
        let field = Frequencies {
            of: &frequency,
            total: 20.0,
            different: 10.0,
        };
        let backoff = Smoothing::StupidBackoff { discount: 0.4 };
        let laplace = Smoothing::Laplace { alpha: 0.5 };
        let linear = Smoothing::Linear {
            triple: 0.2,
            pair: 0.5,
            alone: 0.3,
        };
        let none: &[&str] = &[];
        for (model, before, word, wanted) in [
            (backoff, none, "c", 3.0 / 30.0),
            (backoff, &["b"][..], "c", 2.0 / 3.0),
            (backoff, &["c"][..], "d", 0.4 * 2.0 / 30.0),
            (backoff, &["a", "b"][..], "c", 2.0 / 2.0),
            (backoff, &["x", "b"][..], "c", 0.4 * 2.0 / 3.0),
            (backoff, &["a", "c"][..], "d", 0.4 * 2.0 / 30.0),
            (laplace, none, "c", 2.5 / 25.0),
            (laplace, &["b"][..], "c", 2.5 / 8.0),
            (laplace, &["a", "b"][..], "c", 2.5 / 7.0),
            (linear, &["b"][..], "c", 0.5 * 2.0 / 3.5 + 0.3 * 3.0 / 30.0),
            (linear, &["c"][..], "d", 0.3 * 2.0 / 30.0),
            (linear, &["a", "b"][..], "c", 0.5 * 2.0 / 3.5 + 0.3 * 3.0 / 30.0),
        ] {
            let found = model.likelihood(&field, before, word);
            assert!(
                (found - wanted).abs() < 1e-9,
                "{model:?} {before:?} {word}: {found}"
            );
        }
    }
}
