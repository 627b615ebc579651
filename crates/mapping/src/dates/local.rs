//! Intervals of one length on the clock of a time zone.

use super::timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{SignedDuration, Timestamp};

/// The beginning of the interval of `width_ms` in which the zone's clock stands at a moment. An interval in which the
/// clock is set forward or back has one beginning (Elasticsearch's `Rounding.TimeIntervalRounding`).
pub fn floor_local(ms: i64, width_ms: i64, zone: &TimeZone) -> i64 {
    let shift = shift_ms(ms, zone);
    let local = floor(ms.saturating_add(shift), width_ms);
    let floor = local.saturating_sub(shift);
    // As nearly always: the clock was not set since.
    if shift_ms(floor, zone) == shift {
        return floor;
    }
    let Some(clock) = clock(local) else { return floor };
    let set = zone.preceding(timestamp(ms.saturating_add(1))).next();
    let set = set.map_or(Timestamp::MIN, |transition| transition.timestamp());
    match zone.to_ambiguous_timestamp(clock).offset() {
        // The clock never stood there: the interval begins when it was set.
        AmbiguousOffset::Gap { .. } => set.as_millisecond(),
        AmbiguousOffset::Unambiguous { offset } => at(clock, offset, set, (ms, width_ms), zone),
        AmbiguousOffset::Fold { before, after } => {
            let last = if instant(clock, after) <= timestamp(ms) {
                after
            } else {
                before
            };
            at(clock, last, set, (ms, width_ms), zone)
        }
    }
}

/// Where the interval after the one that begins at a moment begins.
pub fn next_local(ms: i64, width_ms: i64, zone: &TimeZone) -> i64 {
    let local = ms.saturating_add(shift_ms(ms, zone)).saturating_add(width_ms);
    // Of two moments the first; a time that the clock passes over counts from the offset before.
    let next = clock(local).and_then(|clock| zone.to_ambiguous_timestamp(clock).compatible().ok());
    let next = next.map_or(ms.saturating_add(width_ms), Timestamp::as_millisecond);
    // An interval whose beginning the clock passed over began later than those after it do.
    match floor_local(next, width_ms, zone) {
        floor if floor > ms => floor,
        _ => next,
    }
}

/// The moment at which a clock of this offset stands so, unless it was set since: then the interval is the one that ran before.
fn at(clock: DateTime, offset: Offset, set: Timestamp, (ms, width_ms): (i64, i64), zone: &TimeZone) -> i64 {
    let found = instant(clock, offset);
    let before = set.as_millisecond().saturating_sub(1);
    match found < set && before < ms {
        true => floor_local(before, width_ms, zone),
        false => found.as_millisecond(),
    }
}

fn instant(clock: DateTime, offset: Offset) -> Timestamp {
    offset.to_timestamp(clock).unwrap_or(Timestamp::MIN)
}

/// What a clock shows `local_ms` after it showed the beginning of 1970; `None` beyond the years that can be written.
fn clock(local_ms: i64) -> Option<DateTime> {
    let epoch = jiff::civil::datetime(1970, 1, 1, 0, 0, 0, 0);
    epoch.checked_add(SignedDuration::from_millis(local_ms)).ok()
}

fn floor(local_ms: i64, width_ms: i64) -> i64 {
    local_ms.div_euclid(width_ms).saturating_mul(width_ms)
}

fn shift_ms(ms: i64, zone: &TimeZone) -> i64 {
    i64::from(zone.to_offset(timestamp(ms)).seconds()) * 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    fn ms(text: &str) -> i64 {
        text.parse::<Timestamp>().expect("a moment").as_millisecond()
    }

    #[test]
    fn a_day_on_which_the_clock_is_set_is_one_day() {
        let cases = [
            // Forward at 01:00Z, back at 01:00Z.
            (
                "Europe/Berlin",
                "2020-03-29T00:30:00Z",
                "2020-03-28T23:00:00Z",
                "2020-03-29T22:00:00Z",
            ),
            (
                "Europe/Berlin",
                "2020-03-29T12:00:00Z",
                "2020-03-28T23:00:00Z",
                "2020-03-29T22:00:00Z",
            ),
            (
                "Europe/Berlin",
                "2020-10-25T12:00:00Z",
                "2020-10-24T22:00:00Z",
                "2020-10-25T23:00:00Z",
            ),
            // Half an hour, at 15:00Z.
            (
                "Australia/Lord_Howe",
                "2020-04-05T01:00:00Z",
                "2020-04-04T13:00:00Z",
                "2020-04-05T13:30:00Z",
            ),
            (
                "Australia/Lord_Howe",
                "2020-04-06T01:00:00Z",
                "2020-04-05T13:30:00Z",
                "2020-04-06T13:30:00Z",
            ),
            // Midnight is passed over: 00:00 to 01:00 at 04:00Z.
            (
                "America/Santiago",
                "2020-09-06T12:00:00Z",
                "2020-09-06T04:00:00Z",
                "2020-09-07T03:00:00Z",
            ),
        ];
        for (name, moment, begins, next) in cases {
            let zone = TimeZone::get(name).expect("a zone");
            let found = floor_local(ms(moment), 24 * HOUR_MS, &zone);
            assert_eq!(timestamp(found), timestamp(ms(begins)), "{name} {moment}");
            let found = next_local(found, 24 * HOUR_MS, &zone);
            assert_eq!(timestamp(found), timestamp(ms(next)), "{name} {moment}");
        }
    }

    #[test]
    fn every_interval_begins_before_what_is_in_it_and_ends_behind_it() {
        for name in [
            "Europe/Berlin",
            "Australia/Lord_Howe",
            "America/Santiago",
            "Asia/Kolkata",
            "UTC",
        ] {
            let zone = TimeZone::get(name).expect("a zone");
            for width in [
                HOUR_MS,
                5 * HOUR_MS,
                12 * HOUR_MS,
                24 * HOUR_MS,
                10 * 24 * HOUR_MS,
            ] {
                let mut last = i64::MIN;
                for hour in 0..2 * 366 * 24 {
                    let moment = ms("2020-01-01T00:10:00Z") + hour * HOUR_MS / 2;
                    let floor = floor_local(moment, width, &zone);
                    assert!(
                        last <= floor && floor <= moment,
                        "{name} {width} {}",
                        timestamp(moment)
                    );
                    last = floor;
                }
            }
        }
    }
}
