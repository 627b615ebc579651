//! What a client must be allowed to do that runs a pipeline.
//!
//! A pipeline reads the collection that it is on, unless its first stage tells of something else; stages read and write others
//! besides. A view's pipeline is checked when the view is made: whoever reads the view needs no right on what is below.

use super::writes;
use crate::call::Call;
use crate::error::Result;
use auth::{Action, Resource};
use engine::{AggregateRequest, AggregateSource};
use value::{Document, Value};

/// Stages at the beginning that read no stored documents: what they tell, anybody may know, or they ask for a right of their own.
const WITHOUT_DOCUMENTS: [&str; 11] = [
    "$collStats",
    "$currentOp",
    "$documents",
    "$indexStats",
    "$listClusterCatalog",
    "$listLocalSessions",
    "$listSearchIndexes",
    "$listSessions",
    "$planCacheStats",
    "$querySettings",
    "$queryStats",
];

/// The collection that stages are on; without a name where they are on a database.
#[derive(Clone, Copy)]
struct At<'a> {
    database: &'a str,
    collection: &'a str,
}

impl<'a> At<'a> {
    fn resource(self) -> Resource<'a> {
        Resource::Collection(self.database, self.collection)
    }
}

/// Refuses a client that may not run a pipeline.
pub(super) fn check(call: &Call<'_>, source: &AggregateSource, request: &AggregateRequest) -> Result<()> {
    let at = match source {
        AggregateSource::Database(database) => At {
            database,
            collection: "",
        },
        AggregateSource::Collection(namespace) => At {
            database: &namespace.database,
            collection: &namespace.collection,
        },
    };
    let rules = Rules {
        call,
        bypasses_validation: request.bypass_validation,
    };
    rules.check_pipeline(at, &request.pipeline)
}

/// Refuses a client that may read a view but not what the view shows: it could show itself anything.
pub(super) fn check_view(call: &Call<'_>, view: &str, source: &str, stages: &[Value]) -> Result<()> {
    let database = &call.database;
    if call
        .require(Action::Find, Resource::Collection(database, view))
        .is_err()
    {
        return Ok(());
    }
    let rules = Rules {
        call,
        bypasses_validation: false,
    };
    let at = At {
        database,
        collection: source,
    };
    rules.check_pipeline(at, stages)
}

struct Rules<'c, 'a> {
    call: &'c Call<'a>,
    /// Whether what is written is not to be validated.
    bypasses_validation: bool,
}

impl Rules<'_, '_> {
    fn check_pipeline(&self, at: At<'_>, stages: &[Value]) -> Result<()> {
        let first = stages.first().and_then(Value::as_document);
        let first = first.and_then(|stage| stage.iter().next());
        if !first.is_some_and(|(name, _)| WITHOUT_DOCUMENTS.contains(&name)) {
            self.call.require(Action::Find, at.resource())?;
        }
        self.check_stages(at, stages)
    }

    fn check_stages(&self, at: At<'_>, stages: &[Value]) -> Result<()> {
        let stages = stages.iter().filter_map(Value::as_document);
        stages
            .flat_map(Document::iter)
            .try_for_each(|(name, operand)| self.check_stage(at, name, operand))
    }

    fn check_stage(&self, at: At<'_>, name: &str, operand: &Value) -> Result<()> {
        let here = |action| self.call.require(action, at.resource());
        let server = |action| self.call.require(action, Resource::Cluster);
        match name {
            "$collStats" => here(Action::CollStats),
            "$indexStats" => here(Action::IndexStats),
            "$planCacheStats" => here(Action::PlanCacheRead),
            "$listSearchIndexes" => here(Action::ListSearchIndexes),
            "$listClusterCatalog" if at.database == "admin" => server(Action::ListClusterCatalog),
            "$listClusterCatalog" => {
                let database = Resource::Database(at.database);
                self.call.require(Action::ListCollections, database)
            }
            "$querySettings" => server(Action::QuerySettings),
            "$queryStats" if field(operand, "transformIdentifiers").is_some() => {
                server(Action::QueryStatsReadTransformed)
            }
            "$queryStats" => server(Action::QueryStatsRead),
            "$currentOp" if field(operand, "allUsers") == Some(&Value::Bool(true)) => server(Action::Inprog),
            "$listLocalSessions" | "$listSessions" if self.tells_of_others(operand) => {
                server(Action::ListSessions)
            }
            "$lookup" | "$unionWith" => self.check_joined(at, operand),
            "$graphLookup" => self.check_graph(at, operand),
            "$facet" => self.check_facets(at, operand),
            "$out" => self.check_written(target(at, operand), &[Action::Insert, Action::Remove]),
            "$merge" => {
                let into = field(operand, "into").unwrap_or(operand);
                self.check_written(target(at, into), merge_actions(operand))
            }
            _ => Ok(()),
        }
    }

    /// The other collection of a `$lookup` or a `$unionWith`, and the pipeline on it.
    fn check_joined(&self, at: At<'_>, operand: &Value) -> Result<()> {
        let other = target(at, field(operand, "from").unwrap_or(operand));
        let stages = match field(operand, "pipeline") {
            Some(Value::Array(stages)) => stages.as_slice(),
            _ => &[],
        };
        self.check_pipeline(other, stages)
    }

    /// Each collection that a `$graphLookup` names: one that is given twice is no error there.
    fn check_graph(&self, at: At<'_>, operand: &Value) -> Result<()> {
        let fields = operand.as_document().into_iter().flat_map(Document::iter);
        fields
            .filter(|(name, _)| *name == "from")
            .try_for_each(|(_, from)| self.call.require(Action::Find, target(at, from).resource()))
    }

    fn check_facets(&self, at: At<'_>, operand: &Value) -> Result<()> {
        let facets = operand.as_document().into_iter().flat_map(Document::iter);
        facets
            .filter_map(|(_, stages)| match stages {
                Value::Array(stages) => Some(stages),
                _ => None,
            })
            .try_for_each(|stages| self.check_stages(at, stages))
    }

    fn check_written(&self, target: At<'_>, actions: &[Action]) -> Result<()> {
        writes::check_actions(self.call, target.resource(), actions, self.bypasses_validation)
    }

    /// Whether sessions of others are asked for; one's own anybody may see.
    fn tells_of_others(&self, operand: &Value) -> bool {
        if field(operand, "allUsers") == Some(&Value::Bool(true)) {
            return true;
        }
        let own = self.call.connection.login.user();
        let is_own = |user: &Value| {
            let text = |name| field(user, name).and_then(Value::as_str);
            own.is_some_and(|own| text("user") == Some(&own.name) && text("db") == Some(&own.database))
        };
        match field(operand, "users") {
            Some(Value::Array(users)) => !users.iter().all(is_own),
            _ => false,
        }
    }
}

fn field<'v>(operand: &'v Value, name: &str) -> Option<&'v Value> {
    operand.as_document()?.get(name)
}

/// The collection that a name means, or `{db, coll}`; without a name where it means none.
fn target<'v>(at: At<'v>, named: &'v Value) -> At<'v> {
    let text = |name| field(named, name).and_then(Value::as_str);
    At {
        database: text("db").unwrap_or(at.database),
        collection: named.as_str().or(text("coll")).unwrap_or_default(),
    }
}

/// What a `$merge` does: with documents that are there, with those that are not, or with both.
fn merge_actions(operand: &Value) -> &'static [Action] {
    let mode = |name| field(operand, name).and_then(Value::as_str);
    match (mode("whenMatched"), mode("whenNotMatched")) {
        (Some("fail"), _) => &[Action::Insert],
        (_, Some("fail" | "discard")) => &[Action::Update],
        _ => &[Action::Insert, Action::Update],
    }
}
