//! Reductions: the built-in ones natively, others in JavaScript.
//!
//! A reduction is bytes that only its function reads: JSON text, or the registers of `_approx_count_distinct`. It is kept in the
//! tree with every page, so reductions of rows are combined with reductions of pages.

mod distinct;
mod script;
mod stats;
mod sum;

use crate::tree::Row;
use crate::{Error, Program, Result};
use bytes::Bytes;
use script::Input;
use serde_json::Value;
use std::sync::Arc;

/// A reduce function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `_sum`.
    Sum,
    /// `_count`.
    Count,
    /// `_stats`.
    Stats,
    /// `_approx_count_distinct`.
    ApproxCountDistinct,
    /// The one of this number in the program.
    Script(usize),
}

impl Function {
    /// The built-in of this name; none where there is no such. What follows the name does not matter, as in CouchDB.
    pub fn built_in(source: &str) -> Option<Function> {
        let named = [
            ("_sum", Function::Sum),
            ("_count", Function::Count),
            ("_stats", Function::Stats),
            ("_approx_count_distinct", Function::ApproxCountDistinct),
        ];
        let found = named.into_iter().find(|(name, _)| source.starts_with(name));
        found.map(|(_, function)| function)
    }
}

/// A reduce function with the name of its view, and the program that runs it if it is in JavaScript.
#[derive(Clone, Debug)]
pub struct Reducer {
    /// What to do.
    pub function: Function,
    /// What errors call it.
    pub name: String,
    /// Where scripts run; not asked for anything else.
    pub program: Option<Arc<Program>>,
}

impl Reducer {
    /// The reduction of each group of rows.
    pub async fn reduce(&self, groups: &[Vec<&Row>]) -> Result<Vec<Bytes>> {
        match (self.function, &self.program) {
            (Function::Script(function), Some(program)) => {
                let inputs: Vec<Input<'_>> = groups.iter().map(|rows| Input::Rows(rows)).collect();
                script::call(program, &self.name, function, &inputs).await
            }
            _ => groups.iter().map(|rows| self.reduce_natively(rows)).collect(),
        }
    }

    /// The reduction of each group of reductions.
    pub async fn rereduce(&self, groups: &[Vec<Bytes>]) -> Result<Vec<Bytes>> {
        match (self.function, &self.program) {
            (Function::Script(function), Some(program)) => {
                let inputs = groups.iter().map(|reductions| Input::Reductions(reductions));
                let inputs: Vec<Input<'_>> = inputs.collect();
                script::call(program, &self.name, function, &inputs).await
            }
            _ => groups
                .iter()
                .map(|reductions| self.rereduce_natively(reductions))
                .collect(),
        }
    }

    /// What a client gets: JSON text.
    pub fn finish(&self, reduction: &Bytes) -> Bytes {
        match self.function {
            Function::ApproxCountDistinct => distinct::estimate(reduction).to_string().into(),
            _ => reduction.clone(),
        }
    }

    fn reduce_natively(&self, rows: &[&Row]) -> Result<Bytes> {
        match self.function {
            Function::Count => Ok(rows.len().to_string().into()),
            Function::ApproxCountDistinct => {
                let keys = rows.iter().map(|row| row.position.sort_key.as_ref());
                Ok(distinct::registers(keys).into())
            }
            _ => self.combine(rows.iter().map(|row| &row.value)),
        }
    }

    fn rereduce_natively(&self, reductions: &[Bytes]) -> Result<Bytes> {
        match self.function {
            Function::ApproxCountDistinct => Ok(distinct::union(reductions.iter().map(AsRef::as_ref)).into()),
            _ => self.combine(reductions.iter()),
        }
    }

    fn combine<'a>(&self, values: impl Iterator<Item = &'a Bytes>) -> Result<Bytes> {
        let values = values.map(|text| serde_json::from_slice(text));
        let values: Vec<Value> = values
            .collect::<std::result::Result<_, _>>()
            .map_err(|error| Error::InvalidValue(format!("the values of {}: {error}", self.name)))?;
        let combined = match self.function {
            Function::Stats => stats::stats(&values)?,
            _ => sum::sum(&values),
        };
        Ok(combined.to_string().into())
    }
}
