//! Design documents whose slash comes encoded (`/db/_design%2Fapp`): CouchDB leads a request that reads to the path where the slash stands
//! for itself, whatever is read below the document, and answers every other method at the path as it is (`src/chttpd/src/chttpd_db.erl`).

use crate::call::Call;
use crate::respond;
use access::error::Result;
use access::ids;
use http::{Method, Response, StatusCode, Uri, percent_decode};

/// Whether a request for a design document is led to another path.
pub(crate) fn is_led_on(call: &Call) -> bool {
    matches!(call.method, Method::GET | Method::HEAD) && plain_target(&call.uri).is_some()
}

/// Leads it there.
pub(crate) fn lead_on(call: &Call) -> Result<Response> {
    call.database()?;
    let mut response = respond::empty(StatusCode::MOVED_PERMANENTLY);
    if let Some(target) = plain_target(&call.uri) {
        respond::location(&mut response, &format!("{}{target}", call.url(&[])));
    }
    Ok(response)
}

/// The same path and query with the slash of the design document's id; `None` if it stands there already.
fn plain_target(uri: &Uri) -> Option<String> {
    let target = uri.path_and_query()?.as_str();
    let parts = uri.path().split('/').scan(0, |next, part| {
        let begins = *next;
        *next += part.len() + 1;
        Some((begins, part))
    });
    let (begins, id) = parts.filter(|(_, part)| !part.is_empty()).nth(1)?;
    let is_design = percent_decode(id).is_some_and(|id| id.starts_with(ids::DESIGN));
    let slash = id.to_ascii_lowercase().find("%2f").filter(|_| is_design)?;
    let (before, behind) = target.split_at_checked(begins + slash)?;
    Some(format!("{before}/{}", behind.get("%2F".len()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slash_of_a_design_documents_id_is_decoded_and_no_other() {
        for (asked, plain) in [
            ("/db/_design%2Fa", Some("/db/_design/a")),
            (
                "//db/_design%2fa%2Fb/c%2Fd?e=%2F",
                Some("//db/_design/a%2Fb/c%2Fd?e=%2F"),
            ),
            ("/_design%2Fa/_design%2Fa", Some("/_design%2Fa/_design/a")),
            ("/db/%5Fdesign%2Fa", Some("/db/%5Fdesign/a")),
            ("/db/_design/a%2Fb", None),
            ("/db/a%2Fb", None),
            ("/db", None),
        ] {
            let uri = Uri::try_from(asked).unwrap();
            assert_eq!(plain_target(&uri).as_deref(), plain, "{asked}");
        }
    }
}
