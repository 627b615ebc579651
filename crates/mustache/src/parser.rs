//! Reading a template.

use crate::{DEPTH_MAX, Error, Part, Result, failed};

pub(crate) struct Parser<'s> {
    rest: &'s str,
    open: String,
    close: String,
}

impl Parser<'_> {
    pub(crate) fn new(source: &str) -> Parser<'_> {
        Parser {
            rest: source,
            open: "{{".to_owned(),
            close: "}}".to_owned(),
        }
    }

    /// The parts until a section ends, or the template does.
    pub(crate) fn parts(&mut self, section: Option<&str>, depth: usize) -> Result<Vec<Part>> {
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
                    return Err(Error::Unsupported(format!("the partial [{name}] of a template")));
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
        let (text, rest) = inside.split_once(&close).ok_or_else(|| failed(no_end(mark)))?;
        if mark == '{' && text.contains(&self.close) {
            return Err(failed(no_end(mark)));
        }
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

/// Why a tag with this mark is none.
fn no_end(mark: char) -> &'static str {
    match mark {
        '{' => "Improperly closed variable in query-template",
        _ => "a tag of the template has no end",
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
