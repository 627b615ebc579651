//! Scripts that would not end, or take everything.

use code::Code;
use painless::{Ended, Globals, Host, Script, ScriptError};
use std::cell::Cell;
use std::time::{Duration, Instant};
use value::Value;

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
fn what_is_in_many_places_is_not_made_without_end() {
    let doubled = "def l = ['a']; def m = ['a']; for (int i = 0; i < 40; i++) { l = [l, l]; m = [m, m] }";
    assert!(fails(&format!("{doubled} return l")).contains("larger than documents"));
    for compared in [
        "l == m",
        "l.equals(m)",
        "[l].contains(m)",
        "['x': l].containsValue(m)",
    ] {
        assert!(
            fails(&format!("{doubled} return {compared}")).contains("steps"),
            "{compared}"
        );
    }
}

#[test]
fn what_holds_others_a_hundred_thousand_deep_is_freed() {
    for deeper in [
        "[l]",
        "['x': l]",
        "Arrays.asList(l)",
        "[1].collect(x -> l)",
        "['x': l].values()",
        "['x': l].entrySet()",
    ] {
        let source = format!("def l = [1]; for (int i = 0; i < 30000; i++) {{ l = {deeper} }} return 1");
        let ran = Script::compile(&source).unwrap().run(&mut Globals::new(), &());
        assert!(ran.is_ok(), "{deeper}: {ran:?}");
    }
}

#[test]
fn large_maps_cost_steps() {
    let begun = Instant::now();
    assert!(
        fails("def m = [:]; for (int i = 0; i < 200000; i++) { m['k' + i] = i } return m.size()")
            .contains("steps")
    );
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert!(fails(&"int a; ".repeat(1_001)).contains("names"));
}

#[test]
fn a_host_ends_a_script() {
    struct Patience(Cell<u32>);

    fn ended() -> Ended {
        Ended {
            code: Code::INTERRUPTED,
            reason: "nobody waits".to_owned(),
        }
    }

    impl Host for Patience {
        fn field(&self, _: &str) -> Option<Vec<Value>> {
            None
        }

        fn look(&self) -> Result<(), Ended> {
            self.0.set(self.0.get() + 1);
            match self.0.get() {
                10 => Err(ended()),
                _ => Ok(()),
            }
        }
    }

    let script = Script::compile("while (true) { }").unwrap();
    let ran = script.run(&mut Globals::new(), &Patience(Cell::new(0)));
    assert_eq!(ran.unwrap_err(), ScriptError::Ended(ended()));
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
