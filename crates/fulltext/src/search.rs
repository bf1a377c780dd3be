//! Answering a query as of what a reader sees.

use std::collections::HashSet;

use evergraph_property_graph::graph::{NodeId, Reading};
use tantivy::collector::TopDocs;
use tantivy::query::{Query, QueryParser};
use tantivy::{DocAddress, Searcher};

use crate::base::Documents;
use crate::batch::{Batch, Both};
use crate::error::TextError;
use crate::full_text::FullText;
use crate::version::Text;

/// Texts that are taken together where all nodes have to be read.
const TOGETHER: usize = 1 << 14;

/// A node that a query found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The node.
    pub node: NodeId,
    /// How well it matches (BM25): more is better. Comparable within one answer. How
    /// often words occur is counted over all texts of the index, those that only older
    /// views show among them.
    pub score: f32,
}

impl Hit {
    pub(crate) fn new(node: u32, score: f32) -> Self {
        Hit {
            node: NodeId(node),
            score,
        }
    }
}

/// The best hits, the best first; of equal ones those of lower ids.
fn best(mut hits: Vec<Hit>, limit: usize) -> Vec<Hit> {
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.node.cmp(&b.node)));
    hits.truncate(limit);
    hits
}

impl FullText<'_> {
    /// The nodes that match a query as a view or a transaction sees them, the best
    /// first, `limit` at most. A transaction finds what it wrote, too. Of equally good
    /// ones it is not said which come within the limit.
    ///
    /// A query is words, all of which have to occur: `graph engine`. `OR` between them
    /// asks for one, `-word` for none, quotes for words side by side, brackets group,
    /// `*` finds every text.
    ///
    /// Costs a lookup in the index, and a read of each node that is found. What was
    /// committed since the last search is taken in first, if it is more than a few
    /// nodes ([`TextOptions::direct`](crate::TextOptions)). In a serializable
    /// transaction all nodes of the label are read, as conflicts are told by that.
    ///
    /// # Errors
    /// A query that cannot be read, a view of another graph, and what the graph and
    /// the files of the index say.
    pub fn search(
        &self,
        reader: &impl Reading,
        query: &str,
        limit: usize,
    ) -> Result<Vec<Hit>, TextError> {
        if !self.graph.owns(reader.view()) {
            return Err(TextError::OtherGraph);
        }
        let query = self.parse(query)?;
        if limit == 0 {
            return Ok(Vec::new());
        }
        let (searcher, mut direct) = self.up_to(reader.view().csn())?;
        if reader.is_noted() {
            return self.search_all(reader, &*query, limit, &searcher);
        }
        direct.extend(reader.written_nodes().iter().map(|node| node.0));
        let direct: HashSet<u32> = direct.into_iter().collect();
        let texts = self.texts_of(reader, &direct)?;
        let batch = Batch::of(&texts, self.texts.definition().tokenizer);
        let batch = batch.map_err(|error| self.failed(error))?;
        let statistics = Both(&searcher, batch.searcher());
        let hits = batch.hits(&*query, limit, &statistics);
        let mut hits = hits.map_err(|error| self.failed(error))?;
        self.search_base(reader, &*query, limit, &statistics, &direct, &mut hits)?;
        Ok(best(hits, limit))
    }

    fn parse(&self, query: &str) -> Result<Box<dyn Query>, TextError> {
        let mut parser = QueryParser::for_index(&self.base.index, vec![self.base.fields.text]);
        parser.set_conjunction_by_default();
        parser.parse_query(query).map_err(|error| TextError::Query {
            query: query.to_string(),
            reason: error.to_string(),
        })
    }

    /// The texts that nodes have now.
    fn texts_of(
        &self,
        reader: &impl Reading,
        nodes: &HashSet<u32>,
    ) -> Result<Vec<Text>, TextError> {
        let mut texts = Vec::new();
        for &node in nodes {
            let node = reader.node(NodeId(node))?;
            texts.extend(node.and_then(|node| self.texts.of(&node)));
        }
        Ok(texts)
    }

    /// Adds the best hits of the index that the reader sees, but for the nodes that
    /// were looked at already.
    fn search_base(
        &self,
        reader: &impl Reading,
        query: &dyn Query,
        limit: usize,
        statistics: &Both<'_>,
        without: &HashSet<u32>,
        hits: &mut Vec<Hit>,
    ) -> Result<(), TextError> {
        let searcher = statistics.0;
        let all = searcher.num_docs() as usize;
        let (mut asked, mut checked) = (limit.min(all), 0);
        let mut seen = without.clone();
        let enough = hits.len().saturating_add(limit);
        while asked > checked {
            let best = TopDocs::with_limit(asked).order_by_score();
            let found = searcher.search_with_statistics_provider(query, &best, statistics);
            let found = found.map_err(|error| self.failed(error))?;
            for &(score, at) in found.iter().skip(checked) {
                if let Some(node) = self.check(reader, searcher, at, &mut seen)? {
                    hits.push(Hit::new(node, score));
                }
                if hits.len() == enough {
                    return Ok(());
                }
            }
            // Texts that the reader does not see stood before those that it sees.
            checked = found.len();
            asked = match checked < asked {
                true => checked,
                false => asked.saturating_mul(2).min(all),
            };
        }
        Ok(())
    }

    /// The node of a document, if the reader sees it with this text.
    fn check(
        &self,
        reader: &impl Reading,
        searcher: &Searcher,
        at: DocAddress,
        seen: &mut HashSet<u32>,
    ) -> Result<Option<u32>, TextError> {
        let documents = Documents::of(searcher.segment_reader(at.segment_ord));
        let documents = documents.map_err(|error| self.failed(error))?;
        let Some((node, version)) = documents.get(at.doc_id) else {
            return Ok(None);
        };
        if seen.contains(&node) {
            return Ok(None);
        }
        let text = reader.node(NodeId(node))?;
        let text = text.and_then(|node| self.texts.of(&node));
        let is_seen = text.is_some_and(|text| text.version == version);
        if is_seen {
            seen.insert(node);
        }
        Ok(is_seen.then_some(node))
    }

    /// Reads all nodes of the label, and says so to the reader.
    fn search_all(
        &self,
        reader: &impl Reading,
        query: &dyn Query,
        limit: usize,
        searcher: &Searcher,
    ) -> Result<Vec<Hit>, TextError> {
        let (mut hits, mut texts) = (Vec::new(), Vec::new());
        let mut search = |texts: &mut Vec<Text>| {
            let batch = Batch::of(texts, self.texts.definition().tokenizer)?;
            hits.extend(batch.hits(query, limit, &Both(searcher, batch.searcher()))?);
            hits = best(std::mem::take(&mut hits), limit);
            texts.clear();
            Ok(())
        };
        for node in reader.nodes_with_label(&self.texts.definition().label) {
            texts.extend(self.texts.of(&node?));
            if texts.len() == TOGETHER {
                search(&mut texts).map_err(|error| self.failed(error))?;
            }
        }
        search(&mut texts).map_err(|error| self.failed(error))?;
        Ok(hits)
    }
}
