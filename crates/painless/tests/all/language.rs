//! The language: scripts and their results.

use painless::{Globals, Host, Script, ScriptError};
use value::{Document, Value};

fn context() -> Document {
    let source = Document::new()
        .with("count", 3)
        .with("name", "Ada")
        .with("tags", vec![Value::from("a"), Value::from("b")])
        .with("inner", Document::new().with("x", 1.5));
    Document::new().with("_source", source).with("op", "index")
}

/// What a script makes of the context, as JSON.
fn after(source: &str) -> String {
    let params = Document::new().with("by", 4).with("tag", "c");
    let mut globals = Globals::new().with("ctx", context()).with("params", params);
    Script::compile(source).unwrap().run(&mut globals, &()).unwrap();
    shown(&globals.take("ctx").unwrap())
}

fn shown(value: &Value) -> String {
    let mut out = String::new();
    value::json::write(value.as_ref(), value::json::Mode::Relaxed, &mut out);
    out
}

fn result(source: &str) -> String {
    let mut globals = Globals::new().with("ctx", context()).with("_score", 2.0);
    shown(&Script::compile(source).unwrap().run(&mut globals, &()).unwrap())
}

#[test]
fn members_are_assigned_and_counted_up() {
    assert!(after("ctx._source.count += params.by").contains(r#""count":7"#));
    assert!(after("ctx._source.count++; ctx._source['new'] = true").contains(r#""count":4"#));
    assert!(after("ctx._source.inner.x = ctx._source.name + '!'").contains(r#""x":"Ada!""#));
}

#[test]
fn lists_are_changed_by_all_their_names() {
    let with = after(
        "if (ctx._source.tags.contains(params.tag)) { ctx.op = 'none' } else { def t = ctx._source.tags; t.add(params.tag) }",
    );
    assert!(
        with.contains(r#""tags":["a","b","c"]"#) && with.contains(r#""op":"index""#),
        "{with}"
    );
    let without = after("ctx._source.tags.remove(ctx._source.tags.indexOf('a')); ctx._source.remove('name')");
    assert!(
        without.contains(r#""tags":["b"]"#) && !without.contains("Ada"),
        "{without}"
    );
    assert!(after("ctx._source.tags.removeIf(t -> t == 'b')").contains(r#""tags":["a"]"#));
}

#[test]
fn operations_can_be_chosen() {
    assert!(after("ctx.op = ctx._source.count > 2 ? 'delete' : 'none'").contains(r#""op":"delete""#));
    assert!(after("if (ctx._source.missing == null) ctx.op = 'noop';").contains(r#""op":"noop""#));
    assert!(
        after("if (ctx._source?.a?.b == null && !ctx._source.containsKey('a')) { ctx.op = 'x' }")
            .contains(r#""op":"x""#)
    );
}

#[test]
fn loops_and_arithmetic_give_javas_results() {
    assert_eq!(
        result("int sum = 0; for (int i = 0; i < 5; i++) { if (i == 3) continue; sum += i } return sum"),
        "7"
    );
    assert_eq!(
        result("def s = ''; for (def t : ctx._source.tags) { s += t } s"),
        r#""ab""#
    );
    assert_eq!(result("7 / 2"), "3");
    assert_eq!(result("7 / 2.0"), "3.5");
    assert_eq!(result("_score * Math.log(Math.E) + (int) 1.9"), "3.0");
    assert_eq!(result("def m = ['a': 1, 'b': [1, 2]]; m.b[1] + m.size()"), "4");
    assert_eq!(
        result("int i = 0; while (true) { i += 2; if (i >= 6) break } i"),
        "6"
    );
    assert_eq!(
        result("'x' instanceof String && 'Hello'.substring(1, 3).toUpperCase() == 'EL'"),
        "true"
    );
}

#[test]
fn lists_are_sorted_where_all_can_be_compared() {
    let sorted = |list: &str| result(&format!("def l = {list}; l.sort(null); return l"));
    assert_eq!(sorted("[3, 1.5, 2]"), "[1.5,2,3]");
    assert_eq!(sorted("['b', 'a']"), r#"["a","b"]"#);
    assert_eq!(sorted("[null]"), "[null]");
    // As doubles the three are equal, and so they stay as they are.
    let equal = "[9007199254740993, 9007199254740992, 9007199254740992.0]";
    assert_eq!(
        sorted(equal),
        "[9007199254740993,9007199254740992,9007199254740992.0]"
    );
    for (list, why) in [
        ("[2, 'a', 1]", "cannot compare [long] with [java.lang.String]"),
        ("[1, null]", "cannot compare [long] with [null]"),
        ("['a', true]", "cannot compare [java.lang.String] with [boolean]"),
    ] {
        for by in ["l.sort(null)", "Collections.sort(l)"] {
            let script = Script::compile(&format!("def l = {list}; {by}")).unwrap();
            let error = script.run(&mut Globals::new(), &()).unwrap_err();
            assert_eq!(error, ScriptError::Run(why.to_owned()), "{list}");
        }
    }
}

#[test]
fn texts_are_made_of_parts() {
    for (source, text) in [
        ("'' + [1, 'a', [2], ['k': 1], null]", "[1, a, […], {…}, null]"),
        ("'' + ['a': 1, 'b': [1]] + 2.0", "{a=1, b=[…]}2.0"),
        ("String.join('-', ['a', 1, true])", "a-1-true"),
        ("'aba'.replace('a', 'xy')", "xybxy"),
        ("'ab'.replace('', '-')", "-a-b-"),
        ("'a,b'.splitOnToken(',').toString()", "[a, b]"),
    ] {
        assert_eq!(result(source), format!("{text:?}"), "{source}");
    }
}

#[test]
fn places_in_texts_have_no_end_beyond_numbers() {
    let script = Script::compile("'a'.charAt(9223372036854775807L)").unwrap();
    assert!(script.run(&mut Globals::new(), &()).is_err());
}

#[test]
fn fields_are_asked_of_the_host() {
    struct Fields;
    impl Host for Fields {
        fn field(&self, name: &str) -> Option<Vec<Value>> {
            match name {
                "rank" => Some(vec![Value::from(5)]),
                "none" => Some(Vec::new()),
                "vector" => Some(vec![Value::from(vec![3.0, 4.0])]),
                _ => None,
            }
        }
    }
    let run = |source: &str| Script::compile(source).unwrap().run(&mut Globals::new(), &Fields);
    assert_eq!(shown(&run("doc['rank'].value * 2").unwrap()), "10");
    assert_eq!(
        shown(&run("doc['none'].size() == 0 ? 1 : doc['none'].value").unwrap()),
        "1"
    );
    assert_eq!(shown(&run("doc.containsKey('other')").unwrap()), "false");
    assert_eq!(
        shown(&run("doc['vector'].size() + doc['vector'].magnitude + doc['vector'].vectorValue[1]").unwrap()),
        "10.0"
    );
    assert_eq!(
        shown(&run("dotProduct([1, 1], 'vector') + l1norm([3, 5], doc['vector'])").unwrap()),
        "8.0"
    );
    assert!(
        matches!(run("l2norm([1], 'none')"), Err(ScriptError::Run(reason)) if reason.contains("vector field"))
    );
    assert!(matches!(run("doc['other'].value"), Err(ScriptError::Run(reason)) if reason.contains("[other]")));
}

#[test]
fn errors_name_what_is_not_known() {
    let wrong = |source: &str| {
        let compiled = Script::compile(source);
        compiled
            .and_then(|script| script.run(&mut Globals::new(), &()))
            .unwrap_err()
            .to_string()
    };
    assert!(wrong("try { x } catch (Exception e) { }").contains("cannot resolve symbol [x]"));
    assert!(wrong("try { 1 } catch (IllegalArgumentException e) { }").contains("[IllegalArgumentException]"));
    assert!(wrong("try { 1 }").contains("without [catch]"));
    assert!(wrong("int f(a) { return a } f(1)").contains("[f]"));
    assert!(wrong("int f(int a) { return a } f(1, 2)").contains("Unknown call [f] with [2] arguments"));
    assert!(wrong("int f() { return a } int a = 1; f()").contains("cannot resolve symbol [a]"));
    assert!(wrong("foo.bar").contains("cannot resolve symbol [foo]"));
    assert!(wrong("System.exit(0)").contains("[System]"));
    assert!(wrong("'a'.getClass()").contains("getClass"));
    assert!(wrong("1 +").contains("unexpected token"));
    assert!(wrong("throw new IllegalArgumentException('no')").contains("no"));
}

#[test]
fn dates_and_points_have_parts_and_distances() {
    struct Fields;
    impl Host for Fields {
        fn field(&self, name: &str) -> Option<Vec<Value>> {
            let point = |lat: f64, lon: f64| Value::from(Document::new().with("lat", lat).with("lon", lon));
            match name {
                // 2020-02-29T23:59:58.007Z, a Saturday.
                "at" => Some(vec![Value::DateTime(1_583_020_798_007)]),
                "later" => Some(vec![Value::DateTime(1_583_020_798_007 + 3 * 86_400_000 - 1)]),
                "place" => Some(vec![point(52.0, 13.0), point(-1.5, 2.0)]),
                _ => None,
            }
        }
    }
    let run = |source: &str| Script::compile(source).unwrap().value(&Globals::new(), &Fields);
    for (source, value) in [
        ("doc['at'].value.toInstant().toEpochMilli()", "1583020798007"),
        ("doc['at'].value.millis + 1", "1583020798008"),
        (
            "doc['at'].value.year * 100 + doc['at'].value.getMonthValue()",
            "202002",
        ),
        ("doc['at'].value.dayOfMonth", "29"),
        (
            "doc['at'].value.getHour() + ':' + doc['at'].value.minute",
            r#""23:59""#,
        ),
        ("doc['at'].value.dayOfWeekEnum.value", "6"),
        ("doc['at'].value.getDayOfWeekEnum().toString()", r#""SATURDAY""#),
        ("doc['at'].value.toString()", r#""2020-02-29T23:59:58.007Z""#),
        (
            "'' + doc['at'].value.plusYears(1).minusDays(1)",
            r#""2021-02-27T23:59:58.007Z""#,
        ),
        ("doc['at'].value.plusMonths(-14).month", r#""DECEMBER""#),
        ("doc['at'].value.isBefore(doc['later'].value)", "true"),
        (
            "ChronoUnit.DAYS.between(doc['at'].value, doc['later'].value)",
            "2",
        ),
        ("doc['place'].lat + doc['place'].lons[1]", "54.0"),
        ("(int) doc['place'].arcDistance(52, 14)", "68457"),
        (
            "'' + 1e7 + ' ' + 0.5e-3 + ' ' + 1.0 / 0.0",
            r#""1.0E7 5.0E-4 Infinity""#,
        ),
    ] {
        assert_eq!(
            run(source).map(|value| shown(&value)),
            Ok(value.to_owned()),
            "{source}"
        );
    }
    for (source, why) in [
        ("doc['at'].value.plusYears(999999999999)", "beyond the dates"),
        (
            "doc['at'].value.plusMoons(1)",
            "[java.time.ZonedDateTime, plusMoons/1] not found",
        ),
        (
            "ChronoUnit.DECADES",
            "static field [ChronoUnit, DECADES] not found",
        ),
        (
            "ChronoUnit.DAYS.between(1, doc['at'].value)",
            "Cannot cast from [long]",
        ),
        ("doc['at'].lat", "[java.time.ZonedDateTime, lat] not found"),
    ] {
        let error = run(source).unwrap_err().to_string();
        assert!(error.contains(why), "{source}: {error}");
    }
}

#[test]
fn elements_are_gone_through_and_put_in_order() {
    for (source, value) in [
        ("int n = 0; for (x in [1, 2, 3]) { n += x } n", "6"),
        (
            "def n = ''; for (def entry in ['a': 1, 'b': 2].entrySet()) { n += entry.key + entry.getValue() } n",
            r#""a1b2""#,
        ),
        ("def l = [3, 1, 2]; l.sort((a, b) -> b - a); l", "[3,2,1]"),
        (
            "def l = ['b', 'a', 'c']; Collections.sort(l, (String a, String b) -> a.compareTo(b)); l",
            r#"["a","b","c"]"#,
        ),
        (
            "def l = [['n': 2, 'k': 'x'], ['n': 1], ['n': 2, 'k': 'y']]; l.sort((a, b) -> Integer.compare(a.n, b.n)); l.collect(x -> x.k)",
            r#"[null,"x","y"]"#,
        ),
        (
            "[4, 1, 3].stream().sorted().limit(2).collect(Collectors.toList())",
            "[1,3]",
        ),
        (
            "[1, 2, 3, 4].stream().filter(x -> { if (x % 2 == 0) { return true } return false }).map(x -> x * 10).collect(Collectors.toList())",
            "[20,40]",
        ),
        ("[1, 2].stream().mapToInt(x -> x).sum() + [1, 2.5].sum()", "6.5"),
        ("[1, 2, 1].stream().distinct().count()", "2"),
        (
            "[1, 2, 3].stream().noneMatch(x -> x > 3) && ![1].stream().anyMatch(x -> x > 3)",
            "true",
        ),
        (
            "def l = [1, 2, 3]; Collections.reverse(l); l.subList(0, 2).join('-')",
            r#""3-2""#,
        ),
        ("Math.floorMod(-1, 3)", "2"),
        (
            "Set s = new HashSet([1, 2, 1, 'a']); s.add(2); s.add(3); s.remove('a'); s",
            "[1,2,3]",
        ),
        (
            "def s = new HashSet(); s.add('a') && !s.add('a') && s.contains('a') && s.size() == 1",
            "true",
        ),
        (
            "new HashSet([1, 2]) == new HashSet([2, 1]) && new HashSet([1]) instanceof Set",
            "true",
        ),
        (
            "def s = new HashSet([3, 1, 2]); s.removeIf(x -> x > 2); def n = 0; for (x in s) { n += x } n",
            "3",
        ),
        (
            "new ArrayList([1, 1, 2].stream().collect(Collectors.toSet())).size()",
            "2",
        ),
    ] {
        assert_eq!(result(source), value, "{source}");
    }
}

#[test]
fn scripts_declare_functions_and_catch_what_goes_wrong() {
    for (source, value) in [
        (
            "int twice(int x) { return x * 2 } int four(def x) { def y = twice(x); return twice(y) } four(1) + twice(3)",
            "10",
        ),
        (
            "int sum(int n) { return n == 0 ? 0 : n + sum(n - 1) } return sum(20)",
            "210",
        ),
        (
            "void add(List l, def x) { l.add(x) } def l = []; add(l, 1); add(l, 2); return l",
            "[1,2]",
        ),
        (
            "def r = 0; try { r = 1 / 0 } catch (Exception e) { r = e.getMessage() } return r",
            r#""/ by zero""#,
        ),
        (
            "try { def x = 1; throw new IllegalArgumentException('no') } catch (Exception x) { return 'said: ' + x.message }",
            r#""said: no""#,
        ),
        (
            "for (int i = 0; i < 3; i++) { try { if (i == 1) { throw 'x' } } catch (Exception e) { return i } } return 5",
            "1",
        ),
    ] {
        assert_eq!(result(source), value, "{source}");
    }
}

#[test]
fn texts_are_matched_by_regular_expressions() {
    for (source, value) in [
        ("'foobar' =~ /o+b/", "true"),
        ("'foobar' ==~ /o+b/", "false"),
        ("'foobar' ==~ /fo+bar/", "true"),
        ("'FOO' ==~ /foo/i", "true"),
        ("!('a' =~ /b/) && 'x' + 'y' =~ /xy/", "true"),
        // What divides stays what it was.
        ("8 / 2 / 2", "2"),
        ("def x = 8; return (x) / 2 + [4][0] / 2", "6"),
        ("return /a\\/b/.matcher('a/b').matches()", "true"),
        ("'a.c' ==~ /a.c/l && !('abc' ==~ /a.c/l)", "true"),
        ("'a\\nb' ==~ /a.b/s", "true"),
        // A line ends by `\r`, too.
        ("'a\\rb' ==~ /a.b/", "false"),
        ("'a&b[' ==~ /[&]?\\[?a[^\\[]b\\[/", "true"),
        ("'a&&[b' ==~ /a\\Q&&[\\Eb/", "true"),
        ("'a+' ==~ /\\Qa+/", "true"),
        (
            "Matcher m = /(\\w+)@(?<host>\\w+)/.matcher('x ada@home y'); m.find(); return [m.group(1), m.group('host'), m.start(), m.end(2)]",
            r#"["ada","home",2,10]"#,
        ),
        (
            "def m = /\\d/.matcher('a1b22'); int n = 0; while (m.find()) { n++ } return [n, m.groupCount()]",
            "[3,0]",
        ),
        (
            "def m = /b*/.matcher('abb'); def l = []; while (m.find()) { l.add(m.group()) } return l",
            r#"["","bb",""]"#,
        ),
        ("/(a)(b)?/.matcher('ac').replaceAll('$1-$2')", r#""a-c""#),
        ("/a/.matcher('banana').replaceFirst('\\\\$')", r#""b$nana""#),
        (
            "'banana'.replaceAll(/an/, m -> m.group().toUpperCase())",
            r#""bANANa""#,
        ),
        ("'banana'.replaceFirst(/a/, m -> 'o')", r#""bonana""#),
        ("/,/.split('a,b,,')", r#"["a","b"]"#),
        ("/,/.split('a,b,c', 2)", r#"["a","b,c"]"#),
        ("/x/.split('')", r#"[""]"#),
        ("/ab/.matcher('abc').lookingAt()", "true"),
        ("/b/.matcher('abb').find(2)", "true"),
        (
            "def p = /a+/; return p.toString() + (p instanceof Pattern)",
            r#""a+true""#,
        ),
    ] {
        assert_eq!(result(source), value, "{source}");
    }
}

#[test]
fn regular_expressions_that_are_none_are_refused_where_they_are_compiled() {
    for source in [
        "'a' =~ /(/",
        "'a' =~ /a/c",
        "return /a",
        "'a' =~ /a\n/",
        // Sets of Java that would be other ones here.
        "'a' =~ /[a-z&&[^b]]/",
        "'a' =~ /[a-d[m-p]]/",
        "'a' =~ /[]a[]/",
    ] {
        let refused = Script::compile(source);
        assert!(matches!(refused, Err(ScriptError::Compile(_))), "{source}");
    }
}

#[test]
fn numbers_in_a_row_have_functions() {
    for (source, value) in [
        ("MovingFunctions.max([1, 5, 2])", "5"),
        ("MovingFunctions.min([1, 5, 2])", "1"),
        (
            "def v = [1.0, 3.0]; return MovingFunctions.stdDev(v, MovingFunctions.unweightedAvg(v))",
            "1",
        ),
        ("MovingFunctions.holt([1, 2, 3], 1.0, 1.0)", "3"),
        (
            "def v = [1, 3, 1, 3]; return v.length >= 4 ? MovingFunctions.holtWinters(v, 0.0, 0.0, 0.0, 2, false) : 0",
            "2.5",
        ),
        ("MovingFunctions.ewma([1, 3], 0.5)", "2"),
    ] {
        assert_eq!(result(source).trim_end_matches(".0"), value, "{source}");
    }
    let short = Script::compile("MovingFunctions.holtWinters([1.0], 0.3, 0.1, 0.1, 1, false)").unwrap();
    assert!(short.run(&mut Globals::new(), &()).is_err());
}
