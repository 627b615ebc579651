//! Mustache, as templates of searches are written in it: a text with places for parameters.
//!
//! Values are written as the inside of JSON's strings are, but for `{{{name}}}`. Sections are there, and Elasticsearch's functions
//! `toJson`, `join` and `url`; partials are not.

use crate::error::{ElasticError, Result};
use serde_json::Value;

/// Sections within sections at most.
const DEPTH_MAX: usize = 64;
/// The bytes of what a template may become.
const OUTPUT_BYTES_MAX: usize = 16 << 20;
/// The parts that may be written at most, empty ones counted too.
const STEPS_MAX: usize = 1_000_000;

/// A template that was read.
#[derive(Clone, Debug)]
pub(crate) struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Value {
        path: String,
        is_raw: bool,
    },
    /// Once for each value, or where there is none.
    Section {
        path: String,
        is_inverted: bool,
        parts: Vec<Part>,
    },
    Json(String),
    Join {
        path: String,
        delimiter: String,
    },
    /// What is within, as a part of a URL.
    Url(Vec<Part>),
}

impl Template {
    pub(crate) fn parse(source: &str) -> Result<Template> {
        let mut parser = Parser {
            rest: source,
            open: "{{".to_owned(),
            close: "}}".to_owned(),
        };
        Ok(Template(parser.parts(None, 0)?))
    }

    /// The text that it becomes.
    pub(crate) fn render(&self, params: &Value) -> Result<String> {
        let mut writer = Writer {
            out: String::new(),
            steps: 0,
        };
        writer.all(&self.0, &mut vec![params])?;
        Ok(writer.out)
    }
}

fn failed(reason: impl Into<String>) -> ElasticError {
    ElasticError::new(
        http::StatusCode::BAD_REQUEST,
        "general_script_exception",
        reason.into(),
    )
}

struct Parser<'s> {
    rest: &'s str,
    open: String,
    close: String,
}

impl Parser<'_> {
    /// The parts until a section ends, or the template does.
    fn parts(&mut self, section: Option<&str>, depth: usize) -> Result<Vec<Part>> {
        if depth > DEPTH_MAX {
            return Err(failed(format!("sections are nested more than {DEPTH_MAX} deep")));
        }
        let mut parts = Vec::new();
        loop {
            let Some(at) = self.rest.find(&self.open) else {
                if let Some(name) = section {
                    return Err(failed(format!("the section [{name}] has no end")));
                }
                parts.push(Part::Text(std::mem::take(&mut self.rest).to_owned()));
                return Ok(parts);
            };
            if at > 0 {
                parts.push(Part::Text(self.rest[..at].to_owned()));
            }
            let (mark, name) = self.tag(at)?;
            match mark {
                '!' => {}
                '=' => self.delimit(&name)?,
                '/' => {
                    return match section {
                        Some(open) if open == name => Ok(parts),
                        _ => Err(failed(format!(
                            "the section [{name}] ends where it did not begin"
                        ))),
                    };
                }
                '#' | '^' => parts.push(self.section(&name, mark == '^', depth)?),
                '>' => {
                    return Err(ElasticError::unsupported(format!(
                        "the partial [{name}] of a template"
                    )));
                }
                mark => parts.push(Part::Value {
                    path: name,
                    is_raw: mark == '&',
                }),
            }
        }
    }

    /// What stands between delimiters, and what it is marked with.
    fn tag(&mut self, at: usize) -> Result<(char, String)> {
        let inside = &self.rest[at + self.open.len()..];
        let mark = inside.trim_start().chars().next().unwrap_or(' ');
        let close = match mark {
            '{' => format!("}}{}", self.close),
            '=' => format!("={}", self.close),
            _ => self.close.clone(),
        };
        let (text, rest) = inside
            .split_once(&close)
            .ok_or_else(|| failed("a tag of the template has no end"))?;
        self.rest = rest;
        // The mark may be the one that ends the tag, or a part of what does.
        let name = || {
            let name = text.trim().strip_prefix(mark).map(|name| name.trim().to_owned());
            name.ok_or_else(|| failed(format!("a tag of the template has nothing but [{mark}]")))
        };
        Ok(match mark {
            '{' | '&' => ('&', name()?),
            '!' | '=' | '/' | '#' | '^' | '>' => (mark, name()?),
            _ => (' ', text.trim().to_owned()),
        })
    }

    fn delimit(&mut self, text: &str) -> Result<()> {
        let (open, close) = text
            .split_once(char::is_whitespace)
            .map(|(open, close)| (open.trim(), close.trim()))
            .filter(|(open, close)| !open.is_empty() && !close.is_empty())
            .ok_or_else(|| failed(format!("[{text}] are no delimiters")))?;
        (self.open, self.close) = (open.to_owned(), close.to_owned());
        Ok(())
    }

    fn section(&mut self, name: &str, is_inverted: bool, depth: usize) -> Result<Part> {
        let parts = self.parts(Some(name), depth + 1)?;
        let path = || match &parts[..] {
            [Part::Text(path)] => Ok(path.trim().to_owned()),
            _ => Err(failed(format!(
                "Mustache function [{name}] must contain one and only one identifier"
            ))),
        };
        let function = name.split_whitespace().next().unwrap_or_default();
        Ok(match function {
            "toJson" if !is_inverted => Part::Json(path()?),
            "join" if !is_inverted => Part::Join {
                path: path()?,
                delimiter: delimiter(name)?,
            },
            "url" if !is_inverted => Part::Url(parts),
            _ => Part::Section {
                path: name.to_owned(),
                is_inverted,
                parts,
            },
        })
    }
}

/// The delimiter of `join delimiter='||'`.
fn delimiter(name: &str) -> Result<String> {
    let Some((_, rest)) = name.split_once(char::is_whitespace) else {
        return Ok(",".to_owned());
    };
    let quoted = rest.trim().strip_prefix("delimiter=");
    let text = quoted.and_then(|text| text.strip_prefix('\'')?.strip_suffix('\''));
    text.map(str::to_owned)
        .ok_or_else(|| failed(format!("Mustache function [{name}] is no join with a delimiter")))
}

struct Writer {
    out: String,
    steps: usize,
}

impl Writer {
    /// Counts parts, or values that a part is written for.
    fn count(&mut self, steps: usize) -> Result<()> {
        self.steps = self.steps.saturating_add(steps);
        match self.steps > STEPS_MAX || self.out.len() > OUTPUT_BYTES_MAX {
            false => Ok(()),
            true => Err(failed(format!(
                "the template becomes more than {OUTPUT_BYTES_MAX} bytes, or {STEPS_MAX} parts"
            ))),
        }
    }

    fn all(&mut self, parts: &[Part], scopes: &mut Vec<&Value>) -> Result<()> {
        for part in parts {
            self.count(1)?;
            match part {
                Part::Text(text) => self.out.push_str(text),
                Part::Value { path, is_raw } => {
                    let text = found(scopes, path).map(shown).unwrap_or_default();
                    match is_raw {
                        true => self.out.push_str(&text),
                        false => self.out.push_str(&escaped(&text)),
                    }
                }
                Part::Json(path) => match found(scopes, path) {
                    None => {}
                    Some(value @ (Value::Array(_) | Value::Object(_))) => {
                        self.out.push_str(&value.to_string());
                    }
                    Some(other) => self.out.push_str(&shown(other)),
                },
                Part::Join { path, delimiter } => match found(scopes, path) {
                    None => {}
                    Some(Value::Array(list)) => {
                        self.count(list.len())?;
                        let texts: Vec<String> = list.iter().map(shown).collect();
                        self.out.push_str(&texts.join(delimiter));
                    }
                    Some(other) => self.out.push_str(&shown(other)),
                },
                Part::Url(parts) => {
                    let begun = self.out.len();
                    self.all(parts, scopes)?;
                    let text = self.out.split_off(begun);
                    self.out.push_str(&url_encoded(&text));
                }
                Part::Section {
                    path,
                    is_inverted,
                    parts,
                } => {
                    let value = found(scopes, path);
                    match (value.filter(|value| is_something(value)), is_inverted) {
                        (None, true) => self.all(parts, scopes)?,
                        (None, false) | (Some(_), true) => {}
                        (Some(Value::Array(list)), false) => {
                            self.count(list.len())?;
                            for one in list {
                                scopes.push(one);
                                self.all(parts, scopes)?;
                                scopes.pop();
                            }
                        }
                        (Some(one), false) => {
                            scopes.push(one);
                            self.all(parts, scopes)?;
                            scopes.pop();
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// The value at a path, whose first name is looked for from the inside out.
fn found<'v>(scopes: &[&'v Value], path: &str) -> Option<&'v Value> {
    if path == "." {
        return scopes.last().copied();
    }
    let (first, rest) = match path.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    };
    let mut value = scopes.iter().rev().find_map(|scope| member(scope, first))?;
    for name in rest.into_iter().flat_map(|rest| rest.split('.')) {
        value = member(value, name)?;
    }
    Some(value)
}

fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Object(object) => object.get(name),
        Value::Array(list) => list.get(name.parse::<usize>().ok()?),
        _ => None,
    }
}

/// Whether a section of a value is written.
fn is_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => true,
    }
}

/// A value as Java writes it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => format!("[{}]", list.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Value::Object(object) => {
            let members = object
                .iter()
                .map(|(name, value)| format!("{name}={}", shown(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

/// A text as it stands within the quotation marks of JSON.
fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// A text as a form of HTML sends it, which is what Java's encoder of URLs makes.
fn url_encoded(text: &str) -> String {
    http::percent_encode(text)
        .replace("%20", "+")
        .replace("%2A", "*")
        .replace('~', "%7E")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rendered(source: &str, params: Value) -> Result<String> {
        Template::parse(source)?.render(&params)
    }

    #[test]
    fn parameters_take_their_places() {
        let params = json!({
            "word": "a \"b\"", "n": 5, "list": ["x", "y"], "user": {"name": "Anna"}, "on": true, "off": false, "empty": [],
            "users": [{"name": "Eva"}, {"name": "Ida"}], "url": "a b/c"
        });
        for (source, expected) in [
            (r#"{"q": "{{word}}"}"#, r#"{"q": "a \"b\""}"#),
            ("{{{word}}} {{&word}} {{n}}", "a \"b\" a \"b\" 5"),
            ("{{user.name}} {{list.1}} {{nobody.name}}|", "Anna y |"),
            ("{{#on}}yes{{/on}}{{#off}}no{{/off}}{{^off}}not{{/off}}", "yesnot"),
            ("{{^empty}}none{{/empty}}{{#empty}}some{{/empty}}", "none"),
            ("{{#users}}{{name}}-{{n}},{{/users}}", "Eva-5,Ida-5,"),
            ("{{#list}}{{.}};{{/list}}", "x;y;"),
            ("{{#toJson}}list{{/toJson}}", r#"["x","y"]"#),
            ("{{#toJson}}user{{/toJson}}", r#"{"name":"Anna"}"#),
            ("{{#join}}list{{/join}}", "x,y"),
            ("{{#join delimiter='||'}}list{{/join delimiter='||'}}", "x||y"),
            ("{{#url}}{{{url}}}{{/url}}", "a+b%2Fc"),
            ("{{#url}}~*%20ü{{/url}}", "%7E*%2520%C3%BC"),
            ("{{! nothing }}{{=<% %>=}}<% n %>{{n}}", "5{{n}}"),
        ] {
            assert_eq!(
                rendered(source, params.clone()).ok().as_deref(),
                Some(expected),
                "{source}"
            );
        }
    }

    #[test]
    fn templates_that_are_none_are_refused() {
        for wrong in [
            "{{#a}}",
            "{{/a}}",
            "{{a",
            "{{#a}}{{#b}}{{/a}}{{/b}}",
            "{{>other}}",
            "{{=x=}}",
            "{{=}}",
            "{{= }}",
            "{{=< !=}}<!",
            "{{=< {=}}<{",
            "{{=ä ü=}}äü{{ä",
            "{{#toJson}}{{a}}{{/toJson}}",
        ] {
            assert!(Template::parse(wrong).is_err(), "{wrong}");
        }
        let deep = "{{#a}}".repeat(DEPTH_MAX + 2);
        assert!(Template::parse(&deep).is_err());
    }

    #[test]
    fn what_grows_without_end_is_refused() {
        let list: Vec<u32> = (0..1000).collect();
        let source = "{{#l}}{{#l}}{{#l}}{{.}}{{/l}}{{/l}}{{/l}}";
        assert!(rendered(source, json!({"l": list})).is_err());
        // What writes nothing takes its time all the same.
        let empty = vec![""; 20_000];
        for source in [
            "{{#l}}{{#l}}{{/l}}{{/l}}",
            "{{#l}}{{#join delimiter=''}}l{{/join delimiter=''}}{{/l}}",
        ] {
            assert!(rendered(source, json!({"l": &empty})).is_err(), "{source}");
        }
    }
}
