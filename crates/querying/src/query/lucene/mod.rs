//! The query language of Lucene, as `query_string` and `q=` have it: fields, groups, phrases, ranges, wildcards, regular
//! expressions, fuzzy terms, boosts.
//!
//! A text becomes the queries that it stands for. Where `AND` and `OR` stand together, an `AND` makes the clauses beside it
//! required, as Lucene's classic parser does.

mod options;
mod tokens;

use super::{
    CLAUSES_MAX, DEPTH_MAX, Match, MatchKind, MultiKind, MultiMatchQuery, Pattern, Query, Range, Rewrite,
    ZeroTerms, too_many_clauses,
};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, scalar};
use options::Options;
use serde_json::Value;
use tokens::{Token, Word, tokens};

/// The characters of a query at most.
const LENGTH_MAX: usize = 100_000;

/// Reads the body of a `query_string`.
pub(super) fn parse(body: &Value) -> Result<Query> {
    let mut members = Members::of("query_string", body)?;
    let boost = members.boost()?;
    members.take("_name");
    let text = members.text("query")?;
    let text = text.ok_or_else(|| SearchError::parsing("[query_string] must be provided with a [query]"))?;
    let options = Options::take(&mut members)?;
    let minimum = members.take("minimum_should_match").and_then(scalar);
    let text = match members.flag("escape")? {
        Some(true) => escaped(&text),
        _ => text,
    };
    if members.flag("allow_leading_wildcard")? == Some(false)
        && text
            .split([' ', ':', '('])
            .any(|word| word.starts_with(['*', '?']))
    {
        return Err(SearchError::parsing(
            "'*' or '?' not allowed as first character in WildcardQuery",
        ));
    }
    members.end()?;
    let mut query = string(&text, &options)?;
    // Words of one field are clauses as others are; of several fields each is a clause of its own.
    match &mut query {
        Query::Bool(clauses) if !clauses.should.is_empty() => clauses.minimum = minimum,
        Query::Match { text, .. } if text.kind == MatchKind::Terms => text.minimum = minimum,
        _ => {}
    }
    Ok(query.whole(boost))
}

/// A text no character of which is an operator.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        out.extend("\\+-!():^[]\"{}~*?|&/".contains(c).then_some('\\'));
        out.push(c);
    }
    out
}

/// Reads the parameters `q`, `df`, `default_operator`, `analyzer` and `lenient` of a query string.
pub fn parse_query_string(q: &str, field: Option<&str>, and: bool, lenient: bool) -> Result<Query> {
    let options = Options::of(field, and, lenient);
    string(q, &options)
}

fn string(text: &str, options: &Options) -> Result<Query> {
    if text.chars().count() > LENGTH_MAX {
        return Err(SearchError::parsing(format!(
            "[query_string] is longer than {LENGTH_MAX} characters"
        )));
    }
    let failed = |why: String| {
        SearchError::new(
            mapping::error::ErrorKind::QueryShard,
            format!("Failed to parse query [{text}]: {why}"),
        )
    };
    let tokens = tokens(text).map_err(failed)?;
    // Each is looked for in each of the fields.
    let terms = tokens.iter().filter(|token| token.is_term()).count();
    if terms.saturating_mul(options.fields.len().max(1)) > CLAUSES_MAX {
        return Err(too_many_clauses(CLAUSES_MAX));
    }
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        options,
    };
    let query = parser.group(None, 0).map_err(failed)?;
    match parser.peek() {
        None => Ok(query),
        Some(_) => Err(failed("there is a ')' without its '('".to_owned())),
    }
}

struct Parser<'p> {
    tokens: &'p [Token],
    at: usize,
    options: &'p Options,
}

/// Whether a clause must match, may, or must not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occur {
    Must,
    Should,
    Not,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn take(&mut self, wanted: &Token) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += usize::from(is_there);
        is_there
    }

    /// Clauses up to the end or the closing parenthesis.
    fn group(&mut self, field: Option<&str>, depth: usize) -> Result<Query, String> {
        if depth > DEPTH_MAX {
            return Err(format!("groups are nested more than {DEPTH_MAX} deep"));
        }
        let mut clauses: Vec<(Occur, Query)> = Vec::new();
        let default = if self.options.and {
            Occur::Must
        } else {
            Occur::Should
        };
        while self.peek().is_some_and(|token| *token != Token::Close) {
            if let Some(text) = self.adjacent() {
                let query = self.text(field, text, self.options.kind.1, self.options.slop);
                clauses.push((default, query));
                continue;
            }
            let and = self.take(&Token::And);
            let or = !and && self.take(&Token::Or);
            if (and || or) && clauses.is_empty() {
                return Err("an operator stands where a clause is expected".to_owned());
            }
            let mut occur = if and {
                Occur::Must
            } else if or {
                Occur::Should
            } else {
                default
            };
            if and
                && let Some((before, _)) = clauses.last_mut()
                && *before == Occur::Should
            {
                *before = Occur::Must;
            }
            if or
                && self.options.and
                && let Some((before, _)) = clauses.last_mut()
                && *before == Occur::Must
            {
                *before = Occur::Should;
            }
            loop {
                if self.take(&Token::Not) || self.take(&Token::Minus) {
                    occur = Occur::Not;
                } else if self.take(&Token::Plus) {
                    occur = Occur::Must;
                } else {
                    break;
                }
            }
            clauses.push((occur, self.clause(field, depth)?));
        }
        Ok(joined(clauses))
    }

    /// Words that stand beside each other with nothing between them, which are analyzed together; each but the first must have
    /// nothing after it that is for it alone.
    fn adjacent(&mut self) -> Option<String> {
        let word_at = |at: usize| match self.tokens.get(at) {
            Some(Token::Word(word)) if !word.has_wildcard => Some(word),
            _ => None,
        };
        let stands_alone = |at: usize| match self.tokens.get(at + 1) {
            Some(Token::Colon | Token::Tilde(_) | Token::Boost(_) | Token::And | Token::Or) => false,
            Some(Token::Word(word)) => word.raw != "*",
            _ => true,
        };
        let others = (self.at + 1..).take_while(|at| word_at(*at).is_some() && stands_alone(*at));
        let end = others.last()?;
        let words: Vec<String> = (self.at..=end)
            .map(|at| word_at(at).map(Word::plain))
            .collect::<Option<_>>()?;
        self.at = end + 1;
        Some(words.join(" "))
    }

    fn clause(&mut self, field: Option<&str>, depth: usize) -> Result<Query, String> {
        let token = self.next()?;
        if let Token::Word(name) = &token
            && self.take(&Token::Colon)
        {
            let name = name.plain();
            if name == "_exists_" {
                let named = self.peek().cloned();
                self.at += 1;
                return match named {
                    Some(Token::Word(word)) => Ok(Query::Exists {
                        field: word.plain(),
                        boost: 1.0,
                    }),
                    Some(Token::Phrase(name)) => Ok(Query::Exists {
                        field: name,
                        boost: 1.0,
                    }),
                    _ => Err("the name of a field is expected behind _exists_".to_owned()),
                };
            }
            if name == "*"
                && self
                    .peek()
                    .is_some_and(|token| matches!(token, Token::Word(word) if word.raw == "*"))
            {
                self.at += 1;
                return Ok(Query::MatchAll { boost: 1.0 });
            }
            let token = self.next()?;
            return self.of_field(Some(&name), token, depth);
        }
        self.of_field(field, token, depth)
    }

    fn next(&mut self) -> Result<Token, String> {
        let token = self.peek().cloned().ok_or("a clause is expected at the end")?;
        self.at += 1;
        Ok(token)
    }

    /// What is asked of a field, or of those that are meant where none is named; it begins with a token that was taken.
    fn of_field(&mut self, field: Option<&str>, token: Token, depth: usize) -> Result<Query, String> {
        let mut query = match token {
            Token::Open => {
                let query = self.group(field, depth + 1)?;
                if !self.take(&Token::Close) {
                    return Err("a '(' has no ')'".to_owned());
                }
                query
            }
            Token::Word(word) => self.word(field, &word)?,
            Token::Bare(sign) => self.text(field, sign.to_string(), self.options.kind.1, self.options.slop),
            Token::Phrase(text) => {
                let slop = self.tilde().map(|slop| slop.parse().unwrap_or(self.options.slop));
                self.text(field, text, MatchKind::Phrase, slop.unwrap_or(self.options.slop))
            }
            Token::Regex(value) => {
                let pattern = Pattern::Regexp {
                    value,
                    case_insensitive: false,
                };
                self.pattern(field, &pattern)
            }
            Token::Range { low, high } => {
                let range = Range {
                    low,
                    high,
                    time_zone: self.options.time_zone.clone(),
                    ..Range::default()
                };
                if field.is_none() && self.options.fields.is_empty() {
                    return Err("a range without a field needs [fields] or [default_field]".to_owned());
                }
                self.each(field, |field, boost| Query::Range {
                    field,
                    range: range.clone(),
                    boost,
                })
            }
            other => return Err(format!("{other:?} stands where a clause is expected")),
        };
        if let Some(Token::Boost(boost)) = self.peek() {
            let boost = *boost;
            self.at += 1;
            query = Query::clauses(vec![query], Vec::new(), Vec::new(), boost);
        }
        Ok(query)
    }

    fn tilde(&mut self) -> Option<String> {
        let Some(Token::Tilde(text)) = self.peek() else {
            return None;
        };
        let text = text.clone();
        self.at += 1;
        Some(text)
    }

    fn word(&mut self, field: Option<&str>, word: &Word) -> Result<Query, String> {
        if word.raw == "*" {
            return match field {
                Some(field) => Ok(Query::Exists {
                    field: field.to_owned(),
                    boost: 1.0,
                }),
                None => Ok(Query::MatchAll { boost: 1.0 }),
            };
        }
        if self.options.analyzes_beginnings
            && let Some(beginning) = word.beginning()
        {
            return Ok(self.text(field, beginning.plain(), MatchKind::BoolPrefix, 0));
        }
        if word.has_wildcard {
            let pattern = Pattern::Wildcard {
                value: word.raw.clone(),
                case_insensitive: false,
            };
            return Ok(self.pattern(field, &pattern));
        }
        if let Some(distance) = self.tilde() {
            let mut fuzzy = self.options.fuzzy.clone();
            if !distance.is_empty() {
                fuzzy.fuzziness = distance;
            }
            let value = word.plain();
            return Ok(self.pattern(field, &Pattern::Fuzzy { value, fuzzy }));
        }
        Ok(self.text(field, word.plain(), self.options.kind.1, self.options.slop))
    }

    fn pattern(&self, field: Option<&str>, pattern: &Pattern) -> Query {
        let rewrite = match pattern {
            Pattern::Fuzzy { .. } => Rewrite::Usual,
            _ => self.options.rewrite,
        };
        self.each(field, |field, boost| Query::Pattern {
            field,
            pattern: pattern.clone(),
            rewrite,
            boost,
        })
    }

    fn text(&self, field: Option<&str>, text: String, kind: MatchKind, slop: u32) -> Query {
        let options = self.options;
        let text = Match {
            all: options.and,
            analyzer: match (&options.quote_analyzer, kind) {
                (Some(analyzer), MatchKind::Phrase) => Some(analyzer.clone()),
                _ => options.analyzer.clone(),
            },
            slop,
            zero_terms: ZeroTerms::Skipped,
            lenient: options.lenient,
            synonym_phrases: options.synonym_phrases,
            is_pattern: kind == MatchKind::BoolPrefix && options.kind.1 != kind,
            is_spread: true,
            ..Match::of(text, kind)
        };
        let own: Vec<(String, f32)> = field.map(|field| (field.to_owned(), 1.0)).into_iter().collect();
        let fields = match field {
            Some(_) => &own,
            None => &options.fields,
        };
        if let [(field, boost)] = &fields[..]
            && !field.contains('*')
        {
            return Query::Match {
                field: field.clone(),
                text,
                boost: *boost,
            };
        }
        Query::MultiMatch(MultiMatchQuery {
            fields: fields.clone(),
            kind: match (kind, options.kind.0) {
                (MatchKind::Phrase, _) | (MatchKind::BoolPrefix, MultiKind::Cross) => MultiKind::Best,
                (_, usual) => usual,
            },
            tie_breaker: options.tie_breaker,
            text,
            boost: 1.0,
        })
    }

    /// A query for the field that is named, or for each of those that are meant where none is, with its factor.
    fn each(&self, field: Option<&str>, query: impl Fn(String, f32) -> Query) -> Query {
        let lenient = |field: &str, boost: f32| {
            let query = query(field.to_owned(), boost);
            match self.options.lenient {
                true => Query::Lenient(Box::new(query)),
                false => query,
            }
        };
        if let Some(field) = field {
            return lenient(field, 1.0);
        }
        let fields = &self.options.fields;
        if fields.is_empty() {
            return lenient("*", 1.0);
        }
        let usual = if self.options.kind.0 == MultiKind::Most {
            1.0
        } else {
            0.0
        };
        Query::DisMax {
            queries: fields.iter().map(|(name, boost)| lenient(name, *boost)).collect(),
            tie_breaker: self.options.tie_breaker.unwrap_or(usual),
            boost: 1.0,
        }
    }
}

fn joined(mut clauses: Vec<(Occur, Query)>) -> Query {
    if clauses.is_empty() {
        return Query::MatchNone;
    }
    if clauses.len() == 1 && clauses[0].0 != Occur::Not {
        return clauses.remove(0).1;
    }
    let (mut must, mut should, mut must_not) = (Vec::new(), Vec::new(), Vec::new());
    for (occur, query) in clauses {
        match occur {
            Occur::Must => must.push(query),
            Occur::Should => should.push(query),
            Occur::Not => must_not.push(query),
        }
    }
    Query::clauses(must, should, must_not, 1.0)
}
