//! The arithmetic that `bucket_script` and `bucket_selector` have as their scripts: numbers, `params.NAME`, `+ - * / %`,
//! comparisons, `&& || !`, `a ? b : c`.

use mapping::error::{Result, SearchError};

/// Parts within parts at most.
const DEPTH_MAX: usize = 50;

/// An expression that is read each time: scripts of buckets are short.
#[derive(Clone, Debug)]
pub(super) struct Expression(Vec<Token>);

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Name(String),
    Sign(&'static str),
}

const SIGNS: [&str; 18] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "!", "?", ":",
];

impl Expression {
    pub(super) fn parse(text: &str) -> Result<Expression> {
        let mut tokens = Vec::new();
        let mut rest = text
            .trim()
            .trim_end_matches(';')
            .trim_start_matches("return ")
            .trim();
        while let Some(first) = rest.chars().next() {
            let length = |is_in: fn(char) -> bool| rest.find(|c: char| !is_in(c)).unwrap_or(rest.len());
            let taken = if first.is_ascii_digit() {
                let length = length(|c| c.is_ascii_digit() || c == '.');
                let number = rest[..length].parse().map_err(|_| unsupported(text))?;
                tokens.push(Token::Number(number));
                length
            } else if first.is_alphabetic() || first == '_' {
                let length = length(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
                let name = rest[..length].strip_prefix("params.").unwrap_or(&rest[..length]);
                tokens.push(Token::Name(name.to_owned()));
                length
            } else {
                let sign = SIGNS
                    .iter()
                    .find(|sign| rest.starts_with(**sign))
                    .ok_or_else(|| unsupported(text))?;
                tokens.push(Token::Sign(sign));
                sign.len()
            };
            rest = rest[taken..].trim_start();
        }
        let expression = Expression(tokens);
        // Whether it is one is seen with any values.
        expression.value(&|_| Some(1.0))?;
        Ok(expression)
    }

    pub(super) fn value(&self, named: &dyn Fn(&str) -> Option<f64>) -> Result<f64> {
        let mut reader = Reader {
            tokens: &self.0,
            at: 0,
            named,
            depth: 0,
        };
        let value = reader.choice()?;
        match reader.at == self.0.len() {
            true => Ok(value),
            false => Err(unsupported("what is behind an expression")),
        }
    }
}

fn unsupported(text: &str) -> SearchError {
    SearchError::unsupported(format!(
        "the script [{text}]: other scripts than arithmetic with [params]"
    ))
}

struct Reader<'t> {
    tokens: &'t [Token],
    at: usize,
    named: &'t dyn Fn(&str) -> Option<f64>,
    depth: usize,
}

/// Operators from those that bind least.
const LEVELS: [&[&str]; 6] = [
    &["||"],
    &["&&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Reader<'_> {
    fn sign(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        match self.tokens.get(self.at) {
            Some(Token::Sign(sign)) if signs.contains(sign) => {
                self.at += 1;
                Some(sign)
            }
            _ => None,
        }
    }

    fn choice(&mut self) -> Result<f64> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(unsupported("an expression this deep"));
        }
        let mut value = self.level(0)?;
        if self.sign(&["?"]).is_some() {
            let yes = self.choice()?;
            self.sign(&[":"]).ok_or_else(|| unsupported("? without :"))?;
            let no = self.choice()?;
            value = if value == 0.0 { no } else { yes };
        }
        self.depth -= 1;
        Ok(value)
    }

    fn level(&mut self, level: usize) -> Result<f64> {
        let Some(signs) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.level(level + 1)?;
        while let Some(sign) = self.sign(signs) {
            let right = self.level(level + 1)?;
            let flag = |is: bool| f64::from(u8::from(is));
            left = match sign {
                "+" => left + right,
                "-" => left - right,
                "*" => left * right,
                "/" => left / right,
                "%" => left % right,
                "<" => flag(left < right),
                "<=" => flag(left <= right),
                ">" => flag(left > right),
                ">=" => flag(left >= right),
                "==" => flag(left == right),
                "!=" => flag(left != right),
                "&&" => flag(left != 0.0 && right != 0.0),
                _ => flag(left != 0.0 || right != 0.0),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<f64> {
        if let Some(sign) = self.sign(&["-", "!"]) {
            self.depth += 1;
            if self.depth > DEPTH_MAX {
                return Err(unsupported("an expression this deep"));
            }
            let value = self.unary()?;
            self.depth -= 1;
            return Ok(if sign == "-" {
                -value
            } else {
                f64::from(u8::from(value == 0.0))
            });
        }
        if self.sign(&["("]).is_some() {
            let value = self.choice()?;
            self.sign(&[")"]).ok_or_else(|| unsupported("( without )"))?;
            return Ok(value);
        }
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        match token {
            Some(Token::Number(number)) => Ok(number),
            Some(Token::Name(name)) => {
                let known = |name: &str| match name {
                    "true" => Some(1.0),
                    "false" => Some(0.0),
                    name => (self.named)(name),
                };
                known(&name).ok_or_else(|| SearchError::illegal(format!("the script has no value [{name}]")))
            }
            _ => Err(unsupported("an expression without a value")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_has_its_usual_order() {
        let value = |text: &str| {
            let named = |name: &str| (name == "a").then_some(4.0).or((name == "b").then_some(2.0));
            Expression::parse(text)
                .and_then(|expression| expression.value(&named))
                .ok()
        };
        assert_eq!(value("params.a + params.b * 3"), Some(10.0));
        assert_eq!(value("(a - b) / b"), Some(1.0));
        assert_eq!(value("a > 3 && b < 3 ? 7 : -1"), Some(7.0));
        assert_eq!(value("c"), None);
        assert_eq!(value("doc['x'].value"), None);
        assert_eq!(value(&"(".repeat(100_000)), None);
        assert_eq!(value(&"-".repeat(100_000)), None);
    }
}
