//! Collations as MongoDB's clients describe them.

use std::cmp::Ordering;
use value::collation::{Collation, CollationError};
use value::{Document, Type, Value, compare, doc};

fn collation(options: Document) -> Collation {
    Collation::parse(&options).unwrap().unwrap()
}

fn error(options: Document) -> CollationError {
    Collation::parse(&options).unwrap_err()
}

fn wrong_type(option: &'static str, found: Type, wanted: &'static str) -> CollationError {
    CollationError::WrongType {
        option,
        found,
        wanted,
    }
}

#[test]
fn strength_says_what_is_told_apart() {
    let at = |strength: i32| collation(doc! {"locale": "en", "strength": strength});
    assert_eq!(at(1).compare("cafe", "CAFÉ"), Ordering::Equal);
    assert_eq!(at(2).compare("cafe", "CAFE"), Ordering::Equal);
    assert_eq!(at(2).compare("cafe", "café"), Ordering::Less);
    assert_eq!(at(3).compare("cafe", "CAFE"), Ordering::Less);
}

#[test]
fn numbers_in_text_go_by_value_where_asked() {
    let numeric = collation(doc! {"locale": "en", "numericOrdering": true});
    assert_eq!(numeric.compare("a10", "a9"), Ordering::Greater);
    assert_eq!(
        collation(doc! {"locale": "en"}).compare("a10", "a9"),
        Ordering::Less
    );
}

#[test]
fn case_and_punctuation_go_as_asked() {
    let upper = collation(doc! {"locale": "en", "caseFirst": "upper"});
    assert_eq!(upper.compare("A", "a"), Ordering::Less);
    let shifted = collation(doc! {"locale": "en", "alternate": "shifted"});
    assert_eq!(shifted.compare("a-b", "ab"), Ordering::Equal);
    let case = collation(doc! {"locale": "en", "strength": 1, "caseLevel": true});
    assert_eq!(case.compare("é", "e"), Ordering::Equal);
    assert_eq!(case.compare("E", "e"), Ordering::Greater);
}

#[test]
fn languages_have_their_own_order() {
    assert_eq!(
        collation(doc! {"locale": "sv"}).compare("ö", "z"),
        Ordering::Greater
    );
    assert_eq!(collation(doc! {"locale": "de"}).compare("ö", "z"), Ordering::Less);
    let phonebook = collation(doc! {"locale": "de@collation=phonebook", "strength": 1});
    assert_eq!(phonebook.compare("ö", "oe"), Ordering::Equal);
}

#[test]
fn key_values_compare_as_the_collation_does() {
    let collation = collation(doc! {"locale": "en", "strength": 2});
    let values: [Value; 7] = [
        "b".into(),
        "B".into(),
        "".into(),
        "a\u{301}".into(),
        doc! {"x": "Y"}.into(),
        doc! {"x": "y", "z": 1}.into(),
        Value::Array(vec!["Q".into(), 1.into()]),
    ];
    for a in &values {
        for b in &values {
            let (x, y) = (collation.key_value(a.as_ref()), collation.key_value(b.as_ref()));
            let expected = collation.compare_values(a.as_ref(), b.as_ref());
            assert_eq!(compare(x.as_ref(), y.as_ref()), expected, "{a:?} {b:?}");
        }
    }
}

#[test]
fn all_options_are_listed() {
    let listed = collation(doc! {"locale": "en", "strength": 2});
    let expected = doc! {
        "locale": "en", "caseLevel": false, "caseFirst": "off", "strength": 2, "numericOrdering": false,
        "alternate": "non-ignorable", "maxVariable": "punct", "normalization": false, "backwards": false,
        "version": "57.1",
    };
    assert_eq!(listed.description(), &expected);
}

#[test]
fn wrong_options_are_refused_with_the_kind_of_mistake() {
    assert_eq!(error(doc! {"strength": 1}), CollationError::Missing("locale"));
    assert_eq!(
        error(doc! {"locale": 1}),
        wrong_type("locale", Type::Int32, "string")
    );
    for options in [
        doc! {"locale": ""},
        doc! {"locale": "xx"},
        doc! {"locale": "en", "strength": 1, "caseFirst": "upper"},
    ] {
        assert!(matches!(error(options), CollationError::Invalid(_)));
    }
    assert_eq!(
        error(doc! {"locale": "en", "strength": 6}),
        CollationError::Strength("6".to_owned())
    );
    assert_eq!(
        error(doc! {"locale": "en", "strength": "2"}),
        wrong_type("strength", Type::String, "number")
    );
    assert_eq!(
        error(doc! {"locale": "en", "alternate": "no"}),
        CollationError::NotAChoice {
            option: "alternate",
            word: "no".to_owned()
        }
    );
    assert_eq!(
        error(doc! {"locale": "en", "colour": 1}),
        CollationError::Unknown("colour".to_owned())
    );
    for flag in ["caseLevel", "numericOrdering", "normalization", "backwards"] {
        assert_eq!(
            error(doc! {"locale": "en"}.with(flag, 1)),
            wrong_type(flag, Type::Int32, "bool")
        );
    }
    assert_eq!(
        error(doc! {"locale": "en", "backwards": null}),
        wrong_type("backwards", Type::Null, "bool")
    );
}

#[test]
fn locales_without_an_order_of_their_own_cannot_be_asked_for() {
    let asked = |options: Document| Collation::parse_asked(&options);
    for locale in [
        "en",
        "en_US",
        "en_US_POSIX",
        "de_AT",
        "zh_Hant",
        "de@collation=phonebook",
        "de@collation=eor",
        "simple",
    ] {
        assert!(asked(doc! {"locale": locale}).is_ok(), "{locale}");
    }
    for locale in [
        "en_GB",
        "pt_BR",
        "de_DE",
        "en_us",
        "fr_FR@collation=search",
        "en@collation=phonebook",
        "de@collation=other",
        "zh@collation=pinyin",
    ] {
        let error = asked(doc! {"locale": locale}).unwrap_err();
        assert!(matches!(error, CollationError::Invalid(_)), "{locale}: {error}");
    }
    // One that was kept is still read.
    assert!(Collation::parse(&doc! {"locale": "en_GB"}).is_ok());
}

#[test]
fn accents_from_the_end_need_a_strength_that_compares_accents() {
    for options in [
        doc! {"locale": "fr", "backwards": true, "strength": 1},
        doc! {"locale": "fr_CA", "strength": 1},
    ] {
        let error = Collation::parse_asked(&options).unwrap_err();
        assert!(
            matches!(error, CollationError::Invalid(_)),
            "{options:?}: {error}"
        );
    }
    let options = doc! {"locale": "fr_CA", "backwards": false, "strength": 1};
    assert!(Collation::parse_asked(&options).is_ok());
}

#[test]
fn simple_is_the_order_of_bytes_whatever_else_is_asked_for() {
    for options in [
        doc! {"locale": "simple"},
        doc! {"locale": "simple", "strength": 1},
    ] {
        assert!(Collation::parse(&options).unwrap().is_none());
    }
}

#[test]
fn accents_are_compared_from_the_end_where_asked() {
    let order = |options| collation(options).compare("cot\u{e9}", "c\u{f4}te");
    assert_eq!(order(doc! {"locale": "fr_CA"}), Ordering::Greater);
    assert_eq!(
        order(doc! {"locale": "fr_CA", "backwards": false}),
        Ordering::Less
    );
    for locale in ["en", "fr"] {
        assert_eq!(order(doc! {"locale": locale}), Ordering::Less);
        assert_eq!(
            order(doc! {"locale": locale, "backwards": true}),
            Ordering::Greater
        );
    }
    let listed = collation(doc! {"locale": "en", "backwards": true});
    assert_eq!(listed.description().get("locale"), Some(&"en".into()));
    assert_eq!(listed.description().get("backwards"), Some(&true.into()));
    assert!(matches!(
        error(doc! {"locale": "sv", "backwards": true}),
        CollationError::NotSupported(_)
    ));
}
