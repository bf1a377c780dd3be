//! The index on the medium: one document for each text that a node has, or that a
//! view or a snapshot still shows.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{IndexFile, IndexFileError, IndexPosition};
use tantivy::directory::MmapDirectory;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, IpAddrOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::TokenizerManager;
use tantivy::{
    Directory, DocSet, Index, IndexMeta, IndexReader, ReloadPolicy, Searcher, SegmentReader,
    TERMINATED, TantivyDocument, Term,
};

use crate::fulltext::definition::{TextDefinition, Tokenizer};
use crate::fulltext::directory::CheckedDirectory;
use crate::fulltext::error::TextError;
use crate::fulltext::payload::Payload;
use crate::fulltext::version::{Text, Version};

const ANALYZER: &str = "evergraph";
/// File in which the library lists all files that it has written and not removed.
const LIST_OF_FILES: &str = ".managed.json";
/// File that lists the segments.
const META: &str = "meta.json";
const NODE: &str = "node";
const VERSION: &str = "version";

/// The fields of a document.
#[derive(Clone, Copy)]
pub(crate) struct Fields {
    pub(crate) node: Field,
    pub(crate) version: Field,
    pub(crate) text: Field,
}

/// The schema of every index, and its fields.
pub(crate) fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let words = TextFieldIndexing::default()
        .set_tokenizer(ANALYZER)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let fields = Fields {
        node: builder.add_u64_field(NODE, INDEXED | FAST),
        version: builder
            .add_ip_addr_field(VERSION, IpAddrOptions::default().set_indexed().set_fast()),
        text: builder.add_text_field("text", TextOptions::default().set_indexing_options(words)),
    };
    (builder.build(), fields)
}

/// Registers the definition's tokenizer with the library.
pub(crate) fn tokenizers(tokenizer: Tokenizer) -> TokenizerManager {
    let tokenizers = TokenizerManager::default();
    tokenizers.register(ANALYZER, tokenizer.analyzer());
    tokenizers
}

impl Fields {
    pub(crate) fn document(&self, text: &Text) -> TantivyDocument {
        let mut document = TantivyDocument::new();
        document.add_u64(self.node, text.node.into());
        document.add_ip_addr(self.version, text.version);
        for value in &text.values {
            document.add_text(self.text, value);
        }
        document
    }

    pub(crate) fn term_of(&self, version: Version) -> Term {
        Term::from_field_ip_addr(self.version, version)
    }
}

/// Node and version of the documents of a segment.
pub(crate) struct Documents {
    nodes: tantivy::columnar::Column<u64>,
    versions: tantivy::columnar::Column<Version>,
}

impl Documents {
    pub(super) fn of(segment: &SegmentReader) -> tantivy::Result<Self> {
        let columns = segment.fast_fields();
        Ok(Documents {
            nodes: columns.u64(NODE)?,
            versions: columns.ip_addr(VERSION)?,
        })
    }

    /// `None` of a document that is none of ours.
    pub(super) fn get(&self, document: u32) -> Option<(u32, Version)> {
        let node = u32::try_from(self.nodes.first(document)?).ok()?;
        Some((node, self.versions.first(document)?))
    }
}

/// The index of the library.
pub(crate) struct Base {
    pub(crate) index: Index,
    pub(crate) fields: Fields,
    reader: IndexReader,
}

impl Base {
    /// Opens the files, if all of them are sound and their mark leads to `now`; else
    /// makes an empty index in their place. One who only reads leaves later ones to those
    /// who write.
    pub(crate) fn open(
        place: &IndexFile,
        definition: &TextDefinition,
        now: &IndexPosition,
        is_reader: bool,
    ) -> Result<(Self, Option<Payload>), TextError> {
        let failed = |source| TextError::Index {
            path: place.path().to_path_buf(),
            source,
        };
        // Why files cannot be used makes no difference.
        if let Ok(Some((base, found))) = Self::sound(place.path(), definition, now) {
            return Ok((base, Some(found)));
        }
        let mark = || payload_of(&listed(place.path()).ok()??.1).map(|payload| payload.mark);
        if is_reader && mark().is_some_and(|mark| mark.is_ahead_of(now)) {
            let path = place.path().to_path_buf();
            return Err(IndexFileError::Ahead { path }.into());
        }
        place.clear()?;
        place.make_directory()?;
        let directory = checked(place.path()).map_err(failed)?;
        let index = Index::create(directory, schema().0, Default::default()).map_err(failed)?;
        Ok((Self::over(index, definition).map_err(failed)?, None))
    }

    fn sound(
        directory: &Path,
        definition: &TextDefinition,
        now: &IndexPosition,
    ) -> tantivy::Result<Option<(Self, Payload)>> {
        let Some((index, metas)) = listed(directory)? else {
            return Ok(None);
        };
        let payload = payload_of(&metas);
        let Some(payload) = payload.filter(|payload| payload.mark.leads_to(now)) else {
            return Ok(None);
        };
        if index.schema() != schema().0 {
            return Ok(None);
        }
        let of_segments = metas.list_segment_files();
        if !is_whole(&index, &of_segments)? {
            return Ok(None);
        }
        remove_others(directory, &of_segments)?;
        Ok(Some((Self::over(index, definition)?, payload)))
    }

    fn over(mut index: Index, definition: &TextDefinition) -> tantivy::Result<Self> {
        index.set_tokenizers(tokenizers(definition.tokenizer));
        let builder = index.reader_builder();
        let reader = builder.reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Base {
            index,
            fields: schema().1,
            reader,
        })
    }

    /// Returns a searcher of the last commit of the files.
    pub(crate) fn newest(&self) -> tantivy::Result<Searcher> {
        self.reader.reload()?;
        Ok(self.reader.searcher())
    }

    /// The texts of a node that are in the index.
    pub(crate) fn versions_of(
        &self,
        searcher: &Searcher,
        node: u32,
    ) -> tantivy::Result<Vec<Version>> {
        let term = Term::from_field_u64(self.fields.node, node.into());
        let mut versions = Vec::new();
        for segment in searcher.segment_readers() {
            let index = segment.inverted_index(self.fields.node)?;
            let Some(mut found) = index.read_postings(&term, IndexRecordOption::Basic)? else {
                continue;
            };
            let documents = Documents::of(segment)?;
            while found.doc() != TERMINATED {
                if !segment.is_deleted(found.doc()) {
                    versions.extend(documents.get(found.doc()).map(|entry| entry.1));
                }
                found.advance();
            }
        }
        Ok(versions)
    }
}

/// Removes what a process that was killed has left: files whose names the next commit may
/// give.
fn remove_others(directory: &Path, of_segments: &HashSet<PathBuf>) -> tantivy::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = PathBuf::from(entry.file_name());
        let is_lock = name.extension().is_some_and(|kind| kind == "lock");
        let is_list = [META, LIST_OF_FILES].map(Path::new).contains(&&*name);
        if !is_lock && !is_list && !of_segments.contains(&name) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Whether the files that segments may have are those that were written, and sound.
fn is_whole(index: &Index, of_segments: &HashSet<PathBuf>) -> tantivy::Result<bool> {
    let directory = index.directory();
    // Of a file that is not there the library thinks that it never was.
    if !directory.exists(Path::new(LIST_OF_FILES))? {
        return Ok(false);
    }
    let written = directory.list_managed_files();
    for file in of_segments {
        let is_there = directory.exists(file)?;
        if is_there != written.contains(file) || (is_there && !directory.validate_checksum(file)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The index in a directory, and what it has; no more is read than that.
pub(crate) fn listed(directory: &Path) -> tantivy::Result<Option<(Index, IndexMeta)>> {
    let directory = checked(directory)?;
    if !Index::exists(&directory)? {
        return Ok(None);
    }
    let index = Index::open(directory)?;
    let metas = index.load_metas()?;
    Ok(Some((index, metas)))
}

/// Decodes the mark in the files' metadata; `None` if it is not of a version that we
/// know.
pub(crate) fn payload_of(metas: &IndexMeta) -> Option<Payload> {
    metas.payload.as_deref().and_then(Payload::decode)
}

fn checked(directory: &Path) -> tantivy::Result<CheckedDirectory> {
    Ok(CheckedDirectory(MmapDirectory::open(directory)?))
}
