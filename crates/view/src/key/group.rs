//! Which part of an encoded key a group shares.

use super::{END, RAW, STRING_END, UNICODE};

/// The part of an encoded key that `group_level` selects: the first `level` elements of an array, and the whole of any
/// other key. It is a prefix of the encoding; `None` if the bytes are not an encoding.
///
/// Keys are of one group where their prefixes are equal, and keys of one group lie together.
pub fn group_prefix(key: &[u8], level: usize) -> Option<&[u8]> {
    let (&first, mut rest) = key.split_first()?;
    if first != UNICODE.array && first != RAW.array {
        let end = key.len() - skip(key)?.len();
        return Some(&key[..end]);
    }
    for _ in 0..level {
        if *rest.first()? == END {
            // A shorter key is a group of its own; its end is what sets it apart from longer ones.
            rest = &rest[1..];
            break;
        }
        rest = skip(rest)?;
    }
    Some(&key[..key.len() - rest.len()])
}

/// What follows the value at the front.
fn skip(key: &[u8]) -> Option<&[u8]> {
    let (&tag, rest) = key.split_first()?;
    if tag == UNICODE.number || tag == RAW.number {
        return rest.get(8..);
    }
    if tag == UNICODE.string || tag == RAW.string {
        let end = rest.iter().position(|&byte| byte == STRING_END)?;
        return rest.get(end + 1..);
    }
    if [UNICODE.array, UNICODE.object, RAW.array, RAW.object].contains(&tag) {
        let mut rest = rest;
        while *rest.first()? != END {
            rest = skip(rest)?;
        }
        return rest.get(1..);
    }
    Some(rest)
}
