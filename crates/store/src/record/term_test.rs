//! Revisions compared with those of CouchDB 3.5.

use super::Revision;
use value::{DocumentBuf, doc};

fn first(document: &value::Document) -> String {
    Revision::of(None, false, Some(DocumentBuf::from(document).as_raw())).to_string()
}

#[test]
fn a_revision_is_the_one_that_couchdb_computes() {
    assert_eq!(first(&doc! {"_id": "any"}), "1-967a00dff5e02add41819138abb3284d");
    assert_eq!(
        first(&doc! {"_id": "x", "a": 2}),
        "1-3975759ccff3842adf690a5c10caee42"
    );
    assert_eq!(first(&doc! {"a": 1}), "1-23202479633c2b380f79507a776743d5");
}

#[test]
fn a_deletion_follows_its_parent() {
    let parent = Revision::of(None, false, Some(DocumentBuf::from(&doc! {"_id": "x"}).as_raw()));
    let deletion = Revision::deletion_of(&parent);
    assert_eq!(deletion.to_string(), "2-eec205a9d413992850a6e32678485900");
    let bare = DocumentBuf::from(&doc! {"_id": "x"});
    assert_eq!(Revision::of(Some(&parent), true, Some(bare.as_raw())), deletion);
}

// The hashes of the following were computed by an independent encoder of Erlang terms.

#[test]
fn every_kind_of_json_value_is_the_term_that_couchdb_makes_of_it() {
    let numbers = value::json::parse_document(
        r#"{"s":"ü","t":true,"n":null,"i":[-1,300,-2147483648,2147483648,-9007199254740993],"f":[1.0,-0.5],
            "b":[1,2,255],"e":[],"o":{"x":{}},"z":[0,256]}"#,
    );
    let numbers = numbers.expect("JSON");
    assert_eq!(first(&numbers), "1-a4f9a8324c59aff6d615cdb49e4a1342");
}

#[test]
fn a_typed_value_is_hashed_as_the_object_that_stands_for_it() {
    let dated = doc! {"at": (value::Value::DateTime(1000))};
    assert_eq!(first(&dated), "1-00e3e8b9d25dbf77e980c5e8ec446435");
}

#[test]
fn attachments_are_hashed_by_name_type_and_digest() {
    let attachment =
        |kind: &str, digest: &str| doc! {"content_type": kind, "digest": digest, "revpos": 1, "file": 7};
    let attachments = doc! {
        "a.txt": (attachment("application/octet-stream", "md5-XUFAKrxLKna5cZ2REBfFkg==")),
        "b.txt": (attachment("text/plain", "md5-ndTkYSaMgDT1yFZOFVxnpg==")),
    };
    let document = doc! {"_id": "x", "a": 1, "_attachments": (attachments)};
    assert_eq!(first(&document), "1-a847c0b12649b2ae8264da6f88640cdf");
}
