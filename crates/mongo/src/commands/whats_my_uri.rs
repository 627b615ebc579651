//! `whatsmyuri`.

use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::doc;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    Ok(doc! {"you": call.connection.peer.to_string()}.into())
}
