//! Tavily.

use serde_json::json;

use super::{Answer, Api, Backend, Found, Hit, MOST_RESULTS, Request, Results, Trouble, query};

pub(super) struct Tavily;

impl Api for Tavily {
    fn requests(&self, backend: &Backend, query: &str) -> Vec<Request> {
        let query = query::content(query).join(" ");
        let body =
            json!({"query": query, "search_depth": "basic", "max_results": MOST_RESULTS, "include_answer": false});
        vec![backend.post(body).header("authorization", &format!("Bearer {}", backend.exposed_key()))]
    }

    fn found(&self, backend: &Backend, answer: &Answer) -> Result<Vec<Found>, Trouble> {
        // The limits of the plan and of pay-as-you-go.
        if let 432 | 433 = answer.status {
            return Err(Trouble::Spent(answer.status));
        }
        let hits: Results<Hit> = answer.checked(backend)?.json()?;
        Ok(hits.results.iter().filter_map(Hit::found).collect())
    }
}
