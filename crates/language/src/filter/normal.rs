//! Trees back into documents, in the form that MongoDB's `explain` shows.

use super::{Node, Predicate, TypeSet};
use value::{Document, Value, array, doc};

/// The condition as a query document.
pub(super) fn document(node: &Node) -> Document {
    match node {
        Node::And(children) => doc! {"$and": list(children)},
        Node::Or(children) => doc! {"$or": list(children)},
        Node::Nor(children) => doc! {"$nor": list(children)},
        Node::Field { name, predicate, .. } => field(name, predicate),
        Node::Expr(condition) => doc! {"$expr": (condition.source().clone())},
        Node::Where(condition) => doc! {"$where": (condition.source().clone())},
        Node::Text(condition) => doc! {"$text": (condition.source().clone())},
        Node::JsonSchema(schema) => doc! {"$jsonSchema": (schema.source().clone())},
        Node::SampleRate(rate) => doc! {"$sampleRate": (*rate)},
        Node::AlwaysTrue => Document::new(),
        Node::AlwaysFalse => doc! {"$alwaysFalse": 1},
    }
}

fn list(children: &[Node]) -> Vec<Document> {
    children.iter().map(document).collect()
}

/// A condition on a field as a query document.
pub(super) fn field(name: &str, predicate: &Predicate) -> Document {
    match predicate {
        Predicate::In { values, regexes } if values.is_empty() && regexes.is_empty() => {
            doc! {"$alwaysFalse": 1}
        }
        // What several operators under one $not mean can only be said of the field as a whole.
        Predicate::Not(predicates) if predicates.len() != 1 => {
            let conditions: Vec<Document> = predicates.iter().map(|one| field(name, one)).collect();
            doc! {"$nor": [{"$and": conditions}]}
        }
        predicate => Document::new().with(name, operators(predicate)),
    }
}

/// The predicate as the document of operators on a field.
fn operators(predicate: &Predicate) -> Document {
    match predicate {
        Predicate::Compare { op, value } => Document::new().with(op.operator(), value.clone()),
        Predicate::In { values, regexes } => {
            let regexes = regexes
                .iter()
                .map(|regex| regex_value(regex.pattern(), regex.options()));
            doc! {"$in": (values.iter().cloned().chain(regexes).collect::<Value>())}
        }
        Predicate::Exists => doc! {"$exists": true},
        Predicate::Type(types) => doc! {"$type": (type_list(*types))},
        Predicate::Mod { divisor, remainder } => doc! {"$mod": [(*divisor), (*remainder)]},
        Predicate::Regex(regex) if regex.options().is_empty() => doc! {"$regex": (regex.pattern())},
        Predicate::Regex(regex) => doc! {"$regex": (regex.pattern()), "$options": (regex.options())},
        Predicate::Size(size) => doc! {"$size": (*size as i32)},
        Predicate::ElemMatchObject(node) => doc! {"$elemMatch": (document(node))},
        Predicate::ElemMatchValue(predicates) => {
            let all: Document = predicates.iter().flat_map(operators).collect();
            doc! {"$elemMatch": all}
        }
        Predicate::Bits(bits) => {
            let positions: Vec<i64> = bits
                .positions
                .iter()
                .map(|position| i64::from(*position))
                .collect();
            Document::new().with(bits.test.operator(), positions)
        }
        Predicate::Geo(condition) => condition.to_document(),
        Predicate::Near(condition) => condition.to_document(),
        Predicate::Not(predicates) => {
            let all: Document = predicates.iter().flat_map(operators).collect();
            doc! {"$not": all}
        }
    }
}

fn regex_value(pattern: &str, options: &str) -> Value {
    Value::Regex(value::Regex {
        pattern: pattern.to_owned(),
        options: options.to_owned(),
    })
}

/// Type numbers, with the alias that stands for several kept.
fn type_list(types: TypeSet) -> Vec<Value> {
    let mut list = Vec::new();
    if types.has_number_alias() {
        list.push(Value::from("number"));
    }
    let others = types
        .iter()
        .filter(|kind| !(types.has_number_alias() && kind.is_number()));
    list.extend(others.map(|kind| {
        let number = kind as u8;
        // MinKey's byte on the wire is -1 as MongoDB counts.
        Value::Int32(i32::from(number as i8))
    }));
    if list.is_empty() { array![] } else { list }
}
