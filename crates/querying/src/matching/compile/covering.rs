//! `terms_set`, by the fields of its terms and of how many of them a document wants.

use super::Compiler;
use crate::matching::Node;
use crate::matching::covering::{Covering, LeastOf};
use crate::query::{Least, TermsSetQuery};
use mapping::error::{ErrorKind, Result, SearchError};

impl Compiler<'_> {
    pub(super) fn terms_set(self, query: &TermsSetQuery) -> Result<Node> {
        let terms = query.terms.iter();
        let nodes = terms.map(|value| self.term(&query.field, value, false, 1.0));
        let nodes = nodes.collect::<Result<_>>()?;
        let least = match &query.least {
            Least::Script(script) => LeastOf::Script(script.clone()),
            Least::Field(name) => {
                let reason = format!("failed to find minimum_should_match field [{name}]");
                let missing = || SearchError::new(ErrorKind::QueryShard, reason);
                LeastOf::Field(self.mapping.field(name).ok_or_else(missing)?.into_owned())
            }
        };
        Ok(Node::Covering(Box::new(Covering {
            nodes,
            least,
            boost: query.boost,
        })))
    }
}

#[cfg(test)]
mod tests {
    use crate::matching::{Clauses, Statistics, compile};
    use crate::parse_query;
    use mapping::Mapping;
    use mapping::analysis::Analysis;
    use mapping::fields::View;
    use serde_json::{Value, json};
    use value::doc;

    #[test]
    fn documents_say_how_many_terms_they_want() {
        let source = json!({"properties": {"k": {"type": "keyword"}, "n": {"type": "long"}}});
        let mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
        let documents = [
            doc! {"k": ["a", "b"], "n": 2},
            doc! {"k": ["a", "x"], "n": 2},
            doc! {"k": "b", "n": 1},
            doc! {"k": ["a", "b"]},
            doc! {"k": "x", "n": 0},
        ];
        let found = |least: Value| -> Vec<usize> {
            let mut asked = json!({"terms": ["a", "b", "c"]});
            let more = least.as_object().cloned().unwrap_or_default();
            asked.as_object_mut().expect("an object").extend(more);
            let query = parse_query(&json!({"terms_set": {"k": asked}})).expect("a query");
            let node = compile(&query, &mapping, 0, &Clauses::default()).expect("compiled");
            let matches = |document: &value::Document| {
                let view = View::of_document(&mapping, document.into());
                node.score(&view, &Statistics::default()).is_some()
            };
            let all = documents.iter().enumerate();
            all.filter(|(_, document)| matches(document))
                .map(|(at, _)| at)
                .collect()
        };
        assert_eq!(found(json!({"minimum_should_match_field": "n"})), [0, 2]);
        assert_eq!(
            found(json!({"minimum_should_match_script": {"source": "params.num_terms - 1"}})),
            [0, 3]
        );
        for wrong in [
            json!({"terms": ["a"]}),
            json!({"minimum_should_match_field": "n"}),
            json!({"terms": ["a"], "minimum_should_match_field": "n", "minimum_should_match_script": "1"}),
        ] {
            assert!(
                parse_query(&json!({"terms_set": {"k": wrong}})).is_err(),
                "{wrong}"
            );
        }
    }
}
