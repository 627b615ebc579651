//! Timestamps that are made.

use value::Timestamp;

#[test]
fn each_is_greater_than_those_before() {
    let now = Timestamp::next(1_000);
    assert!(now.seconds >= 1_000);
    assert!(Timestamp::next(1_000) > now, "within a second");
    assert!(Timestamp::next(999) > now, "though the clock went back");
    let later = Timestamp {
        seconds: 2_000,
        increment: 1,
    };
    assert_eq!(Timestamp::next(2_000), later);
}
