//! The `doc!` and `array!` macros.

use value::{Document, Value, array, doc};

#[test]
fn macros_nest() {
    let written = doc! {"a": 1, "b": [1, "x", null, [2.5], {"y": -1}], "c": {"d": true}, "e": null};
    let built = Document::new()
        .with("a", 1)
        .with(
            "b",
            Value::Array(vec![
                Value::Int32(1),
                Value::from("x"),
                Value::Null,
                Value::Array(vec![Value::Double(2.5)]),
                Value::Document(Document::new().with("y", -1)),
            ]),
        )
        .with("c", Document::new().with("d", true))
        .with("e", Value::Null);
    assert_eq!(written, built);
}

#[test]
fn expressions_stand_for_names_and_values() {
    let name = "n";
    let count: i64 = 3;
    let written = doc! { name: count + 1, ("x".to_owned() + "y"): [1, 2].len() as i64, "z": doc! {} , };
    assert_eq!(written.get("n"), Some(&Value::Int64(4)));
    assert_eq!(written.get("xy"), Some(&Value::Int64(2)));
    assert_eq!(written.get("z"), Some(&Value::Document(Document::new())));
    assert!(array![].is_empty());
}
