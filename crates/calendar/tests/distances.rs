//! Relative dates in texts, such as "+5 weekdays": counted at once, they agree with single steps of a day.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

const DAY_MS: i64 = 24 * 3600 * 1000;
/// Sunday, the 5th of January 2020.
const SUNDAY_MS: i64 = 18_266 * DAY_MS;

/// The moment that a text names, as milliseconds since 1970.
fn moment(text: &str) -> i64 {
    calendar::parse_text(text, None).unwrap()
}

/// The days passed by this many steps of one day, where steps to a weekend day do not count.
fn by_steps(count: i64, present: i64) -> i64 {
    let step = if count > 0 { 1 } else { -1 };
    let (mut days, mut left) = (0, count.abs());
    while left > 0 {
        days += step;
        left -= i64::from((1..=5).contains(&(present + days).rem_euclid(7)));
    }
    days
}

#[test]
fn working_days_pass_in_as_many_days_as_steps_show() {
    for present in 0..7 {
        let days = |count: i64| {
            let text = format!("2020-01-{:02} {count:+} weekdays", 5 + present);
            (moment(&text) - SUNDAY_MS) / DAY_MS - present
        };
        for count in (-30..=30).filter(|count| *count != 0) {
            assert_eq!(days(count), by_steps(count, present), "{count} from {present}");
        }
        // Weekends go on to Monday.
        assert_eq!(days(0), [1, 0, 0, 0, 0, 0, 2][present as usize], "from {present}");
    }
}
