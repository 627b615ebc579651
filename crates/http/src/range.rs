//! Range requests (RFC 9110, sections 14.1 and 14.2).

use std::ops::Range;

/// The most ranges of one request; a client that asks for more gets the whole.
const RANGES_MAX: usize = 64;

/// What a `Range` header asks for of a representation of known length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ranges {
    /// All of it: the header has another unit, no valid form, or more ranges than is reasonable.
    Whole,
    /// These parts, in the order asked for, each within the representation.
    Parts(Vec<Range<u64>>),
    /// Nothing: none of the ranges is within the representation.
    Unsatisfiable,
}

/// Reads a `Range` header.
pub fn ranges(header: &str, length: u64) -> Ranges {
    let Some((unit, set)) = header.split_once('=') else {
        return Ranges::Whole;
    };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return Ranges::Whole;
    }
    let mut parts = Vec::new();
    for (position, spec) in set
        .split(',')
        .map(str::trim)
        .filter(|spec| !spec.is_empty())
        .enumerate()
    {
        if position >= RANGES_MAX {
            return Ranges::Whole;
        }
        match range(spec, length) {
            None => return Ranges::Whole,
            Some(part) => parts.extend(part.filter(|part| !part.is_empty())),
        }
    }
    let asked: u64 = parts.iter().map(|part| part.end - part.start).sum();
    match parts.len() {
        0 => Ranges::Unsatisfiable,
        // If ranges overlap so much that the whole is shorter, sending them would only cost more (section 14.2).
        2.. if asked > length => Ranges::Whole,
        _ => Ranges::Parts(parts),
    }
}

/// One range: `None` if it has no valid form, `Some(None)` if nothing of it is there.
fn range(spec: &str, length: u64) -> Option<Option<Range<u64>>> {
    let (first, last) = spec.split_once('-')?;
    let (first, last) = (first.trim(), last.trim());
    if first.is_empty() {
        let suffix: u64 = number(last)?;
        return Some(Some(length.saturating_sub(suffix)..length));
    }
    let first = number(first)?;
    let end = match last {
        "" => length,
        last => {
            let last = number(last)?;
            if last < first {
                return None;
            }
            last.saturating_add(1).min(length)
        }
    };
    Some((first < length).then_some(first..end))
}

/// Digits alone; a number too large for any length counts as the largest.
fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(bounds: &[(u64, u64)]) -> Ranges {
        Ranges::Parts(bounds.iter().map(|&(start, end)| start..end).collect())
    }

    #[test]
    fn the_standards_examples_for_ten_thousand_bytes() {
        assert_eq!(ranges("bytes=0-499", 10_000), parts(&[(0, 500)]));
        assert_eq!(ranges("bytes=500-999", 10_000), parts(&[(500, 1000)]));
        assert_eq!(ranges("bytes=-500", 10_000), parts(&[(9500, 10_000)]));
        assert_eq!(ranges("bytes=9500-", 10_000), parts(&[(9500, 10_000)]));
        assert_eq!(ranges("bytes= 0-0, -1", 10_000), parts(&[(0, 1), (9999, 10_000)]));
        assert_eq!(ranges("bytes=9990-20000", 10_000), parts(&[(9990, 10_000)]));
    }

    #[test]
    fn ranges_beyond_the_end_cannot_be_satisfied() {
        assert_eq!(ranges("bytes=10-20", 10), Ranges::Unsatisfiable);
        assert_eq!(ranges("bytes=0-", 0), Ranges::Unsatisfiable);
        assert_eq!(ranges("bytes=-0", 10), Ranges::Unsatisfiable);
        assert_eq!(ranges("bytes=10-20,3-3", 10), parts(&[(3, 4)]));
    }

    #[test]
    fn malformed_ranges_are_ignored() {
        for header in [
            "",
            "bytes",
            "bytes=x",
            "bytes=5-1",
            "bytes=--1",
            "bytes=+1-2",
            "items=0-1",
        ] {
            assert_eq!(ranges(header, 10), Ranges::Whole, "{header}");
        }
        assert_eq!(ranges("bytes=0-9,0-9", 10), Ranges::Whole);
        let many = vec!["0-0"; RANGES_MAX + 1].join(",");
        assert_eq!(ranges(&format!("bytes={many}"), 1000), Ranges::Whole);
    }
}
