//! Nodes and relationships of a view into files that [`import`](super::import)
//! reads.
//!
//! Records are read chunk by chunk and written at once, in the order of their ids,
//! so the same view gives the same bytes. Formats whose columns have types take a
//! pass before, which gathers the columns.

mod file;
mod groups;
mod selection;

use std::path::PathBuf;

use evergraph_property_graph::{LabelCode, TypeCode};

use super::{Expression, FileKind, Node, Relationship, View, columnar};
use crate::whole::WholeDirectory;
use crate::{Cancellation, Error};
use file::RowFile;
use groups::{Group, Groups};
use selection::Selection;

/// Files that are written at the same time; more groups take more passes.
const MOST_OPEN: usize = 64;

/// Records between two looks at whether to stop.
const ASKED_EVERY: u64 = 1024;

/// Options of an export of a property graph.
#[derive(Clone, Debug)]
pub struct PropertyExport {
    /// A new directory (CSV, Parquet, Arrow: a file for each set of labels and for
    /// each type), or a file (JSON lines, GraphML: compressed if it is called so).
    pub output: PathBuf,
    /// The format; LDBC's is not written.
    pub kind: FileKind,
    /// Nodes with one of these labels, and the relationships between them; all if empty.
    pub labels: Vec<String>,
    /// Relationships of these types; all if none is said.
    pub types: Vec<String>,
    /// Only nodes for which this holds, and relationships between them.
    pub nodes: Option<Expression>,
    /// Only relationships for which this holds.
    pub relationships: Option<Expression>,
    /// Of these nodes and relationships only the largest weakly connected component; of
    /// several as large that of the first node.
    pub largest_component: bool,
}

/// Counts of an export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Nodes.
    pub nodes: u64,
    /// Relationships.
    pub relationships: u64,
    /// Files.
    pub files: usize,
}

/// Writes the nodes and relationships that a view shows. Under its name the output
/// appears only when all of it is written and synced.
///
/// DRAM: a bit a node where nodes are chosen, of the largest component 32 bytes a node, and the buffers of up to 64 files.
///
/// # Errors
/// Values that the format cannot hold, with the node or relationship and the property; a
/// label or a type that there is not; a file that cannot be written;
/// [`Error::Interrupted`] if `stop` says so. Then there is no output.
pub fn export(
    view: &View,
    options: &PropertyExport,
    stop: &Cancellation,
    progress: &dyn Fn(&Exported),
) -> Result<Exported, Error> {
    let mut export = Export {
        view,
        options,
        selection: Selection::new(view, options, stop)?,
        stop,
        progress,
        done: Exported::default(),
    };
    columnar::check(options.kind)?;
    match options.kind {
        FileKind::JsonLines => export.write_file(None)?,
        FileKind::GraphMl => {
            let one = (Groups::one(Vec::new()), Groups::one(0));
            let columns = export.gather(one, |_| Vec::new(), |_| 0)?;
            export.write_file(Some(columns))?;
        }
        FileKind::Neo4j | FileKind::Parquet | FileKind::Arrow => export.write_directory()?,
        FileKind::Ldbc => {
            return Err(Error::argument(
                "files of LDBC's benchmark have its schema, and are not written",
                "choose neo4j, jsonl, graphml or parquet",
            ));
        }
        FileKind::Tables => {
            return Err(Error::argument(
                "a mapping of plain tables is read, and not written",
                "choose neo4j, jsonl, graphml or parquet",
            ));
        }
    }
    Ok(export.done)
}

/// The columns of nodes and of relationships, by output file.
type Gathered = (Groups<Vec<LabelCode>>, Groups<TypeCode>);

struct Export<'a> {
    view: &'a View,
    options: &'a PropertyExport,
    selection: Selection<'a>,
    stop: &'a Cancellation,
    progress: &'a dyn Fn(&Exported),
    done: Exported,
}

impl Export<'_> {
    fn write_file(&mut self, columns: Option<Gathered>) -> Result<(), Error> {
        let mut file = RowFile::single(self.options, columns.as_ref())?;
        self.for_each_node(|done, node| {
            file.node(node)?;
            done.nodes += 1;
            Ok(())
        })?;
        self.for_each_relationship(|done, relationship| {
            file.relationship(relationship)?;
            done.relationships += 1;
            Ok(())
        })?;
        self.done.files = 1;
        file.finish()
    }

    fn write_directory(&mut self) -> Result<(), Error> {
        let (nodes, relationships) = self.gather(
            Gathered::default(),
            |node| node.record().labels.clone(),
            |relationship| relationship.kind_code(),
        )?;
        let suffix = format!(".{}", file::extension(self.options.kind));
        let directory = WholeDirectory::create(&self.options.output, file::is_own)?;
        let mut names = groups::FileNames::default();
        let of_nodes = nodes.files(&mut names, "nodes", &suffix);
        for (batch, files) in of_nodes.chunks(MOST_OPEN).enumerate() {
            let mut open = self.open(&directory, files, RowFile::nodes)?;
            self.for_each_node(|done, node| {
                let group = nodes.of(&node.record().labels);
                if let Some(file) = group.and_then(|group| nth(&mut open, batch, group)) {
                    file.node(node)?;
                    done.nodes += 1;
                }
                Ok(())
            })?;
            open.into_iter().try_for_each(RowFile::finish)?;
        }
        let of_relationships = relationships.files(&mut names, "relationships", &suffix);
        for (batch, files) in of_relationships.chunks(MOST_OPEN).enumerate() {
            let mut open = self.open(&directory, files, RowFile::relationships)?;
            self.for_each_relationship(|done, relationship| {
                let group = relationships.of(&relationship.kind_code());
                if let Some(file) = group.and_then(|group| nth(&mut open, batch, group)) {
                    file.relationship(relationship)?;
                    done.relationships += 1;
                }
                Ok(())
            })?;
            open.into_iter().try_for_each(RowFile::finish)?;
        }
        self.done.files = of_nodes.len() + of_relationships.len();
        directory.finish()
    }

    fn open(
        &self,
        directory: &WholeDirectory,
        files: &[(String, &Group)],
        begin: fn(&WholeDirectory, &str, FileKind, &Group) -> Result<RowFile, Error>,
    ) -> Result<Vec<RowFile>, Error> {
        let begun = files
            .iter()
            .map(|(name, group)| begin(directory, name, self.options.kind, group));
        begun.collect()
    }

    /// The columns of the chosen nodes and relationships, by output file.
    fn gather(
        &mut self,
        (mut nodes, mut relationships): Gathered,
        group_of_node: fn(&Node) -> Vec<LabelCode>,
        group_of_relationship: fn(&Relationship) -> TypeCode,
    ) -> Result<Gathered, Error> {
        self.for_each_node(|_, node| {
            let group = nodes.group(group_of_node(node), || node.labels().join("-"));
            let columns = group.observe(node.properties());
            columns.map_err(|error| file::of_node(node, error))
        })?;
        self.for_each_relationship(|_, relationship| {
            let group = relationships.group(group_of_relationship(relationship), || {
                relationship.kind().to_string()
            });
            let columns = group.observe(relationship.properties());
            columns.map_err(|error| file::of_relationship(relationship, error))
        })?;
        // An empty graph gives a file without rows, so that reading it back gives an empty
        // graph.
        if nodes.is_empty() {
            nodes.group(Vec::new(), String::new);
        }
        Ok((nodes, relationships))
    }

    fn for_each_node(
        &mut self,
        mut each: impl FnMut(&mut Exported, &Node) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (n, node) in (1..).zip(self.view.nodes()) {
            let node = node?;
            if self.selection.takes_node(&node)? {
                each(&mut self.done, &node)?;
            }
            self.look_up(n)?;
        }
        self.selection.check_labels()
    }

    fn for_each_relationship(
        &mut self,
        mut each: impl FnMut(&mut Exported, &Relationship) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for (n, relationship) in (1..).zip(self.view.relationships()) {
            let relationship = relationship?;
            if self.selection.takes_relationship(&relationship)? {
                each(&mut self.done, &relationship)?;
            }
            self.look_up(n)?;
        }
        self.selection.check_types()
    }

    /// Says how far it is, and asks whether to go on.
    fn look_up(&self, read: u64) -> Result<(), Error> {
        if !read.is_multiple_of(ASKED_EVERY) {
            return Ok(());
        }
        (self.progress)(&self.done);
        match self.stop.is_cancelled() {
            false => Ok(()),
            true => Err(Error::Interrupted {
                message: "nothing was exported".to_string(),
                hint: "the database is unchanged; run it again".to_string(),
            }),
        }
    }
}

/// The file of a group, if it is of this batch.
fn nth(open: &mut [RowFile], batch: usize, group: usize) -> Option<&mut RowFile> {
    open.get_mut(group.checked_sub(batch * MOST_OPEN)?)
}
