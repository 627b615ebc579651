//! `queries` of an encrypted field: how it may be asked for.

use super::{refused, whole};
use crate::arguments::Fields;
use crate::error::Result;
use value::{Type, ValueRef, compare};

/// Types of which there are ranges.
const RANGED: [Type; 5] = [
    Type::Int32,
    Type::Int64,
    Type::Double,
    Type::Decimal128,
    Type::DateTime,
];
/// Types whose values are not asked for by equality: one number has several forms, and so have documents.
const WITHOUT_EQUALITY: [Type; 9] = [
    Type::Double,
    Type::Decimal128,
    Type::Document,
    Type::Array,
    Type::Null,
    Type::Undefined,
    Type::MinKey,
    Type::MaxKey,
    Type::JavaScriptWithScope,
];
/// The most query types of one field.
const TYPES_MAX: usize = 2;
const SPARSITY_MAX: i64 = 8;

const TYPES: [(&str, QueryType); 6] = [
    ("equality", QueryType::Equality),
    ("range", QueryType::Range),
    ("rangePreview", QueryType::Range),
    ("substringPreview", QueryType::Substring),
    ("suffixPreview", QueryType::Suffix),
    ("prefixPreview", QueryType::Prefix),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QueryType {
    Equality,
    Range,
    Substring,
    Suffix,
    Prefix,
}

/// One way to ask, as it is described.
pub(super) struct Query<'a> {
    kind: QueryType,
    min: Option<ValueRef<'a>>,
    max: Option<ValueRef<'a>>,
    has_sparsity: bool,
    has_precision: bool,
    length_min: Option<i64>,
    length_max: Option<i64>,
    has_longest: bool,
    has_case: bool,
    has_diacritics: bool,
}

/// Reads `queries`: a document, or a list of them.
pub(super) fn parse<'a>(fields: &Fields<'a>) -> Result<Option<Vec<Query<'a>>>> {
    let path = fields.path_of("queries");
    match fields.any("queries") {
        None => Ok(None),
        Some(ValueRef::Document(one)) => Ok(Some(vec![parse_one(&Fields::new(path, one))?])),
        Some(ValueRef::Array(_)) => {
            let listed = fields.document_list("queries")?.unwrap_or_default();
            let parse = |(at, query)| parse_one(&Fields::new(format!("{path}.{at}"), query));
            listed
                .into_iter()
                .enumerate()
                .map(parse)
                .collect::<Result<_>>()
                .map(Some)
        }
        Some(other) => Err(fields.wrong_type("queries", other, "'[array, object]'").into()),
    }
}

fn parse_one<'a>(fields: &Fields<'a>) -> Result<Query<'a>> {
    let kind = fields.choice("queryType", &TYPES)?;
    whole(fields, "contention", 0, i64::MAX)?;
    whole(fields, "trimFactor", 0, i64::from(i32::MAX))?;
    let query = Query {
        kind: kind.unwrap_or(QueryType::Equality),
        min: bound(fields, "min")?,
        max: bound(fields, "max")?,
        has_sparsity: whole(fields, "sparsity", 1, SPARSITY_MAX)?.is_some(),
        has_precision: whole(fields, "precision", 0, i64::from(i32::MAX))?.is_some(),
        length_min: whole(fields, "strMinQueryLength", 1, i64::from(i32::MAX))?,
        length_max: whole(fields, "strMaxQueryLength", 1, i64::from(i32::MAX))?,
        has_longest: whole(fields, "strMaxLength", 1, i64::from(i32::MAX))?.is_some(),
        has_case: fields.bool("caseSensitive")?.is_some(),
        has_diacritics: fields.bool("diacriticSensitive")?.is_some(),
    };
    fields.finish()?;
    match kind {
        Some(_) => Ok(query),
        None => Err(fields.missing("queryType").into()),
    }
}

fn bound<'a>(fields: &Fields<'a>, name: &'static str) -> Result<Option<ValueRef<'a>>> {
    match fields.present(name) {
        Some(value) if !RANGED.contains(&value.type_of()) => Err(fields
            .wrong_type(name, value, "'[date, decimal, double, int, long]'")
            .into()),
        value => Ok(value),
    }
}

/// Refuses queries that do not go with each other or with the field's type.
pub(super) fn check(queries: &[Query<'_>], kind: Option<Type>) -> Result<()> {
    check_together(queries)?;
    let Some(kind) = kind else {
        return Err(refused(
            6_412_601,
            "Bson type needs to be specified for an indexed field",
        ));
    };
    queries.iter().try_for_each(|query| match query.kind {
        QueryType::Equality => check_equality(query, kind),
        QueryType::Range => check_range(query, kind),
        QueryType::Substring | QueryType::Suffix | QueryType::Prefix => check_text(query, kind),
    })
}

fn check_together(queries: &[Query<'_>]) -> Result<()> {
    let of_ends = |query: &Query<'_>| matches!(query.kind, QueryType::Suffix | QueryType::Prefix);
    match queries {
        [] => Err(refused(
            9_783_412,
            "At least one query type should be specified per field",
        )),
        [_] => Ok(()),
        more if more.len() > TYPES_MAX => Err(refused(
            9_783_413,
            "At most two query types should be specified per field",
        )),
        [one, other] if of_ends(one) && of_ends(other) && one.kind != other.kind => Ok(()),
        _ => Err(refused(
            9_783_414,
            "Two query types of a field are those of its prefixes and suffixes",
        )),
    }
}

fn check_equality(query: &Query<'_>, kind: Type) -> Result<()> {
    if WITHOUT_EQUALITY.contains(&kind) {
        let message = format!("Type '{}' is not a supported equality indexed type", kind.alias());
        return Err(refused(6_338_405, message));
    }
    let given = [
        (6_775_205, "sparsity", query.has_sparsity),
        (6_775_206, "min", query.min.is_some()),
        (6_775_207, "max", query.max.is_some()),
    ];
    match given.into_iter().find(|(_, _, is_given)| *is_given) {
        Some((number, name, _)) => Err(refused(
            number,
            format!("The field '{name}' is not allowed for equality index but is present"),
        )),
        None => Ok(()),
    }
}

fn check_range(query: &Query<'_>, kind: Type) -> Result<()> {
    if !RANGED.contains(&kind) {
        let message = format!("Type '{}' is not a supported range indexed type", kind.alias());
        return Err(refused(6_775_201, message));
    }
    let given = [query.min.is_some(), query.max.is_some(), query.has_precision];
    if matches!(kind, Type::Double | Type::Decimal128) && given.iter().any(|one| *one != given[0]) {
        return Err(refused(
            6_967_100,
            "Precision, min, and max must all be specified together for floating point fields",
        ));
    }
    let differs = |bound: Option<ValueRef<'_>>| bound.is_some_and(|bound| bound.type_of() != kind);
    if differs(query.min) {
        return Err(refused(7_018_200, "Min should have the same type as the field."));
    }
    if differs(query.max) {
        return Err(refused(7_018_201, "Max should have the same type as the field."));
    }
    match (query.min, query.max) {
        (Some(min), Some(max)) if compare(min, max).is_ge() => {
            Err(refused(6_720_005, "Min must be less than max."))
        }
        _ => Ok(()),
    }
}

fn check_text(query: &Query<'_>, kind: Type) -> Result<()> {
    if kind != Type::String {
        let message = format!(
            "Type '{}' is not a supported text search indexed type",
            kind.alias()
        );
        return Err(refused(9_783_400, message));
    }
    let needed = [
        (
            9_783_401,
            "strMaxLength",
            query.has_longest || query.kind != QueryType::Substring,
        ),
        (9_783_402, "strMinQueryLength", query.length_min.is_some()),
        (9_783_403, "strMaxQueryLength", query.length_max.is_some()),
        (9_783_404, "caseSensitive", query.has_case),
        (9_783_405, "diacriticSensitive", query.has_diacritics),
    ];
    if let Some((number, name, _)) = needed.into_iter().find(|(_, _, is_there)| !is_there) {
        let message = format!("The field '{name}' is missing but required for text search index");
        return Err(refused(number, message));
    }
    match query.length_min > query.length_max {
        true => Err(refused(
            9_783_406,
            "strMinQueryLength cannot be greater than strMaxQueryLength",
        )),
        false => Ok(()),
    }
}
