//! Lists of names with commas between them, in which `*` stands for any text.

use search::simple_match;

/// Whether a list has a name.
pub fn is_listed(names: &str, name: &str) -> bool {
    names.split(',').any(|pattern| simple_match(pattern, name))
}

/// The same where `_all` is every name.
pub fn is_listed_or_all(names: &str, name: &str) -> bool {
    is_listed(names, name) || names.split(',').any(|pattern| pattern == "_all")
}
