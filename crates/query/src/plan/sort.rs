//! The order that a query asks for.

use crate::{QueryError, Result};
use language::filter::TEXT_SCORE;
use language::path_depth::PATH_DEPTH_MAX;
use store::Order;
use value::collation::Collation;
use value::decimal::Rounding;
use value::key::Direction;
use value::path::FieldPath;
use value::path::extract::IndexPath;
use value::{Document, Value, doc};

/// Fields to sort by, most significant first; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortPattern {
    fields: Vec<SortField>,
    /// The same fields as an index would have them.
    paths: Vec<IndexPath>,
    collation: Option<Collation>,
}

/// One field to sort by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortField {
    /// Its dotted path as written; for metadata, a name without meaning.
    pub name: String,
    /// The metadata to sort by instead of a field, such as the score of a text search or the distance.
    pub metadata: Option<&'static str>,
    /// Smallest or largest first.
    pub direction: Direction,
}

/// A sort by more fields is refused.
pub const SORT_FIELDS_MAX: usize = 32;

/// The order in which a query wants its results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ordering {
    /// Any order.
    Any,
    /// Sorted by fields.
    By(SortPattern),
    /// In the order of insertion (`$natural: 1`) or its reverse, which also forces a scan of the collection.
    Natural(Order),
}

impl Ordering {
    /// Parses the `sort` document of a query without a text search.
    pub fn parse(sort: &Document) -> Result<Ordering> {
        Ordering::parse_scored(sort, false)
    }

    /// Parses a `sort` document; with scores, it may sort by `{$meta: "textScore"}`.
    pub fn parse_scored(sort: &Document, has_scores: bool) -> Result<Ordering> {
        if sort.is_empty() {
            return Ok(Ordering::Any);
        }
        if let Some(natural) = sort.get("$natural") {
            if sort.len() > 1 {
                return Err(QueryError::bad_value(
                    "Cannot include '$natural' in compound sort: ".to_owned() + &shown(sort),
                ));
            }
            return natural_order(natural).map(Ordering::Natural);
        }
        let metadata: &[&'static str] = if has_scores { &[TEXT_SCORE] } else { &[] };
        let pattern = SortPattern::parse_with(sort, metadata)?;
        Ok(match pattern.fields().is_empty() {
            true => Ordering::Any,
            false => Ordering::By(pattern),
        })
    }

    /// With this order of strings.
    #[must_use]
    pub fn with_collation(self, collation: Option<&Collation>) -> Ordering {
        match self {
            Ordering::By(pattern) => Ordering::By(pattern.with_collation(collation)),
            other => other,
        }
    }

    /// The pattern of fields; `None` for the other orders.
    pub fn pattern(&self) -> Option<&SortPattern> {
        match self {
            Ordering::By(pattern) => Some(pattern),
            Ordering::Any | Ordering::Natural(_) => None,
        }
    }
}

/// Unlike directions of fields, numbers that are cut to 1 or -1 do not count.
fn natural_order(value: &Value) -> Result<Order> {
    let is = |number: i32| value::compare(value.as_ref(), Value::Int32(number).as_ref()).is_eq();
    match (is(1), is(-1)) {
        (true, _) => Ok(Order::Forward),
        (_, true) => Ok(Order::Backward),
        _ => Err(QueryError::bad_value(
            "$natural sort cannot be set to a value other than -1 or 1.",
        )),
    }
}

fn shown(document: &Document) -> String {
    value::json::to_string(document.into(), value::json::Mode::Relaxed)
}

impl SortPattern {
    /// Parses a document of fields and directions. The pattern is empty if it sorts only by metadata that documents do not have.
    pub fn parse(sort: &Document) -> Result<SortPattern> {
        SortPattern::parse_with(sort, &[])
    }

    /// As [`SortPattern::parse`], for documents that have this metadata.
    pub fn parse_with(sort: &Document, metadata: &[&'static str]) -> Result<SortPattern> {
        let keys = sort.iter().filter(|(_, value)| !is_absent_meta(value));
        if keys.count() > SORT_FIELDS_MAX {
            return Err(QueryError::new(
                crate::Code::location(13_103),
                format!("too many compound keys in sort specification, at most {SORT_FIELDS_MAX}"),
            ));
        }
        let mut fields: Vec<SortField> = Vec::with_capacity(sort.len());
        let mut paths = Vec::with_capacity(sort.len());
        for (name, value) in sort.iter() {
            // No document here has this score or random number, so all are equal by it.
            if is_absent_meta(value) {
                parse_path(name)?;
                continue;
            }
            let metadata = named_meta(value).and_then(|named| metadata.iter().find(|name| **name == named));
            // MongoDB checks the direction first. By metadata, the largest number always comes first, also for distances.
            let direction = match metadata {
                Some(_) => Direction::Descending,
                None => direction(name, value)?,
            };
            let path = parse_path(name)?;
            let field = SortField {
                name: name.to_owned(),
                metadata: metadata.copied(),
                direction,
            };
            if fields.iter().any(|known| known.name == field.name) {
                return Err(QueryError::new(
                    crate::Code::location(7_472_500),
                    format!("$sort key must not be given twice: {name}"),
                ));
            }
            fields.push(field);
            paths.push(IndexPath { path, direction });
        }
        Ok(SortPattern {
            fields,
            paths,
            collation: None,
        })
    }

    /// With this order of strings.
    #[must_use]
    pub fn with_collation(mut self, collation: Option<&Collation>) -> SortPattern {
        self.collation = collation.cloned();
        self
    }

    /// The order of strings; `None` if it is that of their bytes.
    pub fn collation(&self) -> Option<&Collation> {
        self.collation.as_ref()
    }

    /// The fields, most significant first.
    pub fn fields(&self) -> &[SortField] {
        &self.fields
    }

    /// Whether documents are sorted by metadata.
    pub fn by_metadata(&self) -> bool {
        self.fields.iter().any(|field| field.metadata.is_some())
    }

    /// The fields as an index on them would have them.
    pub fn paths(&self) -> &[IndexPath] {
        &self.paths
    }

    /// The pattern as a document: `{a: 1, b: -1}`.
    pub fn to_document(&self) -> Document {
        self.fields
            .iter()
            .map(|field| match field.metadata {
                Some(metadata) => (field.name.clone(), Value::Document(doc! {"$meta": metadata})),
                None => (field.name.clone(), Value::Int32(sign(field.direction))),
            })
            .collect()
    }
}

/// 1 or -1.
pub fn sign(direction: Direction) -> i32 {
    match direction {
        Direction::Ascending => 1,
        Direction::Descending => -1,
    }
}

fn parse_path(name: &str) -> Result<FieldPath> {
    const FIELD_PATH: crate::Code = crate::Code::location(15_998);
    if name.is_empty() {
        return Err(QueryError::new(
            crate::Code::location(40_352),
            "FieldPath cannot be constructed with empty string",
        ));
    }
    if name.ends_with('.') {
        return Err(QueryError::new(
            crate::Code::location(40_353),
            "FieldPath must not end with a '.'.",
        ));
    }
    if name.split('.').count() > PATH_DEPTH_MAX {
        return Err(QueryError::new(
            crate::Code::OVERFLOW,
            format!("FieldPath is too long: it may have {PATH_DEPTH_MAX} parts"),
        ));
    }
    for part in name.split('.') {
        if part.is_empty() {
            return Err(QueryError::new(
                FIELD_PATH,
                "FieldPath field names may not be empty strings.",
            ));
        }
        if part.starts_with('$') && !matches!(part, "$id" | "$ref" | "$db") {
            return Err(QueryError::new(
                crate::Code::location(16_410),
                "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
            ));
        }
    }
    Ok(FieldPath::parse(name))
}

/// Whether a key sorts by metadata that documents have in MongoDB but not here: that of `$search` and `$sample` alone.
fn is_absent_meta(value: &Value) -> bool {
    named_meta(value).is_some_and(|name| ["searchScore", "vectorSearchScore", "randVal"].contains(&name))
}

/// The metadata that a key names, if it consists of nothing else.
fn named_meta(value: &Value) -> Option<&str> {
    match value {
        Value::Document(operator) if operator.len() == 1 => operator.get("$meta")?.as_ref().as_str(),
        _ => None,
    }
}

/// The error that there is no such metadata to sort by.
fn refuse_meta(operator: &Document) -> QueryError {
    let refuse = |number, message: String| QueryError::new(crate::Code::location(number), message);
    let Some(("$meta", named)) = operator.iter().next() else {
        return refuse(
            17_312,
            "$meta is the only expression supported by $sort right now".to_owned(),
        );
    };
    if operator.len() > 1 {
        return QueryError::failed_to_parse("Cannot have additional keys in a $meta sort specification");
    }
    match named.as_ref().as_str() {
        Some(name @ ("textScore" | "geoNearDistance" | "score")) => refuse(
            40_218,
            format!("query requires {name} metadata, but it is not available"),
        ),
        // Any other name, or a value that is not a name, as in MongoDB's `sort_pattern.cpp`.
        _ => {
            let mut shown = String::new();
            value::json::write(named.as_ref(), value::json::Mode::Relaxed, &mut shown);
            refuse(31_138, format!("Illegal $meta sort: $meta: {shown}"))
        }
    }
}

fn direction(name: &str, value: &Value) -> Result<Direction> {
    let number = match value {
        Value::Int32(number) => Some(f64::from(*number)),
        Value::Int64(number) => Some(*number as f64),
        Value::Double(number) => Some(*number),
        // Decimals are rounded first, half to even.
        Value::Decimal128(number) => Some(number.round_to_place(0, Rounding::HalfEven).to_f64()),
        Value::Document(operator) => return Err(refuse_meta(operator)),
        other => {
            return Err(QueryError::new(
                crate::Code::location(15_974),
                format!(
                    "Illegal key in $sort specification: {name}: {}",
                    value::json::to_string(
                        (&Document::new().with("", other.clone())).into(),
                        value::json::Mode::Relaxed
                    )
                ),
            ));
        }
    };
    // MongoDB accepts numbers that truncate to 1 or -1.
    match number {
        Some(number) if number.trunc() == 1.0 => Ok(Direction::Ascending),
        Some(number) if number.trunc() == -1.0 => Ok(Direction::Descending),
        _ => Err(QueryError::new(
            crate::Code::location(15_975),
            "$sort key ordering must be 1 (for ascending) or -1 (for descending)",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natural_order_is_asked_for_by_one_and_nothing_like_it() {
        let order = |value: Value| Ordering::parse(&Document::new().with("$natural", value));
        assert_eq!(order(Value::Int32(1)).unwrap(), Ordering::Natural(Order::Forward));
        assert_eq!(
            order(Value::Double(-1.0)).unwrap(),
            Ordering::Natural(Order::Backward)
        );
        for wrong in [
            Value::Int32(2),
            Value::Double(1.5),
            Value::from("x"),
            Value::Bool(true),
            Value::Null,
            Value::from(doc! {"$meta": "x"}),
        ] {
            let error = order(wrong).unwrap_err();
            assert_eq!(error.code().number(), 2, "{error}");
        }
    }
}
