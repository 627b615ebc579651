//! Scripts that would not end, or take everything.

use painless::{Globals, Script};

fn fails(source: &str) -> String {
    let compiled = Script::compile(source);
    let ran = compiled.and_then(|script| script.run(&mut Globals::new(), &()));
    ran.unwrap_err().to_string()
}

#[test]
fn every_script_ends() {
    assert!(fails("while (true) { }").contains("steps"));
    assert!(fails("for (;;) { int x = 1 }").contains("steps"));
    assert!(fails("def s = 'aaaaaaaa'; while (true) { s += s }").contains("bytes"));
    assert!(fails("def s = 'aaaaaaaa'; while (true) { s = s.replace('a', s) }").contains("limit"));
    assert!(fails("def l = [1]; while (true) { l.addAll(l) }").contains("limit"));
    assert!(fails("def l = []; l.add(l); return l").contains("holds itself"));
    assert!(fails("def m = new HashMap(); m.put('m', m); return m").contains("holds itself"));
}

#[test]
fn depth_has_a_limit() {
    assert!(fails(&format!("{}1{}", "(".repeat(10_000), ")".repeat(10_000))).contains("nested"));
    assert!(fails(&format!("{}true", "!".repeat(10_000))).contains("nested"));
    assert!(fails(&"1+".repeat(10_000)).contains("in a row"));
    assert!(fails(&format!("a{}", ".b".repeat(10_000))).contains("in a row"));
    assert!(fails(&"{".repeat(10_000)).contains("nested"));
    assert!(fails(&"a=".repeat(10_000)).contains("nested"));
    assert!(fails(&"a?".repeat(10_000)).contains("nested"));
    assert!(fails(&"a?:".repeat(10_000)).contains("nested"));
    assert!(fails(&"x->".repeat(10_000)).contains("nested"));
}
