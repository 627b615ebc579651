//! Times and sizes in requests.

use search::{bytes_of, parse_time};
use std::time::Duration;

#[test]
fn times_are_whole_numbers_of_a_unit() {
    let hour = Duration::from_secs(3600);
    for (text, expected) in [
        ("10nanos", Some(Duration::from_nanos(10))),
        ("5micros", Some(Duration::from_micros(5))),
        ("500ms", Some(Duration::from_millis(500))),
        ("2s", Some(Duration::from_secs(2))),
        ("60m", Some(hour)),
        ("1h", Some(hour)),
        (" 1 H ", Some(hour)),
        ("2d", Some(48 * hour)),
        ("1M", None),
        ("1.5h", None),
        ("-1s", None),
        ("1", None),
        ("h", None),
        ("", None),
        ("1ü", None),
        ("1000000000d", Some(Duration::from_secs(86_400_000_000_000))),
        ("18446744073709551615s", None),
        ("18446744073709551615d", None),
        ("18446744073709551616ms", None),
    ] {
        assert_eq!(parse_time(text, "a").ok(), expected, "{text}");
    }
    let reason = parse_time("2x", "scroll").expect_err("refused").reason;
    assert!(reason.contains("[scroll] with value [2x]"), "{reason}");
}

#[test]
fn sizes_are_whole_numbers_of_a_unit() {
    for (text, expected) in [
        ("7b", Some(7)),
        ("5gb", Some(5 << 30)),
        ("5G", Some(5 << 30)),
        ("1PB", Some(1 << 50)),
        ("20000pb", None),
        ("1", None),
        ("1xb", None),
    ] {
        assert_eq!(bytes_of(text), expected, "{text}");
    }
}
