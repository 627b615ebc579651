//! Members whose names begin with an underscore, which CouchDB keeps for itself.
//!
//! Documents of MongoDB have such members too (`__v`, `_acl`), and CouchDB and PouchDB refuse whatever has one. So a
//! client is shown `$__v` instead, which every store takes, and `$__v` that comes from a client is stored as `__v`. A
//! name that is itself of the form `$_x` gets one more `$`, so that no two names become one, and every document comes
//! back as it was.

use std::borrow::Cow;

/// What is put before such a name.
const ESCAPE: char = '$';

/// The names that mean here what they mean in CouchDB.
const COUCHDB: [&str; 8] = [
    "_id",
    "_attachments",
    "_access",
    "_replication_state",
    "_replication_state_time",
    "_replication_state_reason",
    "_replication_id",
    "_replication_stats",
];

/// The name that clients see of a member of the body.
pub fn shown(stored: &str) -> Cow<'_, str> {
    match is_escapable(stored) {
        true => format!("{ESCAPE}{stored}").into(),
        false => stored.into(),
    }
}

/// The name under which a member is stored that a client calls so.
pub fn stored(shown: &str) -> &str {
    match shown.strip_prefix(ESCAPE) {
        Some(stored) if is_escapable(stored) => stored,
        _ => shown,
    }
}

/// Whether a name is one with an underscore that is not CouchDB's own, escaped any number of times.
fn is_escapable(name: &str) -> bool {
    let bare = name.trim_start_matches(ESCAPE);
    bare.starts_with('_') && !COUCHDB.contains(&bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back_and_none_is_refused_elsewhere() {
        for (name, expected) in [
            ("__v", "$__v"),
            ("_rev", "$_rev"),
            ("$__v", "$$__v"),
            ("_", "$_"),
            ("a_b", "a_b"),
            ("$a", "$a"),
            ("", ""),
            ("_replication_id", "_replication_id"),
            ("$_id", "$_id"),
        ] {
            assert_eq!(shown(name), expected);
            assert_eq!(stored(expected), name);
        }
    }
}
