//! Uploads by the tus protocol.

use crate::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_uploads_get_the_expected_answers() {
    run(CASES);
}

/// "Y2F0" and "ZG9n" are base64 of the names cat and dog.
pub const CASES: &[Case] = &[
    case(
        "OPTIONS /uploads/photos",
        "",
        204,
        "Tus-Version: 1.0.0\nTus-Extension: creation\n\n",
    ),
    case(
        "GET /uploads/photos\nTus-Resumable: 1.0.0",
        "",
        405,
        "Allow: OPTIONS, POST\n\n",
    ),
    case(
        "POST /uploads/photos\nUpload-Length: 6\nUpload-Metadata: filename Y2F0",
        "",
        412,
        "Tus-Version: 1.0.0\nTus-Resumable: 1.0.0\n\n{\"error\": \"version\"}",
    ),
    case(
        "POST /uploads/photos\nTus-Resumable: 1.0.0\nUpload-Metadata: filename Y2F0",
        "",
        400,
        "Upload-Length",
    ),
    case(
        "POST /uploads/photos\nTus-Resumable: 1.0.0\nUpload-Length: 6\nUpload-Metadata: filename %",
        "",
        400,
        "not base64",
    ),
    case(
        "POST /uploads/photos/\nTus-Resumable: 1.0.0\nUpload-Length: 6\nUpload-Metadata: name Y2F0, tame,  colour cmVk",
        "",
        201,
        "Location: /uploads/photos/\nTus-Resumable: 1.0.0\n\n",
    ),
    case(
        "OPTIONS <location>",
        "",
        204,
        "Allow: OPTIONS, POST, HEAD, PATCH, DELETE\n\n",
    ),
    case(
        "GET <location>",
        "",
        405,
        "Allow: OPTIONS, HEAD, PATCH, DELETE\n\n",
    ),
    case(
        "HEAD <location>\nTus-Resumable: 1.0.0",
        "",
        200,
        "Upload-Offset: 0\nUpload-Length: 6\nUpload-Metadata: name Y2F0, tame,  colour cmVk\n\n",
    ),
    case(
        "PATCH <location>\nTus-Resumable: 1.0.0\nUpload-Offset: 0\nContent-Type: application/offset+octet-stream",
        "mew",
        204,
        "Upload-Offset: 3\n\n",
    ),
    case(
        "PATCH <location>\nTus-Resumable: 1.0.0\nUpload-Offset: 0\nContent-Type: application/offset+octet-stream",
        "mew",
        409,
        r#"{"error": "offset"}"#,
    ),
    case(
        "PATCH <location>\nTus-Resumable: 1.0.0\nUpload-Offset: 3\nContent-Type: text/plain",
        "mew",
        415,
        r#"{"error": "media_type"}"#,
    ),
    case(
        "PATCH <location>\nTus-Resumable: 1.0.0\nUpload-Offset: 3\nContent-Type: application/offset+octet-stream",
        "mew",
        204,
        "Upload-Offset: 6\n\n",
    ),
    // For a finished upload the file's entry answers.
    case(
        "HEAD <location>\nTus-Resumable: 1.0.0",
        "",
        200,
        "Upload-Offset: 6\nUpload-Length: 6\nUpload-Metadata: filename Y2F0,tame,colour cmVk\n\n",
    ),
    case("GET /files/photos/cat", "", 200, "mewmew"),
    // A client that got no answer for the last bytes sends them again.
    case(
        "PATCH <location>\nTus-Resumable: 1.0.0\nUpload-Offset: 3\nContent-Type: application/offset+octet-stream",
        "mew",
        409,
        r#"{"error": "offset"}"#,
    ),
    case(
        "PATCH <location>\nTus-Resumable: 1.0.0\nUpload-Offset: 6\nContent-Type: Application/Offset+Octet-Stream",
        "",
        204,
        "Upload-Offset: 6\n\n",
    ),
    case(
        "PATCH <location>\nTus-Resumable: 1.0.0\nUpload-Offset: 6\nContent-Type: application/offset+octet-stream",
        "mew",
        413,
        r#"{"error": "too_large"}"#,
    ),
    case("GET /files/photos/cat", "", 200, "mewmew"),
    // Longer than any file can be.
    case(
        "POST /uploads/photos\nTus-Resumable: 1.0.0\nUpload-Length: 18446744073709551615\nUpload-Metadata: filename Y2F0",
        "",
        413,
        r#"{"error": "too_large"}"#,
    ),
    case(
        "POST /uploads/photos\nTus-Resumable: 1.0.0\nUpload-Defer-Length: 1\nUpload-Metadata: filename Y2F0",
        "",
        201,
        "Location: /uploads/photos/\n\n",
    ),
    case(
        "PATCH <location>\nTus-Resumable: 1.0.0\nUpload-Offset: 0\nUpload-Length: 9223372036854775808\nContent-Type: application/offset+octet-stream",
        "mew",
        413,
        r#"{"error": "too_large"}"#,
    ),
    // An upload that is given up.
    case("OPTIONS /uploads/photos/", "", 204, "Tus-Version: 1.0.0\n\n"),
    case(
        "PUT /uploads/photos/\nTus-Resumable: 1.0.0",
        "",
        405,
        "Allow: OPTIONS, POST\n\n",
    ),
    case(
        "POST /uploads/photos\nTus-Resumable: 1.0.0\nUpload-Length: 6\nUpload-Metadata: filename ZG9n",
        "",
        201,
        "Location: /uploads/photos/\n\n",
    ),
    // Requests of another version of the protocol are refused.
    case(
        "DELETE <location>\nTus-Resumable: 0.2.2",
        "",
        412,
        "Tus-Version: 1.0.0\n\n",
    ),
    case(
        "PATCH <location>\nUpload-Offset: 0\nContent-Type: application/offset+octet-stream",
        "mew",
        412,
        "Tus-Version: 1.0.0\n\n",
    ),
    case(
        "HEAD <location>\nTus-Resumable: 1.0.0",
        "",
        200,
        "Upload-Offset: 0\n\n",
    ),
    case("DELETE <location>\nTus-Resumable: 1.0.0", "", 204, ""),
    case(
        "DELETE <location>\nTus-Resumable: 1.0.0",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case("HEAD <location>\nTus-Resumable: 1.0.0", "", 404, ""),
    case(
        "PATCH <location>\nTus-Resumable: 1.0.0\nUpload-Offset: 0\nContent-Type: application/offset+octet-stream",
        "mew",
        404,
        r#"{"error": "not_found"}"#,
    ),
];
