//! `top`: how often each collection was used, and how long that took.

use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::doc;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let mut totals = doc! {"note": "all times in microseconds"};
    for (namespace, usage) in call.server.engine.collection_usage() {
        totals.push(namespace.to_string(), usage);
    }
    Ok(doc! {"totals": totals}.into())
}
