//! Vector clocks.

use proptest::prelude::*;
use riak::{Clock, Dot};

fn clocks() -> impl Strategy<Value = Clock> {
    let dot = (prop::collection::vec(any::<u8>(), 0..4), any::<u64>());
    prop::collection::vec(dot, 0..6).prop_map(|dots| {
        dots.into_iter()
            .map(|(actor, counter)| Dot { actor, counter })
            .collect()
    })
}

proptest! {
    #[test]
    fn a_clock_comes_back_from_its_bytes_and_its_text(clock in clocks()) {
        prop_assert_eq!(Clock::decode(&clock.encode()), Some(clock.clone()));
        prop_assert_eq!(Clock::from_text(&clock.to_text()), Some(clock));
    }

    #[test]
    fn a_merged_clock_has_seen_what_both_have(a in clocks(), b in clocks()) {
        let mut merged = a.clone();
        merged.merge(&b);
        prop_assert!(merged.descends(&a) && merged.descends(&b));
        prop_assert!(a.dots().chain(b.dots()).all(|dot| merged.covers(&dot)));
        let mut other = b.clone();
        other.merge(&a);
        prop_assert_eq!(merged, other);
    }

    #[test]
    fn any_bytes_are_a_clock_or_none(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        if let Some(clock) = Clock::decode(&bytes) {
            prop_assert_eq!(Clock::decode(&clock.encode()), Some(clock));
        }
    }
}
