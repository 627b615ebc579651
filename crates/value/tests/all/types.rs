//! Types, documents and ids.

use value::{Document, ObjectId, Type, Value, doc};

#[test]
fn types_are_found_by_number_and_alias() {
    for byte in 0..=255 {
        let Some(kind) = Type::from_byte(byte) else {
            continue;
        };
        assert_eq!(kind as u8, byte);
        assert_eq!(Type::from_alias(kind.alias()), Some(kind));
        let number = if kind == Type::MinKey { -1 } else { i64::from(byte) };
        assert_eq!(Type::from_number(number), Some(kind));
    }
    assert_eq!((0..=255).filter_map(Type::from_byte).count(), 21);
    for number in [0, -2, 20, 126, 128, 255, i64::MAX] {
        assert_eq!(Type::from_number(number), None);
    }
    assert_eq!(Type::from_alias("number"), None);
}

#[test]
fn setting_a_field_keeps_its_place() {
    let mut document = doc! {"a": 1, "b": 2};
    document.set("a", "x");
    document.set("c", 3);
    assert_eq!(document, doc! {"a": "x", "b": 2, "c": 3});
    assert_eq!(document.remove("b"), Some(Value::Int32(2)));
    document.insert_at(0, "z", 0);
    document.retain(|name, _| name != "a");
    assert_eq!(document, doc! {"z": 0, "c": 3});
}

#[test]
fn equality_is_of_type_and_order() {
    assert_ne!(doc! {"a": 1}, doc! {"a": 1_i64});
    assert_ne!(doc! {"a": 1, "b": 2}, doc! {"b": 2, "a": 1});
    assert_ne!(Value::from("a"), Value::Symbol("a".into()));
    assert_eq!(Document::new(), doc! {});
}

#[test]
fn generated_ids_differ_and_tell_their_second() {
    let [a, b] = [ObjectId::generate(), ObjectId::generate()];
    assert_ne!(a, b);
    assert_eq!(a.bytes().get(4..9), b.bytes().get(4..9), "one process");
    assert!(a.seconds() > 1_700_000_000);
}

#[test]
fn ids_are_24_hexadecimal_digits() {
    let text = "0123456789abcdef01234567";
    let id: ObjectId = text.parse().unwrap();
    assert_eq!(id.to_string(), text);
    assert_eq!(text.to_uppercase().parse::<ObjectId>().unwrap(), id);
    for bad in [
        "",
        "0123456789abcdef0123456",
        "0123456789abcdef012345678",
        "0123456789abcdef0123456g",
        "+123456789abcdef01234567",
        "é123456789abcdef0123456",
    ] {
        assert!(bad.parse::<ObjectId>().is_err(), "{bad}");
    }
}
