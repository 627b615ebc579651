//! How alike two words are, from 0 to 1, in the ways in which Lucene measures it.

use mapping::error::{Result, SearchError};

/// A way to measure it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Likeness {
    /// By edits, of which two characters that change places are one, in the shorter word.
    #[default]
    DamerauLevenshtein,
    /// By edits in the longer word.
    Levenshtein,
    JaroWinkler,
    /// By pairs of characters.
    Ngram,
}

/// From how alike words are a common beginning makes them more alike.
const ALIKE: f64 = 0.7;

impl Likeness {
    pub(super) fn parse(name: Option<&str>) -> Result<Likeness> {
        match name {
            None | Some("internal" | "damerau_levenshtein") => Ok(Likeness::DamerauLevenshtein),
            Some("levenshtein") => Ok(Likeness::Levenshtein),
            Some("jaro_winkler") => Ok(Likeness::JaroWinkler),
            Some("ngram") => Ok(Likeness::Ngram),
            Some(other) => Err(SearchError::illegal(format!("Illegal distance option {other}"))),
        }
    }

    /// `edits` are those between the two with characters that change places.
    pub(super) fn of(self, a: &[char], b: &[char], edits: usize) -> f64 {
        let (short, long) = (a.len().min(b.len()), a.len().max(b.len()));
        if short == 0 {
            return if long == 0 { 1.0 } else { 0.0 };
        }
        match self {
            Likeness::DamerauLevenshtein => 1.0 - edits as f64 / short as f64,
            Likeness::Levenshtein => 1.0 - levenshtein(a, b) as f64 / long as f64,
            Likeness::JaroWinkler => jaro_winkler(a, b),
            Likeness::Ngram => ngrams(a, b),
        }
    }
}

/// How many characters must be put in, taken away or changed.
fn levenshtein(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, c) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in b.iter().enumerate() {
            let changed = diagonal + usize::from(c != other);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn jaro_winkler(a: &[char], b: &[char]) -> f64 {
    let (long, short) = if a.len() > b.len() { (a, b) } else { (b, a) };
    let range = (long.len() / 2).saturating_sub(1);
    let mut taken = vec![false; long.len()];
    let mut matched = Vec::new();
    for (at, c) in short.iter().enumerate() {
        let places = at.saturating_sub(range)..(at + range + 1).min(long.len());
        if let Some(place) = places
            .into_iter()
            .find(|place| !taken[*place] && long[*place] == *c)
        {
            taken[place] = true;
            matched.push(*c);
        }
    }
    if matched.is_empty() {
        return 0.0;
    }
    let others = long.iter().zip(&taken).filter(|(_, taken)| **taken);
    let moved = matched
        .iter()
        .zip(others)
        .filter(|(c, (other, _))| c != other)
        .count()
        / 2;
    let found = matched.len() as f64;
    let jaro = (found / a.len() as f64 + found / b.len() as f64 + (found - moved as f64) / found) / 3.0;
    if jaro < ALIKE {
        return jaro;
    }
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    jaro + 0.1_f64.min(1.0 / long.len() as f64) * prefix as f64 * (1.0 - jaro)
}

/// How much of their pairs of characters words have in common (Lucene's `NGramDistance`).
fn ngrams(a: &[char], b: &[char]) -> f64 {
    /// Stands in front of a word.
    const START: char = '\0';
    /// Characters of a part.
    const SIZE: usize = 2;
    if a.len() < SIZE || b.len() < SIZE {
        let common = a.iter().zip(b).filter(|(a, b)| a == b).count();
        return common as f64 / a.len().max(b.len()) as f64;
    }
    let padded: Vec<char> = std::iter::repeat_n(START, SIZE - 1)
        .chain(a.iter().copied())
        .collect();
    let other: Vec<char> = std::iter::repeat_n(START, SIZE - 1)
        .chain(b.iter().copied())
        .collect();
    let mut before: Vec<f64> = (0..=a.len()).map(|at| at as f64).collect();
    for j in 1..=b.len() {
        let mut row = vec![j as f64; a.len() + 1];
        for i in 1..=a.len() {
            let (mut counted, mut different) = (SIZE, 0);
            for k in 0..SIZE {
                let c = padded[i - 1 + k];
                if c != other[j - 1 + k] {
                    different += 1;
                } else if c == START {
                    // What is in front of both is no match.
                    counted -= 1;
                }
            }
            let cost = f64::from(different) / counted as f64;
            row[i] = (row[i - 1] + 1.0).min(before[i] + 1.0).min(before[i - 1] + cost);
        }
        before = row;
    }
    1.0 - before[a.len()] / a.len().max(b.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_alike_as_lucene_says() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        for (likeness, nobel, noble) in [
            (Likeness::DamerauLevenshtein, 0.75, 0.75),
            (Likeness::Levenshtein, 0.8, 0.8),
            (Likeness::JaroWinkler, 0.9533, 0.96),
            (Likeness::Ngram, 0.7, 0.8),
        ] {
            for (word, wanted) in [("nobel", nobel), ("noble", noble)] {
                let found = likeness.of(&chars("nobl"), &chars(word), 1);
                assert!((found - wanted).abs() < 1e-4, "{likeness:?} {word}: {found}");
            }
        }
    }
}
