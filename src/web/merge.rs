//! Merges search hits from files and from the web into one ranking.

use run::evidence::Hits;
use run::tool::builtin::{HitRoom, Search};

/// The hits of a file search and a web search in one list: by score, ties by path and position.
pub fn merged(files: Hits, web: Hits, limit: u32) -> Hits {
    let mut both = files;
    both.hits.extend(web.hits);
    both.hits.sort_by(|a, b| {
        let place = |hit: &run::evidence::Hit| (hit.source.path.clone(), hit.block, hit.source.id.clone());
        b.score.cmp(&a.score).then_with(|| place(a).cmp(&place(b)))
    });
    let limit = limit.min(Search::MOST) as usize;
    both.hits.truncate(limit);
    let mut room = HitRoom::of(limit);
    both.hits.retain(|hit| room.takes(&hit.source.path, &hit.snippet));
    both.titled.extend(web.titled);
    both.titled.sort_by(|a, b| (a.title.len(), &a.path).cmp(&(b.title.len(), &b.path)));
    both.titled.truncate(Search::MOST_TITLED);
    for term in web.terms {
        match both.terms.iter_mut().find(|known| known.term == term.term) {
            Some(known) => known.blocks = known.blocks.saturating_add(term.blocks),
            None => both.terms.push(term),
        }
    }
    both.documents = both.documents.saturating_add(web.documents);
    both.blocks = both.blocks.saturating_add(web.blocks);
    both.notes.extend(web.notes);
    both
}
