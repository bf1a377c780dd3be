//! Names: which files there are, and how long they are when they are opened.

use std::sync::Arc;

use super::live::LiveName;
use super::{State, failure};
use crate::choices::What;
use crate::faults::PlannedFailure;
use crate::ledger::Event;
use crate::memory::Block;
use evergraph_storage::MediumError;

impl State {
    /// Position of a name that is known, its meaning decided.
    pub(super) fn find(&mut self, name: &str) -> Option<usize> {
        self.decide_cut();
        let position = self.names.iter().position(|n| &*n.name == name)?;
        if self.names[position].initial.is_none() {
            let versions = &self.base.names[position].versions;
            let what = What::Name {
                name: position as u32,
            };
            let mut option = 0;
            if versions.len() > 1 {
                option = self.chooser.choose(versions.len() as u32, what);
            }
            self.names[position].initial = Some(versions[option as usize]);
            self.names[position].current = versions[option as usize];
        }
        Some(position)
    }

    pub fn exists(&mut self, name: &str) -> bool {
        self.find(name)
            .is_some_and(|at| self.names[at].current.is_some())
    }

    pub fn open(&mut self, name: &str, create: bool) -> Result<(u32, Arc<Block>), MediumError> {
        let refuse = |kind: std::io::ErrorKind| MediumError::Io {
            file: name.to_string(),
            doing: "open",
            source: kind.into(),
        };
        if create {
            self.check_alive()?;
        }
        let position = self.find(name);
        let current = position.and_then(|at| self.names[at].current);
        match (current, create) {
            (Some(_), true) => Err(refuse(std::io::ErrorKind::AlreadyExists)),
            (None, false) => Err(refuse(std::io::ErrorKind::NotFound)),
            (Some(file), false) => {
                self.decide_size(file);
                Ok((file, self.files[file as usize].block.clone()))
            }
            (None, true) => {
                let file = self.files.len() as u32;
                let text: Arc<str> =
                    position.map_or_else(|| name.into(), |at| self.names[at].name.clone());
                let mut live = self.new_file(text.clone());
                live.size = Some(0);
                let block = live.block.clone();
                self.files.push(live);
                let at = position.unwrap_or_else(|| {
                    self.names.push(LiveName {
                        name: text,
                        current: None,
                        initial: Some(None),
                    });
                    self.names.len() - 1
                });
                self.names[at].current = Some(file);
                self.record(Event::Create {
                    name: at as u32,
                    file,
                });
                Ok((file, block))
            }
        }
    }

    pub(super) fn decide_size(&mut self, file: u32) {
        if self.files[file as usize].size.is_some() {
            return;
        }
        let mut sizes = self.base.files[file as usize].sizes.clone();
        let newest = sizes[sizes.len() - 1];
        sizes.dedup();
        let size = if sizes.len() > 1 {
            sizes[self.chooser.choose(sizes.len() as u32, What::Size { file }) as usize]
        } else {
            newest
        };
        let live = &mut self.files[file as usize];
        live.size = Some(size);
        live.block.set_len(size);
    }

    pub fn remove(&mut self, name: &str) -> Result<(), MediumError> {
        self.check_alive()?;
        let position = self.find(name);
        let Some((at, file)) = position.and_then(|at| Some((at, self.names[at].current?))) else {
            return Err(MediumError::Io {
                file: name.to_string(),
                doing: "remove",
                source: std::io::ErrorKind::NotFound.into(),
            });
        };
        if Arc::strong_count(&self.files[file as usize].block) > 1 {
            return Err(MediumError::Unsupported(format!(
                "{name}: removed while a medium is open on it"
            )));
        }
        self.names[at].current = None;
        self.record(Event::Remove { name: at as u32 });
        Ok(())
    }

    pub fn sync_names(&mut self) -> Result<(), MediumError> {
        self.check_alive()?;
        let call = self.calls.name_syncs;
        self.calls.name_syncs += 1;
        let failed = PlannedFailure::hits(&self.plan.fail_sync_names, call);
        let done = failed.is_none() && self.plan.drop_sync_names != Some(call);
        self.crash_point();
        self.record(Event::SyncNames { done });
        failed.map_or(Ok(()), |kind| {
            Err(failure("(directory)", kind, "sync names", 0))
        })
    }
}
