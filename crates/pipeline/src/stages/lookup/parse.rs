//! `$lookup` read from BSON.

use super::{JoinFields, Lookup};
use crate::fields::checked_path;
use crate::stage::{Stage, StageScope};
use crate::sub_pipeline::{
    SubPipeline, checked_namespace, collectionless, sibling, stages_of, starts_with_documents,
};
use crate::{Code, QueryError, Result};
use language::Fields;
use language::expression::{Expression, check_new_variable};
use std::sync::Arc;
use store::Namespace;
use value::{Document, DocumentRef, Value, ValueRef};

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
    given.check()?;
    let namespace = match given.from {
        Some(from) => from,
        None => collectionless(scope),
    };
    let into = checked_path(given.into)?;
    let fields = match (given.local, given.foreign) {
        (Some(local), Some(foreign)) => Some(JoinFields {
            local: checked_path(local)?,
            foreign: checked_path(foreign)?,
            foreign_name: foreign.to_owned(),
        }),
        _ => None,
    };
    let variables = match given.definitions {
        Some(definitions) => parse_variables(definitions, scope)?,
        None => Vec::new(),
    };
    let stages = given.stages;
    let has_pipeline = stages.is_some();
    let names: Vec<String> = variables.iter().map(|(name, _)| name.clone()).collect();
    let sub = SubPipeline::parse(
        stages.unwrap_or_default(),
        namespace,
        scope,
        &names,
        ("$lookup", NOT_ALLOWED),
    )?;
    let lookup = Lookup {
        operand: options.clone(),
        sub,
        into,
        fields,
        variables,
        has_pipeline,
    };
    Ok(vec![Arc::new(Arc::new(lookup))])
}

/// The options as they are given.
struct Given<'o> {
    from: Option<Namespace>,
    into: &'o str,
    local: Option<&'o str>,
    foreign: Option<&'o str>,
    stages: Option<Vec<Value>>,
    definitions: Option<DocumentRef<'o>>,
}

impl<'o> Given<'o> {
    fn read(options: &'o Document, scope: &StageScope<'_>) -> Result<Given<'o>> {
        let fields = Fields::new("$lookup", options);
        // As in MongoDB what the stage reads from comes before all else, and null is no collection and no pipeline.
        let from = fields
            .any("from")
            .map(|from| parse_from(from, scope))
            .transpose()?;
        let stages = fields
            .any("pipeline")
            .map(|stages| stages_of("pipeline", stages))
            .transpose()?;
        if from.is_none() {
            check_source(stages.as_deref())?;
        }
        // A name that is empty joins on nothing.
        let name = |name| Ok::<_, QueryError>(fields.string(name)?.filter(|name| !name.is_empty()));
        let (into, local, foreign) = (fields.string("as")?, name("localField")?, name("foreignField")?);
        let definitions = fields.document("let")?;
        fields.finish()?;
        Ok(Given {
            from,
            into: into.ok_or_else(|| fields.missing("as"))?,
            local,
            foreign,
            stages,
            definitions,
        })
    }

    /// Refuses options that do not go together.
    fn check(&self) -> Result<()> {
        let refuse = |message| Err(QueryError::failed_to_parse(message));
        if self.local.is_some() != self.foreign.is_some() {
            return refuse(
                "$lookup requires both or neither of 'localField' and 'foreignField' to be specified",
            );
        }
        if self.stages.is_none() && self.local.is_none() {
            return refuse(
                "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
            );
        }
        if self.stages.is_none() && self.definitions.is_some() {
            return refuse("$lookup with a 'let' argument must also specify 'pipeline'");
        }
        Ok(())
    }
}

/// Refuses a stage without a collection whose pipeline does not make its documents.
fn check_source(stages: Option<&[Value]>) -> Result<()> {
    let message = match stages {
        None => "must specify 'pipeline' when 'from' is empty",
        Some(stages) if starts_with_documents(stages) => return Ok(()),
        Some(_) => {
            "$lookup stage without explicit collection must have a pipeline with $documents as first stage"
        }
    };
    Err(QueryError::failed_to_parse(message))
}

/// The collection: its name, or `{db, coll}` for the few of the server's own that can be read from every database.
fn parse_from(from: ValueRef<'_>, scope: &StageScope<'_>) -> Result<Namespace> {
    match from {
        ValueRef::String(name) => sibling(scope, name),
        ValueRef::Document(parts) => {
            let fields = Fields::new("from", parts);
            let (database, name) = (fields.string("db")?, fields.string("coll")?);
            fields.finish()?;
            let (database, name) = (database.unwrap_or_default(), name.unwrap_or_default());
            if !is_read_from_everywhere(database, name) {
                return Err(QueryError::failed_to_parse(format!(
                    "$lookup with syntax {{from: {{db:<>, coll:<>}},..}} is not supported for db: {database} and coll: {name}"
                )));
            }
            checked_namespace(database, name)
        }
        other => Err(QueryError::failed_to_parse(format!(
            "$lookup 'from' field must be a string, but found {}",
            other.type_of().alias()
        ))),
    }
}

/// MongoDB's own collections that any `$lookup` may name.
fn is_read_from_everywhere(database: &str, name: &str) -> bool {
    match database {
        "config" => matches!(name, "collections" | "chunks") || name.starts_with("cache.chunks."),
        "local" => name == "oplog.rs",
        _ => false,
    }
}

fn parse_variables(
    definitions: DocumentRef<'_>,
    scope: &StageScope<'_>,
) -> Result<Vec<(String, Expression)>> {
    let parse_scope = scope.parse_scope();
    let variables = definitions.iter().map(|(name, definition)| {
        check_new_variable(name)?;
        let definition = definition.to_value();
        Ok((name.to_owned(), Expression::parse(&definition, &parse_scope)?))
    });
    variables.collect()
}
