//! Conditional requests (RFC 9110, section 13): whether what is there is what the client means.

use crate::etag::{if_match, if_none_match};
use hyper::HeaderMap;
use hyper::header::{IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE};
use std::time::{Duration, SystemTime};

/// The last second of the year 9999.
const LAST_DATE: Duration = Duration::from_secs(253_402_300_799);

/// What a request's conditions come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// They hold, or there are none: go on.
    Holds,
    /// The client has what it asks for: 304 to GET and HEAD.
    NotModified,
    /// 412.
    Failed,
}

/// The conditions of a GET or HEAD of a representation with this entity tag and time of last change, in the order of
/// section 13.2.2.
pub fn read_precondition(headers: &HeaderMap, tag: &str, changed: SystemTime) -> Precondition {
    let changed = whole_seconds(changed);
    if !is_meant(headers, tag, changed) {
        return Precondition::Failed;
    }
    if headers.contains_key(IF_NONE_MATCH) {
        return match if_none_match(headers, tag) {
            true => Precondition::NotModified,
            false => Precondition::Holds,
        };
    }
    match date(headers, &IF_MODIFIED_SINCE).is_some_and(|since| changed <= since) {
        true => Precondition::NotModified,
        false => Precondition::Holds,
    }
}

/// Whether the conditions hold of a request that would change or remove a representation with this entity tag and time of last
/// change.
pub fn write_precondition(headers: &HeaderMap, tag: &str, changed: SystemTime) -> bool {
    let is_excluded = headers.contains_key(IF_NONE_MATCH) && if_none_match(headers, tag);
    is_meant(headers, tag, whole_seconds(changed)) && !is_excluded
}

/// Whether the representation is the one that `If-Match`, or without it `If-Unmodified-Since`, means.
fn is_meant(headers: &HeaderMap, tag: &str, changed: SystemTime) -> bool {
    match headers.contains_key(IF_MATCH) {
        true => if_match(headers, tag),
        false => date(headers, &IF_UNMODIFIED_SINCE).is_none_or(|since| changed <= since),
    }
}

/// Whether a `Range` may be answered in part: there is no `If-Range`, or it names exactly this representation (section
/// 13.1.5). A date counts only if it is that of the last change.
pub fn if_range(headers: &HeaderMap, tag: &str, changed: SystemTime) -> bool {
    let Some(value) = headers.get(IF_RANGE) else {
        return true;
    };
    let Ok(value) = value.to_str() else {
        return false;
    };
    match value.contains('"') {
        true => value.trim() == tag && !tag.starts_with("W/"),
        false => httpdate::parse_http_date(value.trim()).is_ok_and(|date| date == whole_seconds(changed)),
    }
}

/// A date as headers have it. A date before 1970 or after the year 9999, which headers cannot say, is moved to that bound.
pub fn http_date(time: SystemTime) -> String {
    let last = SystemTime::UNIX_EPOCH + LAST_DATE;
    httpdate::fmt_http_date(time.clamp(SystemTime::UNIX_EPOCH, last))
}

fn date(headers: &HeaderMap, name: &hyper::header::HeaderName) -> Option<SystemTime> {
    httpdate::parse_http_date(headers.get(name)?.to_str().ok()?).ok()
}

/// Dates in headers have no parts of a second.
fn whole_seconds(time: SystemTime) -> SystemTime {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_secs(since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::{HeaderName, HeaderValue};

    const TAG: &str = "\"x\"";
    const THEN: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
    const LATER: &str = "Sun, 06 Nov 1994 08:49:38 GMT";
    const EARLIER: &str = "Sun, 06 Nov 1994 08:49:36 GMT";

    fn changed() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(784_111_777_500)
    }

    fn read(headers: &[(HeaderName, &'static str)]) -> Precondition {
        read_precondition(&map(headers), TAG, changed())
    }

    fn map(headers: &[(HeaderName, &'static str)]) -> HeaderMap {
        headers
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn a_tag_goes_before_a_date() {
        assert_eq!(read(&[(IF_NONE_MATCH, TAG)]), Precondition::NotModified);
        let both = [(IF_NONE_MATCH, "\"y\""), (IF_MODIFIED_SINCE, LATER)];
        assert_eq!(read(&both), Precondition::Holds);
        let both = [(IF_MATCH, TAG), (IF_UNMODIFIED_SINCE, EARLIER)];
        assert_eq!(read(&both), Precondition::Holds);
        assert_eq!(read(&[(IF_MATCH, "\"y\"")]), Precondition::Failed);
    }

    #[test]
    fn dates_are_compared_by_the_second() {
        assert_eq!(read(&[(IF_MODIFIED_SINCE, THEN)]), Precondition::NotModified);
        assert_eq!(read(&[(IF_MODIFIED_SINCE, EARLIER)]), Precondition::Holds);
        assert_eq!(read(&[(IF_UNMODIFIED_SINCE, THEN)]), Precondition::Holds);
        assert_eq!(read(&[(IF_UNMODIFIED_SINCE, EARLIER)]), Precondition::Failed);
        assert_eq!(read(&[(IF_MODIFIED_SINCE, "yesterday")]), Precondition::Holds);
    }

    #[test]
    fn write_conditions_hold_for_the_version_that_the_client_means() {
        let holds =
            |headers: &[(HeaderName, &'static str)]| write_precondition(&map(headers), TAG, changed());
        assert!(holds(&[]) && holds(&[(IF_MATCH, TAG)]) && holds(&[(IF_UNMODIFIED_SINCE, THEN)]));
        assert!(!holds(&[(IF_MATCH, "\"y\"")]) && !holds(&[(IF_UNMODIFIED_SINCE, EARLIER)]));
        assert!(!holds(&[(IF_NONE_MATCH, "*")]) && holds(&[(IF_NONE_MATCH, "\"y\"")]));
    }

    #[test]
    fn dates_that_headers_cannot_say_are_moved_to_those_that_they_can() {
        let far = SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 40);
        assert_eq!(http_date(far), "Fri, 31 Dec 9999 23:59:59 GMT");
        let early = SystemTime::UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(http_date(early), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(http_date(changed()), THEN);
    }

    #[test]
    fn a_part_is_given_only_of_what_the_client_has_the_rest_of() {
        let holds = |value| if_range(&map(&[(IF_RANGE, value)]), TAG, changed());
        assert!(holds(TAG) && holds(THEN));
        assert!(!holds("\"y\"") && !holds("W/\"x\"") && !holds(LATER) && !holds("x"));
        assert!(if_range(&HeaderMap::new(), TAG, changed()));
    }
}
