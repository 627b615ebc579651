//! Cutting a text into fragments around the places that are marked.

use super::wanted::Place;
use std::collections::HashSet;
use unicode_segmentation::UnicodeSegmentation;

/// What stands around a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks<'m> {
    pub(super) before: &'m str,
    pub(super) after: &'m str,
    pub(super) escapes: bool,
}

/// A part of a text with the places in it.
#[derive(Clone, Debug)]
pub(super) struct Fragment<'t> {
    text: &'t str,
    start: usize,
    places: Vec<Place>,
    pub(super) score: f32,
}

impl Marks<'_> {
    pub(super) fn escaped(&self, text: &str) -> String {
        if !self.escapes {
            return text.to_owned();
        }
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                '\'' => out.push_str("&#x27;"),
                '/' => out.push_str("&#x2F;"),
                c => out.push(c),
            }
        }
        out
    }
}

impl<'t> Fragment<'t> {
    fn of(text: &'t str, start: usize, end: usize, places: &[Place]) -> Fragment<'t> {
        // They are in order.
        let from = places.partition_point(|place| place.start < start);
        let within = places[from..].iter().take_while(|place| place.start < end);
        let places: Vec<Place> = within.filter(|place| place.end <= end).cloned().collect();
        let different: HashSet<&str> = places.iter().map(|place| place.term.as_str()).collect();
        // What has more of the different terms is better, and then what has more of them.
        let score = different.len() as f32 + places.len() as f32 / (places.len() as f32 + 10.0);
        Fragment {
            text: &text[start..end],
            start,
            places,
            score,
        }
    }

    pub(super) fn marked(&self, marks: Marks<'_>) -> String {
        let mut out = String::with_capacity(self.text.len() + 16 * self.places.len());
        let mut at = 0;
        for place in &self.places {
            let (start, end) = (place.start - self.start, place.end - self.start);
            out.push_str(&marks.escaped(&self.text[at..start]));
            out.push_str(marks.before);
            out.push_str(&marks.escaped(&self.text[start..end]));
            out.push_str(marks.after);
            at = end;
        }
        out.push_str(&marks.escaped(&self.text[at..]));
        out.trim().to_owned()
    }
}

/// The whole text.
pub(super) fn whole<'t>(text: &'t str, places: &[Place]) -> Vec<Fragment<'t>> {
    vec![Fragment::of(text, 0, text.len(), places)]
}

/// Sentences: each fragment begins with the one in which a place is, and has more of them while they fit.
pub(super) fn sentences<'t>(text: &'t str, places: &[Place], chars_max: usize) -> Vec<Fragment<'t>> {
    if chars_max == 0 {
        return by_bounds(text, places, &bounds(text), usize::MAX);
    }
    by_bounds(text, places, &bounds(text), chars_max)
}

fn bounds(text: &str) -> Vec<(usize, usize)> {
    text.split_sentence_bound_indices()
        .map(|(at, sentence)| (at, at + sentence.len()))
        .collect()
}

fn by_bounds<'t>(
    text: &'t str,
    places: &[Place],
    bounds: &[(usize, usize)],
    chars_max: usize,
) -> Vec<Fragment<'t>> {
    let mut fragments = Vec::new();
    let mut done = 0;
    for place in places {
        if place.start < done {
            continue;
        }
        let at = bounds.partition_point(|(_, end)| *end <= place.start);
        let Some((first, mut end)) = bounds.get(at).copied() else {
            continue;
        };
        let mut start = first.max(done);
        let chars = |start: usize, end: usize| text[start..end].chars().count();
        if chars_max != usize::MAX {
            let mut length = chars(start, end);
            if length > chars_max {
                (start, end) = within(text, place, start, end, chars_max);
            } else {
                for (_, further) in &bounds[at + 1..] {
                    length += chars(end, *further);
                    if length > chars_max {
                        break;
                    }
                    end = *further;
                }
            }
        }
        let end = end.max(place.end);
        fragments.push(Fragment::of(text, start, end, places));
        done = end;
    }
    fragments
}

/// So many characters of a long sentence around a place, from word to word.
fn within(text: &str, place: &Place, start: usize, end: usize, chars_max: usize) -> (usize, usize) {
    let words: Vec<usize> = text[start..end]
        .split_word_bound_indices()
        .map(|(at, _)| start + at)
        .chain([end])
        .collect();
    let mut from = start;
    if text[start..place.end].chars().count() > chars_max {
        let before = chars_max.saturating_sub(text[place.start..place.end].chars().count()) / 2;
        from = words
            .iter()
            .copied()
            .filter(|at| *at <= place.start && text[*at..place.start].chars().count() <= before)
            .min()
            .unwrap_or(place.start);
    }
    let to = words
        .iter()
        .copied()
        .filter(|at| *at > from && text[from..*at].chars().count() <= chars_max)
        .max()
        .unwrap_or(place.end);
    (from, to.max(place.end))
}

/// As many words as fit, one fragment after another.
pub(super) fn words<'t>(text: &'t str, places: &[Place], chars_max: usize) -> Vec<Fragment<'t>> {
    let chars_max = if chars_max == 0 { usize::MAX } else { chars_max };
    let mut bounds = Vec::new();
    let (mut start, mut length) = (0, 0);
    for (at, word) in text.split_word_bound_indices() {
        let is_word = word.chars().any(char::is_alphanumeric);
        let own = word.chars().count();
        if is_word && at > start && length + own > chars_max {
            bounds.push((start, at));
            (start, length) = (at, 0);
        }
        length += own;
    }
    bounds.push((start, text.len()));
    bounds
        .into_iter()
        .map(|(start, end)| Fragment::of(text, start, end, places))
        .filter(|fragment| !fragment.places.is_empty())
        .collect()
}

/// The beginning of a text, up to the end of a sentence or a word.
pub(super) fn beginning(text: &str, chars_max: usize) -> String {
    let end = text
        .char_indices()
        .nth(chars_max)
        .map_or(text.len(), |(at, _)| at);
    if end == text.len() {
        return text.to_owned();
    }
    let words = text.split_word_bound_indices().map(|(at, word)| at + word.len());
    let fits = words.take_while(|at| *at <= end).last().unwrap_or(end);
    text[..fits].trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, word: &str) -> Place {
        let start = text.find(word).expect("the word");
        Place {
            start,
            end: start + word.len(),
            term: word.to_owned(),
        }
    }

    const MARKS: Marks<'_> = Marks {
        before: "[",
        after: "]",
        escapes: true,
    };

    #[test]
    fn fragments_are_sentences_that_fit() {
        let text = "One is <here>. Two comes next. Three is the last of all of them.";
        let shown = |places: &[Place], chars: usize| -> Vec<String> {
            let found = sentences(text, places, chars);
            found.iter().map(|fragment| fragment.marked(MARKS)).collect()
        };
        let places = [place(text, "here"), place(text, "last")];
        assert_eq!(
            shown(&places, 20),
            ["One is &lt;[here]&gt;.", "Three is the [last] of"]
        );
        assert_eq!(
            shown(&places[..1], 40),
            ["One is &lt;[here]&gt;. Two comes next."]
        );
    }

    #[test]
    fn plain_fragments_are_words_that_fit() {
        let text = "alpha beta gamma delta";
        let found = words(text, &[place(text, "gamma")], 11);
        let shown: Vec<String> = found.iter().map(|fragment| fragment.marked(MARKS)).collect();
        assert_eq!(shown, ["[gamma] delta"]);
        assert_eq!(beginning(text, 12), "alpha beta");
    }
}
