//! Stages that tell of the server itself: `$collStats $indexStats $planCacheStats $currentOp $listSessions
//! $listLocalSessions`.

use crate::collections::{CollectionStatistics, Subject, WantedOperations};
use crate::row::Row;
use crate::stage::{Origin, Position, Run, Stage, StageScope, named};
use crate::step::{AwaitedStep, Flow, Work};
use crate::{Code, QueryError, Result};
use futures::future::BoxFuture;
use language::expression::number::Number;
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

/// A stage that tells of a subject.
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

pub(super) fn unknown_field(stage: &str, field: &str) -> QueryError {
    wrong(
        Code::UNKNOWN_FIELD,
        format!("BSON field '{stage}.{field}' is an unknown field."),
    )
}

pub(super) fn wrong_type(field: &str, value: &Value, expected: &str) -> QueryError {
    QueryError::type_mismatch(format!(
        "BSON field '{field}' is the wrong type '{}', expected type '{expected}'",
        value.type_of().alias()
    ))
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
    let mut wanted = CollectionStatistics::default();
    for (name, value) in options.iter() {
        let Value::Document(inner) = value else {
            return Err(wrong_type(&format!("$collStats.{name}"), value, "object"));
        };
        let only = |known: &[&str]| match inner.iter().find(|(field, _)| !known.contains(field)) {
            Some((field, _)) => Err(unknown_field(&format!("$collStats.{name}"), field)),
            None => Ok(()),
        };
        match name {
            "latencyStats" => {
                only(&["histograms"])?;
                wanted.latencies = Some(match inner.get("histograms") {
                    None => false,
                    Some(Value::Bool(histograms)) => *histograms,
                    Some(other) => {
                        return Err(wrong_type("$collStats.latencyStats.histograms", other, "bool"));
                    }
                });
            }
            "storageStats" => {
                only(&["scale", "verbose", "waitForLock", "numericOnly"])?;
                wanted.storage_scale = Some(scale(inner.get("scale"))?);
            }
            "count" | "queryExecStats" => {
                if !inner.is_empty() {
                    return Err(wrong(
                        Code::location(31_170),
                        format!("{name} stats expects an empty document"),
                    ));
                }
                match name {
                    "count" => wanted.count = true,
                    _ => wanted.query_execution = true,
                }
            }
            unknown => return Err(unknown_field("$collStats", unknown)),
        }
    }
    let subject = Subject::CollectionStatistics(scope.namespace.clone(), wanted);
    stage("$collStats", operand, subject, Origin::Collection)
}

fn scale(value: Option<&Value>) -> Result<u64> {
    let Some(value) = value.filter(|value| !matches!(value, Value::Null)) else {
        return Ok(1);
    };
    let number = Number::of(value.as_ref()).ok_or_else(|| {
        wrong_type(
            "$collStats.storageStats.scale",
            value,
            "[int, decimal, double, long]",
        )
    })?;
    u64::try_from(number.to_i64_saturating())
        .ok()
        .filter(|scale| *scale > 0)
        .ok_or_else(|| QueryError::bad_value("BSON field 'storageStats.scale' value must be >= 1"))
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
    let not_known = |name: &str| {
        QueryError::failed_to_parse(format!(
            "$planCacheStats parameters object may contain only 'allHosts' parameter. Found: {name}"
        ))
    };
    if let Some((second, _)) = options.iter().nth(1) {
        return Err(not_known(second));
    }
    match options.iter().next() {
        None | Some(("allHosts", Value::Bool(false))) => {}
        Some(("allHosts", Value::Bool(true))) => {
            return Err(wrong(
                Code::location(4_503_200),
                "$planCacheStats stage supports allHosts parameter only for sharded clusters",
            ));
        }
        Some(("allHosts", other)) => {
            return Err(QueryError::failed_to_parse(format!(
                "allHosts parameter must be boolean. Found type: {}",
                other.type_of().alias()
            )));
        }
        Some((unknown, _)) => return Err(not_known(unknown)),
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
    const OPTIONS: [&str; 7] = [
        "allUsers",
        "idleCursors",
        "idleConnections",
        "idleSessions",
        "localOps",
        "truncateOps",
        "targetAllNodes",
    ];
    let Value::Document(options) = operand else {
        return Err(QueryError::failed_to_parse(format!(
            "$currentOp options must be specified in an object, but found: {}",
            operand.type_of().alias()
        )));
    };
    let mut wanted = WantedOperations::default();
    for (name, value) in options.iter() {
        if !OPTIONS.contains(&name) {
            return Err(QueryError::failed_to_parse(format!(
                "Unrecognized option '{name}' in $currentOp stage."
            )));
        }
        let Value::Bool(set) = value else {
            return Err(QueryError::failed_to_parse(format!(
                "The '{name}' parameter of the $currentOp stage must be a boolean value, but found: {}",
                value.type_of().alias()
            )));
        };
        match name {
            "allUsers" => wanted.all_users = *set,
            "idleConnections" => wanted.idle_connections = *set,
            "idleCursors" => wanted.idle_cursors = *set,
            "truncateOps" => wanted.is_truncated = *set,
            // No session holds locks between its operations, and there is but this one server.
            _ => {}
        }
    }
    if scope.namespace.database != "admin" {
        return Err(QueryError::new(
            Code::INVALID_NAMESPACE,
            "$currentOp must be run against the 'admin' database with {aggregate: 1}",
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

fn sessions(stage: &str, operand: &Value) -> Result<Subject> {
    let Value::Document(options) = operand else {
        return Err(QueryError::type_mismatch(format!(
            "{stage} options must be specified in an object, but found: {}",
            operand.type_of().alias()
        )));
    };
    let (mut all_users, mut users) = (false, None);
    for (name, value) in options.iter() {
        match (name, value) {
            ("allUsers", Value::Bool(set)) => all_users = *set,
            ("allUsers", other) => return Err(wrong_type(&format!("{stage}.allUsers"), other, "bool")),
            ("users", Value::Array(listed)) => users = Some(parse_users(stage, listed)?),
            ("users", other) => return Err(wrong_type(&format!("{stage}.users"), other, "array")),
            (unknown, _) => return Err(unknown_field(stage, unknown)),
        }
    }
    if all_users && users.as_ref().is_some_and(|users| !users.is_empty()) {
        return Err(QueryError::new(
            Code::CANNOT_MUTATE_OBJECT,
            format!("{stage} may not specify {{allUsers:true}} and {{users:[...]}} at the same time"),
        ));
    }
    Ok(Subject::Sessions { all_users, users })
}

fn parse_users(stage: &str, listed: &[Value]) -> Result<Vec<(String, String)>> {
    let users = listed.iter().map(|user| match user {
        Value::Document(user) => match (user.get("user"), user.get("db")) {
            (Some(Value::String(name)), Some(Value::String(database))) => {
                Ok((name.clone(), database.clone()))
            }
            _ => Err(wrong(
                Code::MISSING_FIELD,
                format!("each of {stage}'s 'users' needs the strings 'user' and 'db'"),
            )),
        },
        other => Err(wrong_type(&format!("{stage}.users"), other, "object")),
    });
    users.collect()
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
    fn push<'a>(
        &'a mut self,
        _rows: Vec<Row>,
        _out: &'a mut Vec<Row>,
        _interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async { Ok(Flow::More) })
    }

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
