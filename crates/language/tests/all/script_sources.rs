//! The forms of JavaScript that functions may be written in.

use language::script::Program;
use value::{Document, ValueRef, doc};

#[test]
fn variables_need_no_declaration() {
    let document = doc! {"x": 5};
    for source in [
        "undeclared = this.x; undeclared == 5;",
        "undeclared = this.x; return undeclared == 5;",
        "function() { undeclared = this.x; return undeclared == 5; }",
    ] {
        let program = Program::new(vec![source.to_owned()], Document::new());
        let holds = program.test(0, ValueRef::Document((&document).into()));
        assert!(holds.unwrap(), "{source}");
    }
}
