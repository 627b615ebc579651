//! Questions whose answer is known: asked of all servers, timed, and compared with what plain code finds.

use super::load::load;
use super::{Servers, Times, grades, places, posts};
use crate::Settings;
use crate::client::as_f64;
use crate::load::median_ms;
use anyhow::{Context, Result};
use value::{DocumentRef, ValueRef};

const RUNS: usize = 5;

/// A pipeline, the same in SQL, and what must come out.
#[derive(Debug)]
pub struct Question {
    /// What is asked.
    pub name: &'static str,
    collection: &'static str,
    pipeline: &'static str,
    sql: &'static str,
    duckdb_sql: &'static str,
    answer: Answer,
}

/// A number, and whose it is where that is asked too.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    whose: Option<String>,
    number: f64,
}

impl Answer {
    pub fn of(whose: impl ToString, number: f64) -> Answer {
        Answer {
            whose: Some(whose.to_string()),
            number,
        }
    }

    pub fn number(number: f64) -> Answer {
        Answer { whose: None, number }
    }

    /// `{_id: whose, …: number}`
    fn of_document(document: DocumentRef<'_>) -> Option<Answer> {
        let whose = match document.get("_id")? {
            ValueRef::Null => None,
            ValueRef::String(name) => Some(name.to_owned()),
            ValueRef::Int32(number) => Some(number.to_string()),
            _ => return None,
        };
        let (_, number) = document.iter().find(|(name, _)| *name != "_id")?;
        Some(Answer {
            whose,
            number: as_f64(number)?,
        })
    }

    /// A row of whose and number, or of a number.
    fn of_row(row: &[Option<String>]) -> Option<Answer> {
        let (number, whose) = row.split_last()?;
        Some(Answer {
            whose: whose.first().cloned().flatten(),
            number: number.as_ref()?.parse().ok()?,
        })
    }

    /// Equal but for the rounding of sums, which depends on their order.
    fn is(&self, other: &Answer) -> bool {
        self.whose == other.whose && (self.number - other.number).abs() <= 1e-9 * self.number.abs()
    }
}

/// Fills the servers and computes the answers.
pub fn prepare(settings: &Settings, servers: &mut Servers) -> Result<[Question; 5]> {
    let post_count = settings.size(20_000, 2_000);
    let grade_count = settings.size(50_000, 5_000);
    let known = places::places(settings.zips.as_deref())?;
    load(settings, servers, "posts", post_count, posts::json)?;
    load(settings, servers, "grades", grade_count, grades::json)?;
    load(settings, servers, "places", known.len() as u64, |number| {
        known[number as usize].json.clone()
    })?;
    let [most, least] = posts::answers(post_count);
    let question = |name, collection, pipeline, [sql, duckdb_sql]: [&'static str; 2], answer| Question {
        name,
        collection,
        pipeline,
        sql,
        duckdb_sql,
        answer,
    };
    Ok([
        question(
            "most frequent author",
            "posts",
            posts::MOST,
            [posts::MOST_SQL, posts::MOST_DUCKDB],
            most,
        ),
        question(
            "least frequent author",
            "posts",
            posts::LEAST,
            [posts::LEAST_SQL, posts::LEAST_DUCKDB],
            least,
        ),
        question(
            "mean of larger cities",
            "places",
            places::CITIES,
            [places::CITIES_SQL, places::CITIES_SQL],
            places::answer_of_cities(&known),
        ),
        question(
            "best class",
            "grades",
            grades::PIPELINE,
            [grades::SQL, grades::DUCKDB],
            grades::answer(grade_count),
        ),
        question(
            "names that begin with a digit",
            "places",
            places::DIGITS,
            [places::DIGITS_SQL, places::DIGITS_SQL],
            places::answer_of_digits(&known),
        ),
    ])
}

impl Question {
    /// The times of all, and whether all answers are right.
    pub fn ask(&self, servers: &mut Servers) -> Result<(Times, bool)> {
        let (mut mongo, mut sql) = (servers.larder.connect()?, servers.postgres.connect()?);
        let mut answers = [None, None, None];
        let larder_ms = median_ms(RUNS, || {
            mongo.aggregate(self.collection, self.pipeline, |found| {
                answers[0] = Answer::of_document(found);
                Ok(())
            })
        })?;
        let postgres_ms = median_ms(RUNS, || {
            let rows = sql.query(self.sql, &[])?;
            answers[1] = Answer::of_row(rows.first().context("no row")?);
            Ok(())
        })?;
        let duckdb_ms = median_ms(RUNS, || {
            let rows = servers.duckdb.query(self.duckdb_sql)?;
            answers[2] = Answer::of_row(rows.first().context("no row")?);
            Ok(())
        })?;
        let is_right = |answer: &Option<Answer>| answer.as_ref().is_some_and(|found| found.is(&self.answer));
        let times = Times {
            larder_ms,
            postgres_ms,
            duckdb_ms: Some(duckdb_ms),
        };
        Ok((times, answers.iter().all(is_right)))
    }
}
