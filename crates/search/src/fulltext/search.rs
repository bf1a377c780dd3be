//! Answering a query as of what a reader sees.

use std::collections::HashSet;

use evergraph_property_graph::graph::{NodeId, Reading};
use tantivy::Searcher;
use tantivy::collector::TopDocs;
use tantivy::query::Query;

use crate::fulltext::base::Documents;
use crate::fulltext::batch::{Batch, Both, Hit};
use crate::fulltext::error::TextError;
use crate::fulltext::full_text::FullText;
use crate::fulltext::query::parse;
use crate::fulltext::version::{Text, Version};

/// Texts that are taken together where all nodes have to be read.
const TOGETHER: usize = 1 << 14;
/// Bytes of them after which there are no more.
const TOGETHER_BYTES: usize = 1 << 24;

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
    /// transaction all nodes of the labels are read, as conflicts are told by that.
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
        let query = parse(&self.base.index, self.base.fields.text, query)?;
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

    /// Whether a query can be read; a search finds that out, too, but later.
    ///
    /// # Errors
    /// [`TextError::Query`].
    pub fn check_query(&self, query: &str) -> Result<(), TextError> {
        parse(&self.base.index, self.base.fields.text, query).map(drop)
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
        let mut asked = limit.min(all);
        let (mut seen, mut checked) = (without.clone(), HashSet::new());
        let enough = hits.len().saturating_add(limit);
        let segments = searcher.segment_readers().iter().map(Documents::of);
        let segments: tantivy::Result<Vec<Documents>> = segments.collect();
        let segments = segments.map_err(|error| self.failed(error))?;
        while asked > 0 {
            let best = TopDocs::with_limit(asked).order_by_score();
            let found = searcher.search_with_statistics_provider(query, &best, statistics);
            let found = found.map_err(|error| self.failed(error))?;
            for &(score, at) in &found {
                // A longer answer need not begin as the shorter one did.
                if !checked.insert(at) {
                    continue;
                }
                let entry = segments[at.segment_ord as usize].get(at.doc_id);
                if let Some(node) = self.seen(reader, entry, &mut seen)? {
                    hits.push(Hit::new(node, score));
                }
                if hits.len() == enough {
                    return Ok(());
                }
            }
            // Texts that the reader does not see stood before those that it sees.
            asked = match found.len() < asked || asked == all {
                true => 0,
                false => asked.saturating_mul(2).min(all),
            };
        }
        Ok(())
    }

    /// The node of a document, if the reader sees it with this text.
    fn seen(
        &self,
        reader: &impl Reading,
        entry: Option<(u32, Version)>,
        seen: &mut HashSet<u32>,
    ) -> Result<Option<u32>, TextError> {
        let Some((node, version)) = entry else {
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

    /// Reads all nodes of the labels, and says so to the reader.
    fn search_all(
        &self,
        reader: &impl Reading,
        query: &dyn Query,
        limit: usize,
        searcher: &Searcher,
    ) -> Result<Vec<Hit>, TextError> {
        let (mut hits, mut texts, mut bytes) = (Vec::new(), Vec::new(), 0);
        let mut search = |texts: &mut Vec<Text>| {
            let batch = Batch::of(texts, self.texts.definition().tokenizer)?;
            hits.extend(batch.hits(query, limit, &Both(searcher, batch.searcher()))?);
            hits = best(std::mem::take(&mut hits), limit);
            texts.clear();
            Ok(())
        };
        let labels = &self.texts.definition().labels;
        for (number, label) in labels.iter().enumerate() {
            for node in reader.nodes_with_label(label) {
                let node = node?;
                // It was read with the other label.
                let mut before = labels[..number].iter();
                if before.any(|other| node.has_label(other)) {
                    continue;
                }
                let text = self.texts.of(&node);
                bytes += text
                    .iter()
                    .flat_map(|text| &text.values)
                    .map(String::len)
                    .sum::<usize>();
                texts.extend(text);
                if texts.len() == TOGETHER || bytes > TOGETHER_BYTES {
                    search(&mut texts).map_err(|error| self.failed(error))?;
                    bytes = 0;
                }
            }
        }
        search(&mut texts).map_err(|error| self.failed(error))?;
        Ok(hits)
    }
}
