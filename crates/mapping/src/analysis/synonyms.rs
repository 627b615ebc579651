//! `synonym` and `synonym_graph`: words, and several after each other, with what they stand for.

use super::terms::Room;
use super::{Analyzer, Token};
use crate::error::{Result, SearchError};
use std::collections::{HashMap, HashSet};

/// The most pairs of a phrase and one that it stands for that one rule makes.
const PAIRS_MAX: usize = 100_000;
/// About the bytes of what the phrases of all rules stand for: a rule of some words, each of which stands for all of them, is a hundred
/// times as large as its text.
const RULES_BYTES_MAX: usize = 128 << 20;

/// Rules, by the words that they are for.
#[derive(Debug)]
pub(crate) struct Synonyms {
    /// The first one is where each phrase begins.
    nodes: Vec<Node>,
    /// Whether terms say how many places they take.
    is_graph: bool,
}

/// Where some words of phrases lead.
#[derive(Debug, Default)]
struct Node {
    /// Where each word that may follow leads.
    next: HashMap<String, usize>,
    /// What the words that led here stand for, themselves included where they do.
    paths: Vec<Vec<String>>,
}

/// Whether these words are those of the text.
fn is_original(path: &[String], matched: &[Token]) -> bool {
    path.iter().eq(matched.iter().map(|token| &token.text))
}

impl Synonyms {
    /// Reads rules, whose words are cut as texts are by what comes before.
    pub(super) fn parse(
        rules: &[String],
        expands: bool,
        lenient: bool,
        is_graph: bool,
        before: &Analyzer,
    ) -> Result<Synonyms> {
        let mut synonyms = Synonyms {
            nodes: vec![Node::default()],
            is_graph,
        };
        let mut bytes = 0;
        for rule in rules {
            let rule = rule.trim();
            if rule.is_empty() || rule.starts_with('#') {
                continue;
            }
            let (from, to) = read(rule, expands, lenient, before)?;
            // Each stands for all.
            if from.len().saturating_mul(to.len()) > PAIRS_MAX {
                return Err(SearchError::illegal(format!(
                    "a rule of synonyms makes more than {PAIRS_MAX} pairs"
                )));
            }
            bytes = from
                .len()
                .saturating_mul(phrases_bytes(&to))
                .saturating_add(bytes);
            if bytes > RULES_BYTES_MAX {
                return Err(SearchError::illegal(format!(
                    "the rules of synonyms make more than {RULES_BYTES_MAX} bytes of pairs"
                )));
            }
            for phrase in from {
                synonyms.node_of(phrase).paths.extend(to.iter().cloned());
            }
        }
        for node in &mut synonyms.nodes {
            let mut seen = HashSet::new();
            node.paths.retain(|path| seen.insert(path.clone()));
        }
        Ok(synonyms)
    }

    /// Where a phrase leads.
    fn node_of(&mut self, phrase: Vec<String>) -> &mut Node {
        let mut at = 0;
        for word in phrase {
            let new = self.nodes.len();
            at = *self.nodes[at].next.entry(word).or_insert(new);
            if at == new {
                self.nodes.push(Node::default());
            }
        }
        &mut self.nodes[at]
    }

    pub(super) fn apply(&self, tokens: &[Token]) -> Vec<Token> {
        let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
        let mut room = Room::default();
        // By how much places have moved.
        let mut moved = 0_i64;
        let mut at = 0;
        while let Some(first) = tokens.get(at) {
            let place = (i64::from(first.position) + moved).max(0) as u32;
            let Some((count, paths)) = self.longest_match(&tokens[at..]) else {
                out.push(Token {
                    position: place,
                    ..first.clone()
                });
                at += 1;
                continue;
            };
            let made = paths.iter().flatten().map(|word| size_of::<Token>() + word.len());
            if !room.takes(made.sum()) {
                break;
            }
            let matched = &tokens[at..at + count];
            let last = matched.last().unwrap_or(first);
            let span = last.position - first.position + 1;
            let taken = self.taken(paths, matched, span);
            self.put(paths, matched, (place, taken), &mut out);
            moved += i64::from(taken) - i64::from(span);
            at += count;
        }
        // What lies beside what follows comes in the order of places, too.
        out.sort_by_key(|token| token.position);
        out
    }

    /// How many places is taken by what stands for tokens that took `span` of them.
    fn taken(&self, paths: &[Vec<String>], matched: &[Token], span: u32) -> u32 {
        let inner: usize = paths.iter().map(|path| path.len() - 1).sum();
        match self.is_graph {
            true => inner as u32 + 1,
            false if paths.iter().any(|path| is_original(path, matched)) => span,
            // What is longer than what it stands for lies beside what follows.
            false => span.min(paths.iter().map(Vec::len).max().unwrap_or(1) as u32),
        }
    }

    /// Appends what stands for tokens, in the order of places: all of it begins at `place`, and takes so many of them.
    fn put(
        &self,
        paths: &[Vec<String>],
        matched: &[Token],
        (place, taken): (u32, u32),
        out: &mut Vec<Token>,
    ) {
        let (Some(first), Some(last)) = (matched.first(), matched.last()) else {
            return;
        };
        // Of several words each is at a place of its own, so that no path leads from one phrase into another.
        let mut next_inner = place + 1;
        let begun = out.len();
        for path in paths {
            let mut own = place;
            for (nth, word) in path.iter().enumerate() {
                let is_last = nth + 1 == path.len();
                let end = match (self.is_graph, is_last) {
                    (true, true) => place + taken,
                    (true, false) => next_inner,
                    (false, true) if path.len() == 1 => place + taken,
                    (false, _) => own + 1,
                };
                let source = matched.get(nth).filter(|_| is_original(path, matched));
                out.push(Token {
                    text: word.clone(),
                    position: own,
                    length: end - own,
                    start: source.map_or(first.start, |token| token.start),
                    end: source.map_or(last.end, |token| token.end),
                    kind: source.map_or("SYNONYM", |token| token.kind),
                    is_keyword: source.is_some_and(|token| token.is_keyword),
                });
                own = end;
                if self.is_graph && !is_last {
                    next_inner += 1;
                }
            }
        }
        out[begun..].sort_by_key(|token| token.position);
    }

    /// The most tokens that a rule is for, and what they stand for.
    fn longest_match(&self, tokens: &[Token]) -> Option<(usize, &Vec<Vec<String>>)> {
        let mut node = self.nodes.first()?;
        let mut found = None;
        for (at, token) in tokens.iter().enumerate() {
            let Some(next) = node.next.get(&token.text) else {
                break;
            };
            node = &self.nodes[*next];
            if !node.paths.is_empty() {
                found = Some((at + 1, &node.paths));
            }
        }
        found
    }
}

/// Phrases, as words.
type Phrases = Vec<Vec<String>>;

/// The phrases that a rule is for, and those that they stand for.
fn read(rule: &str, expands: bool, lenient: bool, before: &Analyzer) -> Result<(Phrases, Phrases)> {
    let read = |text: &str| -> Result<Phrases> {
        let mut phrases = Vec::new();
        for phrase in text.split(',').map(str::trim) {
            match words(phrase, before) {
                Ok(words) => phrases.push(words),
                // A lenient filter skips a phrase that cannot be a synonym.
                Err(_) if lenient => {}
                Err(error) => return Err(error),
            }
        }
        Ok(phrases)
    };
    Ok(match rule.split_once("=>") {
        Some((from, to)) => (read(from)?, read(to)?),
        None => {
            let all = read(rule)?;
            let to = if expands { all.len() } else { 1 };
            (all.clone(), all.into_iter().take(to).collect())
        }
    })
}

/// About the bytes of phrases in memory.
fn phrases_bytes(phrases: &[Vec<String>]) -> usize {
    let word = |word: &String| size_of::<String>() + word.len();
    let phrase = |phrase: &Vec<String>| size_of::<Vec<String>>() + phrase.iter().map(word).sum::<usize>();
    phrases.iter().map(phrase).sum()
}

/// The words of a phrase of a rule.
fn words(phrase: &str, before: &Analyzer) -> Result<Vec<String>> {
    let tokens = before.tokens(phrase);
    if tokens.is_empty() {
        return Err(SearchError::illegal(format!(
            "failed to build synonyms: term: {phrase} was completely eliminated by analyzer"
        )));
    }
    let mut words = Vec::with_capacity(tokens.len());
    for (at, token) in tokens.into_iter().enumerate() {
        if token.position as usize != at {
            return Err(SearchError::illegal(format!(
                "failed to build synonyms: term: {phrase} analyzed to a token ({}) with position increment != 1",
                token.text
            )));
        }
        words.push(token.text);
    }
    Ok(words)
}
