//! Phrases: terms in their places.

/// How often the terms of a phrase stand in their places, each list being where a term may stand, with its own place in the
/// phrase taken off. With `slop`, closer ones count more, as in Lucene's sloppy phrases.
pub(super) fn frequency(places: &[Vec<i64>], slop: u32) -> f32 {
    let Some((first, rest)) = places.split_first() else {
        return 0.0;
    };
    let mut total = 0.0;
    for &start in first {
        // The terms that come next are those nearest to where they should be.
        let mut width = 0;
        let mut is_whole = true;
        for list in rest {
            match list.iter().map(|at| (at - start).unsigned_abs()).min() {
                Some(away) if away <= u64::from(slop) => width = width.max(away),
                _ => {
                    is_whole = false;
                    break;
                }
            }
        }
        if is_whole {
            total += 1.0 / (1.0 + width as f32);
        }
    }
    total
}
