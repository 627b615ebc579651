//! Pushing negations down to the tests, so that the planner can turn them into ranges (`norm_negations`, `negate`).

use super::{Field, Node, Test};

/// The same condition with negations at tests only.
pub(super) fn pushed_down(node: Node) -> Node {
    match node {
        Node::Not(inner) => negated(*inner),
        Node::None(parts) => Node::All(parts.into_iter().map(negated).collect()),
        Node::All(parts) => Node::All(parts.into_iter().map(pushed_down).collect()),
        Node::Any(parts) => Node::Any(parts.into_iter().map(pushed_down).collect()),
        node @ (Node::Field(_) | Node::Text(_)) => node,
    }
}

fn negated(node: Node) -> Node {
    match node {
        Node::Not(inner) => pushed_down(*inner),
        Node::None(parts) => Node::Any(parts.into_iter().map(pushed_down).collect()),
        Node::All(parts) => Node::Any(parts.into_iter().map(negated).collect()),
        Node::Any(parts) => Node::All(parts.into_iter().map(negated).collect()),
        Node::Field(field) => Node::Field(Box::new(opposite(*field))),
        // Nor does CouchDB turn a search around.
        text @ Node::Text(_) => text,
    }
}

fn opposite(field: Field) -> Field {
    let (negated, test) = match field.test {
        Test::Lt(value) => (false, Test::Gte(value)),
        Test::Lte(value) => (false, Test::Gt(value)),
        Test::Eq(value) => (false, Test::Ne(value)),
        Test::Ne(value) => (false, Test::Eq(value)),
        Test::Gte(value) => (false, Test::Lt(value)),
        Test::Gt(value) => (false, Test::Lte(value)),
        Test::In(values) => (false, Test::Nin(values)),
        Test::Nin(values) => (false, Test::In(values)),
        Test::Exists(there) => (false, Test::Exists(!there)),
        other => (true, other),
    };
    Field {
        negated,
        test,
        ..field
    }
}
