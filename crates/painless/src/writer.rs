//! Texts that a script makes of other things. A list may name one text any number of times, so that what is made of it is far larger
//! than itself: each part is counted before it is written.

use crate::counted::HOLDER_BYTES;
use crate::dates;
use crate::error::Result;
use crate::object::{Object, day_name};
use crate::run::Run;
use std::sync::Arc;

/// A text in the making.
pub(crate) struct Writer<'r, 'h> {
    run: &'r mut Run<'h>,
    text: String,
}

impl<'r, 'h> Writer<'r, 'h> {
    pub(crate) fn new(run: &'r mut Run<'h>) -> Result<Writer<'r, 'h>> {
        run.takes_bytes(HOLDER_BYTES)?;
        Ok(Writer {
            run,
            text: String::new(),
        })
    }

    pub(crate) fn push(&mut self, part: &str) -> Result<()> {
        self.run.takes_bytes(part.len())?;
        self.text.push_str(part);
        Ok(())
    }

    /// Writes an object as the language shows it. Of lists and maps within lists and maps it says only that they are there: one that
    /// holds itself would have no end.
    pub(crate) fn show(&mut self, object: &Object) -> Result<()> {
        match object {
            Object::Null => self.push("null"),
            Object::Bool(bool) => self.push(if *bool { "true" } else { "false" }),
            Object::Int(int) => self.push(&int.to_string()),
            Object::Double(double) => self.push(&double_text(*double)),
            Object::Text(text) => self.push(text),
            Object::List(items) | Object::Set(items) => self.list(&items.borrow(), Writer::show_within),
            // A vector is a list within its field.
            Object::Field(_, values) => self.list(values, Writer::show),
            Object::Map(members) => {
                self.push("{")?;
                for (at, (name, value)) in members.borrow().iter().enumerate() {
                    self.push(if at > 0 { ", " } else { "" })?;
                    self.push(name)?;
                    self.push("=")?;
                    self.show_within(value)?;
                }
                self.push("}")
            }
            Object::Day(day) => self.push(&day_name(*day)),
            Object::Pattern(pattern) => self.push(pattern.source()),
            other => match dates::moment(other) {
                Some(ms) => self.push(&dates::text(ms)),
                None => self.push(other.kind()),
            },
        }
    }

    fn list(
        &mut self,
        items: &[Object],
        mut show: impl FnMut(&mut Self, &Object) -> Result<()>,
    ) -> Result<()> {
        self.push("[")?;
        for (at, item) in items.iter().enumerate() {
            self.push(if at > 0 { ", " } else { "" })?;
            show(self, item)?;
        }
        self.push("]")
    }

    fn show_within(&mut self, object: &Object) -> Result<()> {
        match object {
            Object::List(_) | Object::Set(_) | Object::Field(..) => self.push("[…]"),
            Object::Map(_) => self.push("{…}"),
            other => self.show(other),
        }
    }

    pub(crate) fn finish(self) -> Arc<str> {
        self.text.into()
    }
}

impl Object {
    /// As it is written into a text.
    pub(crate) fn shown(&self, run: &mut Run<'_>) -> Result<Arc<str>> {
        if let Object::Text(text) = self {
            return Ok(text.clone());
        }
        let mut writer = Writer::new(run)?;
        writer.show(self)?;
        Ok(writer.finish())
    }
}

/// A double as the language writes it: `3.0`, `1.0E7`.
fn double_text(double: f64) -> String {
    if double.is_infinite() {
        return if double > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if double == 0.0 || double.is_nan() || (1e-3..1e7).contains(&double.abs()) {
        return format!("{double:?}");
    }
    let text = format!("{double:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if digits.contains('.') => format!("{digits}E{exponent}"),
        Some((digits, exponent)) => format!("{digits}.0E{exponent}"),
        None => text,
    }
}
