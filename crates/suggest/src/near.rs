//! How far words are from one another.

/// How far a word may be from another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearness {
    pub(super) edits: usize,
    /// Characters at the beginning that must be the same.
    pub(super) prefix: usize,
    /// Whether two characters that change places are one edit.
    pub(super) transposes: bool,
}

impl Nearness {
    /// Either of the two.
    pub(super) fn or(self, other: Nearness) -> Nearness {
        Nearness {
            edits: self.edits.max(other.edits),
            prefix: self.prefix.min(other.prefix),
            transposes: self.transposes || other.transposes,
        }
    }

    /// How many edits make one of the other; `None` if they are too many.
    pub(super) fn distance(self, a: &[char], b: &[char]) -> Option<usize> {
        let shared = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let needed = self.prefix.min(a.len());
        if shared < needed || a.len().abs_diff(b.len()) > self.edits {
            return None;
        }
        let found = *self.rows(a, b).last()?;
        (found <= self.edits).then_some(found)
    }

    /// Whether a beginning of a text is near a word.
    pub(super) fn begins(self, word: &[char], text: &[char]) -> bool {
        let shared = word.iter().zip(text).take_while(|(a, b)| a == b).count();
        if shared < self.prefix.min(word.len()) {
            return false;
        }
        let end = (word.len() + self.edits).min(text.len());
        self.rows(word, &text[..end])
            .iter()
            .any(|edits| *edits <= self.edits)
    }

    /// The edits from the first word to each beginning of the second.
    fn rows(self, a: &[char], b: &[char]) -> Vec<usize> {
        let mut before: Vec<usize> = Vec::new();
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for i in 1..=a.len() {
            let mut next = vec![i; b.len() + 1];
            for j in 1..=b.len() {
                let changed = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
                next[j] = changed.min(row[j] + 1).min(next[j - 1] + 1);
                let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                if self.transposes && swapped {
                    next[j] = next[j].min(before[j - 2] + 1);
                }
            }
            before = std::mem::replace(&mut row, next);
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_as_far_as_their_edits() {
        let near = Nearness {
            edits: 2,
            prefix: 1,
            transposes: true,
        };
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        let distance = |a: &str, b: &str| near.distance(&chars(a), &chars(b));
        assert_eq!(distance("word", "word"), Some(0));
        assert_eq!(distance("word", "wrod"), Some(1));
        assert_eq!(distance("word", "ford"), None);
        assert_eq!(distance("word", "wordly"), Some(2));
        assert_eq!(distance("word", "wonders"), None);
        assert!(near.begins(&chars("wrod"), &chars("wording")));
        assert!(!near.begins(&chars("word"), &chars("fording")));
    }
}
