//! Link walking, and link phases.

use crate::mapreduce::run;
use crate::server::Server;
use serde_json::json;

/// `a` points to `b` (friend) and `c` (colleague), and `b` to `d` (friend) and to one that is not there.
fn filled() -> Server {
    let server = Server::start();
    let put = |key: &str, links: &str| {
        let headers = [("Content-Type", "text/plain"), ("Link", links)];
        let stored = server.ask(
            &format!("PUT /buckets/people/keys/{key}"),
            &headers,
            format!("I am {key}").as_bytes(),
        );
        assert_eq!(stored.status, 204);
    };
    put(
        "a",
        "</buckets/people/keys/b>; riaktag=\"friend\", </buckets/people/keys/c>; riaktag=\"colleague\"",
    );
    put(
        "b",
        "</buckets/people/keys/d>; riaktag=\"friend\", </buckets/people/keys/none>; riaktag=\"friend\"",
    );
    put("c", "");
    put("d", "");
    server
}

#[test]
fn a_walk_gives_the_objects_of_the_steps_that_are_kept() {
    let server = filled();
    let cases: [(&str, &[&str]); 7] = [
        ("_,_,_", &["b", "c"]),
        ("_,friend,0", &["b"]),
        ("people,colleague,1", &["c"]),
        ("other,_,_", &[]),
        ("_,friend,_/_,_,_", &["d"]),
        ("_,_,1/_,friend,1", &["b", "c", "d"]),
        ("_,_,1/_,friend,0", &["b", "c"]),
    ];
    for (steps, expected) in cases {
        for path in ["/buckets/people/keys/a", "/riak/people/a"] {
            let answer = server.get(&format!("{path}/{steps}"));
            assert_eq!(answer.status, 200, "{steps}");
            assert!(
                answer
                    .header("content-type")
                    .starts_with("multipart/mixed; boundary=")
            );
            let text = answer.text();
            let named = ["a", "b", "c", "d", "none"];
            let found: Vec<&str> = named
                .into_iter()
                .filter(|name| text.contains(&format!("I am {name}")))
                .collect();
            assert_eq!(found, expected, "{steps}: {text}");
            let place = path.trim_end_matches('a');
            for name in found {
                assert!(text.contains(&format!("Location: {place}{name}\r\n")), "{text}");
            }
        }
    }
}

#[test]
fn names_of_a_walk_may_have_commas() {
    let server = filled();
    let link = [
        ("Content-Type", "text/plain"),
        ("Link", "</buckets/people/keys/b>; riaktag=\"x%2Cy\""),
    ];
    assert_eq!(server.ask("PUT /buckets/people/keys/e", &link, b"e").status, 204);
    let answer = server.get("/buckets/people/keys/e/people,x%2Cy,1");
    assert_eq!(answer.status, 200);
    assert!(answer.text().contains("I am b"), "{}", answer.text());
}

#[test]
fn a_walk_shows_one_sibling_and_names_the_others() {
    let server = filled();
    let props = br#"{"props":{"allow_mult":true}}"#;
    let set = server.put("/buckets/people/props", "application/json", props);
    assert_eq!(set.status, 204);
    for value in [b"I am b too", b"I am b now"] {
        assert_eq!(
            server.put("/buckets/people/keys/b", "text/plain", value).status,
            204
        );
    }
    let siblings = server.get("/buckets/people/keys/b").text();
    let vtags: Vec<&str> = siblings.lines().skip(1).collect();
    let text = server.get("/buckets/people/keys/a/_,friend,_").text();
    assert_eq!(text.matches("I am b").count(), 1, "{text}");
    let place = format!("Location: /buckets/people/keys/b?vtag={}\r\n", vtags[0]);
    assert!(text.contains(&place), "{text}");
    let others = format!("X-Riak-Sibling-Vtags: {}\r\n", vtags[1..].join(","));
    assert!(text.contains(&others), "{text}");
}

#[test]
fn a_walk_from_nothing_or_by_no_steps_is_refused() {
    let server = filled();
    assert_eq!(server.get("/buckets/people/keys/none/_,_,_").status, 404);
    let malformed = server.get("/buckets/people/keys/a/b");
    assert_eq!(malformed.status, 400);
    assert_eq!(
        malformed.text(),
        "Invalid link walk query submitted. Valid link walk query format is: \
         /riak/some_bucket/some_key/<bucket>,<riaktag>,0|1/..."
    );
    let post = |path: &str| server.ask(&format!("POST {path}"), &[], b"").status;
    assert_eq!(post("/buckets/people/keys/a/_,_,_"), 204);
    assert_eq!(post("/buckets/people/keys/none/_,_,_"), 404);
    assert_eq!(server.get("/types/t/buckets/people/keys/a/_,_,_").status, 403);
}

#[test]
fn link_phases_give_names_with_tags_and_feed_others() {
    let server = filled();
    let start = json!([["people", "a"]]);
    let links = run(&server, start.clone(), json!([{"link": {}}]));
    assert_eq!(
        links,
        json!([["people", "b", "friend"], ["people", "c", "colleague"]])
    );
    let query = json!([
        {"link": {"bucket": "people", "tag": "friend"}},
        {"link": {"tag": "_"}},
        {"map": {"language": "javascript", "source": "(v, tag) => [[tag, v.values[0].data]]"}},
    ]);
    let missing = json!({"not_found": {"bucket": "people", "key": "none", "keydata": "friend"}});
    assert_eq!(run(&server, start, query), json!([["friend", "I am d"], missing]));
}
