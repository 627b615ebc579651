//! `$search`, `$searchMeta` and `$listSearchIndexes`: what the full-text indexes of a collection find, and which there are.

use super::describing::stage;
use crate::collections::{Searching, Subject};
use crate::row::{Marked, Row};
use crate::stage::{Origin, Position, Run, Stage, StageScope, named};
use crate::step::{AwaitedStep, Flow, Work, give};
use crate::{Code, QueryError, Result};
use futures::future::BoxFuture;
use language::Fields;
use query::execute::Interruption;
use std::sync::Arc;
use value::{Document, Value};

/// What `$$SEARCH_META` gives, as metadata.
pub(crate) const SEARCH_META: &str = "SEARCH_META";
/// The metadata of the documents that a search finds.
const METADATA: [&str; 4] = [SEARCH_SCORE, "score", "searchHighlights", SEARCH_META];
/// How well a document answers, which is its score, too.
const SEARCH_SCORE: &str = "searchScore";

#[derive(Clone, Debug)]
struct Search {
    name: &'static str,
    searching: Searching,
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    search("$search", operand, scope)
}

pub(crate) fn parse_meta(
    _name: &str,
    operand: &Value,
    scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    search("$searchMeta", operand, scope)
}

fn search(name: &'static str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(spec) = operand else {
        return Err(QueryError::failed_to_parse(format!(
            "{name} value must be an object. Found: {}",
            operand.type_of().alias()
        )));
    };
    Ok(vec![Arc::new(Search {
        name,
        searching: Searching {
            namespace: scope.namespace.clone(),
            spec: spec.clone(),
            wants_meta: name == "$searchMeta",
            documents_max: None,
        },
    })])
}

pub(crate) fn parse_listing(
    _name: &str,
    operand: &Value,
    scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(options) = operand else {
        return Err(QueryError::failed_to_parse(format!(
            "$listSearchIndexes value must be an object. Found: {}",
            operand.type_of().alias()
        )));
    };
    let fields = Fields::new("$listSearchIndexes", options);
    let text = |name| Ok::<_, QueryError>(fields.string(name)?.map(str::to_owned));
    let (id, index) = (text("id")?, text("name")?);
    fields.finish()?;
    if id.is_some() && index.is_some() {
        return Err(QueryError::new(
            Code::INVALID_OPTIONS,
            "Cannot set both 'name' and 'id' for $listSearchIndexes.",
        ));
    }
    let subject = Subject::SearchIndexes {
        namespace: scope.namespace.clone(),
        id,
        name: index,
    };
    stage("$listSearchIndexes", operand, subject, Origin::Collection)
}

impl Stage for Search {
    fn start(&self, run: &Run) -> Work {
        Work::awaited(Finding {
            searching: self.searching.clone(),
            run: run.clone(),
            found: None,
        })
    }

    fn to_document(&self) -> Document {
        named(self.name, self.searching.spec.clone())
    }

    fn position(&self) -> Position {
        Position::First(Origin::Collection)
    }

    fn metadata(&self) -> &'static [&'static str] {
        match self.searching.wants_meta {
            true => &[],
            false => &METADATA,
        }
    }

    fn limited(&self, documents_max: u64) -> Option<Box<dyn Stage>> {
        let mut limited = self.clone();
        let known = limited.searching.documents_max.unwrap_or(u64::MAX);
        limited.searching.documents_max = Some(known.min(documents_max));
        Some(Box::new(limited))
    }
}

struct Finding {
    searching: Searching,
    run: Run,
    /// What was found, once it was asked.
    found: Option<std::vec::IntoIter<Row>>,
}

impl Finding {
    async fn find(&self) -> Result<Vec<Row>> {
        let collections = &self.run.surroundings.collections;
        let found = collections.search(&self.searching).await?;
        if self.searching.wants_meta {
            return Ok(vec![Row::Tree(found.meta)]);
        }
        let meta = Value::Document(found.meta);
        let row = |(document, mut metadata): (Document, Document)| {
            if let Some(score) = metadata.get(SEARCH_SCORE).cloned() {
                metadata.push("score", score);
            }
            metadata.push(SEARCH_META, meta.clone());
            Row::Marked(Box::new(Marked { document, metadata }))
        };
        Ok(found.documents.into_iter().map(row).collect())
    }
}

impl AwaitedStep for Finding {
    fn finish<'a>(
        &'a mut self,
        out: &'a mut Vec<Row>,
        _interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async move {
            if self.found.is_none() {
                self.found = Some(self.find().await?.into_iter());
            }
            Ok(match &mut self.found {
                Some(rows) => give(rows, out),
                None => Flow::Done,
            })
        })
    }
}
