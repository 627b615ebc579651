//! The parameters of a query string, each of which must be understood.

mod checked;

pub use checked::number_of;
use checked::{check, flag_of, time_of};
use http::query_pairs;
use indices::error::{ElasticError, Result};
use std::str::FromStr;
use std::time::Duration;

/// What is left of the parameters.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    left: Vec<(String, String)>,
    /// The names that were asked for while there were others.
    asked: Vec<String>,
    path: String,
}

impl Parameters {
    /// Reads those of a query string.
    pub fn parse(path: &str, query: &str) -> Result<Parameters> {
        let mut left: Vec<(String, String)> = Vec::new();
        for pair in query_pairs(query) {
            let invalid = || ElasticError::illegal("the query has an escape that is not %HH in UTF-8");
            let (name, value) = pair.ok_or_else(invalid)?;
            check(&name, &value)?;
            // The last one counts.
            left.retain(|(present, _)| *present != name);
            left.push((name.into_owned(), value.into_owned()));
        }
        Ok(Parameters {
            left,
            asked: Vec::new(),
            path: path.to_owned(),
        })
    }

    /// The path of the request, as it came.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether a parameter is left.
    pub fn has(&self, name: &str) -> bool {
        self.left.iter().any(|(left, _)| left == name)
    }

    /// A parameter that is taken later.
    pub fn peek(&self, name: &str) -> Option<&str> {
        let found = self.left.iter().find(|(left, _)| left == name);
        found.map(|(_, value)| value.as_str())
    }

    /// A time; zero where it is `0` or `-1`, which say so without a unit.
    pub fn time(&mut self, name: &str) -> Result<Option<Duration>> {
        self.take(name).map(|text| time_of(&text, name)).transpose()
    }

    /// Takes a parameter out, if it is there.
    pub fn take(&mut self, name: &str) -> Option<String> {
        if self.left.is_empty() {
            return None;
        }
        self.asked.push(name.to_owned());
        let at = self.left.iter().position(|(left, _)| left == name)?;
        Some(self.left.remove(at).1)
    }

    /// `name`, `name=true`, `name=false`.
    pub fn flag(&mut self, name: &str) -> Result<Option<bool>> {
        self.take(name).map(|text| flag_of(&text)).transpose()
    }

    /// A whole number of 32 bits.
    pub fn integer(&mut self, name: &str) -> Result<Option<i64>> {
        let number = self.number::<i32>(name, "int")?;
        Ok(number.map(i64::from))
    }

    /// A whole number of 64 bits.
    pub fn long(&mut self, name: &str) -> Result<Option<i64>> {
        self.number(name, "long")
    }

    /// A number of a type that Elasticsearch calls so.
    pub fn number<N: FromStr>(&mut self, name: &str, type_name: &str) -> Result<Option<N>> {
        self.take(name)
            .map(|text| number_of(name, &text, type_name))
            .transpose()
    }

    /// Names with commas between them.
    pub fn list(&mut self, name: &str) -> Option<Vec<String>> {
        let text = self.take(name)?;
        Some(
            text.split(',')
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }

    /// Takes parameters that change nothing here: how long to wait for other nodes, which copy to ask.
    pub fn without_effect(&mut self, names: &[&str]) {
        for name in names {
            self.take(name);
        }
    }

    /// Refuses what was not taken, but for parameters that change nothing here.
    pub fn end_without(&mut self, names: &[&str]) -> Result<()> {
        self.without_effect(names);
        self.end()
    }

    /// Refuses what was not taken.
    pub fn end(&mut self) -> Result<()> {
        if self.left.is_empty() {
            return Ok(());
        }
        let names = self.left.iter().map(|(name, _)| name.as_str()).collect();
        let known: Vec<&str> = self.asked.iter().map(String::as_str).collect();
        let reason = search::unrecognized(&self.path, "parameter", names, &known);
        Err(ElasticError::illegal(reason))
    }
}
