//! `simple_query_string`: `+`, `|`, `-`, quotation marks, `*`, `~`, parentheses. Every text means something; what cannot be
//! understood is taken as words.

use super::fuzziness::{expansions, prefix_length};
use super::several::{are_all, boosted_fields, is_and, synonym_phrases};
use super::{
    CLAUSES_MAX, DEPTH_MAX, EXPANSIONS, Fuzzy, Match, MatchKind, MultiKind, MultiMatchQuery, Pattern, Query,
    Rewrite, ZeroTerms, too_many_clauses,
};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, scalar};
use serde_json::Value;
use std::collections::HashMap;

/// The characters of a query at most.
const LENGTH_MAX: usize = 100_000;

struct Options {
    fields: Vec<(String, f32)>,
    and: bool,
    analyzer: Option<String>,
    lenient: bool,
    /// How near fuzzy words must be.
    fuzzy: Fuzzy,
    /// The operators that mean something: all where none is named.
    flags: Option<Vec<String>>,
    /// Whether what a word begins with is cut into terms, of which the last is a beginning.
    analyzes_beginnings: bool,
    synonym_phrases: bool,
}

/// How clauses are taken together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    And,
    Or,
}

/// What stands between clauses.
enum Mark {
    Operation(Operation),
    Not,
    Nothing,
}

struct Parser<'t> {
    text: &'t [char],
    at: usize,
    options: &'t Options,
    /// Where each parenthesis is closed that is.
    closed: HashMap<usize, usize>,
    /// The terms so far, each as often as there are fields.
    clauses: usize,
    /// Why the text is refused.
    fault: Option<SearchError>,
}

/// A part of the text, and how many queries are within one another in it.
struct Part {
    query: Query,
    height: usize,
}

/// Reads the body of the query.
pub(super) fn parse(body: &Value) -> Result<Query> {
    let mut members = Members::of("simple_query_string", body)?;
    let boost = members.boost()?;
    members.take("_name");
    let text = members.text("query")?;
    let text = text.ok_or_else(|| SearchError::parsing("[simple_query_string] query text missing"))?;
    let minimum = members.take("minimum_should_match").and_then(scalar);
    let fields = boosted_fields(&mut members)?;
    let options = Options {
        lenient: members.flag("lenient")?.unwrap_or_else(|| are_all(&fields)),
        fields,
        and: is_and(&mut members, "default_operator")?,
        analyzer: members.text("analyzer")?,
        fuzzy: Fuzzy {
            prefix_length: prefix_length("simple_query_string", &mut members, "fuzzy_prefix_length")?,
            transpositions: members.flag("fuzzy_transpositions")?.unwrap_or(true),
            expansions_max: expansions("simple_query_string", &mut members, "fuzzy_max_expansions")?
                .unwrap_or(EXPANSIONS),
            normalizes: true,
            ..Fuzzy::default()
        },
        flags: flags(members.take("flags"))?,
        analyzes_beginnings: members.flag("analyze_wildcard")?.unwrap_or(false),
        synonym_phrases: synonym_phrases(&mut members)?,
    };
    if members.take("quote_field_suffix").is_some() {
        return Err(SearchError::unsupported(
            "[quote_field_suffix] of [simple_query_string]",
        ));
    }
    members.end()?;
    let chars: Vec<char> = text.chars().collect();
    if chars.len() > LENGTH_MAX {
        return Err(SearchError::illegal(format!(
            "a query has at most {LENGTH_MAX} characters"
        )));
    }
    let mut parser = Parser {
        text: &chars,
        at: 0,
        options: &options,
        closed: closed(&chars, &options),
        clauses: 0,
        fault: None,
    };
    let whole = match text.trim() {
        "*" => Some(Part::of(Query::MatchAll { boost: 1.0 })),
        _ => parser.group(chars.len(), 0),
    };
    let mut query = whole.map_or(Query::MatchNone, |whole| whole.query);
    if let Some(fault) = parser.fault {
        return Err(fault);
    }
    if let Query::Bool(clauses) = &mut query
        && !clauses.should.is_empty()
    {
        clauses.minimum = minimum;
    }
    Ok(query.whole(boost))
}

fn flags(value: Option<&Value>) -> Result<Option<Vec<String>>> {
    // Those that have a bit come first, by their bits.
    const KNOWN: [&str; 13] = [
        "AND",
        "NOT",
        "OR",
        "PREFIX",
        "PHRASE",
        "PRECEDENCE",
        "ESCAPE",
        "WHITESPACE",
        "FUZZY",
        "NEAR",
        "SLOP",
        "ALL",
        "NONE",
    ];
    if let Some(bits) = value.and_then(Value::as_i64) {
        let named = KNOWN
            .iter()
            .take(10)
            .enumerate()
            .filter(|(at, _)| bits >> at & 1 == 1);
        return Ok(Some(named.map(|(_, name)| (*name).to_owned()).collect()));
    }
    let Some(text) = value.and_then(scalar) else {
        return Ok(None);
    };
    let names: Vec<String> = text
        .split('|')
        .map(|name| name.trim().to_ascii_uppercase())
        .collect();
    if let Some(other) = names.iter().find(|name| !KNOWN.contains(&name.as_str())) {
        return Err(SearchError::illegal(format!(
            "Unknown simple_query_string flag [{other}]"
        )));
    }
    Ok((!names.iter().any(|name| name == "ALL")).then_some(names))
}

impl Options {
    fn has(&self, flag: &str) -> bool {
        self.flags
            .as_ref()
            .is_none_or(|flags| flags.iter().any(|one| one == flag))
    }

    /// What a character between clauses means; `None` where a clause begins with it.
    fn mark(&self, c: char) -> Option<Mark> {
        let (flag, mark) = match c {
            '+' => ("AND", Mark::Operation(Operation::And)),
            '|' => ("OR", Mark::Operation(Operation::Or)),
            '-' => ("NOT", Mark::Not),
            // One that closes nothing.
            ')' => ("PRECEDENCE", Mark::Nothing),
            c if c.is_whitespace() => ("WHITESPACE", Mark::Nothing),
            _ => return None,
        };
        self.has(flag).then_some(mark)
    }
}

/// Where parentheses are closed, by the places where they are opened.
fn closed(text: &[char], options: &Options) -> HashMap<usize, usize> {
    let (mut closed, mut open, mut is_escaped) = (HashMap::new(), Vec::new(), false);
    for (at, c) in text.iter().enumerate() {
        match c {
            _ if std::mem::take(&mut is_escaped) => {}
            '\\' if options.has("ESCAPE") => is_escaped = true,
            '(' => open.push(at),
            ')' => drop(open.pop().map(|begun| closed.insert(begun, at))),
            _ => {}
        }
    }
    closed
}

fn both(operation: Operation, queries: Vec<Query>, boost: f32) -> Query {
    let (must, should) = match operation {
        Operation::And => (queries, Vec::new()),
        Operation::Or => (Vec::new(), queries),
    };
    Query::clauses(must, should, Vec::new(), boost)
}

fn without(query: Query) -> Query {
    let all = Query::MatchAll { boost: 1.0 };
    Query::clauses(Vec::new(), vec![all], vec![query], 1.0)
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// Ends reading.
    fn refuse(&mut self, fault: SearchError) {
        self.fault.get_or_insert(fault);
        self.at = self.text.len();
    }

    /// A term is looked for in each of the fields.
    fn count(&mut self) -> Option<()> {
        self.clauses += self.options.fields.len().max(1);
        if self.clauses > CLAUSES_MAX {
            self.refuse(too_many_clauses(CLAUSES_MAX));
        }
        self.fault.is_none().then_some(())
    }

    /// Clauses up to an end.
    fn group(&mut self, end: usize, depth: usize) -> Option<Part> {
        if depth > DEPTH_MAX {
            self.refuse(SearchError::illegal(format!(
                "[simple_query_string] has parentheses that are nested more than {DEPTH_MAX} deep"
            )));
            return None;
        }
        let default = if self.options.and {
            Operation::And
        } else {
            Operation::Or
        };
        let mut whole: Option<(Part, Option<Operation>)> = None;
        let (mut pending, mut is_negated) = (None, false);
        while let Some(c) = self.peek().filter(|_| self.at < end) {
            let negates = std::mem::take(&mut is_negated);
            if let Some(mark) = self.options.mark(c) {
                match mark {
                    Mark::Operation(operation) => pending = pending.or(Some(operation)),
                    Mark::Not => is_negated = !negates,
                    Mark::Nothing => {}
                }
                self.at += 1;
                continue;
            }
            let Some(mut clause) = self.clause(c, end, depth) else {
                continue;
            };
            if negates {
                clause = Part {
                    query: without(clause.query),
                    height: clause.height + 1,
                };
            }
            let operation = pending.take().unwrap_or(default);
            let next = match whole {
                None => (clause, None),
                Some((before, last)) => (with(before, last, operation, clause), Some(operation)),
            };
            // Operators that take turns are queries within queries as parentheses are.
            if next.0.height > DEPTH_MAX {
                self.refuse(SearchError::illegal(format!(
                    "[simple_query_string] has operators that are nested more than {DEPTH_MAX} deep"
                )));
            }
            whole = Some(next);
        }
        whole.map(|(part, _)| part)
    }

    /// The clause that begins with this character; `None` where what stands there means nothing.
    fn clause(&mut self, begin: char, end: usize, depth: usize) -> Option<Part> {
        match begin {
            '(' if self.options.has("PRECEDENCE") => {
                let close = self.closed.get(&self.at).copied();
                self.at += 1;
                // What is never closed means nothing.
                let close = close?;
                let group = self.group(close, depth + 1);
                self.at = self.at.max(close + 1);
                group
            }
            '"' if self.options.has("PHRASE") => self.phrase(end).map(Part::of),
            _ => self.word(end).map(Part::of),
        }
    }

    fn phrase(&mut self, end: usize) -> Option<Query> {
        let mut text = String::new();
        let mut at = self.at + 1;
        loop {
            match self.text.get(at).filter(|_| at < end) {
                // A quotation mark that is never closed means nothing.
                None => {
                    self.at += 1;
                    return None;
                }
                Some('"') => break,
                Some('\\') if self.options.has("ESCAPE") => {
                    text.extend(self.text.get(at + 1));
                    at += 2;
                }
                Some(c) => {
                    text.push(*c);
                    at += 1;
                }
            }
        }
        self.at = at + 1;
        let has_slop = self.options.has("NEAR") || self.options.has("SLOP");
        let slop = match self.peek() {
            Some('~') if has_slop && self.at < end => self.number(end),
            _ => 0,
        };
        if text.trim().is_empty() {
            return None;
        }
        self.count()?;
        let text = Match {
            slop,
            ..self.text(text, MatchKind::Phrase)
        };
        Some(self.of_fields(text, MultiKind::Best))
    }

    /// `~2` after a word or a phrase; nothing after it means 2, and what is no number 0.
    fn number(&mut self, end: usize) -> u32 {
        let mut digits = String::new();
        self.at += 1;
        while let Some(c) = self.peek().filter(|c| self.at < end && !self.ends_word(*c)) {
            digits.push(c);
            self.at += 1;
        }
        match digits.as_str() {
            "" => 2,
            digits => digits.parse().unwrap_or(0),
        }
    }

    /// Whether no word goes on beyond this.
    fn ends_word(&self, c: char) -> bool {
        // Operators that mean nothing are letters like others.
        let flag = match c {
            '"' => "PHRASE",
            '|' => "OR",
            '+' => "AND",
            '(' | ')' => "PRECEDENCE",
            c if c.is_whitespace() => "WHITESPACE",
            _ => return false,
        };
        self.options.has(flag)
    }

    fn word(&mut self, end: usize) -> Option<Query> {
        let mut word = String::new();
        let (mut is_fuzzy, mut is_beginning) = (false, false);
        while let Some(c) = self.peek().filter(|_| self.at < end) {
            match c {
                '\\' if self.options.has("ESCAPE") => {
                    self.at += 1;
                    word.extend(self.peek().filter(|_| self.at < end));
                    is_beginning = false;
                }
                c if self.ends_word(c) => break,
                '~' if self.options.has("FUZZY") && !word.is_empty() => {
                    is_fuzzy = true;
                    break;
                }
                c => {
                    is_beginning = c == '*' && !word.is_empty() && self.options.has("PREFIX");
                    word.push(c);
                }
            }
            self.at += 1;
        }
        let edits = if is_fuzzy { self.number(end) } else { 0 };
        if word.is_empty() {
            return None;
        }
        self.count()?;
        if edits > 0 {
            let fuzzy = Fuzzy {
                fuzziness: edits.to_string(),
                ..self.options.fuzzy.clone()
            };
            return Some(self.pattern(Pattern::Fuzzy { value: word, fuzzy }));
        }
        Some(
            match word.strip_suffix('*').filter(|_| is_beginning && !is_fuzzy) {
                Some(beginning) if self.options.analyzes_beginnings => {
                    let text = self.text(beginning.to_owned(), MatchKind::BoolPrefix);
                    self.of_fields(text, MultiKind::Most)
                }
                Some(beginning) => self.pattern(Pattern::Prefix {
                    value: beginning.to_owned(),
                    case_insensitive: false,
                }),
                None => self.of_fields(self.text(word, MatchKind::Terms), MultiKind::Most),
            },
        )
    }

    /// A pattern in each of the fields, whose scores are added.
    fn pattern(&self, pattern: Pattern) -> Query {
        let all = [("*".to_owned(), 1.0)];
        let fields = match self.options.fields.is_empty() {
            true => &all[..],
            false => &self.options.fields,
        };
        let one = |(field, boost): &(String, f32)| {
            let query = Query::Pattern {
                field: field.clone(),
                pattern: pattern.clone(),
                rewrite: Rewrite::Usual,
                boost: *boost,
            };
            match self.options.lenient {
                true => Query::Lenient(Box::new(query)),
                false => query,
            }
        };
        Query::DisMax {
            queries: fields.iter().map(one).collect(),
            tie_breaker: 1.0,
            boost: 1.0,
        }
    }

    fn text(&self, text: String, kind: MatchKind) -> Match {
        Match {
            all: self.options.and,
            analyzer: self.options.analyzer.clone(),
            lenient: self.options.lenient,
            synonym_phrases: self.options.synonym_phrases,
            is_pattern: kind == MatchKind::BoolPrefix,
            zero_terms: ZeroTerms::Skipped,
            ..Match::of(text, kind)
        }
    }

    fn of_fields(&self, text: Match, kind: MultiKind) -> Query {
        Query::MultiMatch(MultiMatchQuery {
            fields: self.options.fields.clone(),
            kind,
            tie_breaker: None,
            text,
            boost: 1.0,
        })
    }
}

impl Part {
    fn of(query: Query) -> Part {
        Part { query, height: 0 }
    }
}

/// A clause more: beside those before it where they are taken together likewise, and else beside all of them as one.
fn with(mut before: Part, last: Option<Operation>, operation: Operation, clause: Part) -> Part {
    match &mut before.query {
        Query::Bool(clauses) if last == Some(operation) => {
            match operation {
                Operation::And => clauses.must.push(clause.query),
                Operation::Or => clauses.should.push(clause.query),
            }
            Part {
                height: before.height.max(clause.height + 1),
                query: before.query,
            }
        }
        _ => Part {
            height: before.height.max(clause.height) + 1,
            query: both(operation, vec![before.query, clause.query], 1.0),
        },
    }
}
