//! Whether every document that one filter matches is matched by another: what lets a query use a partial index.
//!
//! The answer "yes" is certain; "no" may mean that it could not be seen.

use super::{Comparison, Filter, Node, Predicate, matches, normal};
use value::{Value, ValueRef};

impl Filter {
    /// Whether the documents that this filter matches are a subset of those that `other` matches.
    pub fn implies(&self, other: &Filter) -> bool {
        implies(&self.root, &other.root)
    }
}

fn implies(query: &Node, condition: &Node) -> bool {
    // The condition is taken apart first: each of its parts may follow from another part of the query.
    match (query, condition) {
        (_, Node::AlwaysTrue) | (Node::AlwaysFalse, _) => true,
        (_, Node::And(parts)) => parts.iter().all(|part| implies(query, part)),
        (Node::Or(parts), _) => parts.iter().all(|part| implies(part, condition)),
        (Node::And(parts), Node::Or(alternatives)) => {
            parts.iter().any(|part| implies(part, condition))
                || alternatives.iter().any(|alternative| implies(query, alternative))
        }
        (Node::And(parts), _) => parts.iter().any(|part| implies(part, condition)),
        (_, Node::Or(alternatives)) => alternatives.iter().any(|alternative| implies(query, alternative)),
        (
            Node::Field {
                name,
                predicate: given,
                ..
            },
            Node::Field {
                name: wanted_name,
                predicate: wanted,
                ..
            },
        ) if name == wanted_name && predicate_implies(name, given, wanted) => true,
        (Node::Expr(_) | Node::SampleRate(_), _) => false,
        (query, condition) => normal::document(query) == normal::document(condition),
    }
}

/// The same for conditions on one path.
fn predicate_implies(name: &str, given: &Predicate, wanted: &Predicate) -> bool {
    if let Predicate::In { values, regexes } = given
        && !values.is_empty()
        && regexes.is_empty()
    {
        return values.iter().all(|value| {
            let equal = Predicate::Compare {
                op: Comparison::Eq,
                value: value.clone(),
            };
            predicate_implies(name, &equal, wanted)
        });
    }
    match (given, wanted) {
        (_, Predicate::Exists) => needs_presence(name, given),
        (
            Predicate::Compare { op, value },
            Predicate::Compare {
                op: wanted_op,
                value: limit,
            },
        ) => comparison_implies(*op, value.as_ref(), *wanted_op, limit.as_ref()),
        (
            Predicate::Compare {
                op: Comparison::Eq,
                value,
            },
            Predicate::In { values, .. },
        ) => values
            .iter()
            .any(|candidate| matches::compare(Comparison::Eq, value.as_ref(), candidate.as_ref())),
        (Predicate::Type(given), Predicate::Type(wanted)) => given.iter().all(|kind| wanted.contains(kind)),
        _ => false,
    }
}

fn comparison_implies(op: Comparison, value: ValueRef<'_>, wanted: Comparison, limit: ValueRef<'_>) -> bool {
    use Comparison::{Eq, Gt, Gte, Lt, Lte};
    let within = |relation| matches::compare(relation, value, limit);
    match (op, wanted) {
        (Eq, _) => within(wanted),
        (Lt, Lt | Lte) => within(Lte) && same_kind(value, limit),
        (Lte, Lte) => within(Lte) && same_kind(value, limit),
        (Lte, Lt) => within(Lt) && same_kind(value, limit),
        (Gt, Gt | Gte) => within(Gte) && same_kind(value, limit),
        (Gte, Gte) => within(Gte) && same_kind(value, limit),
        (Gte, Gt) => within(Gt) && same_kind(value, limit),
        _ => false,
    }
}

fn same_kind(a: ValueRef<'_>, b: ValueRef<'_>) -> bool {
    value::canonical_type(a.type_of()) == value::canonical_type(b.type_of())
}

/// Whether only a field that is there satisfies the predicate.
fn needs_presence(name: &str, given: &Predicate) -> bool {
    match given {
        // Null equals what is missing, and the ends of the order compare with it.
        Predicate::Compare { value, .. } => !matches!(value, Value::Null | Value::MinKey | Value::MaxKey),
        Predicate::In { values, .. } => !values.iter().any(|value| matches!(value, Value::Null)),
        // Below an array of numbers nothing equals null, and nothing is there either.
        Predicate::Not(predicates) => {
            !name.contains('.')
                && matches!(
                    predicates.as_slice(),
                    [Predicate::Compare {
                        op: Comparison::Eq,
                        value: Value::Null
                    }]
                )
        }
        _ => true,
    }
}
