//! What must hold for any text given to the crate `painless`. Gives back whether it was accepted, and panics where something does
//! not hold.

use code::Code;
use painless::{Ended, Globals, Host, Script};
use std::cell::Cell;
use value::{Document, Value};

/// How often a script is looked after until it is ended.
const LOOKS_MAX: u32 = 10;

/// A host with one field, whose patience ends.
struct Impatient(Cell<u32>);

impl Host for Impatient {
    fn field(&self, name: &str) -> Option<Vec<Value>> {
        (name == "a").then(|| vec![Value::from(1), Value::from("b")])
    }

    fn look(&self) -> Result<(), Ended> {
        self.0.set(self.0.get() + 1);
        match self.0.get() > LOOKS_MAX {
            true => Err(Ended {
                code: Code::INTERRUPTED,
                reason: "it takes too long".to_owned(),
            }),
            false => Ok(()),
        }
    }
}

/// A script that is accepted ends, and what it makes of a document is a document.
pub fn script(bytes: &[u8]) -> bool {
    let Ok(source) = str::from_utf8(bytes) else {
        return false;
    };
    let Ok(script) = Script::compile(source) else {
        return false;
    };
    let source = Document::new()
        .with("n", 3)
        .with("s", "text")
        .with("l", vec![Value::from(1), Value::from("b")]);
    let context = Document::new().with("_source", source).with("op", "index");
    let mut globals = Globals::new()
        .with("ctx", context)
        .with("params", Document::new());
    // Whether it fails is up to it.
    let _ = script.run(&mut globals, &Impatient(Cell::new(0)));
    assert!(matches!(globals.take("ctx"), Some(Value::Document(_))));
    true
}
