//! Pipelines within stages: on another collection, opened anew for each set of variables.

use super::open::{OpenOptions, Opened};
use super::stage::{Run, StageScope};
use super::{COLLECTIONLESS, Pipeline};
use crate::{Code, QueryError, Result};
use futures::future::BoxFuture;
use language::expression::Variables;
use query::execute::{DocumentStream, Interruption, StreamState};
use store::Namespace;
use value::{Document, DocumentBuf, Value, ValueRef};

/// The number of documents that are read from a sub-pipeline at a time.
const PAGE_DOCUMENTS: usize = 1_000;
/// The bytes that are read from a sub-pipeline at a time.
const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// The stages that change something, or follow changes: no sub-pipeline may have them.
const FORBIDDEN: [&str; 3] = ["$out", "$merge", "$changeStream"];

/// A pipeline within a stage.
#[derive(Clone, Debug)]
pub(super) struct SubPipeline {
    pub(super) namespace: Namespace,
    pub(super) stages: Vec<Value>,
    /// The collections that its stages read beside its own.
    inner: Vec<Namespace>,
    depth: usize,
}

impl SubPipeline {
    /// Checks the stages as far as that can be done before they run. `declared` are the variables that will have
    /// values by then; `forbidden` is the owner's name and its code for a stage that may not be here.
    pub(super) fn parse(
        stages: Vec<Value>,
        namespace: Namespace,
        scope: &StageScope<'_>,
        declared: &[String],
        forbidden: (&str, Code),
    ) -> Result<SubPipeline> {
        let (owner, code) = forbidden;
        for stage in &stages {
            if let Value::Document(stage) = stage
                && let Some((name, _)) = stage.iter().find(|(name, _)| FORBIDDEN.contains(name))
            {
                return Err(QueryError::new(
                    code,
                    format!("{name} is not allowed within a {owner}'s sub-pipeline"),
                ));
            }
        }
        let mut sub = SubPipeline {
            namespace,
            stages,
            inner: Vec::new(),
            depth: scope.depth + 1,
        };
        let mut variables = scope.variables.clone();
        for name in declared {
            variables.set(name.as_str(), None);
        }
        let pipeline = Pipeline::parse_within(&sub.stages, &sub.scope(&variables))?;
        super::open::check_origin(&sub.namespace, &pipeline)?;
        sub.inner = pipeline.reads().into_iter().cloned().collect();
        Ok(sub)
    }

    /// All collections that it reads.
    pub(super) fn reads(&self) -> Vec<&Namespace> {
        std::iter::once(&self.namespace).chain(&self.inner).collect()
    }

    /// An empty pipeline on another collection, which no client has written.
    pub(super) fn on(namespace: Namespace, scope: &StageScope<'_>) -> SubPipeline {
        SubPipeline {
            namespace,
            stages: Vec::new(),
            inner: Vec::new(),
            depth: scope.depth + 1,
        }
    }

    fn scope<'v>(&'v self, variables: &'v Variables) -> StageScope<'v> {
        StageScope {
            variables,
            namespace: &self.namespace,
            depth: self.depth,
            metadata: &[],
            leads: true,
        }
    }

    /// Whether another run could have other results although nothing has changed.
    pub(super) fn is_random(&self) -> bool {
        self.stages.iter().any(is_random)
    }

    /// Opens it, with a filter before its stages if one is given.
    pub(super) fn open<'a>(
        &'a self,
        filter: Option<Document>,
        variables: &'a Variables,
        run: &'a Run,
        interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<SubStream>> {
        Box::pin(async move {
            let front = filter.map(|filter| Value::Document(Document::new().with("$match", filter)));
            let mut stages = self.stages.clone();
            // Documents that are made cannot be filtered before they are.
            let place = usize::from(starts_with_documents(&stages));
            stages.splice(place..place, front);
            let options = OpenOptions {
                interruption: interruption.clone(),
                ..OpenOptions::default()
            };
            let scope = self.scope(variables);
            let opened = Opened::resolve_within(&stages, &scope, &run.surroundings, &options)?;
            let stream = opened.start(&run.surroundings, interruption.clone()).await?;
            Ok(SubStream {
                stream,
                exhausted: false,
            })
        })
    }
}

/// The results of a sub-pipeline, page by page.
pub(super) struct SubStream {
    stream: Box<dyn DocumentStream>,
    exhausted: bool,
}

impl SubStream {
    /// The next page; empty at the end.
    pub(super) async fn next_page(&mut self, interruption: &Interruption) -> Result<Vec<DocumentBuf>> {
        let mut page = Vec::new();
        self.stream.attach(interruption);
        while page.is_empty() && !self.exhausted {
            let state = self.stream.fill(&mut page, PAGE_DOCUMENTS, PAGE_BYTES).await?;
            self.exhausted = state == StreamState::Exhausted;
        }
        Ok(page)
    }
}

/// `$rand`, `$sample` anywhere within.
fn is_random(value: &Value) -> bool {
    match value {
        Value::Document(document) => document
            .iter()
            .any(|(name, value)| matches!(name, "$rand" | "$sample") || is_random(value)),
        Value::Array(values) => values.iter().any(is_random),
        _ => false,
    }
}

/// The collection that a stage names within its own database.
pub(super) fn sibling(scope: &StageScope<'_>, name: &str) -> Result<Namespace> {
    checked_namespace(&scope.namespace.database, name)
}

/// A namespace that a stage names.
pub(super) fn checked_namespace(database: &str, name: &str) -> Result<Namespace> {
    let namespace = Namespace::new(database, name);
    if !namespace.is_well_formed() {
        return Err(QueryError::new(
            Code::INVALID_NAMESPACE,
            format!("Invalid namespace specified '{namespace}'"),
        ));
    }
    Ok(namespace)
}

/// The namespace of a sub-pipeline that makes its documents.
pub(super) fn collectionless(scope: &StageScope<'_>) -> Namespace {
    Namespace::new(&scope.namespace.database, COLLECTIONLESS)
}

/// The stages in an option that must be an array of documents.
pub(super) fn stages_of(option: &str, value: ValueRef<'_>) -> Result<Vec<Value>> {
    let ValueRef::Array(stages) = value else {
        return Err(QueryError::type_mismatch(format!(
            "'{option}' option must be specified as an array"
        )));
    };
    let stages = stages.iter().map(|stage| match stage {
        ValueRef::Document(_) => Ok(stage.to_value()),
        _ => Err(QueryError::type_mismatch(format!(
            "Each element of the '{option}' array must be an object"
        ))),
    });
    stages.collect()
}

/// Whether the first stage makes the documents without a collection.
pub(super) fn starts_with_documents(stages: &[Value]) -> bool {
    matches!(stages.first(), Some(Value::Document(stage)) if stage.contains("$documents"))
}
