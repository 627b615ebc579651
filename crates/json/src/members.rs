//! Members of an object that have the same name.

use std::collections::HashSet;

/// The most members whose names are compared one by one; of more, the names are put in a set.
const COMPARED_MAX: usize = 16;

/// Of members that have the same name keeps the last alone, where it stands, as CouchDB does (jiffy's `dedupe_keys`):
/// what one reader takes from a document has to be what every other takes. The members are BSON elements without
/// anything between or after them, which begin at these places.
pub fn keep_last_of_each_name(out: &mut Vec<u8>, starts: &[usize]) {
    let Some(&first) = starts.first() else {
        return;
    };
    if are_distinct(out, starts) {
        return;
    }
    // From the back, where the last of a name comes first.
    let mut seen = HashSet::with_capacity(starts.len());
    let mut kept = Vec::with_capacity(starts.len());
    let mut end = out.len();
    for &start in starts.iter().rev() {
        if seen.insert(name(out, start)) {
            kept.push(start..end);
        }
        end = start;
    }
    let members: Vec<u8> = kept
        .into_iter()
        .rev()
        .flat_map(|member| &out[member])
        .copied()
        .collect();
    out.truncate(first);
    out.extend_from_slice(&members);
}

fn are_distinct(out: &[u8], starts: &[usize]) -> bool {
    if starts.len() > COMPARED_MAX {
        let mut seen = HashSet::with_capacity(starts.len());
        return starts.iter().all(|&start| seen.insert(name(out, start)));
    }
    let mut later = starts.iter();
    while let Some(&start) = later.next() {
        if later
            .clone()
            .any(|&other| out[other + 1..].starts_with(with_end(out, start)))
        {
            return false;
        }
    }
    true
}

/// The name of the member that begins here, after the byte of its type.
fn name(out: &[u8], start: usize) -> &[u8] {
    let name = with_end(out, start);
    &name[..name.len() - 1]
}

/// The name with the zero byte that ends it.
fn with_end(out: &[u8], start: usize) -> &[u8] {
    let name = &out[start + 1..];
    let end = name.iter().position(|&byte| byte == 0);
    &name[..end.map_or(name.len(), |end| end + 1)]
}

#[cfg(test)]
mod tests {
    use crate::tests::through;
    use std::fmt::Write as _;
    use std::time::{Duration, Instant};

    #[test]
    fn the_last_of_a_name_counts_where_it_stands() {
        for (text, kept) in [
            (r#"{"role":"admin","role":"user"}"#, r#"{"role":"user"}"#),
            (r#"{"a":1,"b":2,"c":3,"b":{}}"#, r#"{"a":1,"c":3,"b":{}}"#),
            (r#"{"a":1,"ab":2,"":3,"a\u0062":4}"#, r#"{"a":1,"":3,"ab":4}"#),
            (
                r#"[{"o":{"k":[1],"k":2,"k":{"x":1,"x":2}},"p":1}]"#,
                r#"[{"o":{"k":{"x":2}},"p":1}]"#,
            ),
        ] {
            assert_eq!(through(text), kept);
        }
    }

    #[test]
    fn many_members_cost_no_more_than_their_number() {
        let mut text = String::from("{");
        for n in 0..100_000 {
            let _ = write!(text, r#""n{}":{n},"#, n % 99_999);
        }
        text.push_str(r#""z":0}"#);
        let began = Instant::now();
        let kept = through(&text);
        assert!(kept.starts_with(r#"{"n1":1,"#) && kept.ends_with(r#""n0":99999,"z":0}"#));
        // Compared one by one, they would take minutes.
        assert!(began.elapsed() < Duration::from_secs(20));
    }
}
