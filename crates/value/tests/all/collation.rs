//! Strings are ordered as ICU's root locale orders them, by comparison and by sort key alike.

use std::cmp::Ordering;
use value::collation::{compare, sort_key};

/// ASCII in the order of CLDR's root collation, the letters but the first left out.
const ORDERED: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$019aAbB";

fn key(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    sort_key(text, &mut out);
    out
}

#[test]
fn punctuation_then_digits_then_letters() {
    let ordered: Vec<String> = ORDERED.chars().map(String::from).collect();
    assert!(ordered.is_sorted_by(|a, b| compare(a, b) == Ordering::Less));
    assert!(ordered.is_sorted_by(|a, b| key(a) < key(b)));
}

#[test]
fn lower_case_comes_first_but_only_breaks_ties() {
    let ordered = ["a", "A", "aa", "b", "B", "ba", "bb"];
    assert!(ordered.is_sorted_by(|a, b| compare(a, b) == Ordering::Less));
    assert!(ordered.is_sorted_by(|a, b| key(a) < key(b)));
}

#[test]
fn a_high_character_ends_the_range_of_a_prefix() {
    for inside in ["abc", "abcd", "abc zz", "abcé", "abc漢", "abc\u{1F600}"] {
        assert!(key(inside) < key("abc\u{FFF0}"), "{inside}");
    }
    assert!(key("abd") > key("abc\u{FFF0}"));
}

#[test]
fn sort_keys_hold_no_zero() {
    for text in [
        "",
        "a\u{0}b",
        "\u{1}",
        "\u{FFFF}",
        "\u{10FFFF}",
        "naïve",
        "漢字",
        "🦀",
    ] {
        assert!(!key(text).contains(&0), "{text:?}");
    }
}

proptest::proptest! {
    #[test]
    fn sort_keys_are_ordered_as_strings_are(a in ".{0,8}", b in ".{0,8}") {
        proptest::prop_assert_eq!(key(&a).cmp(&key(&b)), compare(&a, &b));
    }
}
