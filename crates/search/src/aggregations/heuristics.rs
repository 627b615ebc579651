//! How significant a term is: by how many of the documents that were found have it, and how many of those in the background.

use mapping::error::{Result, SearchError};
use mapping::json::Members;
use querying::DocumentScript;
use serde_json::{Map, Value};

/// A way to weigh terms.
#[derive(Clone, Debug)]
pub(super) enum Heuristic {
    Jlh,
    MutualInformation(Compared),
    ChiSquare(Compared),
    /// Google's normalized distance.
    Distance(Compared),
    Percentage,
    Script(Box<DocumentScript>),
}

/// What is compared with what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compared {
    /// Whether terms that are found less often than usual are significant too.
    includes_negatives: bool,
    /// Whether what is found is part of the background.
    is_within: bool,
}

/// How many documents have a term, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) having: u64,
    pub(super) all: u64,
}

/// The names of the ways.
const NAMES: [&str; 6] = [
    "jlh",
    "mutual_information",
    "chi_square",
    "gnd",
    "percentage",
    "script_heuristic",
];

impl Heuristic {
    /// Takes the one that a request names; the JLH score where it names none.
    pub(super) fn take(members: &mut Members<'_>) -> Result<Heuristic> {
        let given = NAMES.iter().find_map(|name| Some((*name, members.take(name)?)));
        match given {
            None => Ok(Heuristic::Jlh),
            Some((name, Value::Object(options))) => Heuristic::parse(name, options),
            Some((name, other)) => Err(members.wrong_type(name, other)),
        }
    }

    fn parse(name: &str, options: &Map<String, Value>) -> Result<Heuristic> {
        let mut members = Members::of_content(name, options);
        let heuristic = match name {
            "mutual_information" => Heuristic::MutualInformation(Compared::take(&mut members)?),
            "chi_square" => Heuristic::ChiSquare(Compared::take(&mut members)?),
            "gnd" => Heuristic::Distance(Compared {
                includes_negatives: true,
                is_within: members.flag("background_is_superset")?.unwrap_or(true),
            }),
            "percentage" => Heuristic::Percentage,
            "script_heuristic" => {
                let missing = || SearchError::illegal("Required [script]");
                let script = members.take("script").ok_or_else(missing)?;
                Heuristic::Script(Box::new(DocumentScript::parse(script)?))
            }
            _ => Heuristic::Jlh,
        };
        members.end()?;
        Ok(heuristic)
    }

    /// How significant a term is that this share of what is found has, and that one of the background.
    pub(super) fn score(&self, found: Share, background: Share) -> Result<f64> {
        Ok(match self {
            Heuristic::Jlh => jlh(found, background),
            Heuristic::Percentage if background.having == 0 => 0.0,
            Heuristic::Percentage => found.having as f64 / background.having as f64,
            Heuristic::MutualInformation(compared) => compared.table(found, background)?.mutual_information(),
            Heuristic::ChiSquare(compared) => compared.table(found, background)?.chi_square(),
            Heuristic::Distance(compared) => compared.table(found, background)?.nearness(),
            Heuristic::Script(script) => {
                let number = |count: u64| Some(count as f64);
                let numbers = [
                    ("_subset_freq", number(found.having)),
                    ("_subset_size", number(found.all)),
                    ("_superset_freq", number(background.having)),
                    ("_superset_size", number(background.all)),
                ];
                script.number_of(&numbers)?.unwrap_or(0.0)
            }
        })
    }
}

/// How much more often a term is found than usual, as the JLH score says; 0 where it is not. A term that no other document has
/// counts as if one had it.
fn jlh(found: Share, background: Share) -> f64 {
    if found.all == 0 || background.all == 0 {
        return 0.0;
    }
    let (share, usual) = (
        found.having as f64 / found.all as f64,
        background.having.max(1) as f64 / background.all as f64,
    );
    match share > usual {
        true => (share - usual) * (share / usual),
        false => 0.0,
    }
}

/// How many documents have a term and are found, have it and are not, and so on: what two questions make of all.
#[derive(Clone, Copy, Debug)]
struct Table {
    found_with: f64,
    found_without: f64,
    others_with: f64,
    others_without: f64,
    includes_negatives: bool,
}

impl Compared {
    fn take(members: &mut Members<'_>) -> Result<Compared> {
        Ok(Compared {
            includes_negatives: members.flag("include_negatives")?.unwrap_or(false),
            is_within: members.flag("background_is_superset")?.unwrap_or(true),
        })
    }

    fn table(self, found: Share, background: Share) -> Result<Table> {
        let count = |count: u64| count as f64;
        let (with, without) = (count(found.having), count(found.all) - count(found.having));
        let (mut others_with, mut others_without) = (
            count(background.having),
            count(background.all) - count(background.having),
        );
        if self.is_within {
            check(found, background)?;
            others_with -= with;
            others_without -= without;
        }
        Ok(Table {
            found_with: with,
            found_without: without,
            others_with,
            others_without,
            includes_negatives: self.includes_negatives,
        })
    }
}

/// Refuses a background that has less than what is found.
fn check(found: Share, background: Share) -> Result<()> {
    let less = if found.having > background.having {
        "subsetFreq > supersetFreq"
    } else if found.all > background.all {
        "subsetSize > supersetSize"
    } else if background.having - found.having > background.all - found.all {
        "supersetFreq - subsetFreq > supersetSize - subsetSize"
    } else {
        return Ok(());
    };
    Err(SearchError::illegal(format!(
        "{less}, does your background filter not include all documents in the bucket? If so and it is intentional, set \
         \"background_is_superset\": false"
    )))
}

impl Table {
    fn with(self) -> f64 {
        self.found_with + self.others_with
    }

    fn without(self) -> f64 {
        self.found_without + self.others_without
    }

    fn found(self) -> f64 {
        self.found_with + self.found_without
    }

    fn others(self) -> f64 {
        self.others_with + self.others_without
    }

    fn all(self) -> f64 {
        self.found() + self.others()
    }

    /// Whether the term is found less often than usual, where that counts for nothing.
    fn is_negative(self) -> bool {
        !self.includes_negatives && self.found_with / self.found() < self.others_with / self.others()
    }

    fn mutual_information(self) -> f64 {
        let all = self.all();
        let part = |both: f64, one: f64, other: f64| {
            let (numerator, factor) = ((all * both).abs(), (both / all).abs());
            match numerator < 1e-7 && factor < 1e-7 {
                true => 0.0,
                false => factor * (numerator / (one * other).abs()).ln(),
            }
        };
        let sum = part(self.others_without, self.without(), self.others())
            + part(self.found_without, self.without(), self.found())
            + part(self.others_with, self.with(), self.others())
            + part(self.found_with, self.with(), self.found());
        match sum.is_nan() || self.is_negative() {
            true => f64::NEG_INFINITY,
            false => sum / 2_f64.ln(),
        }
    }

    fn chi_square(self) -> f64 {
        if self.is_negative() {
            return f64::NEG_INFINITY;
        }
        let crossed = self.found_with * self.others_without - self.found_without * self.others_with;
        self.all() * crossed.powi(2) / (self.found() * self.with() * self.without() * self.others())
    }

    /// The distance of a term to what is found, turned round, so that near terms have high numbers.
    fn nearness(self) -> f64 {
        let (with, found, both) = (self.with(), self.found(), self.found_with);
        if both == 0.0 {
            return 0.0;
        }
        if with == found && with == both {
            return 1.0;
        }
        let (more, less) = (with.ln().max(found.ln()), with.ln().min(found.ln()));
        (-(more - both.ln()) / (self.all().ln() - less)).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn score(given: Value, found: (u64, u64), background: (u64, u64)) -> Result<f64> {
        let mut members = Members::of("significant_terms", &given)?;
        let heuristic = Heuristic::take(&mut members)?;
        members.end()?;
        let share = |(having, all): (u64, u64)| Share { having, all };
        heuristic.score(share(found), share(background))
    }

    #[test]
    fn only_what_is_found_more_often_than_usual_is_worth_something() {
        let jlh = |found, background| score(json!({"jlh": {}}), found, background).expect("a score");
        assert_eq!(jlh((1, 10), (10, 100)), 0.0);
        assert_eq!(jlh((0, 0), (1, 10)), 0.0);
        assert_eq!(jlh((1, 10), (1, 0)), 0.0);
        assert_eq!(jlh((5, 10), (0, 100)), jlh((5, 10), (1, 100)));
        let score = jlh((5, 10), (10, 100));
        assert!((score - 0.4 * 5.0).abs() < 1e-9, "{score}");
    }

    #[test]
    fn terms_are_weighed_as_the_heuristic_says() {
        for (given, wanted) in [
            // Half of what is found, and a tenth of all.
            (json!({"percentage": {}}), 0.5),
            (
                json!({"chi_square": {}}),
                100.0 * 400.0_f64.powi(2) / (10.0 * 10.0 * 90.0 * 90.0),
            ),
            (json!({"gnd": {}}), (-(2_f64.ln()) / 10_f64.ln()).exp()),
            (
                json!({"script_heuristic": {"script": "params._subset_freq / params._superset_size"}}),
                0.05,
            ),
        ] {
            let found = score(given.clone(), (5, 10), (10, 100)).expect("a score");
            assert!((found - wanted).abs() < 1e-9, "{given}: {found}");
        }
    }

    #[test]
    fn what_two_questions_have_in_common_is_their_information() {
        let information = |options: Value, found, background| {
            score(json!({"mutual_information": options}), found, background).expect("a score")
        };
        // Whoever knows the one knows the other, which is one bit.
        assert!((information(json!({}), (50, 50), (50, 100)) - 1.0).abs() < 1e-9);
        assert!(information(json!({}), (5, 50), (10, 100)).abs() < 1e-9);
        assert_eq!(information(json!({}), (1, 50), (50, 100)), f64::NEG_INFINITY);
        assert!(information(json!({"include_negatives": true}), (1, 50), (50, 100)) > 0.0);
    }

    #[test]
    fn a_background_has_what_is_found() {
        let error = score(json!({"chi_square": {}}), (5, 10), (4, 100)).expect_err("refused");
        assert!(
            error.reason.starts_with("subsetFreq > supersetFreq, does"),
            "{error}"
        );
        let beside = json!({"chi_square": {"background_is_superset": false}});
        assert!(score(beside, (5, 10), (4, 100)).is_ok());
        assert!(score(json!({"gnd": {"include_negatives": true}}), (5, 10), (10, 100)).is_err());
    }
}
