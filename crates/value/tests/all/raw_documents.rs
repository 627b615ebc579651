//! Reading and writing BSON bytes.

use crate::support::any_document;
use proptest::prelude::*;
use value::raw::{DocumentWriter, encode_document};
use value::{Document, DocumentBuf, RawDocument, Value, ValueRef, doc};

/// Bit for bit equal, also where doubles are NaN.
fn same(a: &Document, b: &Document) -> bool {
    encode_document(a) == encode_document(b)
}

#[test]
fn integers_and_texts_have_bsons_bytes() {
    let bytes = encode_document(&doc! {"hello": "world", "n": 7});
    assert_eq!(
        bytes,
        b"\x1d\0\0\0\x02hello\0\x06\0\0\0world\0\x10n\0\x07\0\0\0\0"
    );
}

#[test]
fn a_zero_byte_does_not_end_a_name() {
    let regex = value::Regex {
        pattern: "x\0".to_owned(),
        options: "\0i".to_owned(),
    };
    let tree = doc! {"a\0b": {"\0": 1}, "r": regex, "c": "x\0y"};
    let written = RawDocument::new(&encode_document(&tree)).unwrap().to_document();
    let shown = value::Regex {
        pattern: "x\u{FFFD}".to_owned(),
        options: "\u{FFFD}i".to_owned(),
    };
    assert_eq!(
        written,
        doc! {"a\u{FFFD}b": {"\u{FFFD}": 1}, "r": shown, "c": "x\0y"}
    );
}

#[test]
fn fields_are_found_by_name_without_decoding_the_rest() {
    let raw = DocumentBuf::from(&doc! {"a": {"x": 1}, "b": [1, 2], "c": "text", "": 5, "c": "again"});
    let raw = raw.as_raw();
    assert_eq!(raw.get("c").unwrap().as_str(), Some("text"));
    assert_eq!(raw.get("").unwrap().as_i64_exact(), Some(5));
    assert!(raw.get("x").is_none());
    assert_eq!(
        raw.get("b")
            .unwrap()
            .as_array()
            .unwrap()
            .get(1)
            .unwrap()
            .as_i64_exact(),
        Some(2)
    );
}

#[test]
fn a_writer_nests_and_copies_elements() {
    let source = DocumentBuf::from(&doc! {"keep": [1, 2], "drop": 1});
    let mut out = vec![9, 9];
    let mut writer = DocumentWriter::new(&mut out);
    let (element, ..) = source.as_raw().iter().next_element().unwrap();
    writer.put_element(element);
    writer.put_document("inner", |inner| {
        inner.put_array("list", |list| list.put("0", ValueRef::Null));
    });
    writer.finish();
    let written = RawDocument::new(&out[2..]).unwrap().to_document();
    assert_eq!(written, doc! {"keep": [1, 2], "inner": {"list": [null]}});
}

#[test]
fn old_binaries_hide_their_inner_length() {
    let binary = value::Binary {
        subtype: 2,
        bytes: vec![1, 2, 3],
    };
    let bytes = encode_document(&Document::new().with("b", binary.clone()));
    assert_eq!(bytes.get(7..16), Some(&[7, 0, 0, 0, 2, 3, 0, 0, 0][..]));
    assert_eq!(
        RawDocument::new(&bytes).unwrap().to_document().get("b"),
        Some(&Value::Binary(binary))
    );
}

proptest! {
    #[test]
    fn every_document_comes_back_from_its_bytes(document in any_document()) {
        let bytes = encode_document(&document);
        let raw = RawDocument::new(&bytes).unwrap();
        prop_assert!(same(&raw.to_document(), &document));
        prop_assert!(raw.iter().map(|(name, _)| name).eq(document.iter().map(|(name, _)| name)));
    }

    #[test]
    fn elements_put_one_by_one_make_the_same_bytes(document in any_document()) {
        let bytes = encode_document(&document);
        let mut out = Vec::new();
        let mut writer = DocumentWriter::new(&mut out);
        RawDocument::new(&bytes).unwrap().iter().for_each(|(name, value)| writer.put(name, value));
        prop_assert_eq!(writer.size_bytes() + 1, bytes.len());
        writer.finish();
        prop_assert_eq!(out, bytes);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(prop_oneof![0u8..20, any::<u8>()], 0..60)) {
        let _ = RawDocument::from_validated(&bytes).iter().count();
        if let Ok(raw) = RawDocument::new(&bytes) {
            prop_assert_eq!(raw.iter().count(), raw.to_document().len());
        }
    }

    #[test]
    fn truncated_and_relabelled_documents_are_refused(document in any_document(), share in 0usize..100) {
        let bytes = encode_document(&document);
        let mut cut = bytes[..bytes.len() * share / 100].to_vec();
        prop_assert!(RawDocument::new(&cut).is_err());
        if cut.len() >= 4 {
            let length = (cut.len() as u32).to_le_bytes();
            cut[..4].copy_from_slice(&length);
            // Now and then the cut is at an element's end, where a zero follows.
            if let Ok(raw) = RawDocument::new(&cut) {
                prop_assert!(raw.iter().count() <= document.len());
            }
        }
    }
}
