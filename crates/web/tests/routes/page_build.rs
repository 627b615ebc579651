//! The page's scripts as they are sent: shorter, but with the same effect.

use crate::script::module::Module;
use std::collections::BTreeMap;

/// The module with these names for what it imports and exports, and short ones for the rest.
fn written(text: &str, names: &[(&str, &str)]) -> Result<String, String> {
    let names: BTreeMap<&str, &str> = names.iter().copied().collect();
    let loads = BTreeMap::from([("./view.js", "LOADED".to_owned())]);
    Module::read(text)?.written(&names, &loads)
}

#[test]
fn variables_get_short_names_and_members_keep_theirs() {
    let text = r#"
/** Their sum. */
export const sum = ({ from, to = 2 }, list) => {
  // of all
  const total = list.total / to;
  return { from, total, list: list.map((one) => one.from), to() { return to; } };
};
"#;
    let wanted = "const $s=({from:c,to:b=2},a)=>{const e=a.total/b;return{from:c,total:e,list:a.map((d)=>d.from),to(){return b;}};};";
    assert_eq!(written(text, &[("sum", "$s")]).unwrap(), wanted);
}

#[test]
fn texts_in_scripts_stay_as_they_are() {
    let text = r#"
const kept = ["// no comment", '/* nor this */', /[/"]\/* /g, `a  ${1 / 2 / 3}
   b`];
"#;
    let wanted = "const $k=[\"// no comment\",'/* nor this */',/[/\"]\\/* /g,`a  ${1/2/3}\n   b`];";
    assert_eq!(written(text, &[("kept", "$k")]).unwrap(), wanted);
}

#[test]
fn elements_lose_their_indentation_and_no_space_that_is_shown() {
    let text = "const view = (name) => html`<p>\n    <b>${name}</b> or\n    ${name && html`<i title=\"two\n      lines\">x</i>`}\n  </p>`;";
    let wanted = "const $v=(a)=>$h`<p><b>${a}</b> or\n${a&&$h`<i title=\"two\nlines\">x</i>`}</p>`;";
    assert_eq!(written(text, &[("view", "$v"), ("html", "$h")]).unwrap(), wanted);
}

#[test]
fn statements_and_signs_stay_apart() {
    let text = "let last = 1\nlet next = last\n++last\nconst less = next - -last + +next < !last;";
    let names = [("last", "$l"), ("next", "$n"), ("less", "$s")];
    let wanted = "let $l=1\nlet $n=$l\n++$l\nconst $s=$n- -$l+ +$n< !$l;";
    assert_eq!(written(text, &names).unwrap(), wanted);
}

#[test]
fn braces_behind_a_case_hold_statements_and_those_behind_a_condition_an_object() {
    let text = "const f = (a) => { switch (a) { case 1: { g(a); } default: { g(1); } } return a ? a : { g, a() {} }; };";
    let wanted = "const $f=(a)=>{switch(a){case 1:{$g(a);}default:{$g(1);}}return a?a:{g:$g,a(){}};};";
    assert_eq!(written(text, &[("f", "$f"), ("g", "$g")]).unwrap(), wanted);
}

#[test]
fn imports_and_exports_are_taken_out_and_told() {
    let text = r#"import { html, useState as state } from "../lib/html.js";
import htm from "htm";
export { render } from "preact";
export default function View() { return import("./view.js"); }
export async function load() { await state(html, htm); }
const own = 1, other = 2;
let { a, b: [c, ...d] } = own;
for (const one of [own, other]) one.it();
"#;
    let module = Module::read(text).unwrap();
    let imported: Vec<_> = module.imports.iter().map(|import| import.from.as_str()).collect();
    assert_eq!(imported, ["../lib/html.js", "htm"]);
    let named =
        [("html", "html"), ("useState", "state")].map(|(name, here)| (name.to_owned(), here.to_owned()));
    assert_eq!(module.imports[0].names, named);
    assert_eq!(
        module.imports[1].names,
        [("default".to_owned(), "htm".to_owned())]
    );
    assert_eq!(module.passed_on[0].from, "preact");
    assert_eq!(module.exports["default"], "View");
    assert_eq!(module.exports["load"], "load");
    let tops: Vec<_> = module.tops.iter().map(String::as_str).collect();
    assert_eq!(tops, ["View", "a", "c", "d", "load", "other", "own"]);
    assert_eq!(module.loads().collect::<Vec<_>>(), ["./view.js"]);
    let names = [
        "html", "state", "htm", "View", "load", "own", "other", "a", "c", "d",
    ];
    let written = written(text, &names.map(|name| (name, name))).unwrap();
    assert!(
        written.starts_with("function View(){return LOADED;}\nasync function load(){await state(html,htm);}"),
        "{written}"
    );
}

#[test]
fn unknown_names_and_syntax_end_the_build() {
    let cases = [
        ("const text = cookieStore;", "cookieStore is not declared"),
        ("const f = (at = scrollX) => at;", "scrollX is not declared"),
        ("const of = 1;", "a declaration outside of functions has no name"),
        ("class One { field = 1; }", "a class has fields"),
        ("const text = \"no end", "a text has no end"),
        ("const text = `no end ${1}", "a template has no end"),
        ("const f = () => { } / 2;", "/ behind }"),
        ("const f = (;", "a bracket is not closed"),
        ("export * from \"./all.js\";", "an export declares nothing"),
        ("const f = (name) => import(name);", "import( wants the name"),
    ];
    for (text, wanted) in cases {
        let told = written(text, &[("text", "$t"), ("f", "$f"), ("One", "$o")]).unwrap_err();
        assert!(told.starts_with(wanted), "{text}: {told}");
    }
}
