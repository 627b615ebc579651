//! Parts of an attachment (`src/chttpd/src/chttpd_db.erl`, `parse_ranges`; mochiweb's `parse_range_request`).

use access::error::{CouchError, Result};
use http::StatusCode;
use std::ops::Range;

/// Where this many ranges or more are asked for, all of it is given.
const RANGES_MAX: usize = 10;

/// The ranges that a header asks for; `None` if there is no such header, it has another form, or the whole is meant.
pub(super) fn parse(header: Option<&str>, length: u64) -> Result<Option<Vec<Range<u64>>>> {
    let Some(asked) = header.and_then(asked) else {
        return Ok(None);
    };
    let mut ranges = Vec::with_capacity(asked.len());
    for range in asked {
        if range == (Some(0), None) {
            return Ok(None);
        }
        ranges.push(clamped(range, length)?);
    }
    Ok((!ranges.is_empty() && ranges.len() < RANGES_MAX).then_some(ranges))
}

type Asked = (Option<u64>, Option<u64>);

/// First and last byte as they are asked for; a range without first byte counts from the end.
fn asked(header: &str) -> Option<Vec<Asked>> {
    let ranges = header.strip_prefix("bytes=")?.split(',').map(str::trim);
    ranges
        .filter(|range| !range.is_empty())
        .map(|range| {
            let (first, last) = range.split_once('-')?;
            let number = |text: &str| match text.trim() {
                "" => Some(None),
                text => text.parse().ok().map(Some),
            };
            match (number(first)?, number(last)?) {
                (None, None) => None,
                asked => Some(asked),
            }
        })
        .collect()
}

/// The part of a range that is there.
fn clamped((first, last): Asked, length: u64) -> Result<Range<u64>> {
    let range = match (first, last) {
        (Some(first), last) => first..last.map_or(length, |last| last.saturating_add(1)).min(length),
        (None, last) => length.saturating_sub(last.unwrap_or(0))..length,
    };
    match range.is_empty() {
        true => Err(CouchError::new(
            StatusCode::RANGE_NOT_SATISFIABLE,
            "requested_range_not_satisfiable",
            "Requested range not satisfiable",
        )),
        false => Ok(range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_that_couchdb_gives() {
        let parse = |header: &str| parse(Some(header), 29);
        let cases: [(&str, &[(u64, u64)]); 7] = [
            ("bytes=0-28", &[(0, 29)]),
            ("bytes=0-29", &[(0, 29)]),
            ("bytes=5-5", &[(5, 6)]),
            ("bytes=-10", &[(19, 29)]),
            ("bytes=-100", &[(0, 29)]),
            ("bytes=1-", &[(1, 29)]),
            ("bytes=0-1, 5-6 ,-1", &[(0, 2), (5, 7), (28, 29)]),
        ];
        for (header, wanted) in cases {
            let wanted = wanted.iter().map(|&(start, end)| start..end).collect();
            assert_eq!(parse(header).expect("satisfiable"), Some(wanted), "{header}");
        }
        for whole in [
            "bytes=0-",
            "bites=1-2",
            "bytes=a-b",
            "bytes=-",
            "bytes=",
            "bytes=1-2,x",
            "bytes=1-2,0-",
        ] {
            assert_eq!(parse(whole).expect("the whole"), None, "{whole}");
        }
        let many = format!("bytes={}", "1-2,".repeat(10));
        assert_eq!(parse(&many).expect("the whole"), None);
        for unsatisfiable in ["bytes=29-", "bytes=300-400", "bytes=5-2", "bytes=-0"] {
            assert!(parse(unsatisfiable).is_err(), "{unsatisfiable}");
        }
    }
}
