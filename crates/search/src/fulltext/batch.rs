//! A few texts as an index of their own, in DRAM: what the big one has not yet, what
//! a transaction wrote.

use evergraph_property_graph::graph::NodeId;
use tantivy::collector::TopDocs;
use tantivy::directory::RamDirectory;
use tantivy::query::{Bm25StatisticsProvider, Query};
use tantivy::schema::Field;
use tantivy::{Index, ReloadPolicy, Searcher, TantivyDocument, Term};

use crate::fulltext::base::{schema, tokenizers};
use crate::fulltext::definition::Tokenizer;
use crate::fulltext::version::Text;

/// Bytes that the library may take while it takes texts in.
const MEMORY: usize = 1 << 24;

/// Texts that can be searched.
pub(crate) struct Batch {
    nodes: Vec<u32>,
    searcher: Searcher,
}

impl Batch {
    pub(super) fn of(texts: &[Text], tokenizer: Tokenizer) -> tantivy::Result<Self> {
        let (schema, fields) = schema();
        let builder = Index::builder().schema(schema);
        let builder = builder.tokenizers(tokenizers(tokenizer));
        let directory = RamDirectory::create();
        let mut writer =
            builder.single_segment_index_writer::<TantivyDocument>(directory, MEMORY)?;
        for text in texts {
            writer.add_document(fields.document(text))?;
        }
        let mut index = writer.finalize()?;
        index.set_tokenizers(tokenizers(tokenizer));
        let builder = index.reader_builder();
        let reader = builder.reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Batch {
            nodes: texts.iter().map(|text| text.node).collect(),
            searcher: reader.searcher(),
        })
    }

    pub(super) fn searcher(&self) -> &Searcher {
        &self.searcher
    }

    /// The best of the texts that match, `limit` at most.
    pub(super) fn hits(
        &self,
        query: &dyn Query,
        limit: usize,
        statistics: &Both<'_>,
    ) -> tantivy::Result<Vec<Hit>> {
        let limit = limit.min(self.nodes.len());
        if limit == 0 {
            return Ok(Vec::new());
        }
        let best = TopDocs::with_limit(limit).order_by_score();
        let searcher = &self.searcher;
        let found = searcher.search_with_statistics_provider(query, &best, statistics)?;
        // The one segment has the texts in their order.
        let hit = |(score, at): (f32, tantivy::DocAddress)| {
            let node = self.nodes.get(at.doc_id as usize)?;
            Some(Hit::new(*node, score))
        };
        Ok(found.into_iter().filter_map(hit).collect())
    }
}

/// How often words occur in two indexes together, so that scores of both compare.
pub(crate) struct Both<'a>(pub &'a Searcher, pub &'a Searcher);

impl Bm25StatisticsProvider for Both<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        Ok(self.0.total_num_tokens(field)? + self.1.total_num_tokens(field)?)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.0.total_num_docs()? + self.1.total_num_docs()?)
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        let of = |searcher: &Searcher| Bm25StatisticsProvider::doc_freq(searcher, term);
        Ok(of(self.0)? + of(self.1)?)
    }
}

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
