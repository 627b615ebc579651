//! `$type $isNumber $rand $bsonSize $binarySize $tsSecond $tsIncrement $toHashedIndexKey`, and what is refused.

use super::hashed_key::hashed_key;
use super::{Operator, Syntax, error, operator, type_name};
use crate::expression::evaluated::Evaluated;
use crate::expression::node::{Node, Operation, Scope};
use crate::expression::parse::Parser;
use crate::expression::path::{Base, INDEX_KEY};
use crate::{Code, Result};
use value::raw::encode_document;
use value::{DocumentRef, Timestamp, Value, ValueRef};

pub(super) const OPERATORS: &[Operator] = &[
    operator("$type", Syntax::One(|v| Ok(Some(Value::from(type_name(&v)))))),
    operator(
        "$isNumber",
        Syntax::One(|v| Ok(Some(Value::Bool(v.get().is_some_and(ValueRef::is_number))))),
    ),
    operator("$rand", Syntax::Own(parse_rand)),
    operator("$bsonSize", Syntax::One(bson_size)),
    operator("$binarySize", Syntax::One(binary_size)),
    operator(
        "$tsSecond",
        Syntax::One(|v| timestamp("$tsSecond", Code::location(5_687_301), &v, |time| time.seconds)),
    ),
    operator(
        "$tsIncrement",
        Syntax::One(|v| {
            timestamp("$tsIncrement", Code::location(5_687_302), &v, |time| {
                time.increment
            })
        }),
    ),
    operator("$toHashedIndexKey", Syntax::Own(parse_hashed_key)),
    operator("$meta", Syntax::Own(meta)),
    operator("$accumulator", Syntax::Named(refuse_code)),
    operator("$where", Syntax::Named(refuse_code)),
];

#[derive(Debug)]
struct Rand;

fn parse_rand(_parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    match argument {
        Value::Document(none) if none.is_empty() => Ok(Node::Operation(Box::new(Rand))),
        Value::Array(none) if none.is_empty() => Ok(Node::Operation(Box::new(Rand))),
        Value::Document(_) | Value::Array(_) => Err(error(
            Code::location(3_040_501),
            "$rand does not currently accept arguments",
        )),
        other => Err(error(
            Code::location(10_065),
            format!(
                "invalid parameter: expected an object ($rand), found {}",
                other.type_of().alias()
            ),
        )),
    }
}

impl Operation for Rand {
    fn evaluate<'e>(&'e self, _scope: &Scope<'e>) -> Result<Evaluated<'e>> {
        Ok(Evaluated::of(value::random::unit()))
    }

    fn operands(&mut self) -> Vec<&mut Node> {
        Vec::new()
    }

    fn reads_document(&self) -> bool {
        false
    }

    fn is_foldable(&self) -> bool {
        false
    }
}

fn bson_size(operand: Evaluated<'_>) -> Result<Option<Value>> {
    let size = match operand.present() {
        None => return Ok(Some(Value::Null)),
        Some(ValueRef::Document(DocumentRef::Raw(raw))) => raw.as_bytes().len(),
        Some(ValueRef::Document(DocumentRef::Tree(tree))) => encode_document(tree).len(),
        Some(_) => {
            return Err(error(
                Code::location(31_393),
                format!(
                    "$bsonSize requires a document input, found: {}",
                    type_name(&operand)
                ),
            ));
        }
    };
    Ok(Some(Value::Int32(size as i32)))
}

fn binary_size(operand: Evaluated<'_>) -> Result<Option<Value>> {
    let size = match operand.present() {
        None => return Ok(Some(Value::Null)),
        Some(ValueRef::String(text)) => text.len(),
        Some(ValueRef::Binary { bytes, .. }) => bytes.len(),
        Some(_) => {
            return Err(error(
                Code::location(51_276),
                format!(
                    "$binarySize requires a string or BinData argument, found: {}",
                    type_name(&operand)
                ),
            ));
        }
    };
    Ok(Some(Value::Int32(size as i32)))
}

/// Parses `$toHashedIndexKey`, for which an array is not a list of operands.
fn parse_hashed_key(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let operand = parser.operand(argument)?;
    Ok(Node::many(
        |operands| {
            Ok(operands
                .first()
                .map(|value| Value::Int64(hashed_key(value.or_null()))))
        },
        vec![operand],
    ))
}

fn timestamp(
    name: &str,
    code: Code,
    operand: &Evaluated<'_>,
    part: fn(Timestamp) -> u32,
) -> Result<Option<Value>> {
    match operand.present() {
        None => Ok(Some(Value::Null)),
        Some(ValueRef::Timestamp(time)) => Ok(Some(Value::Int64(part(time).into()))),
        Some(_) => Err(error(
            code,
            format!(
                "Argument to {name} must be a timestamp, but is {}",
                type_name(operand)
            ),
        )),
    }
}

/// Metadata that only `$search` and `$sample` give in MongoDB: documents have none of it here.
pub(crate) const ABSENT_METADATA: [&str; 6] = [
    "randVal",
    "searchScore",
    "searchHighlights",
    "searchScoreDetails",
    "vectorSearchScore",
    "searchSequenceToken",
];

/// `$meta`: the key by which the document was found, and the metadata of earlier stages.
fn meta(parser: &mut Parser<'_>, argument: &Value) -> Result<Node> {
    let Value::String(name) = argument else {
        return Err(error(
            Code::location(17_307),
            "$meta only supports string arguments",
        ));
    };
    const KNOWN: [&str; 7] = [
        "textScore",
        "score",
        "scoreDetails",
        "geoNearDistance",
        "geoNearPoint",
        "recordId",
        "sortKey",
    ];
    match name.as_str() {
        INDEX_KEY => Ok(parser.read(Base::IndexKey, Vec::new())),
        given if parser.has_metadata(given) => Ok(parser.read(Base::Metadata(given.into()), Vec::new())),
        absent if ABSENT_METADATA.contains(&absent) => Ok(Node::Constant(None)),
        known if KNOWN.contains(&known) => Err(error(
            Code::location(40_218),
            format!("query requires {name} metadata, but it is not available"),
        )),
        _ => Err(error(
            Code::location(17_308),
            format!("Unsupported argument to $meta: {name}"),
        )),
    }
}

fn refuse_code(_parser: &mut Parser<'_>, name: &str, _argument: &Value) -> Result<Node> {
    Err(error(
        Code::COMMAND_NOT_SUPPORTED,
        format!("{name} is not supported: JavaScript does not run in queries here"),
    ))
}
