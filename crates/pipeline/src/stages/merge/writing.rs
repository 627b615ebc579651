//! A `$merge` at work: statements in batches on the target.

use super::target::{self, Checked};
use super::{Merge, WhenMatched, WhenNotMatched};
use crate::collections::WriteTarget;
use crate::row::Row;
use crate::stage::Run;
use crate::stages::write_batch::{WriteBatch, as_query_error, first_failure, insert_all, write_options};
use crate::step::{AwaitedStep, Flow};
use crate::{Code, QueryError, Result};
use futures::future::BoxFuture;
use language::expression::Variables;
use language::filter::{Filter, FilterScope};
use query::execute::Interruption;
use query::write::{CHANGES_PER_COMMIT_MAX, Failures, Lookup, UpdateRequest, update};
use std::sync::Arc;
use update::{Update, UpdateInput, UpdateScope};
use value::path::FieldPath;
use value::{Document, DocumentBuf, DocumentRef, ObjectId, Value, ValueRef};

/// How often a document is tried again that another writer inserts or removes at the same time.
const ATTEMPTS_MAX: usize = 10;

/// A running `$merge`.
pub(super) struct Merging {
    merge: Arc<Merge>,
    run: Run,
    batch: WriteBatch,
    checked: Option<Checked>,
    target: Option<WriteTarget>,
    /// The parsed pipeline for documents that match, once one was needed.
    pipeline: Option<Arc<Update>>,
}

impl Merging {
    pub(super) fn new(merge: Arc<Merge>, run: &Run) -> Merging {
        Merging {
            merge,
            run: run.clone(),
            batch: WriteBatch::default(),
            checked: None,
            target: None,
            pipeline: None,
        }
    }

    fn check_target(&mut self) -> Result<Checked> {
        if let Some(checked) = self.checked {
            return Ok(checked);
        }
        let checked = target::check(
            &self.merge,
            &*self.run.surroundings.collections,
            self.run.variables.collation(),
        )?;
        self.checked = Some(checked);
        Ok(checked)
    }

    async fn target(&mut self) -> Result<WriteTarget> {
        if let Some(target) = &self.target {
            return Ok(target.clone());
        }
        let target = self
            .run
            .surroundings
            .collections
            .for_writing(&self.merge.into)
            .await?;
        self.target = Some(target.clone());
        Ok(target)
    }

    async fn write(&mut self, documents: Vec<DocumentBuf>) -> Result<()> {
        if documents.is_empty() || self.finds_nothing()? {
            return Ok(());
        }
        for (document, field) in documents
            .iter()
            .flat_map(|document| self.merge.on.iter().map(move |field| (document, field)))
        {
            // A missing `_id` is made.
            if field.0 != "_id" || document.as_ref().get("_id").is_some() {
                self.on_value(document.as_ref(), field)?;
            }
        }
        let target = self.target().await?;
        match (&self.merge.matched, self.merge.not_matched) {
            (WhenMatched::Fail, _) => insert_all(&target, documents).await,
            (WhenMatched::Pipeline(_), WhenNotMatched::Insert) => {
                let mut outcome = Ok(());
                for document in documents {
                    outcome = outcome.and(self.change_or_insert(&target, document).await);
                }
                outcome
            }
            _ => self.change_all(&target, &documents).await,
        }
    }

    /// Changes the documents that these belong to, or inserts these, whatever becomes of the others; the first that fails is
    /// the error.
    async fn change_all(&mut self, target: &WriteTarget, documents: &[DocumentBuf]) -> Result<()> {
        let (mut failures, mut matched) = (Failures::new(), 0);
        for together in documents.chunks(CHANGES_PER_COMMIT_MAX) {
            let requests = together
                .iter()
                .map(|document| self.request(document.to_document()))
                .collect::<Result<_>>()?;
            let updated = update(&target.collection, requests, &write_options(target))
                .await
                .map_err(as_query_error)?;
            failures.extend(updated.failures);
            matched += updated.matched;
        }
        first_failure(failures)?;
        if self.merge.not_matched == WhenNotMatched::Fail && matched < documents.len() as u64 {
            return Err(not_found());
        }
        Ok(())
    }

    /// Whether there is no collection and none is to be made, so that nothing matches.
    fn finds_nothing(&self) -> Result<bool> {
        if self.merge.not_matched == WhenNotMatched::Insert {
            return Ok(false);
        }
        let present = self.run.surroundings.collections.resolve(&self.merge.into)?;
        match (present.collection, self.merge.not_matched) {
            (None, WhenNotMatched::Fail) => Err(not_found()),
            (collection, _) => Ok(collection.is_none()),
        }
    }

    /// A pipeline changes what is there; else the document itself is inserted, not what the pipeline would make of it.
    async fn change_or_insert(&mut self, target: &WriteTarget, document: DocumentBuf) -> Result<()> {
        for _ in 0..ATTEMPTS_MAX {
            let request = self.request(document.to_document())?;
            let updated = update(&target.collection, vec![request], &write_options(target))
                .await
                .map_err(as_query_error)?;
            first_failure(updated.failures)?;
            if updated.matched > 0 {
                return Ok(());
            }
            match insert_all(target, vec![document.clone()]).await {
                // Another writer was first: its document is the one to change.
                Err(error)
                    if error.code() == Code::DUPLICATE_KEY && self.is_there(target, &document).await? => {}
                inserted => return inserted,
            }
        }
        Err(QueryError::new(
            Code::WRITE_CONFLICT,
            "$merge met another writer of the same document too often",
        ))
    }

    /// Whether a document with the same values in the fields is there now.
    async fn is_there(&self, target: &WriteTarget, document: &DocumentBuf) -> Result<bool> {
        let filter = self.filter(&mut document.to_document())?;
        let spec = query::execute::FindSpec {
            limit: Some(1),
            ..query::execute::FindSpec::new(filter)
        };
        Ok(query::execute::count(&target.collection, spec).await? > 0)
    }

    fn request(&mut self, mut document: Document) -> Result<UpdateRequest> {
        let filter = self.filter(&mut document)?;
        let (update, variables) = self.update(document)?;
        Ok(UpdateRequest {
            lookup: Lookup::new(filter),
            update,
            multi: false,
            upsert: self.merge.not_matched == WhenNotMatched::Insert
                && !matches!(self.merge.matched, WhenMatched::Pipeline(_)),
            variables,
        })
    }

    /// The filter for the counterpart of a document. A missing `_id` is made if documents are matched by it.
    fn filter(&self, document: &mut Document) -> Result<Arc<Filter>> {
        let mut query = Document::new();
        for field in &self.merge.on {
            let (name, _) = field;
            if name == "_id" && !document.contains("_id") {
                document.insert_at(0, "_id", ObjectId::generate());
            }
            let value = self.on_value((&*document).into(), field)?;
            // As in MongoDB's update, where a regular expression is a pattern and operators are operators.
            query.push(name.as_str(), value);
        }
        let scope = FilterScope {
            variables: Some(&self.run.variables),
            ..FilterScope::default()
        };
        Ok(Arc::new(Filter::parse(&query, &scope)?))
    }

    /// The value of a field in which documents that belong together are equal.
    fn on_value(&self, document: DocumentRef<'_>, (name, path): &(String, FieldPath)) -> Result<Value> {
        let (mut inner, mut value) = (Some(document), None);
        for part in path.parts() {
            value = inner.and_then(|document| document.get(part));
            if matches!(value, Some(ValueRef::Array(_))) {
                return Err(QueryError::new(
                    Code::location(51_185),
                    format!("$merge write error: 'on' field '{name}' is an array"),
                ));
            }
            inner = value.and_then(ValueRef::as_document);
        }
        match value {
            Some(value) if !matches!(value, ValueRef::Null | ValueRef::Undefined) => Ok(value.to_value()),
            _ if self.checked.is_some_and(|checked| checked.is_sparse) => Err(QueryError::new(
                Code::location(51_132),
                format!(
                    "$merge write error: 'on' field '{name}' cannot be missing, null or undefined if supporting index \
                     is sparse"
                ),
            )),
            _ => Ok(Value::Null),
        }
    }

    /// What is done to the document that this one belongs to, and the variables that it sees.
    fn update(&mut self, document: Document) -> Result<(Arc<Update>, Arc<Variables>)> {
        let operators = |name: &str, document: Document| Document::new().with(name, document);
        let input = match &self.merge.matched {
            WhenMatched::Replace => document,
            WhenMatched::Merge => operators("$set", document),
            WhenMatched::KeepExisting | WhenMatched::Fail => operators("$setOnInsert", document),
            WhenMatched::Pipeline(stages) => {
                let mut variables = (*self.run.variables).clone();
                for (name, expression) in &self.merge.variables {
                    let value = expression.evaluate((&document).into(), &self.run.variables)?;
                    variables.set(name.as_str(), value);
                }
                let update = match &self.pipeline {
                    Some(parsed) => Arc::clone(parsed),
                    None => Arc::new(Update::parse(
                        &UpdateInput::Pipeline(stages.clone()),
                        &[],
                        &UpdateScope {
                            variables: &variables,
                        },
                    )?),
                };
                self.pipeline = Some(Arc::clone(&update));
                return Ok((update, Arc::new(variables)));
            }
        };
        let variables = Arc::clone(&self.run.variables);
        let scope = UpdateScope {
            variables: &variables,
        };
        let update = Update::parse(&UpdateInput::Document(input), &[], &scope)?;
        Ok((Arc::new(update), variables))
    }
}

fn not_found() -> QueryError {
    QueryError::new(
        Code::location(13_113),
        "$merge could not find a matching document in the target collection for at least one document in the source \
         collection",
    )
}

impl AwaitedStep for Merging {
    fn push<'a>(
        &'a mut self,
        rows: Vec<Row>,
        _out: &'a mut Vec<Row>,
        _interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async move {
            self.check_target()?;
            for row in rows {
                if let Some(documents) = self.batch.add(row)? {
                    self.write(documents).await?;
                }
            }
            Ok(Flow::More)
        })
    }

    fn finish<'a>(
        &'a mut self,
        _out: &'a mut Vec<Row>,
        _interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async move {
            self.check_target()?;
            let rest = self.batch.take();
            self.write(rest).await?;
            self.run.surroundings.collections.flush().await?;
            Ok(Flow::Done)
        })
    }
}
