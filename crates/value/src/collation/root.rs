//! The root collation, by which CouchDB orders its views.
//!
//! These are the settings of CouchDB's view collation: ICU's root locale, tertiary strength, punctuation not ignored
//! (CouchDB documentation, "Views Collation"; data: CLDR root collation). So `a < A < aa < b`, whatever the bytes are.

use icu_collator::options::{CollatorOptions, Strength};
use icu_collator::{Collator, CollatorBorrowed};
use std::cmp::Ordering;
use std::sync::LazyLock;

static ROOT: LazyLock<CollatorBorrowed<'static>> = LazyLock::new(|| {
    let mut options = CollatorOptions::default();
    options.strength = Some(Strength::Tertiary);
    // The root locale's data is compiled in, so it is always found.
    Collator::try_new(Default::default(), options).expect("the root collation is compiled in")
});

/// Compares two strings by the root collation. Canonically equivalent strings are equal.
pub fn compare(a: &str, b: &str) -> Ordering {
    ROOT.compare(a, b)
}

/// Appends bytes whose order is the order of [`compare`]. They hold no zero byte, so a zero may end them.
///
/// Sort keys belong to one version of the collation data: what stores them must store [`VERSION`] too.
pub fn sort_key(text: &str, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let Ok(()) = ROOT.write_sort_key_to(text, out);
}

/// Changes whenever sort keys of an earlier build may differ from those of this one.
pub const VERSION: u8 = 1;
