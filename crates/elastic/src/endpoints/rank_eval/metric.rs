//! How good a list of hits is, by the ratings of its documents.

use indices::error::{ElasticError, Result};
use search::Members;
use serde_json::{Value, json};

/// How many hits are looked at, where a request does not say it.
const HITS: i64 = 10;
/// From which rating on a document is relevant, where a request does not say it.
const RELEVANT: i64 = 1;

/// A metric, and the number of hits over which it is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Metric {
    pub(super) hits: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Precision { relevant: i64, ignores_unrated: bool },
    Recall { relevant: i64 },
    ReciprocalRank { relevant: i64 },
    Gain { normalizes: bool, unrated: Option<i64> },
    ExpectedRank { most: i64, unrated: Option<i64> },
}

/// A measure, and what it was made of.
#[derive(Debug)]
pub(super) struct Measured {
    pub(super) score: f64,
    pub(super) details: Value,
}

impl Metric {
    /// Reads the one member of an object.
    pub(super) fn parse(given: &Value) -> Result<Metric> {
        let wrong = || ElasticError::parsing("[metric] must be an object that names one metric");
        let members = given.as_object().filter(|members| members.len() == 1);
        let (name, options) = members
            .and_then(|members| members.iter().next())
            .ok_or_else(wrong)?;
        let options = options.as_object().ok_or_else(wrong)?;
        let mut members = Members::of_content(name.as_str(), options);
        let hits = positive(members.integer("k")?, HITS, "Window size k must be positive.")?;
        let kind = Kind::parse(name, &mut members)?;
        members.end()?;
        Ok(Metric {
            hits: hits as usize,
            kind,
        })
    }

    /// How good hits with these ratings are, where all documents that were rated have those.
    pub(super) fn measure(self, ratings: &[Option<i64>], all: &[i64]) -> Measured {
        match self.kind {
            Kind::Precision {
                relevant,
                ignores_unrated,
            } => precision(ratings, relevant, ignores_unrated),
            Kind::Recall { relevant } => {
                let found = rated(ratings).filter(|rating| *rating >= relevant).count();
                let wanted = all.iter().filter(|rating| **rating >= relevant).count();
                Measured {
                    score: share(found, wanted),
                    details: json!({"recall": {"relevant_docs_retrieved": found, "relevant_docs": wanted}}),
                }
            }
            Kind::ReciprocalRank { relevant } => {
                let is_relevant = |rating: &Option<i64>| rating.is_some_and(|rating| rating >= relevant);
                let first = ratings.iter().position(is_relevant).map(|at| at + 1);
                Measured {
                    score: first.map_or(0.0, |first| 1.0 / first as f64),
                    details: json!({"mean_reciprocal_rank": {"first_relevant": first.map_or(-1, |first| first as i64)}}),
                }
            }
            Kind::Gain { normalizes, unrated } => {
                let given = |rating: &Option<i64>| rating.or(unrated);
                let gained = gain(ratings.iter().map(given));
                let mut details = json!({"dcg": gained});
                let mut score = gained;
                if normalizes {
                    let mut best = all.to_vec();
                    best.sort_unstable_by(|a, b| b.cmp(a));
                    let ideal = gain(best.into_iter().take(ratings.len()).map(Some));
                    score = if ideal == 0.0 { 0.0 } else { gained / ideal };
                    if ideal != 0.0 {
                        details["ideal_dcg"] = json!(ideal);
                        details["normalized_dcg"] = json!(score);
                    }
                }
                details["unrated_docs"] = json!(unrated_of(ratings));
                Measured {
                    score,
                    details: json!({"dcg": details}),
                }
            }
            Kind::ExpectedRank { most, unrated } => Measured {
                score: expected(ratings, most, unrated),
                details: json!({"expected_reciprocal_rank": {"unrated_docs": unrated_of(ratings)}}),
            },
        }
    }
}

impl Kind {
    fn parse(name: &str, members: &mut Members<'_>) -> Result<Kind> {
        Ok(match name {
            "precision" => Kind::Precision {
                relevant: relevant(members, "precision")?,
                ignores_unrated: members.flag("ignore_unlabeled")?.unwrap_or(false),
            },
            "recall" => Kind::Recall {
                relevant: relevant(members, "recall")?,
            },
            "mean_reciprocal_rank" => Kind::ReciprocalRank {
                relevant: relevant(members, "reciprocal rank")?,
            },
            "dcg" => Kind::Gain {
                normalizes: members.flag("normalize")?.unwrap_or(false),
                unrated: members.integer("unknown_doc_rating")?,
            },
            "expected_reciprocal_rank" => {
                let missing = || ElasticError::illegal("Required [maximum_relevance]");
                Kind::ExpectedRank {
                    most: members.integer("maximum_relevance")?.ok_or_else(missing)?,
                    unrated: members.integer("unknown_doc_rating")?,
                }
            }
            other => {
                return Err(ElasticError::parsing(format!(
                    "[metric] unknown metric [{other}]"
                )));
            }
        })
    }
}

/// From which rating on a document is relevant.
fn relevant(members: &mut Members<'_>, of: &str) -> Result<i64> {
    let why = format!("Relevant rating threshold for {of} must be positive integer.");
    positive(members.integer("relevant_rating_threshold")?, RELEVANT, &why)
}

fn positive(given: Option<i64>, usual: i64, why: &str) -> Result<i64> {
    match given.unwrap_or(usual) {
        number if number < 0 => Err(ElasticError::illegal(why)),
        number => Ok(number),
    }
}

fn rated(ratings: &[Option<i64>]) -> impl Iterator<Item = i64> {
    ratings.iter().copied().flatten()
}

fn unrated_of(ratings: &[Option<i64>]) -> usize {
    ratings.iter().filter(|rating| rating.is_none()).count()
}

fn share(part: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

fn precision(ratings: &[Option<i64>], relevant: i64, ignores_unrated: bool) -> Measured {
    let found = rated(ratings).filter(|rating| *rating >= relevant).count();
    let all = match ignores_unrated {
        true => rated(ratings).count(),
        false => ratings.len(),
    };
    Measured {
        score: share(found, all),
        details: json!({"precision": {"relevant_docs_retrieved": found, "docs_retrieved": all}}),
    }
}

/// What a rating promises.
fn worth(rating: i64) -> f64 {
    2_f64.powf(rating as f64) - 1.0
}

/// What hits gain, the later the less.
fn gain(ratings: impl Iterator<Item = Option<i64>>) -> f64 {
    let ranked = ratings.enumerate();
    let gains =
        ranked.map(|(at, rating)| rating.map_or(0.0, |rating| worth(rating) / (at as f64 + 2.0).log2()));
    gains.fold(0.0, |sum, gain| sum + gain)
}

/// After how many hits somebody is content, turned round: each may be what is wanted, as its rating says.
fn expected(ratings: &[Option<i64>], most: i64, unrated: Option<i64>) -> f64 {
    let (mut score, mut goes_on) = (0.0, 1.0);
    for (at, rating) in ratings.iter().enumerate() {
        if let Some(rating) = rating.or(unrated) {
            let contents = worth(rating) / 2_f64.powf(most as f64);
            score += goes_on * contents / (at as f64 + 1.0);
            goes_on *= 1.0 - contents;
        }
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_measured_by_their_ratings() {
        let ratings = [Some(3), None, Some(0), Some(1)];
        let all = [3, 0, 1, 2];
        for (metric, score, details) in [
            (
                json!({"precision": {}}),
                0.5,
                json!({"precision": {"relevant_docs_retrieved": 2, "docs_retrieved": 4}}),
            ),
            (
                json!({"precision": {"ignore_unlabeled": true, "relevant_rating_threshold": 2}}),
                1.0 / 3.0,
                json!({"precision": {"relevant_docs_retrieved": 1, "docs_retrieved": 3}}),
            ),
            (
                json!({"recall": {}}),
                2.0 / 3.0,
                json!({"recall": {"relevant_docs_retrieved": 2, "relevant_docs": 3}}),
            ),
            (
                json!({"mean_reciprocal_rank": {"relevant_rating_threshold": 4}}),
                0.0,
                json!({"mean_reciprocal_rank": {"first_relevant": -1}}),
            ),
            (
                json!({"expected_reciprocal_rank": {"maximum_relevance": 3}}),
                7.0 / 8.0 + 1.0 / 8.0 * (1.0 / 8.0) / 4.0,
                json!({"expected_reciprocal_rank": {"unrated_docs": 1}}),
            ),
        ] {
            let found = Metric::parse(&metric).expect("a metric").measure(&ratings, &all);
            assert!((found.score - score).abs() < 1e-9, "{metric}: {}", found.score);
            assert_eq!(found.details, details, "{metric}");
        }
    }

    #[test]
    fn what_is_gained_is_compared_with_the_best_order() {
        let ratings = [Some(1), Some(3)];
        let metric = Metric::parse(&json!({"dcg": {"normalize": true}})).expect("a metric");
        let found = metric.measure(&ratings, &[1, 3]);
        let (gained, ideal) = (1.0 + 7.0 / 3_f64.log2(), 7.0 + 1.0 / 3_f64.log2());
        assert!((found.score - gained / ideal).abs() < 1e-9, "{}", found.score);
        assert_eq!(found.details["dcg"]["unrated_docs"], 0);
        assert_eq!(metric.measure(&[None], &[]).score, 0.0);
    }

    #[test]
    fn metrics_that_there_are_not_are_refused() {
        for wrong in [
            json!({}),
            json!({"other": {}}),
            json!({"precision": {"k": -1}}),
            json!({"precision": {"colour": 1}}),
            json!({"expected_reciprocal_rank": {}}),
        ] {
            assert!(Metric::parse(&wrong).is_err(), "{wrong}");
        }
    }
}
