//! The projections of pipeline stages: `$project`, `$addFields` and its alias `$set`, `$unset`.

use super::check::{check_field_path, check_path};
use super::node::{Action, Fields};
use super::parse::{Mode, Parsed, Parser, ProjectionPlace};
use crate::expression::{Expression, ParseScope};
use crate::filter::FilterScope;
use crate::{Code, Error, Result};
use value::{Document, Value};

/// Which stage a specification belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// `$project`
    Project,
    /// `$addFields` and `$set`
    AddFields,
    /// `$unset`
    Unset,
}

pub(super) fn parse(stage: Stage, name: &str, operand: &Value, scope: &ParseScope) -> Result<Parsed> {
    let parsed = match stage {
        Stage::Project => project(operand, scope),
        Stage::AddFields => add_fields(name, operand, scope),
        Stage::Unset => unset(operand),
    };
    parsed.map_err(|error| coded(stage, error))
}

/// The codes in which MongoDB's stages differ from its projections.
fn coded(stage: Stage, error: Error) -> Error {
    let code = match (stage, error.code) {
        (Stage::AddFields, Code::PATH_BELOW_ANOTHER | Code::PATH_ABOVE_ANOTHER) => Code::location(40_176),
        (Stage::AddFields, Code::OPERATOR_WITH_OTHERS) => Code::location(40_181),
        (Stage::Unset, Code::FIELD_NAME_WITH_NUL) => Code::location(9_527_900),
        (_, code) => code,
    };
    Error { code, ..error }
}

fn project(operand: &Value, scope: &ParseScope) -> Result<Parsed> {
    let Value::Document(specification) = operand else {
        return Err(Error::new(
            Code::location(15_969),
            "$project specification must be an object",
        ));
    };
    if specification.is_empty() {
        return Err(in_stage(
            "$project",
            &Error::new(
                Code::location(51_272),
                "projection specification must have at least one field",
            ),
        ));
    }
    Parser::new(ProjectionPlace::Stage, scope, FilterScope::default())
        .parse(specification)
        .map_err(|error| in_stage("$project", &error))
}

fn add_fields(name: &str, operand: &Value, scope: &ParseScope) -> Result<Parsed> {
    let Value::Document(specification) = operand else {
        return Err(Error::new(
            Code::location(40_272),
            format!(
                "{name} specification stage must be an object, got {}",
                operand.type_of().alias()
            ),
        ));
    };
    let mut fields = Fields::default();
    add_computed(&mut fields, "", specification, scope).map_err(|error| in_stage(name, &error))?;
    Ok(Parsed {
        fields,
        mode: Mode::Exclusion,
        id_included: true,
        positional: None,
    })
}

fn add_computed(
    fields: &mut Fields,
    prefix: &str,
    specification: &Document,
    scope: &ParseScope,
) -> Result<()> {
    for (name, value) in specification.iter() {
        if !prefix.is_empty() && name.contains('.') {
            return Err(Error::new(
                Code::location(40_183),
                format!("cannot use dotted field name '{name}' in a sub object"),
            ));
        }
        check_field_path(name)?;
        let path = if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}.{name}")
        };
        match value {
            Value::Document(inner) if is_plain_object(inner) => add_computed(fields, &path, inner, scope)?,
            Value::Document(inner) if inner.is_empty() => {
                fields.add(
                    &path,
                    Action::Compute(Expression::constant(Some(Value::Document(Document::new())))),
                )?;
            }
            _ => fields.add(&path, Action::Compute(Expression::parse(value, scope)?))?,
        }
    }
    Ok(())
}

/// Whether an object names fields to add below rather than an operator.
fn is_plain_object(object: &Document) -> bool {
    object
        .iter()
        .next()
        .is_some_and(|(name, _)| !name.starts_with('$'))
}

fn unset(operand: &Value) -> Result<Parsed> {
    let paths = match operand {
        Value::String(path) => vec![path.as_str()],
        Value::Array(values) if values.is_empty() => {
            return Err(Error::new(
                Code::location(31_119),
                "$unset specification must be a string or an array with at least one field",
            ));
        }
        Value::Array(values) => values
            .iter()
            .map(|value| {
                value.as_ref().as_str().ok_or_else(|| {
                    Error::new(
                        Code::location(31_120),
                        "$unset specification must be a string or an array containing only string values",
                    )
                })
            })
            .collect::<Result<_>>()?,
        _ => {
            return Err(Error::new(
                Code::location(31_002),
                "$unset specification must be a string or an array",
            ));
        }
    };
    let mut fields = Fields::default();
    // A name that no field can have is refused before all others, wherever it stands.
    if let Some(path) = paths.iter().find(|path| path.contains('\0')) {
        check_path(path, ProjectionPlace::Stage).map_err(|error| in_stage("$unset", &error))?;
    }
    for path in paths {
        check_path(path, ProjectionPlace::Stage)
            .and_then(|()| fields.add(path, Action::Exclude))
            .map_err(|error| in_stage("$unset", &error))?;
    }
    Ok(Parsed {
        fields,
        mode: Mode::Exclusion,
        id_included: true,
        positional: None,
    })
}

fn in_stage(stage: &str, error: &Error) -> Error {
    Error::new(
        error.code,
        format!("Invalid {stage} :: caused by :: {}", error.message),
    )
}

/// The one option of `$replaceRoot`.
pub fn new_root(operand: &Value) -> Result<&Value> {
    let Value::Document(options) = operand else {
        return Err(Error::new(
            Code::location(40_229),
            format!(
                "expected an object as specification for $replaceRoot stage, got {}",
                operand.type_of().alias()
            ),
        ));
    };
    let fields = crate::Fields::new("$replaceRoot", options);
    fields.take("newRoot");
    fields.finish()?;
    options.get("newRoot").ok_or_else(|| fields.missing("newRoot"))
}
