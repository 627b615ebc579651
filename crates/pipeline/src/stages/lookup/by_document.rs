//! Lookups whose stages run for each document, or once if they do not depend on it.

use super::Lookup;
use crate::Result;
use crate::fields;
use crate::join_key::{JoinValues, any_of};
use crate::join_step::Join;
use crate::kept::Kept;
use crate::row::Row;
use crate::stage::Run;
use crate::waiting::Waiting;
use futures::future::BoxFuture;
use language::expression::size_bytes;
use query::execute::Interruption;
use std::sync::Arc;
use value::{Document, Value};

/// A running lookup.
pub(super) struct LookingUp {
    lookup: Arc<Lookup>,
    run: Run,
    /// The results, where they are the same for every document.
    same: Option<Results>,
}

/// The results for a document, and their memory.
struct Results {
    values: Vec<Value>,
    _kept: Kept,
}

impl LookingUp {
    pub(super) fn new(lookup: Arc<Lookup>, run: &Run) -> LookingUp {
        LookingUp {
            lookup,
            run: run.clone(),
            same: None,
        }
    }

    fn is_same_for_all(&self) -> bool {
        self.lookup.fields.is_none() && self.lookup.variables.is_empty() && !self.lookup.sub.is_random()
    }

    async fn one(&mut self, row: Row, interruption: &Interruption) -> Result<Row> {
        let found = match &self.same {
            Some(found) => found.values.clone(),
            None => {
                let found = self.find(&row, interruption).await?;
                match self.is_same_for_all() {
                    true => self.same.insert(found).values.clone(),
                    false => found.values,
                }
            }
        };
        let (mut document, metadata) = row.into_parts();
        fields::set(&mut document, self.lookup.into.parts(), Value::Array(found));
        Ok(Row::of_parts(document, metadata))
    }

    /// Runs the stages with the variables of one document.
    async fn find(&self, row: &Row, interruption: &Interruption) -> Result<Results> {
        let document = row.as_ref();
        let mut variables = (*self.run.variables).clone();
        let mut around = Arc::clone(&self.run.variables);
        row.show_metadata(&mut around);
        for (name, expression) in &self.lookup.variables {
            variables.set(name.as_str(), expression.evaluate(document, &around)?);
        }
        let filter: Option<Document> = self.lookup.fields.as_ref().map(|fields| {
            let values = JoinValues::of(document, &fields.local, self.run.variables.collation());
            any_of(&fields.foreign_name, values.into_values())
        });
        let mut stream = self
            .lookup
            .sub
            .open(filter, &variables, &self.run, interruption)
            .await?;
        let (mut bytes, mut values) = (0, Vec::new());
        let mut kept = self.run.kept("$lookup");
        loop {
            let page = stream.next_page(interruption).await?;
            if page.is_empty() {
                return Ok(Results { values, _kept: kept });
            }
            for document in page {
                let value = Value::Document(document.to_document());
                bytes += size_bytes(value.as_ref());
                kept.check(bytes)?;
                values.push(value);
            }
        }
    }
}

impl Join for LookingUp {
    fn join<'a>(
        &'a mut self,
        waiting: &'a mut Waiting,
        out: &'a mut Vec<Row>,
        _room: usize,
        interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<usize>> {
        Box::pin(async move {
            let Some(row) = waiting.pop()? else {
                return Ok(0);
            };
            interruption.check()?;
            let row = self.one(row, interruption).await?;
            let bytes = row.size_bytes();
            out.push(row);
            Ok(bytes)
        })
    }
}
