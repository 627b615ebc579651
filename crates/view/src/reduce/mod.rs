//! Reductions: the built-in ones natively, others in JavaScript.
//!
//! A reduction is bytes that only its function reads: JSON text, the registers of `_approx_count_distinct`, or a value
//! with its place (`_first`, `_last`). It is kept in the tree with every page, so reductions of rows are combined with
//! reductions of pages.

mod distinct;
mod edge;
mod fold;
mod limit;
mod rank;
mod script;
mod stats;
mod sum;

use crate::tree::Row;
use crate::{Error, Program, Result};
use bytes::Bytes;
use edge::Edge;
pub use fold::Fold;
pub use limit::{ReduceLimit, ReduceOverflow};
use rank::End;
use script::Input;
use serde_json::Value;
use std::sync::Arc;

/// A reduce function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// `_sum`.
    Sum,
    /// `_count`.
    Count,
    /// `_stats`.
    Stats,
    /// `_approx_count_distinct`.
    ApproxCountDistinct,
    /// `_top_N` or `_bottom_N`, with N.
    Rank(End, u8),
    /// `_first` or `_last`.
    Edge(Edge),
    /// The one of this number in the program.
    Script(usize),
}

impl Function {
    /// The built-in that a source names; `None` if the source is JavaScript. What follows the name does not matter, as
    /// in CouchDB, but for the number of `_top_` and `_bottom_`.
    pub fn built_in(source: &str) -> Result<Option<Function>> {
        if !source.starts_with('_') {
            return Ok(None);
        }
        for (name, end) in [("_top_", End::Top), ("_bottom_", End::Bottom)] {
            if let Some(number) = source.strip_prefix(name) {
                return Ok(Some(Function::Rank(end, rank::count(number)?)));
            }
        }
        let named = [
            ("_sum", Function::Sum),
            ("_count", Function::Count),
            ("_stats", Function::Stats),
            ("_approx_count_distinct", Function::ApproxCountDistinct),
            ("_first", Function::Edge(Edge::First)),
            ("_last", Function::Edge(Edge::Last)),
        ];
        match named.into_iter().find(|(name, _)| source.starts_with(name)) {
            Some((_, function)) => Ok(Some(function)),
            None => Err(Error::InvalidDesign(format!(
                "`{source}` is not a supported reduce function."
            ))),
        }
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
            Function::Edge(_) => edge::value(reduction),
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
            Function::Rank(end, count) => rank::of_values(end, count, rows.iter().map(|row| &row.value)),
            Function::Edge(edge) => Ok(edge.of_rows(rows)),
            _ => self.combine(rows.iter().map(|row| &row.value)),
        }
    }

    fn rereduce_natively(&self, reductions: &[Bytes]) -> Result<Bytes> {
        match self.function {
            Function::ApproxCountDistinct => Ok(distinct::union(reductions.iter().map(AsRef::as_ref)).into()),
            Function::Rank(end, count) => rank::of_reductions(end, count, reductions),
            Function::Edge(edge) => Ok(edge.of_reductions(reductions)),
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
