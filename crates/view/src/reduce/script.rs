//! Reduce functions in JavaScript.

use super::limit::{ReduceLimit, ReduceOverflow};
use crate::javascript::Command;
use crate::tree::Row;
use crate::{Error, Program, Result};
use bytes::Bytes;
use serde_json::value::RawValue;
use std::fmt::Write as _;

/// The text of calls in one message, past which none is added.
const MESSAGE_BYTES: usize = 1 << 20;

/// What a reduction is called with.
pub(super) enum Input<'a> {
    Rows(&'a [&'a Row]),
    Reductions(&'a [Bytes]),
}

/// A field that marks a reduction that did not shrink.
const OVERFLOW: &str = r#"{"reduce_overflow_error":"#;

/// Calls a function once for each input.
pub(super) async fn call(
    program: &Program,
    name: &str,
    function: usize,
    inputs: &[Input<'_>],
) -> Result<Vec<Bytes>> {
    let mut out = Vec::with_capacity(inputs.len());
    let mut message = Message::default();
    for input in inputs {
        message.push(function, input);
        if message.text.len() > MESSAGE_BYTES {
            message.send(program, name, &mut out).await?;
        }
    }
    message.send(program, name, &mut out).await?;
    Ok(out)
}

/// Calls that are sent together.
#[derive(Default)]
struct Message {
    text: String,
    /// For each call the bytes of its input, or the overflow that stands in its input.
    inputs: Vec<std::result::Result<usize, Bytes>>,
    calls: usize,
}

impl Message {
    fn push(&mut self, function: usize, input: &Input<'_>) {
        if let Input::Reductions(reductions) = input
            && let Some(overflowed) = reductions.iter().find(|one| one.starts_with(OVERFLOW.as_bytes()))
        {
            self.inputs.push(Err(overflowed.clone()));
            return;
        }
        self.text.push(if self.calls == 0 { '[' } else { ',' });
        let start = self.text.len();
        let _ = write!(self.text, r#"{{"function":{function},"#);
        match input {
            Input::Rows(rows) => push_rows(rows, &mut self.text),
            Input::Reductions(reductions) => {
                self.text.push_str(r#""keys":null,"values":["#);
                push_list(reductions.iter().map(text), &mut self.text);
            }
        }
        self.text.push_str("]}");
        self.inputs.push(Ok(self.text.len() - start));
        self.calls += 1;
    }

    /// Sends what was gathered and appends the reductions.
    async fn send(&mut self, program: &Program, name: &str, out: &mut Vec<Bytes>) -> Result<()> {
        let Message {
            mut text,
            inputs,
            calls,
        } = std::mem::take(self);
        let failed = |script| Error::Script {
            script,
            function: name.to_owned(),
            document: None,
        };
        let answer = if calls == 0 {
            "[]".to_owned()
        } else {
            text.push(']');
            program.call(Command::Reduce, text).await.map_err(failed)?
        };
        let reductions: Vec<&RawValue> = serde_json::from_str(&answer)
            .map_err(|error| Error::InvalidValue(format!("the reductions of {name}: {error}")))?;
        let mut reductions = reductions.into_iter();
        let limit = program.reduce_limit();
        for input in inputs {
            match input {
                Err(overflowed) => out.push(overflowed),
                Ok(size) => {
                    let reduction = reductions.next().map_or("null", RawValue::get);
                    out.push(limited(reduction, size, name, limit));
                }
            }
        }
        Ok(())
    }
}

/// The reduction, or the error in its place where it is hardly smaller than what it was made of and the limit wants that.
fn limited(reduction: &str, input_bytes: usize, name: &str, limit: ReduceLimit) -> Bytes {
    let output_bytes = reduction.len();
    if limit.overflow == ReduceOverflow::Taken || !limit.is_passed(output_bytes, input_bytes) {
        return Bytes::copy_from_slice(reduction.as_bytes());
    }
    let message = format!(
        "Reduce output must shrink more rapidly: input size: {input_bytes} output size: {output_bytes} context: {name}"
    );
    tracing::warn!(view = name, "reduce_overflow_error: {message}");
    match limit.overflow {
        ReduceOverflow::Refused => format!("{OVERFLOW}{}}}", serde_json::Value::String(message)).into(),
        _ => Bytes::copy_from_slice(reduction.as_bytes()),
    }
}

fn push_rows(rows: &[&Row], out: &mut String) {
    out.push_str(r#""keys":["#);
    for (at, row) in rows.iter().enumerate() {
        out.push_str(if at == 0 { "[" } else { ",[" });
        out.push_str(text(&row.key));
        out.push(',');
        let id = String::from_utf8_lossy(&row.position.id);
        out.push_str(&serde_json::Value::String(id.into_owned()).to_string());
        out.push(']');
    }
    out.push_str(r#"],"values":["#);
    push_list(rows.iter().map(|row| text(&row.value)), out);
}

fn push_list<'a>(items: impl Iterator<Item = &'a str>, out: &mut String) {
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.push(',');
        }
        out.push_str(item);
    }
}

/// JSON text as it is kept; it was text when it was put there, and pages have checksums.
fn text(bytes: &Bytes) -> &str {
    std::str::from_utf8(bytes).unwrap_or("null")
}
