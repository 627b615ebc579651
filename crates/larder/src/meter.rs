//! Progress of long work on the terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over this many bytes; hidden without a terminal, or on demand.
pub fn bytes(total: u64, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(total);
    // The template is a valid constant; otherwise the usual style would stay.
    if let Ok(style) =
        ProgressStyle::with_template("{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} to go")
    {
        bar.set_style(style);
    }
    bar
}

/// Bytes as people read them.
pub fn shown(bytes: u64) -> String {
    indicatif::HumanBytes(bytes).to_string()
}
