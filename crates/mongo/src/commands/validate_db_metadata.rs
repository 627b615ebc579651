//! `validateDBMetadata`: whether what is stored fits a version of the stable API. Nothing can be stored that does not.

use crate::arguments::Fields;
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::{Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    arguments.any("validateDBMetadata");
    arguments.string("db")?;
    arguments.string("collection")?;
    let parameters = arguments
        .document("apiParameters")?
        .ok_or_else(|| arguments.missing("apiParameters"))?;
    let parameters = Fields::new("validateDBMetadata.apiParameters", parameters);
    parameters.required_string("version")?;
    parameters.bool("strict")?;
    parameters.bool("deprecationErrors")?;
    parameters.finish()?;
    arguments.finish()?;
    Ok(doc! {"apiVersionErrors": Value::Array(Vec::new())}.into())
}
