//! The constants in `c` of an update.

use language::expression::{Expression, Variables};
use value::{Document, Value, doc};

#[test]
fn constants_are_values_under_the_names_of_variables() {
    let mut variables = Variables::new(0);
    variables
        .set_constants(&doc! {"low": 3, "High": "$a"})
        .expect("constants");
    let expression = Expression::parse(
        &doc! {"l": "$$low", "h": "$$High"}.into(),
        &variables.parse_scope(),
    );
    let value = expression
        .and_then(|expression| expression.evaluate((&Document::new()).into(), &variables))
        .expect("a value");
    assert_eq!(value, Some(Value::from(doc! {"l": 3, "h": "$a"})));
}

#[test]
fn names_that_are_none_are_refused() {
    for (name, expected) in [
        ("1v", 9),
        ("", 9),
        ("a.b", 9),
        ("a-b", 9),
        ("_x", 9),
        ("NOW", 17_275),
        ("ROOT", 17_275),
    ] {
        let refused = Variables::new(0).set_constants(&Document::new().with(name, 1));
        assert_eq!(refused.expect_err(name).code.number(), expected, "{name}");
    }
}
