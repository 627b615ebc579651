//! What users see of the documents of other users: the members that the setting `[chttpd_auth] public_fields` names
//! (`src/couch/src/couch_users_db.erl`, `after_doc_read`).

use crate::call::Call;
use crate::{outgoing, respond};
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use http::{Response, if_none_match};
use json::{write_fields, write_string};
use value::ValueRef;

/// The parameters that ask for another revision, or for more than members.
const REFUSED: [&str; 12] = [
    "atts_since",
    "attachments",
    "conflicts",
    "deleted_conflicts",
    "latest",
    "local_seq",
    "meta",
    "open_revs",
    "rev",
    "revs",
    "revs_info",
    "att_encoding_info",
];

/// Answers with the public members of a user's document; as if there were no document where no member is public.
pub(super) async fn answer(
    call: &Call,
    database: &Database,
    id: &str,
    refusal: CouchError,
) -> Result<Response> {
    let setting = call.server.config.get("chttpd_auth", "public_fields");
    let setting = setting.unwrap_or_default();
    let is_public =
        |name: &str| !name.starts_with('_') && setting.split(',').any(|public| public.trim() == name);
    if ids::name_of_user(id).is_none() {
        return Err(refusal);
    }
    let snapshot = database.snapshot().await?;
    let found = snapshot.document(ValueRef::String(id)).await?;
    let found = found.filter(|found| found.document.as_raw().iter().any(|(name, _)| is_public(name)));
    let found = found.ok_or(refusal)?;
    if let Some((name, _)) = call.query.iter().find(|(name, _)| REFUSED.contains(name)) {
        let reason = format!("`{name}` is not for documents of which public fields alone are shown");
        return Err(CouchError::not_implemented(reason));
    }
    let revision = found.revision();
    let tag = format!("\"{revision}\"");
    if if_none_match(&call.headers, &tag) {
        return Ok(respond::not_modified(&tag));
    }
    let mut text = String::from(r#"{"_id":"#);
    write_string(id, &mut text);
    text.push_str(r#","_rev":""#);
    outgoing::write_revision(&revision, &mut text);
    text.push('"');
    write_fields(found.document.as_raw(), is_public, &mut text);
    text.push('}');
    let mut response = respond::ok(text);
    respond::tag(&mut response, &tag);
    Ok(response)
}
