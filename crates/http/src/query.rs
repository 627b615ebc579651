//! Query strings (the URL standard's `application/x-www-form-urlencoded`, section 5.1).

use crate::percent_decode;
use std::borrow::Cow;

/// The names and values of a query string or a form, in their order; `+` is a space, a name without `=` has the empty
/// value. `None` in place of each pair whose escapes are invalid.
pub fn query_pairs(query: &str) -> impl Iterator<Item = Option<(Cow<'_, str>, Cow<'_, str>)>> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((decode(name)?, decode(value)?))
    })
}

fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('+') {
        return percent_decode(text);
    }
    let spaced = text.replace('+', " ");
    percent_decode(&spaced).map(|decoded| Cow::Owned(decoded.into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(query: &str) -> Vec<Option<(String, String)>> {
        query_pairs(query)
            .map(|pair| pair.map(|(name, value)| (name.into_owned(), value.into_owned())))
            .collect()
    }

    fn pair(name: &str, value: &str) -> Option<(String, String)> {
        Some((name.to_owned(), value.to_owned()))
    }

    #[test]
    fn a_query_string_is_split_and_decoded() {
        let expected = [pair("startkey", "\"a b\""), pair("flag", ""), pair("x", "1=2")];
        assert_eq!(pairs("startkey=%22a+b%22&&flag&x=1=2"), expected);
    }

    #[test]
    fn an_invalid_escape_spoils_its_own_pair_only() {
        assert_eq!(pairs("a=%zz&b=1"), [None, pair("b", "1")]);
    }
}
