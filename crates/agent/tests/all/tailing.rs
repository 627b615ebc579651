//! Files that grow, are renamed, truncated or copied, and are read again after a restart.

use crate::gathered::{Gathered, add, pause};
use std::path::Path;

/// Messages of several lines; the last one waits for more lines longer than a test runs.
const WAITS_LONG: &str = "multiline = { continues = '^\\s', wait = \"1h\" }";

fn following(pattern: &str, options: &str, files: &str) -> impl Fn(&Path) -> String {
    move |folder: &Path| {
        let path = folder.join(pattern);
        format!("{options}\n[source.files]\npoll = \"10ms\"\nscan = \"20ms\"\npaths = [{path:?}]\n{files}")
    }
}

fn files(pattern: &str, options: &str, files: &str) -> Gathered {
    Gathered::new(following(pattern, options, files))
}

#[tokio::test]
async fn lines_are_read_as_they_come_and_once_over_restarts() {
    let mut gathered = files("*.log", "", "");
    add(&gathered.path("a.log"), "one\ntw");
    gathered
        .during(async |folder| add(&folder.join("a.log"), "o\nthr"))
        .await;
    gathered.has(&["one", "two"]);
    add(&gathered.path("a.log"), "ee\r\n\nfour\n");
    gathered.during(async |_| {}).await;
    gathered
        .during(async |folder| add(&folder.join("b.log"), "five\n"))
        .await;
    gathered.has(&["one", "two", "three", "four", "five"]);
}

#[tokio::test]
async fn a_file_is_read_to_its_end_after_it_was_renamed() {
    let mut gathered = files("a.log", "", "");
    add(&gathered.path("a.log"), "one\n");
    gathered
        .during(async |folder| {
            std::fs::rename(folder.join("a.log"), folder.join("a.log.1")).unwrap();
            add(&folder.join("a.log.1"), "two\n");
            add(&folder.join("a.log"), "three\n");
            pause().await;
            add(&folder.join("a.log.1"), "four\n");
        })
        .await;
    gathered.has(&["one", "two", "three", "four"]);
    // Renamed while the agent was not running.
    add(&gathered.path("a.log"), "five\n");
    std::fs::rename(gathered.path("a.log"), gathered.path("a.log.2")).unwrap();
    add(&gathered.path("a.log"), "six\n");
    gathered.during(async |_| {}).await;
    gathered.messages.sort();
    gathered.has(&["five", "four", "one", "six", "three", "two"]);
}

#[tokio::test]
async fn a_file_that_is_cut_short_begins_anew() {
    let mut gathered = files("a.log", "", "");
    add(&gathered.path("a.log"), "one\ntwo\n");
    gathered
        .during(async |folder| {
            std::fs::write(folder.join("a.log"), "").unwrap();
            add(&folder.join("a.log"), "3\n");
            pause().await;
            // At once longer than before: only the bytes before the position show that it is another file.
            std::fs::write(folder.join("a.log"), "four\nfive\n").unwrap();
        })
        .await;
    gathered.has(&["one", "two", "3", "four", "five"]);
    std::fs::write(gathered.path("a.log"), "six\nseven\neight\n").unwrap();
    gathered.during(async |_| {}).await;
    gathered.has(&["one", "two", "3", "four", "five", "six", "seven", "eight"]);
}

#[tokio::test]
async fn a_copy_of_what_was_read_is_not_read_again() {
    let mut gathered = files("a.log*", "", "");
    add(&gathered.path("a.log"), "the first line\nthe second line\n");
    gathered
        .during(async |folder| {
            std::fs::copy(folder.join("a.log"), folder.join("a.log.1")).unwrap();
            std::fs::write(folder.join("a.log"), "").unwrap();
            add(&folder.join("a.log"), "the third line, longer\n");
        })
        .await;
    gathered.has(&["the first line", "the second line", "the third line, longer"]);
    // The same while the agent was not running, with an unread line.
    add(&gathered.path("a.log"), "the fourth line\n");
    std::fs::rename(gathered.path("a.log.1"), gathered.path("a.log.2")).unwrap();
    std::fs::copy(gathered.path("a.log"), gathered.path("a.log.1")).unwrap();
    std::fs::write(
        gathered.path("a.log"),
        "the fifth line, which is longer than all of those before\n",
    )
    .unwrap();
    gathered.during(async |_| {}).await;
    gathered.messages.drain(..3);
    gathered.messages.sort();
    gathered.has(&[
        "the fifth line, which is longer than all of those before",
        "the fourth line",
    ]);
}

#[tokio::test]
async fn lines_that_belong_together_are_one_message_over_a_restart() {
    let mut gathered = files("a.log", WAITS_LONG, "");
    gathered
        .during(async |folder| add(&folder.join("a.log"), "error\n at a\n at b\nnext\n"))
        .await;
    // The last message waits for more lines; its position is before it.
    gathered.has(&["error\n at a\n at b"]);
    gathered
        .during(async |folder| {
            add(&folder.join("a.log"), " goes on\n");
            pause().await;
            add(&folder.join("a.log"), "last\n");
        })
        .await;
    gathered.has(&["error\n at a\n at b", "next\n goes on"]);
    // Nor does it wait for ever.
    let waits_briefly = "multiline = { continues = '^\\s', wait = \"50ms\" }";
    gathered.change(following("a.log", waits_briefly, ""));
    gathered.until(1).await;
    gathered.has(&["error\n at a\n at b", "next\n goes on", "last"]);
}

#[tokio::test]
async fn an_unfinished_message_is_kept_when_the_file_is_truncated() {
    let mut gathered = files("a.log", WAITS_LONG, "");
    gathered
        .during(async |folder| {
            add(&folder.join("a.log"), "first\nerror\n at a\n");
            pause().await;
            std::fs::write(folder.join("a.log"), "").unwrap();
            pause().await;
            add(&folder.join("a.log"), "next\n");
        })
        .await;
    gathered.has(&["first", "error\n at a"]);
}

#[tokio::test]
async fn an_unfinished_message_is_kept_although_another_file_appears() {
    let mut gathered = files("*.log", WAITS_LONG, "");
    gathered
        .during(async |folder| {
            add(
                &folder.join("a.log"),
                "the first line, which tells\nerror\n at a\n",
            );
            pause().await;
            add(&folder.join("b.log"), "other\n");
            std::fs::write(folder.join("a.log"), "").unwrap();
        })
        .await;
    gathered.has(&["the first line, which tells", "error\n at a"]);
}

#[tokio::test]
async fn an_unfinished_message_is_read_once_from_a_copy_that_was_found_before() {
    let mut gathered = files("a.log*", WAITS_LONG, "");
    gathered
        .during(async |folder| {
            add(
                &folder.join("a.log"),
                "the first line, which tells\nerror\n at a\n",
            );
            pause().await;
            std::fs::copy(folder.join("a.log"), folder.join("a.log.1")).unwrap();
            pause().await;
            std::fs::write(folder.join("a.log"), "").unwrap();
            pause().await;
            add(&folder.join("a.log.1"), "next\n");
        })
        .await;
    gathered.has(&["the first line, which tells", "error\n at a"]);
}

#[tokio::test]
async fn an_unfinished_message_is_read_once_although_nothing_else_was_copied() {
    for first in ["at a\n", "a message that is long enough to tell\n"] {
        let mut gathered = files("a.log*", WAITS_LONG, "");
        gathered
            .during(async |folder| {
                add(&folder.join("a.log"), first);
                pause().await;
                std::fs::copy(folder.join("a.log"), folder.join("a.log.1")).unwrap();
                std::fs::write(folder.join("a.log"), "").unwrap();
                pause().await;
                add(&folder.join("a.log.1"), "next\n");
            })
            .await;
        gathered.has(&[first.trim_end()]);
    }
}

#[tokio::test]
async fn a_file_is_known_to_begin_anew_although_all_that_was_read_waits() {
    let mut gathered = files("a.log", WAITS_LONG, "");
    gathered
        .during(async |folder| {
            add(&folder.join("a.log"), "old\n");
            pause().await;
            // At once longer, while the line that was read still waits for more.
            std::fs::write(folder.join("a.log"), "another message\nnext\n").unwrap();
        })
        .await;
    gathered.has(&["old", "another message"]);
}

#[tokio::test]
async fn files_that_appear_between_two_starts_are_read_although_none_existed_at_the_first() {
    let mut gathered = files("*.log", "", "start = \"end\"");
    gathered.during(async |_| {}).await;
    add(&gathered.path("a.log"), "while away\n");
    gathered.during(async |_| {}).await;
    gathered.has(&["while away"]);
}

#[tokio::test]
async fn existing_lines_can_be_skipped_at_the_first_start() {
    let mut gathered = files("*.log", "", "start = \"end\"");
    add(&gathered.path("a.log"), "old\n");
    gathered
        .during(async |folder| add(&folder.join("a.log"), "new\n"))
        .await;
    add(&gathered.path("a.log"), "while away\n");
    add(&gathered.path("b.log"), "another\n");
    gathered.during(async |_| {}).await;
    gathered.has(&["new", "while away", "another"]);
}
