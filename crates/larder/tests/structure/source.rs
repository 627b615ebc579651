//! Reads words, imports and paths of a source file, as far as that needs no compiler.

/// One name that a file gets by `use`.
pub struct Import {
    pub path: Vec<String>,
    pub name: String,
    /// Whether the name is handed on to others.
    pub is_public: bool,
}

/// The words and signs of a source, without comments and without the unit tests at its end.
pub fn tokens(text: &str) -> Vec<&str> {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mut tokens = Vec::new();
    for line in text.lines() {
        let mut rest = line.split("//").next().unwrap_or_default().trim_start();
        while let Some(first) = rest.chars().next() {
            let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
            let length = match first {
                _ if is_of_word(first) => rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()),
                ':' if rest.starts_with("::") => 2,
                _ => first.len_utf8(),
            };
            tokens.push(&rest[..length]);
            rest = rest[length..].trim_start();
        }
    }
    tokens
}

/// The declarations (`use …;` and `mod …;`, with the word before them that says who sees them), and the code.
pub fn split<'t>(tokens: &[&'t str]) -> (Vec<Vec<&'t str>>, Vec<&'t str>) {
    let (mut declarations, mut code) = (Vec::new(), Vec::<&str>::new());
    let mut rest = tokens;
    while let [first, others @ ..] = rest {
        match *first {
            "use" | "mod" => {
                let end = others
                    .iter()
                    .position(|token| *token == ";")
                    .unwrap_or(others.len());
                let before = code.last().copied().unwrap_or_default();
                declarations.push([&[before, *first], &others[..end]].concat());
                rest = &others[end..];
            }
            _ => {
                code.push(first);
                rest = others;
            }
        }
    }
    (declarations, code)
}

/// All names that `use` brings.
pub fn imports(declarations: &[Vec<&str>]) -> Vec<Import> {
    let mut found = Vec::new();
    for declaration in declarations {
        let [before, "use", tree @ ..] = &declaration[..] else {
            continue;
        };
        let is_public = matches!(*before, "pub" | ")");
        let mut branches = Vec::new();
        follow(tree, &[], &mut branches);
        found.extend(branches.into_iter().map(|(path, name)| Import {
            path,
            name,
            is_public,
        }));
    }
    found
}

/// Follows the tree of one `use`: `a::{self, b as c}` gives the path `a` named `a` and `a::b` named `c`. Returns the tokens
/// after it.
fn follow<'t>(
    tokens: &'t [&'t str],
    stem: &[String],
    found: &mut Vec<(Vec<String>, String)>,
) -> &'t [&'t str] {
    let mut path = stem.to_vec();
    let mut rest = tokens;
    loop {
        match rest {
            ["{", others @ ..] => {
                rest = others;
                while !matches!(rest, [] | ["}", ..]) {
                    rest = follow(rest, &path, found);
                    rest = rest.strip_prefix(&[","]).unwrap_or(rest);
                }
                return rest.get(1..).unwrap_or_default();
            }
            ["as", name, others @ ..] => {
                found.push((path, (*name).to_owned()));
                return others;
            }
            ["::", others @ ..] => rest = others,
            ["self", others @ ..] if !path.is_empty() => rest = others,
            [word, others @ ..] if !matches!(*word, "," | "}") => {
                path.push((*word).to_owned());
                rest = others;
            }
            _ => {
                let name = path.last().cloned().unwrap_or_default();
                found.push((path, name));
                return rest;
            }
        }
    }
}

/// All paths of two words and more.
pub fn paths(tokens: &[&str]) -> Vec<Vec<String>> {
    let is_word = |token: &str| token.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let path = |start: usize| {
        let mut path = vec![tokens[start].to_owned()];
        let mut rest = &tokens[start + 1..];
        while let ["::", word, others @ ..] = rest
            && is_word(word)
        {
            path.push((*word).to_owned());
            rest = others;
        }
        path
    };
    let starts = (0..tokens.len())
        .filter(|at| is_word(tokens[*at]) && !matches!(tokens[..*at], [.., "::" | "."] | [.., "(", "in"]));
    starts.map(path).filter(|path| path.len() > 1).collect()
}
