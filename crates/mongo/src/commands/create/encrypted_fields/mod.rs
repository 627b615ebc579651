//! `encryptedFields`: checked as MongoDB checks them. Then they are refused, for there are no encrypted collections.

mod queries;

use crate::arguments::{Arguments, Fields, Number};
use crate::error::{CommandError, Result};
use code::Code;
use queries::Query;
use value::{Document, Type};

/// Types whose values cannot be encrypted, for there is but one value of each.
const SINGLE_VALUED: [Type; 4] = [Type::Null, Type::Undefined, Type::MinKey, Type::MaxKey];

/// One field as it is described.
struct Field<'a> {
    key: [u8; 16],
    path: &'a str,
}

/// Refuses encrypted fields; what they say wrongly comes first.
pub(super) fn check(arguments: &Arguments<'_>, options: &Document, is_capped: bool) -> Result<()> {
    let Some(config) = arguments.nested("encryptedFields")? else {
        return Ok(());
    };
    check_config(&config)?;
    if is_capped {
        return Err(refused(
            6_367_301,
            "Encrypted fields cannot be used with capped collections",
        ));
    }
    if options.contains("viewOn") || options.contains("timeseries") {
        return Err(refused(
            6_346_401,
            "Encrypted fields cannot be used with views or timeseries collections",
        ));
    }
    Err(CommandError::new(
        Code::NOT_IMPLEMENTED,
        "encrypted collections are not supported yet",
    ))
}

fn check_config(config: &Fields<'_>) -> Result<()> {
    config.string("escCollection")?;
    config.string("ecocCollection")?;
    whole(
        config,
        "strEncodeVersion",
        i64::from(i32::MIN),
        i64::from(i32::MAX),
    )?;
    let described = config.document_list("fields")?;
    config.finish()?;
    let described = described.ok_or_else(|| config.missing("fields"))?;
    let fields = described.into_iter().enumerate().map(|(at, field)| {
        let path = config.path_of(&format!("fields.{at}"));
        parse_field(&Fields::new(path, field))
    });
    check_apart(&fields.collect::<Result<Vec<_>>>()?)
}

fn parse_field<'a>(fields: &Fields<'a>) -> Result<Field<'a>> {
    let key = fields.uuid("keyId")?;
    let path = fields.string("path")?;
    let kind = bson_type(fields)?;
    let queries = queries::parse(fields)?;
    fields.finish()?;
    let key = key.ok_or_else(|| fields.missing("keyId"))?;
    let path = path.ok_or_else(|| fields.missing("path"))?;
    check_field(kind, queries.as_deref())?;
    Ok(Field { key, path })
}

fn bson_type(fields: &Fields<'_>) -> Result<Option<Type>> {
    let Some(alias) = fields.string("bsonType")? else {
        return Ok(None);
    };
    match Type::from_alias(alias) {
        Some(kind) => Ok(Some(kind)),
        None => Err(CommandError::bad_value(format!("Unknown type name: {alias}"))),
    }
}

fn check_field(kind: Option<Type>, queries: Option<&[Query<'_>]>) -> Result<()> {
    match (queries, kind) {
        (Some(queries), kind) => queries::check(queries, kind),
        (None, Some(kind)) if SINGLE_VALUED.contains(&kind) => Err(refused(
            6_338_406,
            format!("Type '{}' is not a supported unindexed type", kind.alias()),
        )),
        (None, _) => Ok(()),
    }
}

/// Refuses what two fields share, and paths that cannot be encrypted.
fn check_apart(fields: &[Field<'_>]) -> Result<()> {
    for (at, field) in fields.iter().enumerate() {
        let earlier = &fields[..at];
        if earlier.iter().any(|other| other.key == field.key) {
            return Err(refused(6_338_401, "Duplicate key ids are not allowed"));
        }
        check_path(field.path)?;
        earlier
            .iter()
            .try_for_each(|other| check_overlap(other.path, field.path))?;
    }
    Ok(())
}

fn check_path(path: &str) -> Result<()> {
    if path.is_empty() {
        return Err(refused(6_316_402, "Encrypted field must have a non-empty path"));
    }
    match path.split('.').next() {
        Some("_id") => Err(refused(6_316_403, "Cannot encrypt _id or its subfields")),
        _ => Ok(()),
    }
}

fn check_overlap(one: &str, other: &str) -> Result<()> {
    let contains =
        |whole: &str, part: &str| part.strip_prefix(whole).is_some_and(|rest| rest.starts_with('.'));
    if one == other {
        return Err(refused(6_338_402, "Duplicate paths are not allowed"));
    }
    if contains(one, other) || contains(other, one) {
        return Err(refused(
            6_338_403,
            format!("Conflicting index paths found as one is a prefix of another '{other}' and '{one}'"),
        ));
    }
    Ok(())
}

/// A whole number within a range; one with a fraction is refused, not cut.
fn whole(fields: &Fields<'_>, name: &'static str, least: i64, most: i64) -> Result<Option<i64>> {
    let number = fields.number(name)?.map(Number::to_f64);
    if let Some(number) = number.filter(|number| number.fract() != 0.0 || !number.is_finite()) {
        let message = format!(
            "Expected an integer for '{}', but found {number}",
            fields.path_of(name)
        );
        return Err(CommandError::failed_to_parse(message));
    }
    Ok(fields.integer_within(name, least..=most)?)
}

fn refused(number: i32, message: impl Into<String>) -> CommandError {
    CommandError::new(Code::location(number), message)
}
