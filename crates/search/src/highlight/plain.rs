//! The plain highlighter: fragments are as many words as fit, as Lucene's `Highlighter` cuts them.

use super::marks::Marks;
use super::wanted::TermPlace;
use super::{Options, Value};
use std::collections::HashSet;

/// A part of a value.
struct Fragment {
    start: usize,
    end: usize,
    /// How many different terms are in it.
    score: usize,
}

/// The fragments of the values of a field: of each value the best ones, the best first.
pub(super) fn fragments(values: &[Value<'_>], options: &Options, marks: Marks<'_>) -> Vec<String> {
    let most = match options.fragments {
        0 => 1,
        most => most,
    };
    let mut found: Vec<(usize, String)> = Vec::new();
    for value in values.iter().filter(|value| !value.places.is_empty()) {
        let mut fragments = cut(value, options);
        fragments.retain(|fragment| fragment.score > 0);
        fragments.sort_by_key(|fragment| std::cmp::Reverse(fragment.score));
        fragments.truncate(most);
        let places: Vec<_> = value.places.iter().map(TermPlace::marked).collect();
        for Fragment { start, end, score } in fragments {
            let first = places.partition_point(|place| place.start < start);
            let last = places.partition_point(|place| place.start < end);
            found.push((score, marks.around(&value.text, start, end, &places[first..last])));
        }
    }
    if options.by_score {
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    }
    // Whole values are shown all.
    if options.fragments > 0 {
        found.truncate(most);
    }
    found.into_iter().map(|(_, text)| text).collect()
}

/// The beginning of the first value, up to the end of the last word that fits.
pub(super) fn beginning(values: &[Value<'_>], chars: usize, marks: Marks<'_>) -> Option<String> {
    let value = values.first()?;
    let ends = value.tokens.iter().map(|(_, end)| *end);
    let end = ends.take_while(|end| *end <= chars).last()?;
    Some(marks.around(&value.text, 0, end, &[]))
}

fn cut(value: &Value<'_>, options: &Options) -> Vec<Fragment> {
    let (length, size) = (value.text.len(), options.fragment_chars);
    let mut bounds = vec![0];
    let mut last_end = value.tokens.first().map_or(0, |(_, end)| *end);
    // A phrase is in one fragment.
    let mut phrase_end = None;
    if options.fragments > 0 {
        for (at, (start, end)) in value.tokens.iter().enumerate().skip(1) {
            if *start < last_end {
                continue;
            }
            let is_within = phrase_end.is_some_and(|last| at <= last);
            if !is_within && !options.is_simple {
                phrase_end = value.phrases.get(&at).copied();
            }
            let is_due = *end >= size.saturating_mul(bounds.len());
            let has_enough = options.is_simple || length.saturating_sub(*end) >= size / 2;
            if !is_within && is_due && has_enough {
                bounds.push(last_end);
            }
            last_end = *end;
        }
    }
    bounds.push(length);
    let fragments = bounds.windows(2).map(|pair| {
        let (start, end) = (pair[0], pair[1]);
        let first = value.places.partition_point(|place| place.start < start);
        let within = value.places[first..].iter().take_while(|place| place.start < end);
        let terms: HashSet<&str> = within.map(|place| place.term.as_str()).collect();
        Fragment {
            start,
            end,
            score: terms.len(),
        }
    });
    fragments.collect()
}
