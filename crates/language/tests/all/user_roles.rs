//! `$$USER_ROLES`: the roles of who sent the command.

use language::expression::{Expression, ParseScope, Variables};
use language::filter::{Filter, FilterScope};
use std::sync::Arc;
use value::{Document, Value, array, doc};

fn evaluate(expression: Value, variables: &Variables) -> Option<Value> {
    let expression = Expression::parse(&expression, &ParseScope::new()).expect("an expression");
    let document = doc! {"wanted": "clerk"};
    expression
        .evaluate((&document).into(), variables)
        .expect("a value")
}

#[test]
fn the_roles_are_an_array_whose_fields_can_be_reached() {
    let roles = Value::Array(array![{"_id": "shop.clerk", "role": "clerk", "db": "shop"}]);
    let variables = Variables::new(0).with_user_roles(Some(Arc::new(roles.clone())));
    assert_eq!(evaluate("$$USER_ROLES".into(), &variables), Some(roles));
    let names = evaluate("$$USER_ROLES.role".into(), &variables);
    assert_eq!(names, Some(Value::Array(array!["clerk"])));
    let is_one = doc! {"$in": ["$wanted", "$$USER_ROLES.role"]};
    assert_eq!(evaluate(is_one.into(), &variables), Some(Value::Bool(true)));
}

#[test]
fn nobody_has_no_roles() {
    let nobody = Variables::new(0);
    let none = Some(Value::Array(Vec::new()));
    assert_eq!(evaluate("$$USER_ROLES".into(), &nobody), none);
    assert_eq!(evaluate("$$USER_ROLES.role".into(), &nobody), none);
}

#[test]
fn a_validator_cannot_ask_for_roles() {
    let variables = Variables::new(0);
    let refused = |filter: &Document| {
        let filter = Filter::parse(filter, &FilterScope::validator(&variables));
        filter.err().map(|error| error.code.number())
    };
    let asks = doc! {"$expr": {"$in": ["clerk", "$$USER_ROLES.role"]}};
    assert_eq!(refused(&asks), Some(224));
    let quotes = doc! {"$expr": {"$eq": ["$a", {"$literal": "$$USER_ROLES"}]}};
    assert_eq!(refused(&quotes), None);
}
