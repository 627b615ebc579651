//! Compressed columns: some that MongoDB has written, and each part of the format by itself.

use base64::Engine as _;
use proptest::prelude::*;
use value::column::{ColumnError, decode};
use value::raw::{encode_document, encode_value_into};
use value::{Binary, Decimal128, Document, ObjectId, Timestamp, Value, doc};

const MANY: usize = 10_000;
const LARGE: usize = 64 << 20;
const MISSING: u64 = u64::MAX;

fn of_base64(text: &str) -> Vec<Option<Value>> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
    decode(&bytes, MANY, LARGE).unwrap()
}

/// Values as a listing, so that they can be compared with their types.
fn shown(values: &[Option<Value>]) -> Vec<String> {
    let show = |value: &Option<Value>| {
        value
            .as_ref()
            .map_or("missing".to_owned(), |value| format!("{value:?}"))
    };
    values.iter().map(show).collect()
}

fn assert_values(found: &[Option<Value>], expected: &[Option<Value>]) {
    assert_eq!(shown(found), shown(expected));
}

fn some<T: Into<Value>>(values: impl IntoIterator<Item = T>) -> Vec<Option<Value>> {
    values.into_iter().map(|value| Some(value.into())).collect()
}

fn id(hex: &str) -> Value {
    Value::ObjectId(hex.parse::<ObjectId>().unwrap())
}

/// An element without a name.
fn literal(value: impl Into<Value>) -> Vec<u8> {
    let value = value.into();
    let mut element = vec![value.type_of() as u8, 0];
    encode_value_into(&mut element, value.as_ref());
    element
}

/// A part of blocks of one number each (60 bits), scaled as the upper half of `control` says.
fn blocks(control: u8, numbers: &[u64]) -> Vec<u8> {
    let mut part = vec![control | (numbers.len() - 1) as u8];
    for number in numbers {
        part.extend((number << 4 | 14).to_le_bytes());
    }
    part
}

/// One block of these bits.
fn block(word: u64) -> Vec<u8> {
    let mut part = vec![0x80];
    part.extend(word.to_le_bytes());
    part
}

fn column(parts: &[Vec<u8>]) -> Vec<Option<Value>> {
    let mut bytes = parts.concat();
    bytes.push(0);
    decode(&bytes, MANY, LARGE).unwrap()
}

#[test]
fn columns_of_mongodb_are_read() {
    let time = Value::DateTime(1_705_438_119_448);
    assert_values(
        &of_base64("CQAYhggUjQEAAIAOAAAAAAAAAAA="),
        &[Some(time.clone()), Some(time)],
    );
    assert_values(&of_base64("AQAAAAAAAAAAAJAuAAAAAAAAAAA="), &some([0.0, 1.0]));
    assert_values(
        &of_base64("BwBlpuun5tLoSOCMN1CALgAAAAAAAAAA"),
        &[
            Some(id("65a6eba7e6d2e848e08c3750")),
            Some(id("65a6eba7e6d2e848e08c3751")),
        ],
    );
    let start = 1_661_904_001_000;
    assert_values(
        &of_base64("CQDolzLxggEAAID+fAAAAAAAAAA="),
        &[Some(Value::DateTime(start)), Some(Value::DateTime(start - 1000))],
    );
    assert_values(&of_base64("EAAAAAAAgC4AAAAAAAAAAA=="), &some([0, 1]));
    assert_values(&of_base64("AgALAAAAcHJlVXBncmFkZQAA"), &some(["preUpgrade"]));
}

#[test]
fn numbers_follow_by_differences() {
    let parts = [literal(5), blocks(0x80, &[1, 2, 0, MISSING >> 4, 4])];
    assert_values(
        &column(&parts),
        &[Some(5), Some(4), Some(5), Some(5), None, Some(7)].map(|value| value.map(Value::Int32)),
    );
    let parts = [literal(Value::Int64(i64::MAX)), blocks(0x80, &[2])];
    assert_values(
        &column(&parts),
        &some([Value::Int64(i64::MAX), Value::Int64(i64::MIN)]),
    );
    let parts = [literal(false), blocks(0x80, &[2, 1])];
    assert_values(&column(&parts), &some([false, true, false]));
}

#[test]
fn doubles_are_scaled() {
    let parts = [literal(1.25), blocks(0xB0, &[2, 1])];
    assert_values(&column(&parts), &some([1.25, 1.26, 1.25]));
    let bits = (1.5_f64.to_bits() - 1.25_f64.to_bits()) << 1;
    assert_values(
        &column(&[literal(1.25), blocks(0x80, &[bits])]),
        &some([1.25, 1.5]),
    );
}

#[test]
fn times_follow_by_differences_of_differences() {
    let parts = [literal(Value::DateTime(1000)), blocks(0x80, &[20, 0, 1])];
    assert_values(
        &column(&parts),
        &some([1000, 1010, 1020, 1029].map(Value::DateTime)),
    );
    let at = |seconds, increment| Value::Timestamp(Timestamp { seconds, increment });
    let parts = [literal(at(7, 1)), blocks(0x80, &[2, 0])];
    assert_values(&column(&parts), &some([at(7, 1), at(7, 2), at(7, 3)]));
}

#[test]
fn texts_bytes_and_decimals_follow_by_wide_differences() {
    let parts = [literal("ab"), blocks(0x80, &[2, u64::from(b'c' - b'a') << 9])];
    assert_values(&column(&parts), &some(["ab", "ac", "cc"]));
    let binary = |bytes: &[u8]| {
        Value::Binary(Binary {
            subtype: 0,
            bytes: bytes.to_vec(),
        })
    };
    let parts = [literal(binary(&[1, 2])), blocks(0x80, &[2])];
    assert_values(&column(&parts), &some([binary(&[1, 2]), binary(&[2, 2])]));
    let decimal = |text: &str| Value::Decimal128(text.parse::<Decimal128>().unwrap());
    let parts = [literal(decimal("1.5")), blocks(0x80, &[2])];
    assert_values(&column(&parts), &some([decimal("1.5"), decimal("1.6")]));
}

#[test]
fn values_without_differences_repeat() {
    let long = "a text of more than sixteen bytes";
    assert_values(&column(&[literal(long), blocks(0x80, &[0])]), &some([long, long]));
    let parts = [
        literal(Value::Null),
        blocks(0x80, &[0]),
        literal(Value::MinKey),
        literal(Value::MaxKey),
    ];
    assert_values(
        &column(&parts),
        &some([Value::Null, Value::Null, Value::MinKey, Value::MaxKey]),
    );
}

#[test]
fn values_may_be_missing_from_the_start() {
    let parts = [blocks(0x80, &[MISSING >> 4, 0]), literal(1)];
    assert_values(&column(&parts), &[None, None, Some(Value::Int32(1))]);
}

#[test]
fn a_run_repeats_the_number_before() {
    let parts = [literal(1), blocks(0x80, &[2]), block(15)];
    let expected: Vec<i32> = (1..=122).collect();
    assert_values(&column(&parts), &some(expected));
    let twice = column(&[literal("x"), block(15 | 1 << 4)]);
    assert_eq!(twice.len(), 241);
}

#[test]
fn zeros_at_the_end_of_numbers_are_counted() {
    // Selector 7 with extension 9: 52 bits and a count of zeros; selector 8 counts them by fours.
    let seven = 7 | 9 << 4 | 3 << 8 | 1 << 12;
    assert_values(&column(&[literal(0), block(seven)]), &some([0, 4]));
    let eight = 8 | 7 << 4 | 2 << 8 | 1 << 12;
    assert_values(&column(&[literal(0), block(eight)]), &some([0, 128]));
    let wide = 8 | 13 << 4 | 31 << 8 | 1 << 13;
    let parts = [literal("a234567890123456"), block(wide)];
    assert_values(&column(&parts), &some(["a234567890123456", "i234567890123456"]));
}

fn reference(control: u8, document: &Document) -> Vec<u8> {
    [vec![control], encode_document(document)].concat()
}

#[test]
fn documents_of_like_fields_are_put_together() {
    let of = doc! {"a": 1, "b": {"c": "x", "empty": {}}, "list": [1.5]};
    let parts = [
        reference(0xF1, &of),
        blocks(0x80, &[0, 2, MISSING >> 4]),
        blocks(0x80, &[0, MISSING >> 4, MISSING >> 4]),
        blocks(0xA0, &[0]),
        literal("another"),
        blocks(0xA0, &[MISSING >> 4]),
        vec![0],
    ];
    let found = column(&parts);
    assert_values(
        &found,
        &[
            Some(Value::Document(of)),
            Some(Value::Document(
                doc! {"a": 2, "b": {"empty": {}}, "list": ["another"]},
            )),
            Some(Value::Document(doc! {"b": {"empty": {}}})),
        ],
    );
}

#[test]
fn a_document_of_which_nothing_is_there_is_missing() {
    let parts = [
        reference(0xF0, &doc! {"a": [1], "b": 2}),
        blocks(0x80, &[MISSING >> 4, 0]),
        blocks(0x80, &[MISSING >> 4, 0]),
        vec![0],
        blocks(0x80, &[0]),
    ];
    let whole = Value::Document(doc! {"a": [1], "b": 2});
    assert_values(&column(&parts), &[None, Some(whole.clone()), Some(whole)]);
}

#[test]
fn arrays_are_put_together() {
    let parts = [
        reference(0xF2, &doc! {"0": 1, "1": "x"}),
        blocks(0x80, &[2]),
        blocks(0x80, &[0]),
        vec![0],
    ];
    let array = Value::Array(vec![Value::Int32(2), Value::from("x")]);
    assert_values(&column(&parts), &[Some(array)]);
}

#[test]
fn malformed_columns_are_refused() {
    let refused = |bytes: &[u8]| decode(bytes, MANY, LARGE).unwrap_err();
    assert_eq!(refused(&[]), ColumnError::CutOff);
    assert_eq!(refused(&literal(1)), ColumnError::CutOff);
    assert_eq!(refused(&blocks(0x80, &[1])[..5]), ColumnError::CutOff);
    assert!(matches!(refused(&[0, 1]), ColumnError::Damaged(_)));
    assert!(matches!(refused(&[0xE0]), ColumnError::Damaged(_)));
    assert!(matches!(refused(&block(0)), ColumnError::Damaged(_)));
    assert!(matches!(refused(&block(1 << 4 | 2)), ColumnError::Damaged(_)));
    assert!(matches!(
        refused(&[2, 0, 9, 0, 0, 0, b'x', 0]),
        ColumnError::Bson(_)
    ));
    assert!(matches!(
        refused(&reference(0xF1, &doc! {"a": {}})),
        ColumnError::Damaged(_)
    ));
    let run = [literal(1), block(15 | 15 << 4)].concat();
    assert_eq!(decode(&run, 100, LARGE).unwrap_err(), ColumnError::TooLong(100));
    let run = [literal("x".repeat(10_000)), block(15 | 15 << 4)].concat();
    assert_eq!(
        decode(&run, MANY, 1 << 20).unwrap_err(),
        ColumnError::TooLarge(1 << 20)
    );
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode(&bytes, MANY, LARGE);
    }

    #[test]
    fn any_blocks_behind_a_literal_are_read_or_refused(words in prop::collection::vec(any::<u64>(), 1..16), kind in 0..4) {
        let start = match kind {
            0 => literal("abc"),
            1 => literal(1.5),
            2 => literal(Value::DateTime(0)),
            _ => reference(0xF1, &doc! {"a": 1, "b": "x"}),
        };
        let mut bytes = start;
        bytes.push(0x90 | (words.len() - 1) as u8);
        words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes.push(0);
        let _ = decode(&bytes, MANY, LARGE);
    }
}
