//! Query documents into trees: conditions on whole documents; `predicate` has those on a field.

mod all;
mod bits;
mod kinds;
mod predicate;

use super::schema::JsonSchema;
use super::{
    Comparison, ExprCondition, FilterPlace, FilterScope, Node, Predicate, TextCondition, WhereCondition,
};
use crate::expression::number::Number;
use crate::regex::Regex;
use crate::{Code, Error, Result};
pub(super) use kinds::type_set;
use value::collation::Collation;
use value::path::FieldPath;
use value::raw::{MESSAGE_DEPTH_MAX, NESTING_DEPTH_MAX};
use value::{Document, Value};

/// How deep conditions nest: as deep as the documents of commands, which is all that limits them in MongoDB.
pub const FILTER_DEPTH_MAX: usize = MESSAGE_DEPTH_MAX;

/// What a parser knows at one level of the query.
#[derive(Clone, Copy)]
pub(super) struct Parser<'s> {
    scope: &'s FilterScope<'s>,
    depth: usize,
    /// Below `$elemMatch`, so that paths start at an element and not at the document.
    in_element: bool,
}

impl<'s> Parser<'s> {
    pub(super) fn new(scope: &'s FilterScope<'s>) -> Parser<'s> {
        Parser {
            scope,
            depth: 0,
            in_element: false,
        }
    }

    /// The parser of what is nested one level deeper.
    fn nested(self) -> Result<Parser<'s>> {
        if self.depth >= FILTER_DEPTH_MAX {
            return Err(Error::bad_value(format!(
                "exceeded maximum query tree depth of {FILTER_DEPTH_MAX}"
            )));
        }
        Ok(Parser {
            depth: self.depth + 1,
            ..self
        })
    }

    /// The parser of what stands below `$elemMatch`.
    fn element(self) -> Result<Parser<'s>> {
        Ok(Parser {
            in_element: true,
            ..self.nested()?
        })
    }

    /// A whole query document: all of its fields must hold.
    pub(super) fn document(self, query: &Document) -> Result<Node> {
        let mut children = Vec::with_capacity(query.len());
        for (name, value) in query.iter() {
            if name.starts_with('$') {
                children.extend(self.nested()?.top_level(name, value)?);
            } else {
                check_depth(name)?;
                self.field(name, value, &mut children)?;
            }
        }
        Ok(conjunction(children))
    }

    /// `{name: value}`, where the value is operators, a pattern, or what the field must equal.
    fn field(self, name: &str, value: &Value, children: &mut Vec<Node>) -> Result<()> {
        let predicates = match value {
            Value::Document(operators) if is_operators(operators, false) => {
                self.nested()?.operators(name, operators)?
            }
            Value::Regex(regex) => vec![Predicate::Regex(Regex::new(&regex.pattern, &regex.options)?)],
            other => vec![equality(other)?],
        };
        children.extend(
            predicates
                .into_iter()
                .map(|predicate| self.field_node(name, predicate)),
        );
        Ok(())
    }

    /// The order of strings, where it is not that of their bytes.
    fn collation(self) -> Option<&'s Collation> {
        self.scope.variables.and_then(|variables| variables.collation())
    }

    fn field_node(self, name: &str, predicate: Predicate) -> Node {
        if let Predicate::In { values, regexes } = &predicate
            && values.is_empty()
            && regexes.is_empty()
        {
            return Node::AlwaysFalse;
        }
        Node::Field {
            path: FieldPath::parse(name),
            name: name.to_owned(),
            predicate,
            collation: self.collation().cloned(),
        }
    }

    /// An operator that stands where a field name could; `None` if it is no condition.
    fn top_level(self, name: &str, value: &Value) -> Result<Option<Node>> {
        Ok(Some(match name {
            "$and" => conjunction(self.list(name, value)?),
            "$or" => disjunction(self.list(name, value)?),
            "$nor" => Node::Nor(self.list(name, value)?),
            "$expr" => self.expr(value)?,
            "$jsonSchema" => self.json_schema(value)?,
            "$alwaysTrue" => always(name, value, Node::AlwaysTrue)?,
            "$alwaysFalse" => always(name, value, Node::AlwaysFalse)?,
            "$sampleRate" => {
                self.not_in_element(name)?;
                sample_rate(value)?
            }
            "$comment" => return Ok(None),
            // Fields of a DBRef, which begin with a dollar sign though they are no operators.
            "$id" => self.field_node(name, equality(value)?),
            "$ref" | "$db" => Node::Field {
                path: FieldPath::parse(name),
                name: name.to_owned(),
                predicate: equality(value)?,
                // The names of collections and databases are compared by their bytes.
                collation: None,
            },
            "$text" => {
                self.not_in_element(name)?;
                Node::Text(Box::new(TextCondition::parse(value, self.scope.place)?))
            }
            "$where" if self.scope.place != FilterPlace::Query => return Err(not_here(name)),
            "$where" => {
                self.not_in_element(name)?;
                Node::Where(WhereCondition::parse(value)?)
            }
            _ => return Err(unknown(name)),
        }))
    }

    /// The conditions that `$and`, `$or` and `$nor` join.
    fn list(self, name: &str, value: &Value) -> Result<Vec<Node>> {
        let Value::Array(entries) = value else {
            return Err(Error::bad_value(format!("{name} argument must be an array")));
        };
        if entries.is_empty() {
            return Err(Error::bad_value("$and/$or/$nor must be a nonempty array"));
        }
        entries
            .iter()
            .map(|entry| match entry {
                Value::Document(query) => self.document(query),
                _ => Err(Error::bad_value("$or/$and/$nor entries need to be full objects")),
            })
            .collect()
    }

    fn expr(self, value: &Value) -> Result<Node> {
        self.not_in_element("$expr")?;
        self.whole_document("$expr")?;
        ExprCondition::parse(value, self.scope).map(Node::Expr)
    }

    /// Unlike the other conditions on documents, a schema may be one on documents within arrays.
    fn json_schema(self, value: &Value) -> Result<Node> {
        self.whole_document("$jsonSchema")?;
        let Value::Document(schema) = value else {
            return Err(Error::type_mismatch("$jsonSchema must be an object"));
        };
        JsonSchema::parse(schema).map(|schema| Node::JsonSchema(Box::new(schema)))
    }

    /// Refuses an operator where the query is on a part of a document.
    fn whole_document(self, name: &str) -> Result<()> {
        match self.scope.place {
            FilterPlace::Element | FilterPlace::Index => Err(Error::new(
                Code::QUERY_FEATURE_NOT_ALLOWED,
                format!("{name} is not allowed in this context"),
            )),
            FilterPlace::Query | FilterPlace::Stage | FilterPlace::Validator | FilterPlace::Listing => Ok(()),
        }
    }

    /// Refuses an operator below `$elemMatch`.
    fn not_in_element(self, name: &str) -> Result<()> {
        match self.in_element {
            true => Err(Error::bad_value(format!(
                "{name} can only be applied to the top-level document"
            ))),
            false => Ok(()),
        }
    }
}

fn unknown(operator: &str) -> Error {
    let hint = match operator {
        "$not" => "If you are trying to negate an entire expression, use $nor.",
        _ => "If you have a field name that starts with a '$' symbol, consider using $getField or $setField.",
    };
    Error::bad_value(format!("unknown top level operator: {operator}. {hint}"))
}

/// The operators that stand where a field name could.
pub const STANDING_ALONE: &[&str] = &[
    "$alwaysFalse",
    "$alwaysTrue",
    "$and",
    "$comment",
    "$expr",
    "$jsonSchema",
    "$nor",
    "$or",
    "$sampleRate",
    "$text",
    "$where",
];

/// The operators that conditions on a field can have.
pub const OF_FIELDS: &[&str] = &[
    "$all",
    "$bitsAllClear",
    "$bitsAllSet",
    "$bitsAnyClear",
    "$bitsAnySet",
    "$elemMatch",
    "$eq",
    "$exists",
    "$geoIntersects",
    "$geoNear",
    "$geoWithin",
    "$gt",
    "$gte",
    "$in",
    "$lt",
    "$lte",
    "$mod",
    "$ne",
    "$near",
    "$nearSphere",
    "$nin",
    "$not",
    "$options",
    "$regex",
    "$size",
    "$type",
    "$within",
];

/// Whether the document is operators (`{$gt: 5}`) and not a value to compare with; a DBRef is a value.
/// Within `$elemMatch` a part of a DBRef is enough.
fn is_operators(document: &Document, allow_partial_reference: bool) -> bool {
    let Some((first, _)) = document.iter().next() else {
        return false;
    };
    let (has_ref, has_id) = (document.contains("$ref"), document.contains("$id"));
    let is_reference = if allow_partial_reference {
        has_ref || has_id || document.contains("$db")
    } else {
        has_ref && has_id
    };
    first.starts_with('$') && !is_reference
}

/// Refuses a path of more parts than documents may nest.
fn check_depth(path: &str) -> Result<()> {
    if path.split('.').count() > NESTING_DEPTH_MAX {
        return Err(Error::new(Code::location(5_729_100), "FieldPath is too long"));
    }
    Ok(())
}

fn equality(value: &Value) -> Result<Predicate> {
    if matches!(value, Value::Undefined) {
        return Err(Error::bad_value("cannot compare to undefined"));
    }
    Ok(Predicate::Compare {
        op: Comparison::Eq,
        value: value.clone(),
    })
}

/// All of these, as simply as it can be said.
pub(super) fn conjunction(children: Vec<Node>) -> Node {
    let mut flat = Vec::with_capacity(children.len());
    for child in children {
        match child {
            Node::And(inner) => flat.extend(inner),
            Node::AlwaysTrue => {}
            other => flat.push(other),
        }
    }
    if flat.iter().any(|child| matches!(child, Node::AlwaysFalse)) {
        return Node::AlwaysFalse;
    }
    match flat.len() {
        0 => Node::AlwaysTrue,
        1 => flat.remove(0),
        _ => Node::And(flat),
    }
}

/// One of these, as simply as it can be said.
fn disjunction(children: Vec<Node>) -> Node {
    let mut flat = Vec::with_capacity(children.len());
    for child in children {
        match child {
            Node::Or(inner) => flat.extend(inner),
            Node::AlwaysFalse => {}
            other => flat.push(other),
        }
    }
    if flat.iter().any(|child| matches!(child, Node::AlwaysTrue)) {
        return Node::AlwaysTrue;
    }
    match flat.len() {
        0 => Node::AlwaysFalse,
        1 => flat.remove(0),
        _ => Node::Or(flat),
    }
}

fn always(name: &str, value: &Value, node: Node) -> Result<Node> {
    if super::number::exact(value.as_ref()) == Some(1) {
        Ok(node)
    } else {
        Err(Error::failed_to_parse(format!(
            "{name} must be an integer value of 1"
        )))
    }
}

fn sample_rate(value: &Value) -> Result<Node> {
    let Some(rate) = Number::of(value.as_ref()).map(Number::to_f64) else {
        return Err(Error::bad_value("argument to $sampleRate must be a numeric type"));
    };
    if (0.0..=1.0).contains(&rate) {
        Ok(Node::SampleRate(rate))
    } else {
        Err(Error::bad_value(
            "numeric argument to $sampleRate must be in [0, 1]",
        ))
    }
}

fn not_here(name: &str) -> Error {
    Error::bad_value(format!("{name} is not allowed in this context"))
}

/// `name: value` as error messages show it.
fn shown(name: &str, value: &Value) -> String {
    let mut text = format!("{name}: ");
    value::json::write(value.as_ref(), value::json::Mode::Relaxed, &mut text);
    text
}
