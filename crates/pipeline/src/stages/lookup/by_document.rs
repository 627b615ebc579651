//! Lookups whose stages run for each document, or once where they depend on none.

use super::Lookup;
use crate::fields;
use crate::join_key::{JoinValues, any_of};
use crate::memory;
use crate::row::Row;
use crate::stage::Run;
use crate::step::{AwaitedStep, Flow};
use crate::{Result, STAGE_BYTES_MAX};
use futures::future::BoxFuture;
use query::execute::Interruption;
use std::sync::Arc;
use value::{Document, Value};

/// A running lookup.
pub(super) struct LookingUp {
    lookup: Arc<Lookup>,
    run: Run,
    /// The results, where they are the same for every document.
    same: Option<Vec<Value>>,
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
            Some(found) => found.clone(),
            None => {
                let (found, bytes) = self.find(&row, interruption).await?;
                if self.is_same_for_all() && bytes <= STAGE_BYTES_MAX {
                    self.same = Some(found.clone());
                }
                found
            }
        };
        let mut document = row.into_document();
        fields::set(&mut document, self.lookup.into.parts(), Value::Array(found));
        Ok(Row::Tree(document))
    }

    /// Runs the stages with the variables of one document; the results and their bytes.
    async fn find(&self, row: &Row, interruption: &Interruption) -> Result<(Vec<Value>, usize)> {
        let document = row.as_ref();
        let mut variables = (*self.run.variables).clone();
        for (name, expression) in &self.lookup.variables {
            variables.set(name.as_str(), expression.evaluate(document, &self.run.variables)?);
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
        let (mut found, mut bytes) = (Vec::new(), 0);
        loop {
            let page = stream.next_page(interruption).await?;
            if page.is_empty() {
                return Ok((found, bytes));
            }
            bytes += page.iter().map(|document| document.bytes().len()).sum::<usize>();
            memory::check("$lookup", bytes)?;
            found.extend(
                page.iter()
                    .map(|document| Value::Document(document.to_document())),
            );
        }
    }
}

impl AwaitedStep for LookingUp {
    fn push<'a>(
        &'a mut self,
        rows: Vec<Row>,
        out: &'a mut Vec<Row>,
        interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async move {
            for row in rows {
                interruption.check()?;
                out.push(self.one(row, interruption).await?);
            }
            Ok(Flow::More)
        })
    }
}
