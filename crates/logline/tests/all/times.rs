//! Forms of times.

use jiff::tz::TimeZone;
use logline::{Format, Parser, Stamp};
use value::Value;

/// 2026-03-01T00:00:00Z.
const NOW_MS: i64 = 1_772_323_200_000;

#[test]
fn times_are_read_by_name_or_description() {
    let cases = [
        ("iso8601", "2026-01-31 12:00:00", Some(1_769_860_800_000)),
        ("unix", "1.5", Some(1500)),
        ("unix", "inf", None),
        ("unix", "1e300", None),
        ("unix-ms", "1500", Some(1500)),
        ("%Y/%m/%d", "2026/01/31", Some(1_769_817_600_000)),
        (
            "%d/%b/%Y:%H:%M:%S %z",
            "31/Jan/2026:13:00:00 +0100",
            Some(1_769_860_800_000),
        ),
        (
            "%a %b %d %H:%M:%S %Y",
            "Sun Dec 04 04:47:44 2005",
            Some(1_133_671_664_000),
        ),
        // Without a year: the last one that is not in the future.
        ("%m-%d %H:%M:%S", "12-31 00:00:00", Some(1_767_139_200_000)),
        ("%m-%d %H:%M:%S", "02-01 00:00:00", Some(1_769_904_000_000)),
        ("%m-%d %H:%M:%S", "13-01 00:00:00", None),
    ];
    for (form, text, wanted) in cases {
        let read = Stamp::named(form)
            .unwrap()
            .milliseconds(text, &TimeZone::UTC, NOW_MS);
        assert_eq!(read.ok(), wanted, "{form}: {text}");
    }
    assert!(Stamp::named("yesterday").is_err());
}

#[test]
fn a_time_without_a_zone_is_of_the_one_that_is_given() {
    let zone = TimeZone::fixed(jiff::tz::offset(2));
    let iso = |text: &str| Stamp::Iso.milliseconds(text, &zone, NOW_MS).ok();
    assert_eq!(iso("2026-01-31 12:00:00"), Some(1_769_853_600_000));
    assert_eq!(iso("2026-01-31T12:00:00.5"), Some(1_769_853_600_500));
    assert_eq!(iso("2026-01-31T12:00:00Z"), Some(1_769_860_800_000));
    let parser = Parser::in_zone(Format::Syslog, zone.clone());
    for (line, wanted) in [
        ("2026-01-31T12:00:00 pi cron: one", 1_769_853_600_000),
        ("2026-01-31T12:00:00Z pi cron: one", 1_769_860_800_000),
        ("Jan 31 12:00:00 pi cron: one", 1_769_853_600_000),
    ] {
        let document = parser.parse(line, NOW_MS).unwrap();
        assert_eq!(document.get("time"), Some(&Value::DateTime(wanted)), "{line}");
    }
}
