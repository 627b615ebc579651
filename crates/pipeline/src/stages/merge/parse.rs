//! `$merge` read from BSON.

use super::{Merge, WhenMatched, WhenNotMatched};
use crate::fields::checked_path;
use crate::parse::check_names;
use crate::stage::{Stage, StageScope};
use crate::sub_pipeline::{checked_namespace, stages_of};
use crate::{Code, QueryError, Result};
use language::Fields;
use language::expression::{Expression, check_new_variable};
use std::sync::Arc;
use store::Namespace;
use value::path::FieldPath;
use value::{Document, DocumentRef, Value, ValueRef};

const NOT_MATCHED: [(&str, WhenNotMatched); 3] = [
    ("insert", WhenNotMatched::Insert),
    ("discard", WhenNotMatched::Discard),
    ("fail", WhenNotMatched::Fail),
];

fn wrong(code: Code, message: impl Into<String>) -> QueryError {
    QueryError::new(code, message)
}

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let database = &scope.namespace.database;
    let merge = match operand {
        Value::String(name) => Merge {
            operand: operand.clone(),
            into: checked_target(checked_namespace(database, name)?)?,
            on: vec![("_id".to_owned(), FieldPath::parse("_id"))],
            matched: WhenMatched::Merge,
            not_matched: WhenNotMatched::Insert,
            variables: Vec::new(),
        },
        Value::Document(options) => parse_options(options, operand, scope)?,
        other => {
            return Err(QueryError::type_mismatch(format!(
                "$merge requires a string or object argument, but found {}",
                other.type_of().alias()
            )));
        }
    };
    Ok(vec![Arc::new(Arc::new(merge))])
}

fn parse_options(options: &Document, operand: &Value, scope: &StageScope<'_>) -> Result<Merge> {
    let fields = Fields::new("$merge", options);
    let into = fields
        .any("into")
        .map(|into| parse_into(into, scope))
        .transpose()?;
    let on = parse_on(fields.any("on"))?;
    let matched = parse_matched(&fields)?;
    let not_matched = fields.choice("whenNotMatched", &NOT_MATCHED)?;
    let not_matched = not_matched.unwrap_or(WhenNotMatched::Insert);
    let definitions = fields.document("let")?.map(DocumentRef::to_document);
    fields.finish()?;
    let into = into.ok_or_else(|| fields.missing("into"))?;
    check_modes(&matched, not_matched)?;
    if let WhenMatched::Pipeline(stages) = &matched {
        check_names(stages)?;
    }
    let into = checked_target(into)?;
    let is_pipeline = matches!(matched, WhenMatched::Pipeline(_));
    if definitions.is_some() && !is_pipeline {
        return Err(wrong(
            Code::location(51_199),
            "Cannot use 'let' variables with 'whenMatched' mode that is not a pipeline",
        ));
    }
    let variables = match is_pipeline {
        true => parse_variables(definitions.as_ref(), scope)?,
        false => Vec::new(),
    };
    Ok(Merge {
        operand: operand.clone(),
        into,
        on,
        matched,
        not_matched,
        variables,
    })
}

fn parse_into(into: ValueRef<'_>, scope: &StageScope<'_>) -> Result<Namespace> {
    let own = &scope.namespace.database;
    match into {
        ValueRef::String("") => Err(wrong(
            Code::location(5_786_800),
            "$merge 'into' field cannot be an empty string",
        )),
        ValueRef::String(name) => checked_namespace(own, name),
        ValueRef::Document(parts) => {
            let parts = Fields::new("into", parts);
            let (database, collection) = (parts.string("db")?, parts.string("coll")?);
            parts.finish()?;
            let collection = collection.filter(|name| !name.is_empty()).ok_or_else(|| {
                wrong(
                    Code::location(5_786_801),
                    "$merge 'into' field must specify a 'coll' that is not empty, null or undefined",
                )
            })?;
            checked_namespace(database.unwrap_or(own), collection)
        }
        other => Err(wrong(
            Code::location(51_178),
            format!(
                "$merge 'into' field must be either a string or an object, but found {}",
                other.type_of().alias()
            ),
        )),
    }
}

/// Refuses the server's own collections.
fn checked_target(into: Namespace) -> Result<Namespace> {
    if into.collection.starts_with("system.") {
        return Err(wrong(
            Code::location(31_319),
            format!("Cannot $merge to special collection: {}", into.collection),
        ));
    }
    if Namespace::is_own_database(&into.database) {
        return Err(wrong(
            Code::location(31_320),
            format!("Cannot $merge to internal database: {}", into.database),
        ));
    }
    Ok(into)
}

fn parse_on(on: Option<ValueRef<'_>>) -> Result<Vec<(String, FieldPath)>> {
    let names = match on {
        None => vec![ValueRef::String("_id")],
        Some(name @ ValueRef::String(_)) => vec![name],
        Some(ValueRef::Array(names)) => names.iter().collect(),
        Some(other) => {
            return Err(wrong(
                Code::location(51_186),
                format!(
                    "$merge 'on' field must be either a string or an array of strings, but found {}",
                    other.type_of().alias()
                ),
            ));
        }
    };
    if names.is_empty() {
        return Err(wrong(
            Code::location(51_187),
            "If explicitly specifying $merge 'on', must include at least one field",
        ));
    }
    let mut fields: Vec<(String, FieldPath)> = Vec::with_capacity(names.len());
    for name in names {
        let ValueRef::String(name) = name else {
            return Err(wrong(
                Code::location(51_134),
                format!(
                    "$merge 'on' array elements must be strings, but found {}",
                    name.type_of().alias()
                ),
            ));
        };
        if fields.iter().any(|(known, _)| known == name) {
            return Err(wrong(
                Code::location(31_465),
                format!("Found a duplicate field '{name}'"),
            ));
        }
        fields.push((name.to_owned(), checked_path(name)?));
    }
    Ok(fields)
}

fn parse_matched(fields: &Fields<'_>) -> Result<WhenMatched> {
    match fields.any("whenMatched") {
        None => Ok(WhenMatched::Merge),
        Some(stages @ ValueRef::Array(_)) => Ok(WhenMatched::Pipeline(stages_of("pipeline", stages)?)),
        Some(ValueRef::String(mode)) => match mode {
            "replace" => Ok(WhenMatched::Replace),
            "keepExisting" => Ok(WhenMatched::KeepExisting),
            "merge" => Ok(WhenMatched::Merge),
            "fail" => Ok(WhenMatched::Fail),
            other => Err(fields.bad_enumeration("whenMatched", other).into()),
        },
        Some(other) => Err(wrong(
            Code::location(51_191),
            format!(
                "$merge 'whenMatched' field must be either a string or an array, but found {}",
                other.type_of().alias()
            ),
        )),
    }
}

/// Not all modes go together.
fn check_modes(matched: &WhenMatched, not_matched: WhenNotMatched) -> Result<()> {
    let together = match matched {
        WhenMatched::KeepExisting | WhenMatched::Fail => not_matched == WhenNotMatched::Insert,
        WhenMatched::Replace | WhenMatched::Merge | WhenMatched::Pipeline(_) => true,
    };
    if together {
        return Ok(());
    }
    Err(wrong(
        Code::location(51_181),
        "Combination of $merge modes 'whenMatched' and 'whenNotMatched' is not supported: with 'keepExisting' or 'fail' \
         goes only 'insert'",
    ))
}

/// The variables of the pipeline: `new` is always the document that is merged.
fn parse_variables(
    definitions: Option<&Document>,
    scope: &StageScope<'_>,
) -> Result<Vec<(String, Expression)>> {
    let parse_scope = scope.variables.parse_scope();
    let mut variables = Vec::new();
    let whole = Value::from("$$ROOT");
    for (name, definition) in definitions.into_iter().flat_map(Document::iter) {
        check_new_variable(name)?;
        if name == "new" && *definition != whole {
            return Err(wrong(
                Code::location(51_273),
                "'let' may not define a value for the reserved 'new' variable other than '$$ROOT'",
            ));
        }
        variables.push((name.to_owned(), Expression::parse(definition, &parse_scope)?));
    }
    if !variables.iter().any(|(name, _)| name == "new") {
        variables.push(("new".to_owned(), Expression::parse(&whole, &parse_scope)?));
    }
    Ok(variables)
}
