//! The options of `$geoNear`.

use super::{GeoNear, POINT_NEEDED};
use crate::fields::checked_path;
use crate::stage::{Stage, StageScope};
use crate::{Code, QueryError, Result};
use language::expression::Expression;
use language::filter::{Filter, FilterPlace, FilterScope};
use std::sync::Arc;
use value::path::FieldPath;
use value::{Document, Value, ValueRef};

/// The parts that a path may have, and those that a document may nest.
const PATH_PARTS_MAX: usize = 200;
const OUTPUT_PARTS_MAX: usize = 199;
const KEY_PARTS_MAX: usize = 180;

/// Options that the stage once had, with the codes that refuse them before all else.
const GONE: [(&str, i32, &str); 4] = [
    (
        "collation",
        40_227,
        "$geoNear does not accept the 'collation' parameter. Instead, specify a collation for the entire aggregation \
         command.",
    ),
    (
        "limit",
        50_858,
        "$geoNear no longer supports the 'limit' parameter. Use a $limit stage instead.",
    ),
    (
        "num",
        50_857,
        "$geoNear no longer supports the 'num' parameter. Use a $limit stage instead.",
    ),
    (
        "start",
        50_856,
        "$geoNear no longer supports the 'start' argument.",
    ),
];

pub(crate) fn parse(_name: &str, operand: &Value, scope: &StageScope<'_>) -> Result<Vec<Arc<dyn Stage>>> {
    let options = match operand {
        Value::Document(options) => options,
        // To MongoDB an array is an object without these options.
        Value::Array(_) => return Err(lacks_near()),
        _ => {
            return Err(QueryError::new(
                Code::location(10_065),
                "invalid parameter: expected an object ($geoNear)",
            ));
        }
    };
    for (name, code, message) in GONE {
        if options.contains(name) {
            return Err(QueryError::new(Code::location(code), message));
        }
    }
    if !options.contains("near") {
        return Err(lacks_near());
    }
    let mut stage = GeoNear {
        operand: options.clone(),
        query: None,
        key: None,
        point: None,
        is_spherical: false,
        min: None,
        max: None,
        multiplier: 1.0,
        distance_field: None,
        place_field: None,
    };
    for (name, value) in options.iter() {
        option(&mut stage, name, value, scope)?;
    }
    // A variable of a pipeline around this one may have no value yet.
    if stage.point.is_some() || scope.depth == 0 {
        stage.near()?;
    }
    Ok(vec![Arc::new(stage)])
}

fn lacks_near() -> QueryError {
    QueryError::new(Code::location(5_860_400), "$geoNear requires a 'near' argument")
}

fn option(stage: &mut GeoNear, name: &str, value: &Value, scope: &StageScope<'_>) -> Result<()> {
    match name {
        "near" => {
            let code = Code::location(5_860_402);
            stage.point = constant(name, value, code, scope)?;
            if let Some(point) = &stage.point
                && !matches!(point, Value::Document(_) | Value::Array(_))
            {
                let message = format!("$geoNear requires a point, but 'near' is {}", alias(point));
                return Err(QueryError::new(POINT_NEEDED, message));
            }
        }
        "distanceField" => stage.distance_field = Some(output_path(name, value, 16_606)?),
        "includeLocs" => stage.place_field = Some(output_path(name, value, 16_607)?),
        "maxDistance" => stage.max = distance(name, value, 7_555_702, scope)?,
        "minDistance" => stage.min = distance(name, value, 7_555_701, scope)?,
        "distanceMultiplier" => stage.multiplier = not_negative(name, value)?,
        "query" => stage.query = Some(query(value, scope)?),
        "spherical" => stage.is_spherical = is_true(value.as_ref()),
        "key" => stage.key = Some(key(value)?),
        // Of old commands, without effect.
        "uniqueDocs" => {}
        other => {
            return Err(QueryError::bad_value(format!(
                "Unknown argument to $geoNear: {other}"
            )));
        }
    }
    Ok(())
}

/// The value of an expression that is the same for all documents; `None` if a variable has none.
fn constant(name: &str, value: &Value, code: Code, scope: &StageScope<'_>) -> Result<Option<Value>> {
    let expression = Expression::parse(value, &scope.variables.parse_scope())?;
    if expression.reads_document() {
        let message = format!("$geoNear requires that '{name}' is a constant expression");
        return Err(QueryError::new(code, message));
    }
    Ok(expression.evaluate((&Document::new()).into(), scope.variables)?)
}

fn distance(name: &str, value: &Value, code: i32, scope: &StageScope<'_>) -> Result<Option<f64>> {
    constant(name, value, Code::location(code), scope)?
        .map(|number| not_negative(name, &number))
        .transpose()
}

fn not_negative(name: &str, value: &Value) -> Result<f64> {
    let number = value.as_ref().as_f64().filter(|_| value.as_ref().is_number());
    match number {
        Some(number) if number >= 0.0 => Ok(number),
        Some(_) => Err(QueryError::bad_value(format!(
            "$geoNear requires a nonnegative '{name}'"
        ))),
        None => Err(QueryError::type_mismatch(format!(
            "$geoNear requires '{name}' to be a number, not {}",
            alias(value)
        ))),
    }
}

fn query(value: &Value, scope: &StageScope<'_>) -> Result<Arc<Filter>> {
    let Value::Document(query) = value else {
        return Err(QueryError::type_mismatch(format!(
            "$geoNear requires 'query' to be an object, not {}",
            alias(value)
        )));
    };
    let filters = FilterScope {
        place: FilterPlace::Stage,
        variables: Some(scope.variables),
    };
    Ok(Arc::new(Filter::parse(query, &filters)?))
}

fn output_path(name: &str, value: &Value, code: i32) -> Result<FieldPath> {
    let Value::String(path) = value else {
        return Err(QueryError::new(
            Code::location(code),
            format!("$geoNear requires that '{name}' option is a String"),
        ));
    };
    let path = path_within(path, PATH_PARTS_MAX, Code::OVERFLOW)?;
    if path.parts().len() > OUTPUT_PARTS_MAX {
        let message = format!("the path '{name}' of $geoNear nests too deep");
        return Err(QueryError::new(Code::location(5_984_700), message));
    }
    Ok(path)
}

fn key(value: &Value) -> Result<String> {
    let Value::String(key) = value else {
        return Err(QueryError::type_mismatch(format!(
            "$geoNear parameter 'key' must be of type string but found type: {}",
            alias(value)
        )));
    };
    if key.is_empty() {
        return Err(QueryError::bad_value(
            "$geoNear parameter 'key' cannot be the empty string",
        ));
    }
    path_within(key, PATH_PARTS_MAX, Code::OVERFLOW)?;
    path_within(key, KEY_PARTS_MAX, Code::location(5_729_100))?;
    Ok(key.clone())
}

fn path_within(path: &str, parts_max: usize, code: Code) -> Result<FieldPath> {
    if path.split('.').count() > parts_max {
        let message = format!("FieldPath is too long: it has more than {parts_max} parts");
        return Err(QueryError::new(code, message));
    }
    checked_path(path)
}

/// Whether a value counts as true, whatever its type.
fn is_true(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Bool(is_true) => is_true,
        ValueRef::Null | ValueRef::Undefined => false,
        number if number.is_number() => number.as_f64() != Some(0.0),
        _ => true,
    }
}

fn alias(value: &Value) -> &'static str {
    value.type_of().alias()
}
