//! Why a document does not match, in the form of MongoDB's `errInfo.details` for documents that fail validation.

use super::{Filter, Node, Predicate, normal};
use value::path;
use value::{Document, DocumentRef, Value, doc};

impl Filter {
    /// The conditions that the document does not satisfy.
    pub fn unsatisfied(&self, document: DocumentRef<'_>) -> Document {
        details(&self.root, document)
    }
}

fn details(node: &Node, document: DocumentRef<'_>) -> Document {
    match node {
        Node::And(clauses) => {
            doc! {"operatorName": "$and", "clausesNotSatisfied": (broken(clauses, document))}
        }
        Node::Or(clauses) => doc! {"operatorName": "$or", "clausesNotSatisfied": (broken(clauses, document))},
        Node::Nor(clauses) => {
            doc! {"operatorName": "$nor", "clausesSatisfied": (satisfied(clauses, document))}
        }
        Node::JsonSchema(schema) => schema.unsatisfied(document),
        Node::Field { name, predicate, .. } => field(node, name, predicate, document),
        Node::Expr(_) => plain("$expr", node, "expression did not match"),
        Node::Where(_) => plain("$where", node, "expression did not match"),
        Node::Text(_) => plain("$text", node, "text did not match"),
        Node::SampleRate(_) => plain("$sampleRate", node, "expression did not match"),
        Node::AlwaysTrue => Document::new(),
        Node::AlwaysFalse => plain("$alwaysFalse", node, "expression always evaluates to false"),
    }
}

fn plain(operator: &str, node: &Node, reason: &str) -> Document {
    doc! {"operatorName": operator, "specifiedAs": (normal::document(node)), "reason": reason}
}

fn broken(clauses: &[Node], document: DocumentRef<'_>) -> Vec<Value> {
    clauses
        .iter()
        .enumerate()
        .filter(|(_, clause)| !clause.matches(document).unwrap_or(false))
        .map(|(index, clause)| {
            Value::Document(doc! {"index": (index as i32), "details": (details(clause, document))})
        })
        .collect()
}

fn satisfied(clauses: &[Node], document: DocumentRef<'_>) -> Vec<Value> {
    clauses
        .iter()
        .enumerate()
        .filter(|(_, clause)| clause.matches(document).unwrap_or(false))
        .map(|(index, clause)| {
            let details =
                doc! {"specifiedAs": (normal::document(clause)), "reason": "child expression matched"};
            Value::Document(doc! {"index": (index as i32), "details": details})
        })
        .collect()
}

fn field(node: &Node, name: &str, predicate: &Predicate, document: DocumentRef<'_>) -> Document {
    let specified = normal::document(node);
    let (operator, reason) = described(predicate);
    let detail = doc! {"operatorName": operator, "specifiedAs": specified};
    let mut considered = considered(name, document);
    match considered.len() {
        0 if !matches!(predicate, Predicate::Exists | Predicate::Not(_)) => {
            detail.with("reason", "field was missing")
        }
        0 => detail.with("reason", reason),
        1 => detail
            .with("reason", reason)
            .with("consideredValue", considered.swap_remove(0)),
        _ => detail.with("reason", reason).with("consideredValues", considered),
    }
}

/// The values that the path reaches, whole.
fn considered(name: &str, document: DocumentRef<'_>) -> Vec<Value> {
    let mut values = Vec::new();
    path::visit(document, &path::FieldPath::parse(name), &mut |reached| {
        values.extend(reached.value.map(value::ValueRef::to_value));
        false
    });
    values
}

/// The operator's name, and why it fails.
fn described(predicate: &Predicate) -> (&'static str, &'static str) {
    match predicate {
        Predicate::Compare { op, .. } => (op.operator(), "comparison failed"),
        Predicate::In { .. } => ("$in", "no matching value found in array"),
        Predicate::Exists => ("$exists", "path does not exist"),
        Predicate::Type(_) => ("$type", "type did not match"),
        Predicate::Mod { .. } => ("$mod", "$mod did not evaluate to expected remainder"),
        Predicate::Regex(_) => ("$regex", "regular expression did not match"),
        Predicate::Size(_) => ("$size", "array length was not equal to given size"),
        Predicate::ElemMatchObject(_) | Predicate::ElemMatchValue(_) => {
            ("$elemMatch", "array did not satisfy the child predicate")
        }
        Predicate::Bits(bits) => (bits.test.operator(), "bitwise operator failed to match"),
        Predicate::Geo(condition) => (
            condition.operator.name(),
            "none of the considered geometries satisfied the expression",
        ),
        Predicate::Near(_) => ("$near", "no geometry within the distances"),
        Predicate::Not(_) => ("$not", "child expression matched"),
    }
}
