//! Files by name and by id, lists of them, forms.

use crate::server::{Server, run};
use testing::http::{Case, case, exchange};

#[test]
fn requests_for_files_get_the_expected_answers() {
    run(CASES);
}

#[test]
fn the_head_of_a_part_is_not_gathered_for_ever() {
    let body = format!(
        "--xx\r\nContent-Disposition: form-data; name=\"{}",
        "f".repeat(20_000)
    );
    let form = "POST /files/photos\nContent-Type: multipart/form-data; boundary=xx";
    let answer = exchange(Server::start().address, form, &body);
    assert_eq!(answer.status, 400, "{answer}");
    assert!(
        answer
            .body
            .contains("the headers of a part have more than 16384 bytes"),
        "{answer}"
    );
}

pub const CASES: &[Case] = &[
    // Files that a browser might run are sandboxed, however their type is written.
    case("PUT /files/pages/a\nContent-Type: tExT/HTML", "<p>", 201, ""),
    case(
        "GET /files/pages/a",
        "",
        200,
        "Content-Security-Policy: sandbox\n\n<p>",
    ),
    case("PUT /files/pages/b\nContent-Type: IMAGE/PNG", "png", 201, ""),
    case("GET /files/pages/b", "", 200, "Content-Type: IMAGE/PNG\n\npng"),
    // Digests that cannot be read are told in their own form.
    case(
        "PUT /files/photos/dog\nContent-MD5: xxx",
        "woof",
        400,
        "content-md5 is unreadable; its form is the 16 bytes of the digest in base64",
    ),
    case(
        "PUT /files/photos/dog\nDigest: SHA-256",
        "woof",
        400,
        "digest is unreadable; its form is SHA-256=BASE64 or MD5=BASE64",
    ),
    case(
        "PUT /files/photos/dog\nContent-Digest: sha-256=:AAAA:",
        "woof",
        400,
        "content-digest is unreadable; its form is sha-256=:BASE64: or md5=:BASE64:",
    ),
    case(
        "PUT /files/photos/dog\nDigest: MD5=LHoFCtS7wAW9wGZ8CXHpqw==\nContent-MD5: AAAAAAAAAAAAAAAAAAAAAA==",
        "woof",
        400,
        "content-md5 names another md5 than the request names before",
    ),
    // A name may look like a path that leads elsewhere.
    case(
        "PUT /files/dots/a%2F..%2Fcat",
        "meow",
        201,
        "Location: /files/dots/a%2F..%2Fcat\n\n{\"name\": \"a/../cat\"}",
    ),
    case("GET /files/dots/a%2F..%2Fcat", "", 200, "meow"),
    case(
        "PUT /files/dots/a/.cat..%20/b",
        "purr",
        201,
        "Location: /files/dots/a/.cat..%20/b\n\n",
    ),
    // By name.
    case(
        "PUT /files/photos/cat.txt\nContent-Type: text/plain",
        "meow",
        201,
        "Location: /files/photos/cat.txt\n\n{\"name\": \"cat.txt\", \"length\": 4}",
    ),
    case(
        "GET /files/photos/cat.txt",
        "",
        200,
        "Content-Type: text/plain\n\nmeow",
    ),
    case("HEAD /files/photos/cat.txt", "", 200, "Content-Length: 4\n\n"),
    case("GET /files/photos/cat.txt\nIf-None-Match: <etag>", "", 304, ""),
    case(
        "GET /files/photos/cat.txt\nRange: bytes=1-2",
        "",
        206,
        "Content-Range: bytes 1-2/4\n\neo",
    ),
    case(
        "GET /files/photos/cat.txt\nRange: bytes=9-",
        "",
        416,
        "Content-Range: bytes */4\n\n{\"error\": \"range_not_satisfiable\"}",
    ),
    case(
        "GET /files/photos/cat.txt?version=7",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "GET /files/photos/cat.txt?version=x",
        "",
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "PUT /files/photos/cat.txt\nIf-None-Match: *",
        "x",
        412,
        r#"{"error": "precondition_failed"}"#,
    ),
    case(
        "PUT /files/photos/cat.txt\nContent-Encoding: br",
        "x",
        415,
        r#"{"error": "unsupported_encoding"}"#,
    ),
    case("PUT /files/photos/%FF", "x", 400, r#"{"error": "bad_request"}"#),
    case(
        "POST /files/photos/cat.txt",
        "x",
        405,
        "Allow: GET, HEAD, PUT, DELETE\n\n",
    ),
    case(
        "DELETE /files/photos/dog.txt",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    // A file that does not satisfy the condition is neither replaced nor removed.
    case(
        "PUT /files/photos/cat.txt\nIf-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT",
        "x",
        412,
        r#"{"error": "precondition_failed"}"#,
    ),
    case(
        "DELETE /files/photos/cat.txt\nIf-Match: \"another\"",
        "",
        412,
        r#"{"error": "precondition_failed"}"#,
    ),
    case(
        "DELETE /files/photos/cat.txt?version=0\nIf-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT",
        "",
        412,
        r#"{"error": "precondition_failed"}"#,
    ),
    case("DELETE /files/photos/cat.txt", "", 204, ""),
    case(
        "GET /files/photos/cat.txt",
        "",
        404,
        r#"{"error": "not_found", "reason": "*"}"#,
    ),
    // Lists.
    case("PUT /files/photos/a", "1", 201, r#"{"id": "*"}"#),
    case("PUT /files/photos/b", "22", 201, r#"{"id": "*"}"#),
    case(
        "GET /files/photos",
        "",
        200,
        r#"{"files": [{"name": "a", "length": 1}, {"name": "b", "length": 2}], "next": null}"#,
    ),
    case(
        "HEAD /files/photos",
        "",
        200,
        "Content-Type: application/json\n\n",
    ),
    case("HEAD /files/photos/", "", 200, ""),
    case(
        "POST /files/photos/\nContent-Type: multipart/form-data; boundary=xx",
        "--xx\r\nContent-Disposition: form-data; name=\"f\"; filename=\"b\"\r\n\r\n22\r\n--xx--\r\n",
        201,
        r#"{"files": [{"name": "b", "length": 2}]}"#,
    ),
    case("DELETE /files/photos/b?version=-1", "", 204, ""),
    case("PUT /files/photos/", "x", 405, "Allow: GET, HEAD, POST\n\n"),
    case(
        "GET /files/photos/?limit=1",
        "",
        200,
        r#"{"files": [{"name": "a"}], "next": "*"}"#,
    ),
    case(
        "GET /files/photos?limit=1&after=<next>",
        "",
        200,
        r#"{"files": [{"name": "b"}]}"#,
    ),
    case("GET /files/photos?prefix=c", "", 200, r#"{"files": []}"#),
    case(
        "GET /files/photos?limit=0",
        "",
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "GET /files/photos?after=!",
        "",
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case("PUT /files/photos", "x", 405, "Allow: GET, HEAD, POST\n\n"),
    // By id.
    case("GET /files/photos?id=<id>", "", 200, "22"),
    case("GET /files/photos?id=none", "", 404, r#"{"error": "not_found"}"#),
    case(
        "PUT /files/photos?id=<id>",
        "x",
        405,
        "Allow: GET, HEAD, DELETE\n\n",
    ),
    case(
        "DELETE /files/photos?id=<id>\nIf-Match: \"another\"",
        "",
        412,
        r#"{"error": "precondition_failed"}"#,
    ),
    case("DELETE /files/photos?id=<id>", "", 204, ""),
    case(
        "DELETE /files/photos?id=<id>",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    // Forms.
    case(
        "POST /files/photos\nContent-Type: multipart/form-data; boundary=xx",
        "--xx\r\nContent-Disposition: form-data; name=\"f\"; filename=\"c.txt\"\r\n\r\npurr\r\n--xx--\r\n",
        201,
        r#"{"files": [{"name": "c.txt", "length": 4}]}"#,
    ),
    case(
        "POST /files/photos\nContent-Type: multipart/form-data; boundary=xx",
        "--xx\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\npurr\r\n--xx--\r\n",
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case("POST /files/photos", "{}", 415, r#"{"error": "not_a_form"}"#),
    case(
        "POST /files/photos\nContent-Type: multipart/mixed; boundary=xx",
        "--xx\r\nContent-Disposition: form-data; name=\"f\"; filename=\"c\"\r\n\r\n1\r\n--xx--\r\n",
        415,
        r#"{"error": "not_a_form"}"#,
    ),
    case(
        "POST /files/photos\nContent-Type: Multipart/Form-Data; boundary=xx",
        "--xx\r\nContent-Disposition: form-data; name=\"f\"; filename=\"d\"\r\nContent-Type: image/png\r\n\r\n1\r\n--xx",
        400,
        "the form cannot be read: expected more data",
    ),
    case("GET /files", "", 404, r#"{"error": "not_found"}"#),
    case("GET /files//a", "", 404, r#"{"error": "not_found"}"#),
];
