//! Texts with marks around what was found in them.

use super::text::Text;

/// What stands around a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks<'m> {
    pub(super) before: &'m [String],
    pub(super) after: &'m [String],
    pub(super) escapes: bool,
}

/// A place that is marked, in characters; the marks are those of this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marked {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) number: usize,
}

impl Marks<'_> {
    /// The characters from one place to another, with marks around those of these places that lie there. They are in order.
    pub(super) fn around(&self, text: &Text<'_>, start: usize, end: usize, places: &[Marked]) -> String {
        let mut out = String::with_capacity(end - start + 16 * places.len());
        let mut at = start;
        for place in places {
            if place.start < at || place.end > end {
                continue;
            }
            self.write(text.slice(at, place.start), &mut out);
            out.push_str(of_number(self.before, place.number));
            self.write(text.slice(place.start, place.end), &mut out);
            out.push_str(of_number(self.after, place.number));
            at = place.end;
        }
        self.write(text.slice(at, end), &mut out);
        out
    }

    fn write(&self, text: &str, out: &mut String) {
        if !self.escapes {
            return out.push_str(text);
        }
        for c in text.chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                '"' => out.push_str("&quot;"),
                '\'' => out.push_str("&#x27;"),
                '/' => out.push_str("&#x2F;"),
                c => out.push(c),
            }
        }
    }
}

fn of_number(marks: &[String], number: usize) -> &str {
    let at = number.checked_rem(marks.len()).unwrap_or(0);
    marks.get(at).map_or("", String::as_str)
}
