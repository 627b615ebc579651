//! `simple_query_string`: `+`, `|`, `-`, quotation marks, `*`, `~`, parentheses. Every text means something; what cannot be
//! understood is taken as words.

use super::full_text::{boosted_fields, is_and_default};
use super::{CLAUSES_MAX, DEPTH_MAX, Match, MatchKind, MultiKind, Pattern, Query, too_many_clauses};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, scalar};
use serde_json::Value;

/// The characters of a query at most.
const LENGTH_MAX: usize = 100_000;

struct Options {
    fields: Vec<(String, f32)>,
    and: bool,
    analyzer: Option<String>,
    lenient: bool,
    prefix_length: usize,
    /// The operators that mean something: all where none is named.
    flags: Option<Vec<String>>,
}

/// How clauses are taken together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    And,
    Or,
}

struct Parser<'t> {
    text: &'t [char],
    at: usize,
    options: &'t Options,
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
    let options = Options {
        fields: boosted_fields(&mut members),
        and: is_and_default(&mut members)?,
        analyzer: members.text("analyzer")?,
        lenient: members.flag("lenient")?.unwrap_or(false),
        prefix_length: members.integer("fuzzy_prefix_length")?.unwrap_or(0).max(0) as usize,
        flags: flags(members.take("flags"))?,
    };
    // Beginnings are always normalized; swapped letters are one edit; all terms are looked at.
    members.flag("analyze_wildcard")?;
    members.flag("fuzzy_transpositions")?;
    members.integer("fuzzy_max_expansions")?;
    members.flag("auto_generate_synonyms_phrase_query")?;
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
        clauses: 0,
        fault: None,
    };
    let mut query = parser.group(0).map_or(Query::MatchNone, |whole| whole.query);
    if let Some(fault) = parser.fault {
        return Err(fault);
    }
    let Query::Bool {
        should,
        minimum: least,
        boost: own,
        ..
    } = &mut query
    else {
        return Ok(query.boosted(boost));
    };
    if !should.is_empty() {
        *least = minimum.or(least.take());
    }
    *own = boost;
    Ok(query)
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

    /// Clauses up to the end, or to the parenthesis that closes them.
    fn group(&mut self, depth: usize) -> Option<Part> {
        let default = if self.options.and {
            Operation::And
        } else {
            Operation::Or
        };
        let mut whole: Option<(Part, Option<Operation>)> = None;
        let (mut pending, mut is_negated) = (None, false);
        while let Some(c) = self.peek() {
            let clause = match c {
                c if c.is_whitespace() => {
                    self.at += 1;
                    continue;
                }
                '+' if self.options.has("AND") => {
                    pending = pending.or(Some(Operation::And));
                    self.at += 1;
                    continue;
                }
                '|' if self.options.has("OR") => {
                    pending = pending.or(Some(Operation::Or));
                    self.at += 1;
                    continue;
                }
                '-' if self.options.has("NOT") => {
                    is_negated = !is_negated;
                    self.at += 1;
                    continue;
                }
                ')' if self.options.has("PRECEDENCE") => {
                    self.at += 1;
                    if depth > 0 {
                        break;
                    }
                    continue;
                }
                '(' if self.options.has("PRECEDENCE") && depth < DEPTH_MAX => {
                    self.at += 1;
                    self.group(depth + 1)
                }
                '"' if self.options.has("PHRASE") => self.phrase().map(Part::of),
                _ => self.word().map(Part::of),
            };
            let Some(mut clause) = clause else { continue };
            if std::mem::take(&mut is_negated) {
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

    fn phrase(&mut self) -> Option<Query> {
        let start = self.at + 1;
        let mut text = String::new();
        let mut at = start;
        loop {
            match self.text.get(at) {
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
        let slop = self
            .number()
            .filter(|_| self.options.has("NEAR") || self.options.has("SLOP"));
        let slop = slop.and_then(|slop| slop.parse().ok()).unwrap_or(0);
        if text.trim().is_empty() {
            return None;
        }
        self.count()?;
        Some(self.text_query(text, MatchKind::Phrase, slop, None))
    }

    /// `~2` behind a word or a phrase.
    fn number(&mut self) -> Option<String> {
        if self.peek() != Some('~') {
            return None;
        }
        self.at += 1;
        let mut digits = String::new();
        while let Some(c) = self.peek().filter(char::is_ascii_digit) {
            digits.push(c);
            self.at += 1;
        }
        Some(digits)
    }

    fn word(&mut self) -> Option<Query> {
        let mut word = String::new();
        let mut fuzziness = None;
        while let Some(c) = self.peek() {
            match c {
                '\\' if self.options.has("ESCAPE") => {
                    self.at += 1;
                    word.extend(self.peek());
                }
                '+' | '|' | '(' | ')' | '"' => {
                    // Operators that mean nothing are letters like others.
                    let flag = match c {
                        '+' => "AND",
                        '|' => "OR",
                        '"' => "PHRASE",
                        _ => "PRECEDENCE",
                    };
                    if self.options.has(flag) {
                        break;
                    }
                    word.push(c);
                }
                '~' if self.options.has("FUZZY") && !word.is_empty() => {
                    fuzziness = self.number();
                    continue;
                }
                c if c.is_whitespace() => break,
                c => word.push(c),
            }
            self.at += 1;
        }
        if word.is_empty() {
            // Nothing but a parenthesis too deep.
            self.at += 1;
            return None;
        }
        self.count()?;
        if word == "*" {
            return Some(Query::MatchAll { boost: 1.0 });
        }
        if let Some(beginning) = word.strip_suffix('*').filter(|_| self.options.has("PREFIX"))
            && !beginning.is_empty()
        {
            return Some(self.beginning(beginning));
        }
        let fuzziness = fuzziness.map(|edits| {
            if edits.is_empty() {
                "AUTO".to_owned()
            } else {
                edits
            }
        });
        Some(self.text_query(word, MatchKind::Terms, 0, fuzziness))
    }

    fn beginning(&self, value: &str) -> Query {
        let one = |field: String, boost: f32| Query::Pattern {
            field,
            pattern: Pattern::Prefix {
                value: value.to_owned(),
                case_insensitive: false,
            },
            boost,
        };
        match self.options.fields.is_empty() {
            true => one("*".to_owned(), 1.0),
            false => Query::DisMax {
                queries: self
                    .options
                    .fields
                    .iter()
                    .map(|(name, boost)| one(name.clone(), *boost))
                    .collect(),
                tie_breaker: 0.0,
                boost: 1.0,
            },
        }
    }

    fn text_query(&self, text: String, kind: MatchKind, slop: u32, fuzziness: Option<String>) -> Query {
        Query::MultiMatch {
            fields: self.options.fields.clone(),
            kind: MultiKind::Best,
            tie_breaker: None,
            text: Match {
                text: Value::String(text),
                kind,
                all: self.options.and,
                minimum: None,
                analyzer: self.options.analyzer.clone(),
                fuzziness,
                prefix_length: self.options.prefix_length,
                slop,
                zero_terms_all: false,
                lenient: self.options.lenient,
            },
            boost: 1.0,
        }
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
        Query::Bool { must, should, .. } if last == Some(operation) => {
            match operation {
                Operation::And => must.push(clause.query),
                Operation::Or => should.push(clause.query),
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
