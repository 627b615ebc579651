//! What must hold for any bytes given to the crate `value`. Each function gives back whether the bytes were
//! accepted, and panics where something does not hold.

use value::json::{self, Mode};
use value::key::{self, Direction, TypeBits};
use value::raw::{MESSAGE_DEPTH_MAX, encode_document};
use value::{DocumentRef, RawDocument, ValueRef, compare, compare_documents};

/// A document that passes validation is read whole, and is the same document in every form.
pub fn raw_document(bytes: &[u8]) -> bool {
    // Reading bytes that were not validated may give anything, but ends.
    let elements = RawDocument::from_validated(bytes).iter().count();
    let Ok(raw) = RawDocument::new(bytes) else {
        return false;
    };
    let tree = raw.to_document();
    assert_eq!(
        tree.len(),
        elements,
        "validation and reading see the same elements"
    );
    assert!(!raw.is_deeper_than(MESSAGE_DEPTH_MAX));

    let encoded = encode_document(&tree);
    let again = RawDocument::new(&encoded).expect("what was encoded is valid");
    assert!(compare_documents(again.into(), raw.into()).is_eq());
    assert!(compare_documents(DocumentRef::Tree(&tree), raw.into()).is_eq());
    for (name, value) in raw.iter() {
        assert!(raw.get(name).is_some());
        check_key(value);
    }
    for mode in [Mode::Relaxed, Mode::Canonical] {
        // Names with a dollar may make another value of the text, or none.
        let _ = json::parse(&json::to_string(raw.into(), mode));
    }
    true
}

/// A value comes back from its key as an equal one.
fn check_key(value: ValueRef<'_>) {
    for direction in [Direction::Ascending, Direction::Descending] {
        let (mut key, mut bits) = (Vec::new(), TypeBits::default());
        key::encode_with_bits(value, direction, &mut key, &mut bits);
        bits.trim();
        assert_eq!(key::skip(&key, direction), Some(key.len()));
        let (mut key_rest, mut bits_rest) = (&key[..], &bits.0[..]);
        let back = key::decode(&mut key_rest, &mut bits_rest, direction).expect("a key that was encoded");
        assert!(key_rest.is_empty() && bits_rest.is_empty());
        assert!(compare(back.as_ref(), value).is_eq() && back.type_of() == value.type_of());
    }
}

/// A text that is accepted is written as a text that is accepted and written alike.
pub fn json(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else {
        return false;
    };
    let Ok(value) = json::parse(text) else {
        return false;
    };
    let mut canonical = String::new();
    json::write(value.as_ref(), Mode::Canonical, &mut canonical);
    match json::parse(&canonical) {
        Ok(again) => {
            let mut rewritten = String::new();
            json::write(again.as_ref(), Mode::Canonical, &mut rewritten);
            assert_eq!(canonical, rewritten);
        }
        // The objects that tell a number's type count as levels.
        Err(error) => assert!(error.what.contains("nested"), "{error}"),
    }
    true
}

/// Bytes that decode as a key have its length. The first byte says how many of the rest are type bits.
pub fn key(bytes: &[u8]) -> bool {
    let Some((&count, rest)) = bytes.split_first() else {
        return false;
    };
    let Some((bits, key)) = rest.split_at_checked(usize::from(count)) else {
        return false;
    };
    [Direction::Ascending, Direction::Descending]
        .map(|direction| key_directed(bits, key, direction))
        .contains(&true)
}

fn key_directed(bits: &[u8], key: &[u8], direction: Direction) -> bool {
    let (mut key_rest, mut bits_rest) = (key, bits);
    let Some(value) = key::decode(&mut key_rest, &mut bits_rest, direction) else {
        let _ = key::skip(key, direction);
        return false;
    };
    assert_eq!(key::skip(key, direction), Some(key.len() - key_rest.len()));
    check_key(value.as_ref());
    true
}
