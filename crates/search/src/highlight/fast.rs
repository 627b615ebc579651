//! The fast vector highlighter: fragments of a length, with what was found in their middle, as Lucene's `FastVectorHighlighter`
//! cuts them. Elsewhere it reads term vectors; here the text is analyzed again.

use super::Options;
use super::marks::{Marked, Marks};
use super::text::{Bounds, Text};
use super::wanted::Run;
use mapping::error::{Result, SearchError};

/// Characters that are shown by default before what was found.
const MARGIN: usize = 6;
/// Characters among which by default the end of a word is looked for.
pub(super) const SCANNED_CHARS: usize = 20;
/// What ends a word by default.
pub(super) const WORD_ENDS: &str = ".,!? \t\n";

/// A fragment of the values, one after the other.
struct Fragment {
    start: usize,
    end: usize,
    runs: Vec<Run>,
}

/// The fragments of the values of a field, each with what was found in it.
pub(super) fn fragments(
    values: &[(Text<'_>, Vec<Run>)],
    options: &Options,
    marks: Marks<'_>,
) -> Result<Vec<String>> {
    let mut offset = 0;
    let mut runs = Vec::new();
    for (text, found) in values {
        runs.extend(found.iter().map(|run| moved(run, offset)));
        offset += text.len() + 1;
    }
    runs.truncate(options.phrases_max);
    let whole = Fragment {
        start: 0,
        end: usize::MAX,
        runs: Vec::new(),
    };
    let fragments = match options.fragments {
        0 if runs.is_empty() => Vec::new(),
        0 => vec![Fragment { runs, ..whole }],
        _ => cut(runs, options)?,
    };
    let mut fragments = of_values(values, fragments);
    if options.by_score {
        fragments.sort_by_key(|(_, fragment)| std::cmp::Reverse(fragment.runs.len()));
    }
    if options.fragments > 0 {
        fragments.truncate(options.fragments);
    }
    let bounds: Vec<Option<Bounds>> = values.iter().map(|(text, _)| options.bounds(text)).collect();
    let shown = fragments.iter().map(|(at, fragment)| {
        let (text, bounds) = (&values[*at].0, bounds[*at].as_ref());
        let words: Vec<Marked> = fragment.runs.iter().flat_map(|run| run.words.clone()).collect();
        let end = match text.len() < fragment.end {
            true => text.len(),
            false => end_of(text, fragment.end, bounds, options),
        };
        let start = start_of(text, fragment.start, bounds, options);
        marks.around(text, start, end.max(start), &words)
    });
    Ok(shown.collect())
}

/// The beginning of the first value, up to the end of a word.
pub(super) fn beginning(text: &Text<'_>, chars: usize, options: &Options, marks: Marks<'_>) -> String {
    let end = match text.len() < chars {
        true => text.len(),
        false => end_of(text, chars, options.bounds(text).as_ref(), options),
    };
    marks.around(text, 0, end, &[])
}

fn moved(run: &Run, offset: usize) -> Run {
    let words = run.words.iter().map(|word| Marked {
        start: word.start + offset,
        end: word.end + offset,
        number: word.number,
    });
    Run {
        words: words.collect(),
    }
}

/// Fragments of the length that is wanted, each around what stands there together.
fn cut(runs: Vec<Run>, options: &Options) -> Result<Vec<Fragment>> {
    let size = options.fragment_chars;
    let margin = options.margin.unwrap_or(MARGIN);
    let least = margin.saturating_mul(3).max(1);
    if size < least {
        return Err(SearchError::illegal(format!(
            "fragCharSize({size}) is too small. It must be {least} or higher."
        )));
    }
    let fits = |run: &Run, length: usize| run.words.len() <= 1 || length <= size;
    let mut fragments = Vec::new();
    let mut start = 0;
    let mut runs = runs.into_iter().peekable();
    while let Some(run) = runs.next() {
        let (first, mut last) = (run.start(), run.end());
        if first < start {
            continue;
        }
        let span = first.saturating_sub(margin).max(start);
        let span_end = last.max(span.saturating_add(size));
        let mut within = Vec::new();
        within.extend(Some(run).filter(|run| fits(run, last - first)));
        while let Some(next) = runs.next_if(|next| next.end() <= span_end) {
            last = next.end();
            within.extend(Some(next).filter(|next| fits(next, last.saturating_sub(first))));
        }
        if within.is_empty() {
            continue;
        }
        let length = last.saturating_sub(first);
        // In the middle of the fragment.
        let begins = first.saturating_sub(size.saturating_sub(length) / 2).max(start);
        start = begins.saturating_add(length.max(size));
        fragments.push(Fragment {
            start: begins,
            end: start,
            runs: within,
        });
    }
    Ok(fragments)
}

/// Fragments of single values: one that is of several becomes one of each.
fn of_values(values: &[(Text<'_>, Vec<Run>)], fragments: Vec<Fragment>) -> Vec<(usize, Fragment)> {
    let mut begun = 0;
    let offsets = values.iter().map(|(text, _)| {
        let offset = begun;
        begun += text.len() + 1;
        offset
    });
    let offsets: Vec<usize> = offsets.collect();
    let mut found = Vec::new();
    for fragment in fragments {
        let first = offsets.partition_point(|offset| *offset <= fragment.start);
        for (at, (text, _)) in values.iter().enumerate().skip(first.saturating_sub(1)) {
            let offset = offsets[at];
            if offset > fragment.end {
                break;
            }
            let end = offset + text.len() + 1;
            let is_here = |run: &&Run| offset <= run.start() && run.end() < end;
            let first = fragment.runs.partition_point(|run| run.start() < offset);
            let here = fragment.runs[first..].iter().take_while(is_here);
            let own = |run: &Run| Run {
                words: run
                    .words
                    .iter()
                    .map(|word| Marked {
                        start: word.start - offset,
                        end: word.end - offset,
                        number: word.number,
                    })
                    .collect(),
            };
            let runs: Vec<Run> = here.map(own).collect();
            if !runs.is_empty() {
                let part = Fragment {
                    start: fragment.start.saturating_sub(offset),
                    end: fragment.end.min(end) - offset,
                    runs,
                };
                found.push((at, part));
            }
        }
    }
    found
}

/// Where a fragment that begins about here begins.
fn start_of(text: &Text<'_>, start: usize, bounds: Option<&Bounds>, options: &Options) -> usize {
    if start > text.len() || start < 1 {
        return start.min(text.len());
    }
    if let Some(bounds) = bounds {
        return bounds.before(start);
    }
    let mut at = start;
    for _ in 0..options.scanned_chars {
        match at.checked_sub(1) {
            None => break,
            Some(before) if options.ends_word(text.char_at(before)) => return at,
            Some(before) => at = before,
        }
    }
    if at == 0 { 0 } else { start }
}

/// Where a fragment that ends about here ends.
fn end_of(text: &Text<'_>, end: usize, bounds: Option<&Bounds>, options: &Options) -> usize {
    if let Some(bounds) = bounds {
        return bounds.behind(end).unwrap_or(text.len());
    }
    // The value ends where the next one begins, which is the end of a word, too.
    let is_end = |at: &usize| *at == text.len() || options.ends_word(text.char_at(*at));
    let scanned = (end..=text.len()).take(options.scanned_chars);
    scanned.into_iter().find(is_end).unwrap_or(end)
}
