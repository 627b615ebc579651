//! `ping`.

use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::Document;

pub(super) async fn run(_call: &mut Call<'_>) -> Result<Reply> {
    Ok(Document::new().into())
}
