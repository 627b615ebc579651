//! Which bytes are a valid BSON document.

use value::raw::{MESSAGE_DEPTH_MAX, NESTING_DEPTH_MAX, encode_document};
use value::{RawDocument, Value, doc};

fn check(bytes: &[u8]) -> Result<(), String> {
    RawDocument::new(bytes)
        .map(|_| ())
        .map_err(|error| error.what.to_owned())
}

/// A document of one field `a` whose type byte and value bytes are given.
fn one(kind: u8, value: &[u8]) -> Vec<u8> {
    let mut bytes = (value.len() as u32 + 8).to_le_bytes().to_vec();
    bytes.extend([kind, b'a', 0]);
    bytes.extend(value);
    bytes.push(0);
    bytes
}

fn nested(levels: usize) -> Vec<u8> {
    encode_document(&(1..levels).fold(doc! {}, |inner, _| doc! {"n": inner}))
}

#[test]
fn the_empty_document_is_valid() {
    assert_eq!(check(&[5, 0, 0, 0, 0]), Ok(()));
}

#[test]
fn lengths_must_fit_exactly() {
    for bytes in [
        &[][..],
        &[5, 0, 0, 0],
        &[4, 0, 0, 0, 0],
        &[6, 0, 0, 0, 0],
        &[5, 0, 0, 0, 0, 0],
        &[5, 0, 0, 0, 1],
    ] {
        assert!(check(bytes).is_err(), "{bytes:?}");
    }
    assert!(check(&[0xFF; 16]).is_err());
}

#[test]
fn unknown_types_are_refused() {
    for kind in (0x14..0x7F).chain(0x80..0xFF) {
        assert_eq!(check(&one(kind, &[0; 16])), Err("unknown element type".into()));
    }
    assert!(check(&[8, 0, 0, 0, 0, b'a', 0, 0]).is_err());
}

#[test]
fn booleans_are_zero_or_one() {
    assert_eq!(check(&one(8, &[0])), Ok(()));
    assert_eq!(check(&one(8, &[1])), Ok(()));
    assert!(check(&one(8, &[2])).is_err());
    assert!(check(&one(8, &[])).is_err());
}

#[test]
fn strings_are_utf8_with_their_terminator() {
    assert_eq!(check(&one(2, b"\x03\0\0\0a\0\0")), Ok(()), "NUL within a string");
    assert!(check(&one(2, b"\x02\0\0\0ab")).is_err(), "no terminator");
    assert!(
        check(&one(2, b"\x00\0\0\0")).is_err(),
        "length without terminator"
    );
    assert!(check(&one(2, b"\xFF\xFF\xFF\xFF\0")).is_err(), "negative length");
    assert!(check(&one(2, b"\x03\0\0\0\xC3\x28\0")).is_err(), "not UTF-8");
    assert!(check(&one(2, b"\x09\0\0\0a\0")).is_err(), "past the end");
}

#[test]
fn names_are_utf8() {
    assert!(check(&[9, 0, 0, 0, 0x0A, 0xC3, 0x28, 0, 0]).is_err());
    assert_eq!(check(&[9, 0, 0, 0, 0x0A, 0xC3, 0xA9, 0, 0]), Ok(()));
    assert!(check(&[7, 0, 0, 0, 0x0A, b'a', 0]).is_err(), "name without end");
}

#[test]
fn old_binaries_repeat_their_length() {
    assert_eq!(check(&one(5, b"\x06\0\0\0\x02\x02\0\0\0ab")), Ok(()));
    assert!(check(&one(5, b"\x06\0\0\0\x02\x03\0\0\0ab")).is_err());
    assert!(check(&one(5, b"\x06\0\0\0\x02\x01\0\0\0ab")).is_err());
    assert!(check(&one(5, b"\x03\0\0\0\x02\x00\0\0")).is_err());
    assert!(check(&one(5, b"\x06\0\0\0\x02\xFF\xFF\xFF\xFFab")).is_err());
}

#[test]
fn code_with_scope_is_exactly_its_parts() {
    let good = b"\x10\0\0\0\x02\0\0\0x\0\x05\0\0\0\0";
    assert!(
        check(&one(0x0F, good)).is_err(),
        "the length counts itself: 15, not 16"
    );
    assert_eq!(check(&one(0x0F, b"\x0F\0\0\0\x02\0\0\0x\0\x05\0\0\0\0")), Ok(()));
    assert!(check(&one(0x0F, b"\x0E\0\0\0\x02\0\0\0x\0\x05\0\0\0\0")).is_err());
    assert!(check(&one(0x0F, b"\x03\0\0\0\x02\0\0\0x\0\x05\0\0\0\0")).is_err());
    assert!(check(&one(0x0F, b"\x10\0\0\0\x02\0\0\0x\0\x05\0\0\0\0\0")).is_err());
}

#[test]
fn nesting_has_a_limit_for_messages_and_one_for_storage() {
    assert_eq!(check(&nested(MESSAGE_DEPTH_MAX)), Ok(()));
    let error = RawDocument::new(&nested(MESSAGE_DEPTH_MAX + 1)).unwrap_err();
    assert!(error.is_too_deep());
    let deepest = nested(NESTING_DEPTH_MAX);
    assert!(
        !RawDocument::new(&deepest)
            .unwrap()
            .is_deeper_than(NESTING_DEPTH_MAX)
    );
    assert!(
        RawDocument::new(&deepest)
            .unwrap()
            .is_deeper_than(NESTING_DEPTH_MAX - 1)
    );
}

#[test]
fn every_cut_of_a_valid_document_is_refused() {
    let whole = encode_document(&doc! {
        "s": "text", "d": {"x": 1.5}, "a": [1, 2_i64, null, true], "i": value::ObjectId::generate(),
        "b": Value::Binary(value::Binary { subtype: 2, bytes: vec![1, 2] }),
        "r": value::Regex { pattern: "x".into(), options: "i".into() },
        "c": Value::JavaScriptWithScope("f".into(), doc! {"y": 1}),
    });
    assert_eq!(check(&whole), Ok(()));
    for cut in 0..whole.len() {
        assert!(check(&whole[..cut]).is_err());
        let mut patched = whole[..cut].to_vec();
        if cut >= 4 {
            patched[..4].copy_from_slice(&(cut as u32).to_le_bytes());
            assert!(check(&patched).is_err(), "cut at {cut}");
        }
    }
}
