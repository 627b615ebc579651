//! `$lookup` read from BSON.

use super::{JoinFields, Lookup};
use crate::fields::checked_path;
use crate::stage::{Stage, StageScope};
use crate::sub_pipeline::{
    SubPipeline, checked_namespace, collectionless, sibling, stages_of, starts_with_documents,
};
use crate::{Code, QueryError, Result};
use language::expression::{Expression, check_new_variable};
use std::sync::Arc;
use store::Namespace;
use value::{Document, Value};

/// MongoDB's code for a stage that no sub-pipeline of `$lookup` may have.
const NOT_ALLOWED: Code = Code::location(51_047);

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let Value::Document(options) = operand else {
        return Err(QueryError::failed_to_parse(format!(
            "the $lookup stage specification must be an object, but found {}",
            operand.type_of().alias()
        )));
    };
    let given = Given::read(options, scope)?;
    let into = given
        .into
        .ok_or_else(|| QueryError::failed_to_parse("must specify 'as' field for a $lookup"))?;
    let namespace = match given.from {
        Some(from) => from,
        None if given.stages.as_deref().is_some_and(starts_with_documents) => collectionless(scope),
        None => {
            return Err(QueryError::failed_to_parse(
                "must specify 'from' field for a $lookup",
            ));
        }
    };
    if given.local.is_some() != given.foreign.is_some() {
        return Err(QueryError::failed_to_parse(
            "$lookup requires both or neither of 'localField' and 'foreignField' to be specified",
        ));
    }
    if given.stages.is_none() {
        if given.local.is_none() {
            return Err(QueryError::failed_to_parse(
                "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
            ));
        }
        if given.has_let {
            return Err(QueryError::failed_to_parse(
                "$lookup with a 'let' argument must also specify 'pipeline'",
            ));
        }
    }
    // Without a name there is nothing to join on.
    let fields = match (given.local, given.foreign) {
        (Some(local), Some(foreign)) if !(local.is_empty() && foreign.is_empty()) => Some(JoinFields {
            local: checked_path(local)?,
            foreign: checked_path(foreign)?,
            foreign_name: foreign.to_owned(),
        }),
        _ => None,
    };
    let has_pipeline = given.stages.is_some();
    let names: Vec<String> = given.variables.iter().map(|(name, _)| name.clone()).collect();
    let sub = SubPipeline::parse(
        given.stages.unwrap_or_default(),
        namespace,
        scope,
        &names,
        ("$lookup", NOT_ALLOWED),
    )?;
    let lookup = Lookup {
        operand: options.clone(),
        sub,
        into: checked_path(into)?,
        fields,
        variables: given.variables,
        has_pipeline,
    };
    Ok(vec![Arc::new(Arc::new(lookup))])
}

/// The options as they are given.
#[derive(Default)]
struct Given<'o> {
    from: Option<Namespace>,
    into: Option<&'o str>,
    local: Option<&'o str>,
    foreign: Option<&'o str>,
    stages: Option<Vec<Value>>,
    has_let: bool,
    variables: Vec<(String, Expression)>,
}

impl<'o> Given<'o> {
    fn read(options: &'o Document, scope: &StageScope<'_>) -> Result<Given<'o>> {
        let mut given = Given::default();
        for (name, value) in options.iter() {
            match name {
                "from" => given.from = Some(from(value, scope)?),
                "as" => given.into = Some(text(name, value)?),
                // A null is a name that is not given.
                "localField" => given.local = Some(text_or_null(name, value)?),
                "foreignField" => given.foreign = Some(text_or_null(name, value)?),
                "pipeline" => given.stages = Some(stages_of(name, value)?),
                "let" if *value == Value::Null => {}
                "let" => {
                    given.has_let = true;
                    given.variables = variables(value, scope)?;
                }
                _ => {
                    return Err(QueryError::failed_to_parse(format!(
                        "unknown argument to $lookup: {name}"
                    )));
                }
            }
        }
        Ok(given)
    }
}

fn text<'o>(name: &str, value: &'o Value) -> Result<&'o str> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(QueryError::failed_to_parse(format!(
            "$lookup argument '{name}' must be a string, found type {}",
            other.type_of().alias()
        ))),
    }
}

fn text_or_null<'o>(name: &str, value: &'o Value) -> Result<&'o str> {
    match value {
        Value::Null => Ok(""),
        other => text(name, other),
    }
}

/// The collection: its name, or `{db, coll}`.
fn from(value: &Value, scope: &StageScope<'_>) -> Result<Namespace> {
    match value {
        Value::String(name) => sibling(scope, name),
        Value::Document(parts) => match (parts.get("db"), parts.get("coll")) {
            (Some(Value::String(database)), Some(Value::String(name))) if parts.len() == 2 => {
                checked_namespace(database, name)
            }
            _ => Err(QueryError::failed_to_parse(
                "$lookup 'from' must be a collection's name, or {db: <name>, coll: <name>}",
            )),
        },
        other => Err(QueryError::failed_to_parse(format!(
            "$lookup argument 'from' must be a string, found type {}",
            other.type_of().alias()
        ))),
    }
}

fn variables(value: &Value, scope: &StageScope<'_>) -> Result<Vec<(String, Expression)>> {
    let Value::Document(definitions) = value else {
        return Err(QueryError::type_mismatch(format!(
            "$lookup argument 'let' must be an object, found type {}",
            value.type_of().alias()
        )));
    };
    let parse_scope = scope.variables.parse_scope();
    let variables = definitions.iter().map(|(name, definition)| {
        check_new_variable(name)?;
        Ok((name.to_owned(), Expression::parse(definition, &parse_scope)?))
    });
    variables.collect()
}
