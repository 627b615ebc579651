//! Places by postal code: how large are the larger cities of two states, and how many people live where the name
//! begins with a digit?

use super::questions::Answer;
use crate::workload::scramble;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Places that are made where none are at hand; as many as MongoDB's sample has.
const PLACES: u64 = 29_353;
const STATES: [&str; 8] = ["CA", "NY", "TX", "WA", "AL", "OR", "MA", "NJ"];
const CITY_MIN: u64 = 25_000;

pub const CITIES: &str = r#"[
    {"$match": {"state": {"$in": ["CA", "NY"]}}},
    {"$group": {"_id": {"state": "$state", "city": "$city"}, "pop": {"$sum": "$pop"}}},
    {"$match": {"pop": {"$gt": 25000}}},
    {"$group": {"_id": null, "mean": {"$avg": "$pop"}}}
]"#;
pub const CITIES_SQL: &str = "SELECT avg(pop) FROM (\
                                SELECT sum((doc->>'pop')::int) pop FROM places WHERE (doc->>'state') IN ('CA', 'NY') \
                                GROUP BY doc->>'state', doc->>'city') cities \
                              WHERE pop > 25000";
pub const DIGITS: &str = r#"[
    {"$project": {"pop": 1, "first": {"$substr": ["$city", 0, 1]}}},
    {"$match": {"first": {"$regex": "^[0-9]"}}},
    {"$group": {"_id": null, "pop": {"$sum": "$pop"}}}
]"#;
pub const DIGITS_SQL: &str =
    "SELECT sum((doc->>'pop')::int) FROM places WHERE substr(doc->>'city', 1, 1) ~ '^[0-9]'";

/// One postal code.
#[derive(Debug)]
pub struct Place {
    city: String,
    state: String,
    population: u64,
    /// It as JSON.
    pub json: String,
}

/// MongoDB's sample (`zips.json`, a document a line), each code once; made ones where there is no file.
pub fn places(file: Option<&Path>) -> Result<Vec<Place>> {
    let Some(file) = file else {
        return Ok((0..PLACES).map(made).collect());
    };
    let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let mut known = HashSet::new();
    let mut places = Vec::new();
    for line in text.lines() {
        let mut document: Value = serde_json::from_str(line)?;
        let code = document["_id"].take();
        if !known.insert(code.to_string()) {
            continue;
        }
        document["code"] = code;
        if let Value::Object(fields) = &mut document {
            fields.remove("_id");
        }
        places.push(Place {
            city: document["city"]
                .as_str()
                .context("a place without a city")?
                .to_owned(),
            state: document["state"]
                .as_str()
                .context("a place without a state")?
                .to_owned(),
            population: document["pop"].as_u64().context("a place without population")?,
            json: document.to_string(),
        });
    }
    Ok(places)
}

fn made(number: u64) -> Place {
    let random = scramble(number);
    // About one in a hundred has a number for a name, as codes that belong to no town have.
    let city = match random % 100 {
        0 => format!("{:05}", random >> 40 & 0xFFFF),
        _ => format!("CITY {}", (random >> 16) % 9_000),
    };
    let state = STATES[(random >> 8) as usize % STATES.len()].to_owned();
    let population = (random >> 32) % 30_000;
    let json = format!(
        "{{\"city\":\"{city}\",\"loc\":[-86.5,33.5],\"pop\":{population},\"state\":\"{state}\",\"code\":\"{number:05}\"}}"
    );
    Place {
        city,
        state,
        population,
        json,
    }
}

/// The mean population of the larger cities of two states.
pub fn answer_of_cities(places: &[Place]) -> Answer {
    let mut cities = HashMap::<(&str, &str), u64>::new();
    for place in places
        .iter()
        .filter(|place| ["CA", "NY"].contains(&place.state.as_str()))
    {
        *cities.entry((&place.state, &place.city)).or_default() += place.population;
    }
    let larger: Vec<u64> = cities
        .into_values()
        .filter(|population| *population > CITY_MIN)
        .collect();
    Answer::number(larger.iter().sum::<u64>() as f64 / larger.len() as f64)
}

/// The population of places whose name begins with a digit.
pub fn answer_of_digits(places: &[Place]) -> Answer {
    let digits = places
        .iter()
        .filter(|place| place.city.starts_with(|first: char| first.is_ascii_digit()));
    Answer::number(digits.map(|place| place.population).sum::<u64>() as f64)
}
