//! Generators of ids.

use std::collections::BTreeSet;
use store::ids::{Generator, IdKind};

#[test]
fn sequential_ids_rise_and_keep_their_random_part_for_about_8000_calls() {
    let generator = Generator::new(IdKind::Sequential, "");
    let ids: Vec<String> = (0..20_000).map(|_| generator.next_id()).collect();
    assert!(
        ids.iter()
            .all(|id| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
    );
    let parts: BTreeSet<&str> = ids.iter().map(|id| &id[..26]).collect();
    assert!((3..=4).contains(&parts.len()), "{} random parts", parts.len());
    for pair in ids.windows(2).filter(|pair| pair[0][..26] == pair[1][..26]) {
        assert!(pair[0] < pair[1]);
    }
}

#[test]
fn monotonic_ids_sort_by_time() {
    let generator = Generator::new(IdKind::Monotonic, "status/");
    let ids: Vec<String> = (0..1000).map(|_| generator.next_id()).collect();
    assert!(ids.is_sorted());
    assert!(
        ids[0].starts_with("status/20") && ids[0].contains('T'),
        "{}",
        ids[0]
    );
    assert_eq!(
        ids[0].len(),
        "status/2026-11-21T10:00:00.123456Z-abcd".len(),
        "{}",
        ids[0]
    );
}

#[test]
fn random_ids_are_all_different() {
    let generator = Generator::new(IdKind::Random, "x-");
    let ids: BTreeSet<String> = (0..1000).map(|_| generator.next_id()).collect();
    assert_eq!(ids.len(), 1000);
    assert!(ids.iter().all(|id| id.starts_with("x-") && id.len() == 34));
}
