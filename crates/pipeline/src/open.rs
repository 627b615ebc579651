//! Opening a pipeline on a collection's name: a client's pipeline, and those within `$lookup` and `$unionWith`, become a stream
//! of results in the same way.

use super::fused::Fused;
use super::stage::{Stage, StageScope, Surroundings};
use super::stages::matching::Scoring;
use super::stages::recording::{Recording, asks_record};
use super::{COLLECTIONLESS, Leading, Pipeline, Source};
use crate::{Code, QueryError, Result};
use futures::future::BoxFuture;
use language::expression::{Variables, names_operator};
use query::execute::{DocumentStream, FindSpec, Interruption, draw, find};
use query::plan::{Hint, Ordering};
use std::sync::Arc;
use store::{Collection, FieldKind, Index, IndexField, IndexState, Namespace};
use value::Value;

/// How a pipeline is opened.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// The index to use.
    pub hint: Option<Hint>,
    /// Documents in the first batch, if the client gives a number; with 0 only the plan is made.
    pub first_batch: Option<usize>,
    /// When to end early.
    pub interruption: Interruption,
}

/// A pipeline whose names are resolved, and whose front is a query.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The collection below all views.
    pub namespace: Namespace,
    /// It, where it exists.
    pub collection: Option<Arc<Collection>>,
    /// The query on it; `None` if the pipeline makes its documents.
    pub spec: Option<FindSpec>,
    /// The stages after those.
    pub rest: Pipeline,
}

impl Opened {
    /// Resolves the names of a pipeline on a collection or view.
    pub fn resolve(
        namespace: &Namespace,
        stages: &[Value],
        variables: &Variables,
        surroundings: &Surroundings,
        options: &OpenOptions,
    ) -> Result<Opened> {
        let scope = StageScope {
            variables,
            namespace,
            depth: 0,
            metadata: &[],
            leads: true,
        };
        Opened::resolve_within(stages, &scope, surroundings, options)
    }

    pub(super) fn resolve_within(
        stages: &[Value],
        scope: &StageScope<'_>,
        surroundings: &Surroundings,
        options: &OpenOptions,
    ) -> Result<Opened> {
        let resolved = surroundings.collections.resolve(scope.namespace)?;
        let all = joined(resolved.stages, stages);
        let namespace = match tells_of_below(&all, stages) {
            true => &resolved.namespace,
            false => scope.namespace,
        };
        let pipeline = Pipeline::parse_within(&all, &StageScope { namespace, ..*scope })?;
        check_origin(scope.namespace, &pipeline)?;
        check_collations(&pipeline, scope, surroundings)?;
        if pipeline.makes_documents() {
            return Ok(Opened {
                namespace: resolved.namespace,
                collection: None,
                spec: None,
                rest: pipeline,
            });
        }
        let (leading, mut rest) = pipeline.split_leading();
        let mut spec = leading.spec(scope.variables, options)?;
        if let Some(near) = &leading.near {
            let collection = resolved.collection.as_deref().ok_or_else(|| {
                QueryError::new(
                    Code::NAMESPACE_NOT_FOUND,
                    format!(
                        "$geoNear requires a geo index to run, but {} does not exist",
                        resolved.namespace
                    ),
                )
            })?;
            let (measured, path, condition) = near.on(collection)?;
            spec.filter = Arc::new(spec.filter.and_near(&path, condition)?);
            rest.stages.insert(0, Arc::new(measured));
        }
        hand_on(&mut spec, &mut rest);
        if let Some(fields) = rest.stages.first().and_then(|stage| stage.fields_read()) {
            spec.needed = Some(fields.into_iter().collect());
        }
        spec.is_answer = rest.stages.is_empty();
        spec.moment = surroundings.moment.clone();
        spec.spill = surroundings.spill.clone();
        if let Some(collection) = &resolved.collection {
            prefer_covering_index(collection, &leading, &mut spec);
        }
        Ok(Opened {
            namespace: resolved.namespace,
            collection: resolved.collection,
            spec: Some(spec),
            rest,
        })
    }

    /// Begins to run it.
    pub async fn start(
        self,
        surroundings: &Surroundings,
        interruption: Interruption,
    ) -> Result<Box<dyn DocumentStream>> {
        let source = match (self.collection, self.spec) {
            (Some(collection), Some(mut spec)) => {
                let picks = self.rest.stages.first().and_then(|stage| stage.picks());
                if let Some(size) = picks.filter(|_| spec.is_of_all())
                    && let Some(drawn) = draw(&collection, &spec, size).await?
                {
                    let mut rest = self.rest;
                    rest.stages.remove(0);
                    return Ok(rest.run(Source::Documents(drawn), surroundings, interruption));
                }
                if let Some(fused) = Fused::of(&mut spec, &self.rest) {
                    let stream = Box::new(find(&collection, spec).await?);
                    return Ok(self.rest.run_fused(stream, fused, surroundings, interruption));
                }
                Source::Stream(Box::new(find(&collection, spec).await?))
            }
            _ => Source::Empty,
        };
        Ok(self.rest.run(source, surroundings, interruption))
    }
}

/// Passes text scores and record ids, which are known when documents are read, to later stages that use them.
fn hand_on(spec: &mut FindSpec, rest: &mut Pipeline) {
    let shows_metadata =
        |stage: &Arc<dyn Stage>| names_operator(&Value::Document(stage.to_document()), "$meta");
    if spec.filter.text().is_some() && rest.stages.iter().any(shows_metadata) {
        let filter = Arc::clone(&spec.filter);
        rest.stages.insert(0, Arc::new(Scoring { filter }));
    }
    if rest.stages.iter().any(|stage| asks_record(&**stage)) {
        spec.show_record_id = true;
        rest.stages.insert(0, Arc::new(Recording));
    }
}

/// If all documents are read but only a few of their fields, reads an index with these fields instead.
fn prefer_covering_index(collection: &Collection, leading: &Leading, spec: &mut FindSpec) {
    let Some(needed) = spec.needed.as_deref().filter(|needed| !needed.is_empty()) else {
        return;
    };
    let chooses = spec.filter.is_empty()
        && leading.sort.is_none()
        && leading.projection.is_none()
        && spec.hint.is_none()
        && spec.moment.is_none();
    if !chooses {
        return;
    }
    let repeats_ids = collection.options().repeats_ids();
    let covers = |index: &&Arc<Index>| {
        let described = index.spec();
        let is_whole = !index.is_of_ids() || !repeats_ids;
        let ordered = |field: &IndexField| matches!(field.kind, FieldKind::Ascending | FieldKind::Descending);
        is_whole
            && index.state() == IndexState::Ready
            && !index.is_multikey()
            && !described.sparse
            && !described.hidden
            && described.partial_filter.is_none()
            && !described.kept.contains("collation")
            && index.fields().iter().all(ordered)
            && needed.iter().all(|name| described.key.contains(name))
    };
    let indexes = collection.indexes();
    let fewest = indexes
        .iter()
        .filter(covers)
        .min_by_key(|index| index.fields().len());
    spec.hint = fewest.map(|index| Hint::Name(index.spec().name.clone()));
}

/// The stages of a view followed by those of the request. `$collStats` describes the view itself, as in MongoDB.
fn joined(mut of_view: Vec<Value>, asked: &[Value]) -> Vec<Value> {
    if begins_with(asked, "$collStats") {
        of_view.clear();
    }
    of_view.extend(asked.iter().cloned());
    of_view
}

/// Whether the stages begin with one that describes the collection below a view: its indexes or plans, which a view does not
/// have, or whatever the view itself asks for.
fn tells_of_below(all: &[Value], asked: &[Value]) -> bool {
    let is_of_below = |name| begins_with(all, name);
    is_of_below("$indexStats")
        || is_of_below("$planCacheStats")
        || (is_of_below("$collStats") && !begins_with(asked, "$collStats"))
}

fn begins_with(stages: &[Value], name: &str) -> bool {
    let first = stages.first().and_then(Value::as_document);
    first.is_some_and(|first| first.contains(name))
}

/// Fails if the stages of a pipeline read a view with a collation other than its own.
fn check_collations(pipeline: &Pipeline, scope: &StageScope<'_>, surroundings: &Surroundings) -> Result<()> {
    let mut read = pipeline.stages.iter().flat_map(|stage| stage.reads());
    read.try_for_each(|other| check_collation(other, scope, surroundings))
}

/// Fails if a view is read with a collation other than its own.
fn check_collation(other: &Namespace, scope: &StageScope<'_>, surroundings: &Surroundings) -> Result<()> {
    let resolved = surroundings.collections.resolve(other)?;
    match resolved.view_collation {
        Some(own) if own.as_ref() != scope.variables.collation() => Err(QueryError::new(
            Code::OPTION_NOT_SUPPORTED_ON_VIEW,
            format!("Cannot override a view's default collation: {other}"),
        )),
        _ => Ok(()),
    }
}

/// Fails for a pipeline that needs a collection but names none, or names a collection but needs none.
pub(super) fn check_origin(namespace: &Namespace, pipeline: &Pipeline) -> Result<()> {
    let names_none = namespace.collection == COLLECTIONLESS;
    if names_none == pipeline.needs_no_collection() {
        return Ok(());
    }
    let message = if names_none {
        "{aggregate: 1} is not valid for this pipeline: its first stage must make the documents, such as $documents; \
         name a collection to read one"
            .to_owned()
    } else {
        let first = pipeline.first_stage_name().unwrap_or_default();
        format!("{first} is only valid as the first stage of a pipeline on a database: {{aggregate: 1}}")
    };
    Err(QueryError::new(Code::INVALID_NAMESPACE, message))
}

/// Opens a pipeline on a collection or view.
pub fn open<'a>(
    namespace: &'a Namespace,
    stages: &'a [Value],
    variables: &'a Variables,
    surroundings: &'a Surroundings,
    options: &'a OpenOptions,
) -> BoxFuture<'a, Result<Box<dyn DocumentStream>>> {
    Box::pin(async move {
        let opened = Opened::resolve(namespace, stages, variables, surroundings, options)?;
        opened.start(surroundings, options.interruption.clone()).await
    })
}

impl Leading {
    /// The query on the collection.
    fn spec(&self, variables: &Variables, options: &OpenOptions) -> Result<FindSpec> {
        let mut spec = FindSpec::new(self.filter(variables)?);
        if let Some(sort) = &self.sort {
            spec.ordering = Ordering::By(sort.clone());
        }
        spec.skip = self.skip;
        spec.limit = self.limit;
        spec.projection = self.projection.clone();
        spec.variables = variables.clone();
        if let Some(size) = options.first_batch {
            spec.first_batch = size;
        }
        spec.hint = options.hint.clone();
        spec.interruption = options.interruption.clone();
        Ok(spec)
    }
}
