//! How well a text matches: MongoDB's formula of text indexes of versions 2 and 3.

use crate::fields::{Text, kept};
use crate::terms::Analysis;
use foldhash::HashMap;
use std::collections::BTreeMap;

/// How often a term is in one text.
#[derive(Clone, Copy, Debug, Default)]
struct Occurrences {
    count: f64,
    /// Each occurrence counts half as much as the one before.
    frequency: f64,
    /// What the next one counts.
    next: f64,
}

/// What a term that is the whole text gets more.
const WHOLE_TEXT: f64 = 0.1;

/// Adds up what all terms of one text are worth, by what an index keeps of them. The same text always comes to the same.
pub(crate) fn add_all(text: Text<'_>, weights: &mut BTreeMap<String, f64>) {
    let mut places: HashMap<String, usize> = HashMap::default();
    let mut terms: Vec<String> = Vec::new();
    Analysis::of_index(text.language).visit(text.text, &mut |term| {
        if !places.contains_key(term) {
            places.insert(term.to_owned(), terms.len());
            terms.push(term.to_owned());
        }
        true
    });
    let mut scores = vec![0.0; terms.len()];
    add(text, &places, &mut scores);
    for (term, score) in terms.iter().zip(scores) {
        *weights.entry(kept(term).to_owned()).or_default() += score;
    }
}

/// Adds up what the terms of one text are worth. `places` numbers the terms that are asked for.
pub(crate) fn add(text: Text<'_>, places: &HashMap<String, usize>, scores: &mut [f64]) {
    let mut found: Vec<Occurrences> = vec![Occurrences::default(); scores.len()];
    let mut terms = 0_u32;
    let mut whole = None;
    Analysis::of_index(text.language).visit(text.text, &mut |term| {
        terms += 1;
        let Some(&place) = places.get(term) else {
            return true;
        };
        if let Some(occurrences) = found.get_mut(place) {
            let worth = if occurrences.count == 0.0 {
                1.0
            } else {
                occurrences.next
            };
            occurrences.count += 1.0;
            occurrences.frequency += worth;
            occurrences.next = worth / 2.0;
        }
        if text.text.len() == term.len() && text.text.eq_ignore_ascii_case(term) {
            whole = Some(place);
        }
        true
    });
    for (place, (occurrences, score)) in found.iter().zip(scores).enumerate() {
        if occurrences.count == 0.0 {
            continue;
        }
        let share = 0.5 * occurrences.count / f64::from(terms) + 0.5;
        let adjustment = if whole == Some(place) {
            1.0 + WHOLE_TEXT
        } else {
            1.0
        };
        *score += text.weight * occurrences.frequency * share * adjustment;
    }
}
