//! Explaining a command: its plan, and what the plan examined.

use crate::catalog::views::as_pipeline;
use crate::context::Context;
use crate::engine::Engine;
use crate::error::Result;
use crate::limits::BATCH_BYTES_MAX;
use crate::reading::aggregate::{AggregateRequest, AggregateSource};
use crate::reading::find::{CountRequest, DistinctRequest, FindRequest};
use crate::reports::field_names::with_readable_names;
use crate::write::{DeleteStatement, FindAndModifyRequest, UpdateStatement};
use pipeline::Opened;
use query::execute::{DocumentStream, StreamState};
use query::explain::{Explanation, Purpose, Returned, Trial};
use store::Namespace;
use value::{Document, Value, doc};

/// The verbosity of the explanation.
pub use query::explain::Verbosity;

/// A command to be explained; it changes nothing.
#[derive(Clone, Debug)]
pub enum Explained {
    /// `find`.
    Find(Namespace, FindRequest),
    /// `count`.
    Count(Namespace, CountRequest),
    /// `distinct`.
    Distinct(Namespace, DistinctRequest),
    /// `aggregate`.
    Aggregate(AggregateSource, AggregateRequest),
    /// One statement of `update`.
    Update(Namespace, UpdateStatement),
    /// One statement of `delete`.
    Delete(Namespace, DeleteStatement),
    /// `findAndModify`.
    FindAndModify(Namespace, FindAndModifyRequest),
}

impl Engine {
    /// The plan of a command; with a verbosity above the least, also what the plan examined.
    pub async fn explain(
        &self,
        context: &Context,
        what: &Explained,
        verbosity: Verbosity,
    ) -> Result<Document> {
        let described = match what {
            Explained::Aggregate(source, request) => {
                self.explain_aggregate(context, source, request, verbosity).await
            }
            Explained::Find(namespace, request) => {
                self.explain_find(context, namespace, request, Purpose::Find, verbosity)
                    .await
            }
            Explained::Count(namespace, request) => {
                self.explain_find(context, namespace, &request.into(), Purpose::Count, verbosity)
                    .await
            }
            Explained::Distinct(namespace, request) => {
                let purpose = Purpose::Distinct(request.field.clone());
                self.explain_find(context, namespace, &request.into(), purpose, verbosity)
                    .await
            }
            Explained::Update(namespace, statement) => {
                let parsed = statement.parse(context, self.collation(namespace, None)?.as_ref(), false)?;
                let purpose = Purpose::Update(Trial {
                    update: parsed.update,
                    variables: parsed.variables,
                    upserts: parsed.upsert,
                    gives: Returned::Nothing,
                });
                self.explain_find(context, namespace, &statement.into(), purpose, verbosity)
                    .await
            }
            Explained::Delete(namespace, statement) => {
                let purpose = Purpose::Delete { gives: false };
                self.explain_find(context, namespace, &statement.into(), purpose, verbosity)
                    .await
            }
            Explained::FindAndModify(namespace, request) => {
                let parsed = request.parse(context, self.collation(namespace, None)?.as_ref(), false)?;
                let purpose = match parsed.update {
                    None => Purpose::Delete { gives: true },
                    Some(update) => Purpose::Update(Trial {
                        update,
                        variables: parsed.variables,
                        upserts: parsed.upsert,
                        gives: if parsed.return_new {
                            Returned::New
                        } else {
                            Returned::Old
                        },
                    }),
                };
                self.explain_find(context, namespace, &request.into(), purpose, verbosity)
                    .await
            }
        };
        described.map(with_readable_names)
    }

    async fn explain_find(
        &self,
        context: &Context,
        namespace: &Namespace,
        request: &FindRequest,
        purpose: Purpose,
        verbosity: Verbosity,
    ) -> Result<Document> {
        let mut spec = self.find_spec(context, namespace, request)?;
        spec.given_projection = (!request.projection.is_empty()).then(|| request.projection.clone());
        let collection = self.store().collection(namespace);
        if let (Purpose::Update(_) | Purpose::Delete { .. }, Some(collection)) = (&purpose, &collection) {
            collection.refuse_view()?;
        }
        // Only reads are refused without an index.
        spec.allow_full_scan |= matches!(purpose, Purpose::Update(_) | Purpose::Delete { .. });
        self.refuse_options_of_collections(namespace, request)?;
        if self.reads_as_view(namespace) {
            let mut request = as_pipeline(request)?;
            if matches!(purpose, Purpose::Count) {
                request.pipeline.push(doc! {"$count": "count"}.into());
            }
            let source = AggregateSource::Collection(namespace.clone());
            return self
                .explain_aggregate(context, &source, &request, verbosity)
                .await;
        }
        let name = namespace.to_string();
        let found = query::explain::explain(collection.as_ref(), &name, spec, purpose, verbosity).await?;
        Ok(found.shown)
    }

    /// Explains a pipeline: the front that the query answers is explained as a find, the stages after it are only named.
    async fn explain_aggregate(
        &self,
        context: &Context,
        source: &AggregateSource,
        request: &AggregateRequest,
        verbosity: Verbosity,
    ) -> Result<Document> {
        self.check_view_collation(&source.namespace(), request.collation.as_ref())?;
        let surroundings = self.surroundings(context, request);
        let collation = self.collation(&source.namespace(), request.collation.as_ref())?;
        let variables = crate::reading::find::variables(context, &request.variables, collation)?;
        let options = request.open_options(context)?;
        let name = source.namespace();
        let open = || Opened::resolve(&name, &request.pipeline, &variables, &surroundings, &options);
        let Opened {
            namespace,
            collection,
            spec,
            rest,
        } = open()?;
        let Some(spec) = spec else {
            let stages: Value = rest.to_documents().into_iter().map(Value::from).collect();
            let hash = query::plan::Shape::of_stages(&rest.to_documents()).hash();
            return Ok(doc! {"stages": stages, "queryShapeHash": hash.repeat(8)});
        };
        let name = namespace.to_string();
        let Explanation {
            shown: mut found,
            is_unplanned,
        } = query::explain::explain(collection.as_ref(), &name, spec, Purpose::Find, verbosity).await?;
        if rest.is_empty() {
            return Ok(found);
        }
        let stages = rest.to_documents();
        // What MongoDB does not plan has no plan that could include a `$group`.
        let grouped = stages
            .split_first()
            .filter(|(first, _)| first.get("$group").is_some() && !is_unplanned);
        let after = match grouped {
            Some((_, after)) if collection.is_some() && verbosity == Verbosity::QueryPlanner => {
                group_over_plan(&mut found);
                after
            }
            // With stages after it, how many groups there are is not known.
            Some((_, [])) if collection.is_some() => {
                let stream = open()?.start(&surroundings, context.interruption()).await?;
                group_over_plan(&mut found);
                group_over_stats(&mut found, count(stream).await?);
                &[]
            }
            _ => &stages,
        };
        if after.is_empty() {
            return Ok(found);
        }
        let shape = found.remove("queryShapeHash");
        let mut shown = vec![Value::from(doc! {"$cursor": found})];
        shown.extend(after.iter().cloned().map(Value::from));
        Ok(doc! {"stages": Value::Array(shown), "queryShapeHash": shape})
    }
}

/// Shows a `$group` after the find as MongoDB 8 does, whose planner includes it: as the uppermost stage of a plan of its second
/// engine.
fn group_over_plan(found: &mut Document) {
    let Some(Value::Document(planner)) = found.get_mut("queryPlanner") else {
        return;
    };
    if let Some(Value::Document(winner)) = planner.get_mut("winningPlan") {
        let is_cached = winner.remove("isCached");
        let input = std::mem::take(winner);
        winner.push("isCached", is_cached);
        winner.push("queryPlan", doc! {"stage": "GROUP", "inputStage": input});
    }
    found.insert_at(0, "explainVersion", "2");
}

/// Shows the `$group` in the execution statistics: the find's documents became this many groups.
fn group_over_stats(found: &mut Document, groups: i64) {
    let Some(Value::Document(stats)) = found.get_mut("executionStats") else {
        return;
    };
    stats.set("nReturned", groups);
    let input = stats.remove("executionStages");
    let stage = doc! {"stage": "GROUP", "nReturned": groups, "inputStage": input};
    stats.push("executionStages", stage);
}

/// The number of documents in a stream.
async fn count(mut stream: Box<dyn DocumentStream>) -> Result<i64> {
    let mut counted = 0;
    loop {
        let mut batch = Vec::new();
        let state = stream.fill(&mut batch, usize::MAX, BATCH_BYTES_MAX).await?;
        counted += i64::try_from(batch.len()).unwrap_or(i64::MAX);
        if state == StreamState::Exhausted {
            return Ok(counted);
        }
    }
}
