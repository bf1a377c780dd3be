//! Writes of a transaction: locked first, then kept in its overlay.

use std::ops::ControlFlow;
use std::sync::Arc;

use evergraph_storage::failpoint;

use super::active::Transaction;
use super::committed::{CommittedState, Newest};
use super::error::{Conflict, TransactionError};
use super::lock::{Mode, Resource};
use super::overlay::{Change, Kind};
use super::reads::Predicate;
use crate::record::{EntityKind, NodeRecord, RelationshipRecord};

impl<S: CommittedState> Transaction<S> {
    /// Makes a node and gives its id.
    ///
    /// # Errors
    /// No id is left; the transaction is over.
    pub(crate) fn create_node(&mut self, record: NodeRecord) -> Result<u32, S::Error> {
        self.check()?;
        self.create(record)
    }

    /// Changes labels and properties of a node. `change` is not called if the
    /// node cannot be locked.
    ///
    /// # Errors
    /// A conflict; [`TransactionError::NoNode`].
    pub(crate) fn update_node<R>(
        &mut self,
        id: u32,
        change: impl FnOnce(&mut NodeRecord) -> R,
    ) -> Result<R, S::Error> {
        self.lock_node(id, Mode::Update)?;
        let now = self
            .look_at::<NodeRecord>(id)?
            .ok_or(TransactionError::NoNode(id))?;
        let mut record = NodeRecord::clone(&now);
        let result = change(&mut record);
        self.put(id, &*now, Some(record))?;
        Ok(result)
    }

    /// Locks a node that stays as it is.
    ///
    /// # Errors
    /// As [`Transaction::update_node`].
    pub(crate) fn hold_node(&mut self, id: u32) -> Result<(), S::Error> {
        self.lock_node(id, Mode::Update)?;
        let there = self.look_at::<NodeRecord>(id)?;
        Ok(there.map(drop).ok_or(TransactionError::NoNode(id))?)
    }

    /// Deletes a node that has no relationships.
    ///
    /// # Errors
    /// A conflict, also with a relationship that was added after the snapshot or
    /// is being added; [`TransactionError::NoNode`];
    /// [`TransactionError::StillConnected`].
    pub(crate) fn delete_node(&mut self, id: u32) -> Result<(), S::Error> {
        let deleted = self.try_delete_node(id);
        self.wanted_to_delete(id, deleted)
    }

    fn try_delete_node(&mut self, id: u32) -> Result<(), S::Error> {
        let now = self.lock_to_delete(id)?;
        if !self.relationships_of(id, 1)?.is_empty() {
            // The error tells that the lists are not empty, so it counts as reading them.
            self.has_read(Predicate::Neighbors(id, false));
            self.has_read(Predicate::Neighbors(id, true));
            return Err(TransactionError::StillConnected(id).into());
        }
        self.put(id, &*now, None)
    }

    /// Deletes a node with its relationships, and gives their number. After an
    /// error some of them may be deleted in this transaction: take a savepoint
    /// first, or give it up.
    ///
    /// # Errors
    /// As [`Transaction::delete_node`].
    pub(crate) fn detach_delete_node(&mut self, id: u32) -> Result<usize, S::Error> {
        let deleted = self.try_detach_delete_node(id);
        self.wanted_to_delete(id, deleted)
    }

    /// After a conflict, a node is to be locked before the transaction begins again. It
    /// then gets no relationships, and those that it has are not changed.
    fn wanted_to_delete<T>(&self, id: u32, outcome: Result<T, S::Error>) -> Result<T, S::Error> {
        match self.overlay.creates::<NodeRecord>(id) {
            true => outcome,
            false => self.wanted_after(outcome, Resource::Node(id)),
        }
    }

    fn try_detach_delete_node(&mut self, id: u32) -> Result<usize, S::Error> {
        let now = self.lock_to_delete(id)?;
        let relationships = self.relationships_of(id, usize::MAX)?;
        for &relationship in &relationships {
            self.delete_relationship(relationship)?;
        }
        self.put(id, &*now, None)?;
        Ok(relationships.len())
    }

    fn lock_to_delete(&mut self, id: u32) -> Result<Arc<NodeRecord>, S::Error> {
        self.lock_node(id, Mode::Exclusive)?;
        Ok(self
            .look_at::<NodeRecord>(id)?
            .ok_or(TransactionError::NoNode(id))?)
    }

    /// Relationships of a node as the transaction sees them, each once, up to
    /// `limit`.
    fn relationships_of(&self, node: u32, limit: usize) -> Result<Vec<u32>, S::Error> {
        let mut found = Vec::new();
        let made = self
            .overlay
            .lists_of(node)
            .flat_map(|list| self.overlay.created(list));
        found.extend(made.map(|(_, id)| id).take(limit));
        if !self.overlay.creates::<NodeRecord>(node) {
            for incoming in [false, true] {
                let state = &self.part.manager.state;
                state.relationships(&self.view, node, incoming, &mut |id| {
                    if found.len() >= limit {
                        return ControlFlow::Break(());
                    }
                    if !self.overlay.deletes_relationship(id) {
                        found.push(id);
                    }
                    ControlFlow::Continue(())
                })?;
            }
        }
        found.sort_unstable();
        // A loop is in two lists.
        found.dedup();
        Ok(found)
    }

    /// Makes a relationship and gives its id. Others may add relationships to
    /// the same nodes, and change them, at the same time.
    ///
    /// # Errors
    /// A conflict with a transaction that deletes an end; [`TransactionError::NoNode`];
    /// no id is left.
    pub(crate) fn create_relationship(
        &mut self,
        record: RelationshipRecord,
    ) -> Result<u32, S::Error> {
        for end in [record.source, record.target] {
            self.lock_node(end, Mode::Share)?;
            if self.look_at::<NodeRecord>(end)?.is_none() {
                return Err(TransactionError::NoNode(end).into());
            }
        }
        self.create(record)
    }

    /// Changes the properties of a relationship. Its type and end nodes stay,
    /// whatever `change` does to them.
    ///
    /// # Errors
    /// A conflict; [`TransactionError::NoRelationship`].
    pub(crate) fn update_relationship<R>(
        &mut self,
        id: u32,
        change: impl FnOnce(&mut RelationshipRecord) -> R,
    ) -> Result<R, S::Error> {
        let now = self.lock_relationship(id, Mode::Update)?;
        let mut record = RelationshipRecord::clone(&now);
        let result = change(&mut record);
        (record.kind, record.source, record.target) = (now.kind, now.source, now.target);
        self.put(id, &*now, Some(record))?;
        Ok(result)
    }

    /// Locks a relationship that stays as it is.
    ///
    /// # Errors
    /// As [`Transaction::update_relationship`].
    pub(crate) fn hold_relationship(&mut self, id: u32) -> Result<(), S::Error> {
        self.lock_relationship(id, Mode::Update).map(drop)
    }

    /// Deletes a relationship.
    ///
    /// # Errors
    /// A conflict; [`TransactionError::NoRelationship`].
    pub(crate) fn delete_relationship(&mut self, id: u32) -> Result<(), S::Error> {
        let now = self.lock_relationship(id, Mode::Exclusive)?;
        self.put(id, &*now, None)
    }

    fn create<R: Kind>(&mut self, record: R) -> Result<u32, S::Error> {
        let change = Change::made(record);
        self.check_room(&change)?;
        let id = self.part.manager.state.reserve(R::KIND)?;
        self.part.reserved.push((R::KIND, id));
        self.overlay.put(id, change);
        Ok(id)
    }

    fn put<R: Kind>(&mut self, id: u32, now: &R, after: Option<R>) -> Result<(), S::Error> {
        let indexed = self.part.manager.state.indexed_keys();
        let change = self.overlay.change_to(id, now, after, &indexed);
        self.check_room(&change)?;
        self.overlay.put(id, change);
        Ok(())
    }

    /// Whether a change may still be held.
    fn check_room<R: Kind>(&self, change: &Change<R>) -> Result<(), TransactionError> {
        let limit = self.part.manager.settings.overlay_bytes;
        let bytes = self.overlay.bytes() + change.bytes();
        match bytes <= limit {
            true => Ok(()),
            false => Err(TransactionError::TooLarge { bytes, limit }),
        }
    }

    /// Locks a relationship and returns its record.
    fn lock_relationship(&self, id: u32, mode: Mode) -> Result<Arc<RelationshipRecord>, S::Error> {
        if !self.overlay.creates::<RelationshipRecord>(id) {
            let resource = Resource::Relationship(id);
            self.lock(&resource, mode)?;
            let newest = self
                .part
                .manager
                .state
                .newest(EntityKind::Relationship, id)?;
            self.check_newest(resource, mode, newest)?;
        }
        let now = self.look_at::<RelationshipRecord>(id)?;
        let now = now.ok_or(TransactionError::NoRelationship(id))?;
        for end in [now.source, now.target] {
            self.leave_to_older(Resource::Node(end))?;
        }
        Ok(now)
    }

    /// A conflict if an older transaction waits for a node, to delete it with its
    /// relationships: while younger ones change these, it would wait for ever.
    fn leave_to_older(&self, resource: Resource) -> Result<(), TransactionError> {
        match self.part.manager.locks.reserved_for(&resource) {
            Some(by) if by < self.id() => Err(self.conflict(Conflict::Reserved { resource, by })),
            _ => Ok(()),
        }
    }

    /// Locks a node. One that was created here needs no lock, as no other transaction
    /// sees it.
    fn lock_node(&self, id: u32, mode: Mode) -> Result<(), S::Error> {
        if self.overlay.creates::<NodeRecord>(id) {
            return Ok(self.check()?);
        }
        let resource = Resource::Node(id);
        self.lock(&resource, mode)?;
        if mode == Mode::Exclusive && !failpoint!("transaction.deletes-attached") {
            self.check_remembered(&resource)?;
        }
        let newest = self.part.manager.state.newest(EntityKind::Node, id)?;
        Ok(self.check_newest(resource, mode, newest)?)
    }

    /// Whether a resource that has just been locked was changed after the snapshot.
    fn check_newest(
        &self,
        resource: Resource,
        mode: Mode,
        newest: Newest,
    ) -> Result<(), TransactionError> {
        failpoint!("transaction.writes-over-newer" => {
            return Ok(());
        });
        let snapshot = self.part.snapshot;
        // A shared lock only needs the node to exist; a change does not matter.
        let minds = mode != Mode::Share || !newest.exists;
        if newest.csn <= snapshot || !minds {
            return Ok(());
        }
        Err(self.conflict(Conflict::Newer {
            resource,
            snapshot,
            newest: newest.csn,
        }))
    }
}
