//! JSON to BSON and back, so that what a client wrote comes back as it was.
//!
//! Text becomes BSON bytes in one pass ([`Reader`]), without a tree between. Types that JSON lacks are written as relaxed
//! MongoDB Extended JSON; an object that reads exactly so becomes the value that it stands for, and every other object with `$`
//! names stays the object that it is. Names that CouchDB keeps for itself are written in another form ([`underscored`]).
//! Trees of JSON can be written as YAML ([`yaml`]).
//!
//! Left to others: what a document's members mean (the protocols), the types of BSON and their text (`value`).

mod members;
mod memory;
mod read;
pub mod underscored;
pub mod yaml;

pub use members::keep_last_of_each_name;
pub use memory::tree_bytes;
pub use read::{Reader, finish, put_string};

use serde_json::Map;
use value::json::Mode;
use value::raw::NESTING_DEPTH_MAX;
use value::{DocumentBuf, DocumentRef, RawDocument, ValueRef};

/// Why a text is no JSON that can be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonError {
    /// It is not JSON in UTF-8.
    #[error("invalid UTF-8 JSON")]
    Invalid,
    /// It is JSON of another kind than is wanted here.
    #[error("{0}")]
    Unexpected(&'static str),
    /// More levels than a document may have.
    #[error("The document is nested more than {NESTING_DEPTH_MAX} levels deep")]
    TooDeep,
}

/// CouchDB says no more than this.
impl From<value::json::JsonError> for JsonError {
    fn from(_: value::json::JsonError) -> JsonError {
        JsonError::Invalid
    }
}

/// Appends a value's text.
pub fn write(value: ValueRef<'_>, out: &mut String) {
    value::json::write(value, Mode::Relaxed, out);
}

/// Appends a text in quotes.
pub fn write_string(text: &str, out: &mut String) {
    write(ValueRef::String(text), out);
}

/// Appends `,"name":value` for each field that `keep` does not refuse, under the name that clients see.
pub fn write_fields(document: RawDocument<'_>, keep: impl Fn(&str) -> bool, out: &mut String) {
    for (name, value) in document.iter() {
        if keep(name) {
            out.push(',');
            write_string(&underscored::shown(name), out);
            out.push(':');
            write(value, out);
        }
    }
}

/// A document as an object of JSON.
pub fn object(document: &DocumentBuf) -> Map<String, serde_json::Value> {
    object_of(document.as_ref(), false)
}

/// The same with numbers in place of the decimals that [`Reader::exact_document_buf`] makes of them.
pub fn exact_object(document: &DocumentBuf) -> Map<String, serde_json::Value> {
    object_of(document.as_ref(), true)
}

/// The number that a decimal stands for where it is a whole one from 2^63 to 2^64, written without a point or an exponent.
pub fn unsigned(value: ValueRef<'_>) -> Option<u64> {
    let ValueRef::Decimal128(decimal) = value else {
        return None;
    };
    let number = decimal.to_string().parse::<u64>().ok()?;
    i64::try_from(number).is_err().then_some(number)
}

fn object_of(document: DocumentRef<'_>, is_exact: bool) -> Map<String, serde_json::Value> {
    let fields = document.iter();
    fields
        .map(|(name, value)| (name.to_owned(), tree(value, is_exact)))
        .collect()
}

/// A value as a tree; those that JSON has are not written as text before.
fn tree(value: ValueRef<'_>, is_exact: bool) -> serde_json::Value {
    match value {
        ValueRef::String(text) => text.into(),
        ValueRef::Document(document) => object_of(document, is_exact).into(),
        ValueRef::Array(array) => array.iter().map(|value| tree(value, is_exact)).collect(),
        ValueRef::Int32(number) => number.into(),
        ValueRef::Bool(flag) => flag.into(),
        other => match unsigned(other).filter(|_| is_exact) {
            Some(number) => number.into(),
            None => {
                let mut text = String::new();
                write(other, &mut text);
                serde_json::from_str(&text).unwrap_or_default()
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::Value;

    /// A text that was read and is written again.
    pub(super) fn through(text: &str) -> String {
        let value = Reader::whole(text.as_bytes()).expect("JSON");
        let mut out = String::new();
        write(value.as_ref(), &mut out);
        out
    }

    #[test]
    fn json_comes_back_as_it_was_written() {
        for text in [
            r#"{"b":1,"a":[true,null,"\u0001x",-0.5,9007199254740993],"":{}}"#,
            r#"{"$date":"never"}"#,
            r#"{"$numberLong":"5"}"#,
            r#"{"$unknown":{"$oid":"0123456789abcdef01234567"}}"#,
        ] {
            assert_eq!(through(text), text);
        }
    }

    #[test]
    fn numbers_without_a_sign_keep_their_digits_where_that_is_asked_for() {
        let text = r#"{"a":[18446744073709551615,9223372036854775807,{"b":9223372036854775808}],"c":{"$numberDecimal":"18446744073709551615"},"d":{"$numberDecimal":"5"},"e":18446744073709551616,"f":-9223372036854775809}"#;
        let document = Reader::exact_document_buf(text.as_bytes())
            .expect("JSON")
            .expect("a document");
        let given: serde_json::Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(serde_json::Value::Object(exact_object(&document)), given);
        let plain = Reader::document_buf(br#"{"a":18446744073709551615}"#)
            .expect("JSON")
            .expect("a document");
        let value = plain.as_ref().get("a").map(ValueRef::to_value);
        assert_eq!(value, Some(Value::Double(18_446_744_073_709_551_616.0)));
        assert_eq!(
            object(&plain).get("a"),
            Some(&serde_json::json!(18_446_744_073_709_551_616.0))
        );
    }

    #[test]
    fn a_document_is_read_without_a_tree() {
        let read = |text: &str| Reader::document_buf(text.as_bytes());
        let text = r#" {"a":{"b":[1,"x"]},"c":null} "#;
        let document = read(text).expect("JSON").expect("a document");
        assert_eq!(
            Reader::whole(text.as_bytes()),
            Ok(Value::Document(document.to_document()))
        );
        assert_eq!(read(r#"{"$date":"1970-01-01T00:00:01Z"}"#), Ok(None));
        assert_eq!(read("[1]"), Ok(None));
        assert!(read("{").is_err() && read("{} 1").is_err() && read("[").is_err());
    }

    #[test]
    fn an_object_is_what_its_text_would_be_read_as() {
        let text = r#"{"a":"ä\"","b":[1,-2.5,5.0,-0.0,1e300,true,null,{"c":{}},[]],"d":9007199254740993,"e":{"$date":"1970-01-01T00:00:01Z"},
            "f":{"$oid":"0123456789abcdef01234567"},"g":{"$numberDouble":"NaN"},"a":2}"#;
        let Ok(Value::Document(document)) = Reader::whole(text.as_bytes()) else {
            panic!("no document");
        };
        let mut written = String::new();
        write(Value::Document(document.clone()).as_ref(), &mut written);
        let read: Map<String, serde_json::Value> = serde_json::from_str(&written).expect("JSON");
        let object = object(&DocumentBuf::from(&document));
        assert_eq!(
            serde_json::Value::from(object).to_string(),
            serde_json::Value::from(read).to_string()
        );
    }

    #[test]
    fn extended_json_of_the_relaxed_form_is_a_typed_value() {
        let typed = |text: &str| Reader::whole(text.as_bytes()).expect("JSON");
        assert_eq!(
            typed(r#"{ "$date" : "1970-01-01T00:00:01Z" }"#),
            Value::DateTime(1000)
        );
        assert!(matches!(
            typed(r#"{"$numberDecimal":"1.10"}"#),
            Value::Decimal128(_)
        ));
        assert!(matches!(
            typed(r#"{"$oid":"0123456789abcdef01234567"}"#),
            Value::ObjectId(_)
        ));
        // Written in another form, it would come back as another text.
        assert!(matches!(
            typed(r#"{"$oid":"0123456789ABCDEF01234567"}"#),
            Value::Document(_)
        ));
        // A deeply nested scope is written as it was read.
        let nested = (0..20).fold("{}".to_owned(), |inner, _| {
            format!(r#"{{"$code":"x","$scope":{inner}}}"#)
        });
        assert_eq!(through(&nested), nested);
    }

    #[test]
    fn numbers_keep_their_kind() {
        let kind = |text: &str| Reader::whole(text.as_bytes()).expect("JSON");
        assert_eq!(kind("2147483647"), Value::Int32(i32::MAX));
        assert_eq!(kind("2147483648"), Value::Int64(2_147_483_648));
        assert_eq!(kind("1.0"), Value::Double(1.0));
        assert_eq!(through("1.0"), "1.0");
    }

    #[test]
    fn malformed_json_is_refused() {
        for text in [
            "",
            "{",
            "[1,]",
            "{\"a\" 1}",
            "01",
            "1.",
            "+1",
            "nul",
            "\"\\x\"",
            "1 2",
            "\"\u{1}\"",
        ] {
            assert!(Reader::whole(text.as_bytes()).is_err(), "{text}");
        }
    }
}
