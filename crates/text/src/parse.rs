//! A search string taken apart: words, phrases in quotation marks, and what a minus excludes.

/// The parts of a search string.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    /// Words of which a document has at least one, one after the other.
    pub(crate) wanted: String,
    /// Words that a document must not have.
    pub(crate) excluded: String,
    /// Texts that a document must have.
    pub(crate) phrases: Vec<String>,
    /// Texts that a document must not have.
    pub(crate) excluded_phrases: Vec<String>,
}

/// A piece of a search string.
#[derive(Clone, Copy)]
enum Piece<'s> {
    Word(&'s str),
    Minus,
    /// A quotation mark, at this place.
    Quote(usize),
}

/// Takes a search string apart. A minus excludes where white space stands before it, up to the next white space:
/// `-well-known` excludes both words, and a minus alone nothing. What an open quotation mark begins are only words.
pub(crate) fn parse(search: &str) -> Parts {
    let mut parts = Parts::default();
    let (mut excludes, mut phrase_start) = (false, None);
    for (piece, after_space) in pieces(search) {
        match piece {
            Piece::Word(word) => {
                if excludes && phrase_start.is_some() {
                    continue;
                }
                excludes &= !after_space;
                let sentence = if excludes {
                    &mut parts.excluded
                } else {
                    &mut parts.wanted
                };
                sentence.push_str(word);
                sentence.push(' ');
            }
            Piece::Minus => excludes |= phrase_start.is_none() && after_space,
            Piece::Quote(at) => match phrase_start.take() {
                Some(start) => {
                    let phrase = search.get(start..at).unwrap_or_default().to_owned();
                    match excludes {
                        true => parts.excluded_phrases.push(phrase),
                        false => parts.phrases.push(phrase),
                    }
                }
                None => {
                    phrase_start = Some(at + 1);
                    excludes &= !after_space;
                }
            },
        }
    }
    parts
}

/// The pieces, each with whether white space stands before it.
fn pieces(search: &str) -> Vec<(Piece<'_>, bool)> {
    let mut pieces = Vec::new();
    let mut after_space = true;
    let mut word_start = None;
    for (at, c) in search.char_indices() {
        let is_space = matches!(c, ' ' | '\n' | '\u{B}' | '\u{C}' | '\r');
        if !is_space && c != '-' && c != '"' {
            word_start.get_or_insert(at);
            continue;
        }
        if let Some(start) = word_start.take() {
            pieces.push((Piece::Word(&search[start..at]), after_space));
            after_space = false;
        }
        match c {
            '-' => pieces.push((Piece::Minus, after_space)),
            '"' => pieces.push((Piece::Quote(at), after_space)),
            _ => {}
        }
        after_space = is_space;
    }
    if let Some(start) = word_start {
        pieces.push((Piece::Word(&search[start..]), after_space));
    }
    pieces
}
