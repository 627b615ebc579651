//! Scripts that would not end, or would take all memory.

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
    assert!(fails("def s = new HashSet(); s.add(s); return s").contains("holds itself"));
    assert!(fails("def m = new HashMap(); m.put('m', m); return m").contains("holds itself"));
}

#[test]
fn a_value_that_is_shared_exponentially_often_is_not_expanded() {
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

/// A text of 2 MB, and a list that names it 131,072 times.
const LARGE: &str = "def s = 'aaaaaaaa'; for (int i = 0; i < 18; i++) { s += s } \
    def l = [s]; for (int i = 0; i < 17; i++) { l.addAll(l) }";

#[test]
fn a_text_is_counted_before_it_is_made() {
    for made in [
        "return l.toString()",
        "return '' + l",
        "return l + ''",
        "return String.valueOf(l)",
        "return String.join('', l)",
        "return String.join(s, ['', '', '', '', '', '', '', ''])",
        "return s.replace('a', 'aaaaaaaa')",
        "return s.splitOnToken('')",
        "return ['x': s].containsKey(l)",
        "def m = [:]; m[l] = 1",
        "return [(l): 1]",
        "return Integer.parseInt(l)",
        "throw l",
        "return new Exception(l)",
    ] {
        assert!(fails(&format!("{LARGE} {made}")).contains("bytes"), "{made}");
    }
}

#[test]
fn copies_of_lists_are_counted_as_long_as_they_are_there() {
    let one = Script::compile(&format!("{LARGE} for (a : l) {{ return l.size() }}")).unwrap();
    assert_eq!(one.run(&mut Globals::new(), &()).unwrap(), Value::from(131_072));
    let within = "for (a : l) { for (b : l) { for (c : l) { return 1 } } }";
    assert!(fails(&format!("{LARGE} {within}")).contains("bytes"));
    let deep = "l.any(a -> l.any(b -> l.any(c -> true)))";
    assert!(fails(&format!("{LARGE} {deep}")).contains("bytes"));
    let after = "def l = [1]; for (int i = 0; i < 12; i++) { l.addAll(l) } \
        for (int i = 0; i < 1000; i++) { for (x : l) { break } } return l.size()";
    let ran = Script::compile(after).unwrap().run(&mut Globals::new(), &());
    assert_eq!(ran.unwrap(), Value::from(4096));
}

#[test]
fn a_field_is_read_once_and_counted() {
    struct Texts(Cell<u32>);

    impl Host for Texts {
        fn field(&self, name: &str) -> Option<Vec<Value>> {
            self.0.set(self.0.get() + 1);
            match name {
                "vector" => Some(vec![Value::from(vec![3.0, 4.0])]),
                _ => Some(vec![Value::from("a".repeat(1 << 20))]),
            }
        }
    }

    let texts = Texts(Cell::new(0));
    let run = |source: &str| Script::compile(source).unwrap().run(&mut Globals::new(), &texts);
    let often =
        "def l = []; for (int i = 0; i < 1000; i++) { l.add(doc['a']); l.add(doc.a.value) } return l.size()";
    assert_eq!(run(often).unwrap(), Value::from(2000));
    assert_eq!(texts.0.get(), 1);
    let many = "def l = []; for (int i = 0; i < 1000; i++) { l.add(doc['a' + i]) } return l.size()";
    assert!(run(many).unwrap_err().to_string().contains("bytes"));
    let itself = "def f = doc['vector']; f[0].add(f); return f.toString()";
    assert_eq!(run(itself).unwrap(), Value::from("[[3.0, 4.0, […]]]"));
}

#[test]
fn bytes_of_other_types_are_counted_where_they_come_out() {
    let bytes = Value::Binary(value::Binary {
        subtype: 0,
        bytes: vec![0; 1 << 20],
    });
    let mut globals = Globals::new().with("b", bytes);
    let source = "def l = [b]; for (int i = 0; i < 8; i++) { l.addAll(l) } return l";
    let ran = Script::compile(source).unwrap().run(&mut globals, &());
    assert!(ran.unwrap_err().to_string().contains("larger than documents"));
}

#[test]
fn comparing_long_texts_costs_steps() {
    let two = "def s = 'aaaaaaaa'; for (int i = 0; i < 18; i++) { s += s } def t = s + 'b'; s += 'c';";
    for compared in ["s == t", "s < t", "s.compareTo(t) > 0", "'a'.equalsIgnoreCase(t)"] {
        let source = format!("{two} int i = 0; while (i++ < 10000) {{ boolean is = {compared} }}");
        assert!(fails(&source).contains("steps"), "{compared}");
    }
    let sorted = "def l = [s, t]; for (int i = 0; i < 10; i++) { l.addAll(l) } l.sort(null)";
    assert!(fails(&format!("{two} {sorted}")).contains("steps"));
}

#[test]
fn values_nested_a_hundred_thousand_deep_are_freed() {
    for deeper in [
        "[l]",
        "['x': l]",
        "Arrays.asList(l)",
        "[1].collect(x -> l)",
        "['x': l].values()",
        "['x': l].entrySet()",
        "new HashSet([l])",
    ] {
        let source = format!("def l = [1]; for (int i = 0; i < 30000; i++) {{ l = {deeper} }} return 1");
        let ran = Script::compile(&source).unwrap().run(&mut Globals::new(), &());
        assert!(ran.is_ok(), "{deeper}: {ran:?}");
    }
}

#[test]
fn asking_a_set_takes_no_memory() {
    let filled = "def s = new HashSet(); for (int i = 0; i < 500; i++) { s.add(i) }";
    let asked = "int n = 0; for (int i = 0; i < 2000; i++) { if (s.contains(0) && s.size() == 500 && !s.isEmpty()) { n++ } } n";
    let script = Script::compile(&format!("{filled} {asked}")).unwrap();
    let ran = script.run(&mut Globals::new(), &());
    assert_eq!(ran.unwrap(), Value::Int32(2_000));
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
    assert!(fails(&format!("1{}", " instanceof int".repeat(1_000))).contains("in a row"));
    assert!(fails(&format!("a{}", ".b".repeat(10_000))).contains("in a row"));
    assert!(fails(&"{".repeat(10_000)).contains("nested"));
    assert!(fails(&"a=".repeat(10_000)).contains("nested"));
    assert!(fails(&"a?".repeat(10_000)).contains("nested"));
    assert!(fails(&"a?:".repeat(10_000)).contains("nested"));
    assert!(fails(&"x->".repeat(10_000)).contains("nested"));
}

#[test]
fn functions_and_what_is_caught_have_the_limits_of_all() {
    assert!(fails("int f(int n) { return f(n) } return f(1)").contains("too deeply"));
    let nested = format!(
        "int f(int n) {{ {} return f(n) {} }} return f(1)",
        "if (true) { ".repeat(50),
        "}".repeat(50)
    );
    assert!(fails(&nested).contains("too deeply"));
    assert!(fails("while (true) { try { throw 'x' } catch (Exception e) { } }").contains("steps"));
    assert!(fails("try { while (true) { } } catch (Exception e) { return 1 }").contains("steps"));
    assert!(
        fails("try { def s = 'aaaaaaaa'; while (true) { s += s } } catch (Exception e) { return 1 }")
            .contains("bytes")
    );
    assert!(
        fails("def l = [1]; for (int i = 0; i < 17; i++) { l.addAll(l) } l.sort((a, b) -> 0)")
            .contains("steps")
    );
}

#[test]
fn orders_that_contradict_themselves_lose_nothing() {
    let source = "def l = []; for (int i = 0; i < 100; i++) { l.add(i) } l.sort((a, b) -> 1); l.sort((a, b) -> a % 3 - b % 2); \
        return l.stream().distinct().count()";
    let ran = Script::compile(source).unwrap().run(&mut Globals::new(), &());
    assert_eq!(ran.unwrap(), Value::from(100));
}

#[test]
fn searches_by_regular_expressions_have_an_end() {
    let long = "def s = 'a'; for (int i = 0; i < 12; i++) { s += s }";
    assert!(fails(&format!("{long} return s + 'c' ==~ /(a+)+[bd]/")).contains("takes too long"));
    assert!(fails(&format!("{long} while (true) {{ s =~ /b/ }}")).contains("steps"));
    assert!(fails("while (true) { def m = /a/.matcher('a'); m.find() }").contains("steps"));
    assert!(
        fails("'aaa'.replaceAll(/a/, m -> m.reset().find() ? 'b' : 'c') == null ? 1 : (1 / 0)")
            .contains("zero")
    );
}

#[test]
fn searches_take_no_longer_than_scripts() {
    let long = "def s = 'a'; for (int i = 0; i < 15; i++) { s += s }";
    assert!(fails(&format!("{long} s += s + 'a'; return s =~ /b/")).contains("at most 65536 bytes"));
    // From each place it goes back less often than it may.
    let begun = Instant::now();
    assert!(fails(&format!("{long} while (true) {{ s =~ /(?:a|a){{8}}b/ }}")).contains("steps"));
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn parts_of_characters_are_no_matches() {
    for source in ["/\\C/.matcher('é').find()", "'é' =~ /\\C/", "/\\C/.split('éé')"] {
        assert!(fails(source).contains("no text"), "{source}");
    }
}

#[test]
fn replacements_that_come_to_nothing_count_as_steps() {
    let long = "def r = '$1'; for (int i = 0; i < 18; i++) { r += r } def s = 'b'; for (int j = 0; j < 8; j++) { s += s }";
    assert!(fails(&format!("{long} return /(a)?b/.matcher(s).replaceAll(r)")).contains("steps"));
}

#[test]
fn a_script_has_so_many_regular_expressions() {
    let compiled = |count: usize| Script::compile(&format!("return [{}]", vec!["/a/"; count].join(", ")));
    assert!(compiled(64).is_ok());
    assert!(matches!(compiled(65), Err(ScriptError::Compile(_))));
}
