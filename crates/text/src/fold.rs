//! Texts without case and marks.

use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

/// The text in lower case; where the I has two kinds, each becomes its own.
pub(crate) fn lower(text: &str, dotless_i: bool) -> Cow<'_, str> {
    if dotless_i && text.contains(['I', 'İ']) {
        let kept = |c: char| match c {
            'I' => 'ı',
            'İ' => 'i',
            other => other,
        };
        return Cow::Owned(text.chars().map(kept).collect::<String>().to_lowercase());
    }
    if text
        .bytes()
        .all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase())
    {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.to_lowercase())
}

/// Without the marks on letters (é becomes e).
pub(crate) fn without_marks(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let is_letter = |c: &char| canonical_combining_class(*c) == 0;
    Cow::Owned(text.nfd().filter(is_letter).nfc().collect())
}
