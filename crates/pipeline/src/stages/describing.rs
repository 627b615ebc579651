//! Stages that describe the server itself: `$collStats $indexStats $planCacheStats $currentOp $listSessions
//! $listLocalSessions`.

use crate::collections::{CollectionStatistics, Subject, WantedOperations};
use crate::row::Row;
use crate::stage::{Origin, Position, Run, Stage, StageScope, named};
use crate::step::{AwaitedStep, Flow, Work};
use crate::{Code, QueryError, Result};
use futures::future::BoxFuture;
use language::Fields;
use query::execute::Interruption;
use std::sync::Arc;
use value::{Document, Value};

#[derive(Debug)]
struct Describing {
    name: &'static str,
    operand: Value,
    subject: Subject,
    origin: Origin,
}

fn wrong(code: Code, message: impl Into<String>) -> QueryError {
    QueryError::new(code, message)
}

/// The stage that describes a subject.
pub(super) fn stage(
    name: &'static str,
    operand: &Value,
    subject: Subject,
    origin: Origin,
) -> Result<Vec<Arc<dyn Stage>>> {
    Ok(vec![Arc::new(Describing {
        name,
        operand: operand.clone(),
        subject,
        origin,
    })])
}

pub(crate) fn parse_collection_statistics(
    _name: &str,
    operand: &Value,
    scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(options) = operand else {
        return Err(wrong(
            Code::location(5_447_000),
            format!(
                "$collStats must take a nested object but found a value of type {}",
                operand.type_of().alias()
            ),
        ));
    };
    let fields = Fields::new("$collStats", options);
    let latencies = fields.nested("latencyStats")?;
    let storage = fields.nested("storageStats")?;
    let wanted = CollectionStatistics {
        latencies: latencies.as_ref().map(parse_latencies).transpose()?,
        storage_scale: storage.as_ref().map(parse_storage).transpose()?,
        count: is_wanted(&fields, "count")?,
        query_execution: is_wanted(&fields, "queryExecStats")?,
    };
    fields.finish()?;
    let subject = Subject::CollectionStatistics(scope.namespace.clone(), wanted);
    stage("$collStats", operand, subject, Origin::Collection)
}

/// Whether histograms are wanted.
fn parse_latencies(fields: &Fields<'_>) -> Result<bool> {
    let histograms = fields.strict_bool("histograms")?;
    fields.finish()?;
    Ok(histograms.unwrap_or(false))
}

/// The scale; MongoDB looks at no other option than these.
fn parse_storage(fields: &Fields<'_>) -> Result<u64> {
    let scale = fields.integer_within("scale", 1..=i64::MAX)?;
    for option in ["verbose", "waitForLock", "numericOnly"] {
        fields.strict_bool(option)?;
    }
    Ok(scale.map_or(1, i64::unsigned_abs))
}

/// Whether an option that has no options is there.
fn is_wanted(fields: &Fields<'_>, name: &'static str) -> Result<bool> {
    match fields.document(name)? {
        Some(options) if !options.is_empty() => Err(wrong(
            Code::location(31_170),
            format!("{name} stats expects an empty document"),
        )),
        given => Ok(given.is_some()),
    }
}

pub(crate) fn parse_index_statistics(
    _name: &str,
    operand: &Value,
    scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    match operand {
        Value::Document(none) if none.is_empty() => stage(
            "$indexStats",
            operand,
            Subject::IndexStatistics(scope.namespace.clone()),
            Origin::Collection,
        ),
        _ => Err(wrong(
            Code::location(28_803),
            "The $indexStats stage specification must be an empty object",
        )),
    }
}

pub(crate) fn parse_plan_cache(
    _name: &str,
    operand: &Value,
    scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(options) = operand else {
        return Err(QueryError::failed_to_parse(format!(
            "$planCacheStats value must be an object. Found: {}",
            operand.type_of().alias()
        )));
    };
    let is_known = |at: usize, name: &str| at == 0 && name == "allHosts";
    if let Some((_, (unknown, _))) = options
        .iter()
        .enumerate()
        .find(|(at, (name, _))| !is_known(*at, name))
    {
        return Err(QueryError::failed_to_parse(format!(
            "$planCacheStats parameters object may contain only 'allHosts' parameter. Found: {unknown}"
        )));
    }
    match options.get("allHosts") {
        None | Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => {
            return Err(wrong(
                Code::location(4_503_200),
                "$planCacheStats stage supports allHosts parameter only for sharded clusters",
            ));
        }
        Some(other) => {
            return Err(wrong(
                Code::location(13_111),
                format!(
                    "wrong type for field (allHosts) {} != bool",
                    other.type_of().alias()
                ),
            ));
        }
    }
    stage(
        "$planCacheStats",
        operand,
        Subject::PlanCache(scope.namespace.clone()),
        Origin::Collection,
    )
}

pub(crate) fn parse_current_op(
    _name: &str,
    operand: &Value,
    scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(options) = operand else {
        return Err(QueryError::type_mismatch(format!(
            "$currentOp options must be specified in an object, but found: {}",
            operand.type_of().alias()
        )));
    };
    let fields = Fields::new("$currentOp", options);
    let option = |name| Ok::<_, QueryError>(fields.strict_bool(name)?.unwrap_or(false));
    // MongoDB reads these two before it looks at the database, and the others after it.
    let all_users = option("allUsers")?;
    option("localOps")?;
    if scope.namespace.database != "admin" {
        return Err(QueryError::new(
            Code::INVALID_NAMESPACE,
            "$currentOp must be run against the 'admin' database with {aggregate: 1}",
        ));
    }
    let wanted = WantedOperations {
        all_users,
        idle_connections: option("idleConnections")?,
        idle_cursors: option("idleCursors")?,
        is_truncated: option("truncateOps")?,
    };
    // No session holds locks between its operations.
    option("idleSessions")?;
    let all_nodes = option("targetAllNodes")?;
    fields.finish()?;
    if all_nodes {
        return Err(QueryError::failed_to_parse(
            "$currentOp supports targetAllNodes parameter only for sharded clusters",
        ));
    }
    stage(
        "$currentOp",
        operand,
        Subject::Operations(wanted),
        Origin::Database,
    )
}

pub(crate) fn parse_local_sessions(
    _name: &str,
    operand: &Value,
    _scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    let subject = sessions("$listLocalSessions", operand)?;
    stage("$listLocalSessions", operand, subject, Origin::Database)
}

pub(crate) fn parse_sessions(
    _name: &str,
    operand: &Value,
    scope: &StageScope<'_>,
) -> Result<Vec<Arc<dyn Stage>>> {
    let namespace = scope.namespace;
    if namespace.database != "config" || namespace.collection != "system.sessions" {
        return Err(QueryError::new(
            Code::INVALID_NAMESPACE,
            "$listSessions may only be run against config.system.sessions",
        ));
    }
    let subject = sessions("$listSessions", operand)?;
    stage("$listSessions", operand, subject, Origin::Collection)
}

fn sessions(stage: &'static str, operand: &Value) -> Result<Subject> {
    let Value::Document(options) = operand else {
        return Err(QueryError::type_mismatch(format!(
            "{stage} options must be specified in an object, but found: {}",
            operand.type_of().alias()
        )));
    };
    let fields = Fields::new(stage, options);
    let all_users = fields.bool("allUsers")?.unwrap_or(false);
    let users = fields.document_list("users")?;
    fields.finish()?;
    let users = users.map(|users| {
        let path = fields.path_of("users");
        let users = users
            .into_iter()
            .map(|user| parse_user(Fields::new(path.clone(), user)));
        users.collect::<Result<Vec<_>>>()
    });
    let users = users.transpose()?;
    if all_users && users.as_ref().is_some_and(|users| !users.is_empty()) {
        return Err(QueryError::new(
            Code::UNSUPPORTED_FORMAT,
            format!("{stage} may not specify {{allUsers:true}} and {{users:[...]}} at the same time"),
        ));
    }
    Ok(Subject::Sessions { all_users, users })
}

/// A user's name and database.
fn parse_user(fields: Fields<'_>) -> Result<(String, String)> {
    let (name, database) = (fields.string("user")?, fields.string("db")?);
    fields.finish()?;
    let name = name.ok_or_else(|| fields.missing("user"))?;
    let database = database.ok_or_else(|| fields.missing("db"))?;
    Ok((name.to_owned(), database.to_owned()))
}

impl Stage for Describing {
    fn start(&self, run: &Run) -> Work {
        Work::awaited(Telling {
            subject: self.subject.clone(),
            run: run.clone(),
        })
    }

    fn to_document(&self) -> Document {
        named(self.name, self.operand.clone())
    }

    fn position(&self) -> Position {
        Position::First(self.origin)
    }
}

struct Telling {
    subject: Subject,
    run: Run,
}

impl AwaitedStep for Telling {
    fn finish<'a>(
        &'a mut self,
        out: &'a mut Vec<Row>,
        _interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async move {
            let described = self.run.surroundings.collections.describe(&self.subject).await?;
            out.extend(described.into_iter().map(Row::Tree));
            Ok(Flow::Done)
        })
    }
}
