//! The unified highlighter: fragments are sentences that fit, or words, as Lucene's `UnifiedHighlighter` cuts them.

use super::marks::{Marked, Marks};
use super::text::{Bounds, Text};
use super::wanted::TermPlace;
use super::{Options, Scanner, Value};
use std::collections::HashMap;

/// The characters that a passage is expected to have, by which its score is weighed.
const PIVOT: f32 = 87.0;
/// How much of what a term adds is left when it is there again (BM25's k1).
const SATURATION: f32 = 1.2;
/// How much the length of a passage counts (BM25's b).
const LENGTH_WEIGHT: f32 = 0.75;

/// A part of a value that has places in it.
struct Passage<'p> {
    /// Which value it is of.
    value: usize,
    /// Where it is there.
    start: usize,
    end: usize,
    /// Where it begins among the characters of all values.
    offset: usize,
    places: Vec<&'p TermPlace>,
    score: f32,
}

/// The fragments of the values of a field.
pub(super) fn fragments(values: &[Value<'_>], options: &Options, marks: Marks<'_>) -> Vec<String> {
    let mut passages = Vec::new();
    let mut offset = 0;
    for (at, value) in values.iter().enumerate() {
        passages.extend(of_value(at, value, offset, options));
        offset += value.text.len() + 1;
    }
    score(&mut passages, offset);
    let kept = match options.fragments {
        0 => passages.len(),
        most => most,
    };
    // Of those that are as good the last ones stay.
    passages.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.offset.cmp(&a.offset)));
    passages.truncate(kept);
    passages.sort_by_key(|passage| passage.offset);
    if options.by_score {
        passages.sort_by(|a, b| b.score.total_cmp(&a.score));
    }
    let shown = passages.iter().map(|passage| {
        let places = joined(passage.places.iter().map(|place| place.marked()));
        let text = &values[passage.value].text;
        let end = places
            .last()
            .map_or(passage.end, |last| passage.end.max(last.end));
        marks.around(text, passage.start, end, &places).trim().to_owned()
    });
    shown.collect()
}

/// Places that overlap, as those of n-grams do, are marked as one.
fn joined(places: impl Iterator<Item = Marked>) -> Vec<Marked> {
    let mut joined: Vec<Marked> = Vec::new();
    for place in places {
        match joined.last_mut() {
            Some(last) if place.start < last.end => last.end = last.end.max(place.end),
            _ => joined.push(place),
        }
    }
    joined
}

/// The beginning of the first value, up to the end of a word.
pub(super) fn beginning(values: &[Value<'_>], chars: usize, marks: Marks<'_>) -> Option<String> {
    let text = &values.iter().find(|value| value.text.len() > 0)?.text;
    let end = match chars < text.len() {
        true => text.words().behind(chars).unwrap_or(text.len()),
        false => text.len(),
    };
    Some(marks.around(text, 0, end, &[]).trim().to_owned())
}

fn of_value<'p>(at: usize, value: &'p Value<'_>, offset: usize, options: &Options) -> Vec<Passage<'p>> {
    let mut cutter = Cutter::new(&value.text, options);
    let mut found: Vec<Passage<'p>> = Vec::new();
    for place in &value.places {
        match found.last_mut() {
            Some(last) if place.start < last.end => last.places.push(place),
            _ => {
                let (start, end) = cutter.around(place.start);
                found.push(Passage {
                    value: at,
                    start,
                    end,
                    offset: offset + start,
                    places: vec![place],
                    score: 0.0,
                });
            }
        }
    }
    found
}

fn score<'p>(passages: &mut [Passage<'p>], length: usize) {
    let mut in_all: HashMap<&'p str, u32> = HashMap::new();
    for place in passages.iter().flat_map(|passage| passage.places.iter().copied()) {
        *in_all.entry(place.term.as_str()).or_default() += 1;
    }
    for passage in passages {
        let mut within: HashMap<&str, u32> = HashMap::new();
        for place in passage.places.iter().copied() {
            *within.entry(place.term.as_str()).or_default() += 1;
        }
        let chars = (passage.end - passage.start) as f32;
        let documents = 1.0 + length as f32 / PIVOT;
        let norm = SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * chars / PIVOT);
        let mut of_terms: Vec<f32> = within
            .into_iter()
            .map(|(term, times)| {
                let all = in_all.get(term).copied().unwrap_or(1) as f32;
                let rarity = (1.0 + (documents + 0.5) / (all + 0.5)).ln();
                let times = times as f32;
                (SATURATION + 1.0) * rarity * times / (times + norm)
            })
            .collect();
        // In one order, so that the sum is always the same.
        of_terms.sort_by(f32::total_cmp);
        let place = 1.0 + 1.0 / (PIVOT + passage.offset as f32).ln();
        passage.score = of_terms.iter().sum::<f32>() * place;
    }
}

/// Cuts a value where somebody asks, from its beginning on (Elasticsearch's `BoundedBreakIteratorScanner`).
struct Cutter {
    main: Option<Bounds>,
    /// Where parts that are too long are cut.
    inner: Option<Bounds>,
    length: usize,
    chars_max: usize,
    window: (usize, usize),
    last_end: usize,
}

impl Cutter {
    fn new(text: &Text<'_>, options: &Options) -> Cutter {
        let is_whole = options.fragments == 0;
        let by_words = options.scanner == Some(Scanner::Word);
        let is_bounded = !is_whole && !by_words && options.fragment_chars > 0;
        let main = (!is_whole).then(|| if by_words { text.words() } else { text.sentences() });
        Cutter {
            main,
            inner: is_bounded.then(|| text.words()),
            length: text.len(),
            chars_max: options.fragment_chars,
            window: (0, 0),
            last_end: 0,
        }
    }

    /// The part in which a place is.
    fn around(&mut self, place: usize) -> (usize, usize) {
        let Some(main) = &self.main else {
            return (0, self.length);
        };
        let Some(inner) = &self.inner else {
            return (main.before(place + 1), main.behind(place).unwrap_or(self.length));
        };
        let at = place + 1;
        let (mut start, mut end);
        if self.window.0 < at && at < self.window.1 {
            (start, end) = (self.last_end, self.window.1);
        } else {
            (start, end) = (main.before(at), main.behind(place).unwrap_or(self.length));
            // More of what follows, while it fits.
            while end - start < self.chars_max
                && let Some(further) = main.behind(end)
                && further - start <= self.chars_max
            {
                end = further;
            }
            self.window = (start, end);
        }
        if end.saturating_sub(start) > self.chars_max {
            if at > self.chars_max + start {
                start = start.max(inner.before(at - self.chars_max));
            }
            let remaining = self.chars_max.saturating_sub(at - start);
            if at + remaining < self.window.1 {
                let further = inner.behind(at + remaining).unwrap_or(self.length);
                end = self.window.1.min(further);
            }
        }
        self.last_end = end;
        (start, end)
    }
}
