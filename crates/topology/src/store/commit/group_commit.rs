//! Commits: validation, group commit, application in log order.
//!
//! A commit waits in the queue until a leader takes it. The leader writes the
//! records of everything that waits, fences once, hands the log on to the next
//! leader, applies the group, and moves the watermark. So one group syncs while
//! the one before is being applied, and both orders are the order of the log.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use evergraph_storage::failpoint;
use parking_lot::{Mutex, MutexGuard};

use crate::entry::TOMBSTONE;
use crate::error::TopologyError;
use crate::history::name::check_not_reserved;
use crate::record::{self, Op};
use crate::store::batch::{Batch, Commit};
use crate::store::commit::Committer;
use crate::store::fits::fits;
use crate::store::log::{GroupEnd, LogState};
use crate::store::queue::{Lead, Owner, PATIENCE, Queue, Stop, Ticket, is_stopped};

impl Committer {
    pub(in crate::store) fn commit(&self, batch: Batch) -> Result<Commit, TopologyError> {
        let _shared = self.gate.read();
        self.commit_in_gate(batch, None)
    }

    pub(in crate::store) fn commit_cancellable(
        &self,
        batch: Batch,
        stop: &dyn Fn() -> bool,
    ) -> Result<Commit, TopologyError> {
        let _shared = loop {
            if stop() {
                return Err(TopologyError::Cancelled);
            }
            if let Some(shared) = self.gate.try_read_for(PATIENCE) {
                break shared;
            }
        };
        self.commit_in_gate(batch, Some(stop))
    }

    pub(in crate::store) fn close(&self) -> Result<(), TopologyError> {
        // A commit behind the end that the clean stop names would be lost.
        let _alone = failpoint!("close.commits-go-on", None, else Some(self.gate.write()));
        let is_writable = self.live().status.refuse_if_not_writable().is_ok();
        let ready = if is_writable {
            self.checkpointer.drop_orphans()
        } else {
            Ok(())
        };
        let mut roots = self.checkpointer.roots.lock();
        let closed = ready.and_then(|()| match is_writable {
            true => self.checkpointer.merge_for_good(&mut roots),
            false => Ok(()),
        });
        self.live().status.close();
        closed
    }

    /// Commits for a caller that has passed the gate.
    pub(in crate::store) fn commit_in_gate(
        &self,
        batch: Batch,
        stop: Stop<'_>,
    ) -> Result<Commit, TopologyError> {
        self.validate(std::slice::from_ref(&batch))?;
        let _reserved = self
            .live()
            .snapshots
            .reserve(std::slice::from_ref(&batch))?;
        if self.live().direct.is_some() {
            return self.commit_direct(batch);
        }
        self.commit_logged(batch, stop)
    }

    /// External ids are logged first, so that no crash shows edges of vertices without them;
    /// then edges go in place in order, and whatever else the batch says goes through the
    /// log. There is no atomicity over edges.
    fn commit_direct(&self, batch: Batch) -> Result<Commit, TopologyError> {
        let direct = self.live().direct_part()?;
        let reach_vertices = |count| direct.reach_vertices(direct.slots.medium(), count);
        let logged = |ops| Batch {
            ops,
            wall_us: batch.wall_us,
            reserves: batch.reserves,
        };
        let is_ids = |op: &Op| matches!(op, Op::Ids(_)) && !failpoint!("direct.ids-after-edges");
        let (ids, others): (Vec<Op>, Vec<Op>) = batch.ops.into_iter().partition(is_ids);
        for op in &ids {
            // As with edges: an id never names a vertex that is not there.
            if let Op::Ids(assigned) = op
                && !failpoint!("direct.named-vertices-late")
            {
                reach_vertices(assigned.end() as u64)?;
            }
        }
        if !ids.is_empty() {
            self.commit_logged(logged(ids), None)?;
            failpoint!("direct.named-vertices-late" => {
                reach_vertices(self.live().ids.read().len() as u64)?;
            });
        }
        let mut rest = Vec::new();
        let mut missed_deletes = 0;
        for op in others {
            match op {
                Op::Insert(edges) => {
                    self.live().edges_direct(direct, &edges, 0)?;
                }
                Op::Delete(edges) => {
                    missed_deletes += self.live().edges_direct(direct, &edges, TOMBSTONE)?;
                }
                Op::Vertices(count) => reach_vertices(count)?,
                other => rest.push(other),
            }
        }
        if !rest.is_empty() {
            self.commit_logged(logged(rest), None)?;
        }
        Ok(Commit {
            csn: self.live().registry.csn(),
            durability: self.durability,
            missed_deletes,
        })
    }

    pub(in crate::store) fn commit_all(
        &self,
        batches: Vec<Batch>,
    ) -> Result<Vec<Commit>, TopologyError> {
        let _shared = self.gate.read();
        self.validate(&batches)?;
        let _reserved = self.live().snapshots.reserve(&batches)?;
        if self.live().direct.is_some() {
            return batches.into_iter().map(|b| self.commit_direct(b)).collect();
        }
        let owner = Owner::here();
        let tickets = batches.into_iter().map(|batch| self.ticket(batch, &owner));
        let tickets: Vec<_> = tickets.collect::<Result<_, _>>()?;
        self.wait_for(&owner, &tickets, None)
    }

    /// A commit by way of the log.
    pub(in crate::store) fn commit_logged(
        &self,
        batch: Batch,
        stop: Stop<'_>,
    ) -> Result<Commit, TopologyError> {
        let owner = Owner::here();
        let ticket = self.ticket(batch, &owner)?;
        let mut commits = self.wait_for(&owner, &[ticket], stop)?;
        Ok(commits.pop().expect("one ticket, one commit"))
    }

    pub(in crate::store) fn ticket(
        &self,
        batch: Batch,
        owner: &Arc<Owner>,
    ) -> Result<Arc<Ticket>, TopologyError> {
        let mut payload = Vec::new();
        record::encode(&batch.ops, &mut payload);
        let makes_room = batch.ops.iter().any(Op::makes_room);
        let (payload, extent) = self.checkpointer.payload_for_log(payload, makes_room)?;
        Ok(Arc::new(Ticket {
            ops: batch.ops,
            payload,
            extent,
            wall_us: batch.wall_us.unwrap_or_else(now_us),
            outcome: Mutex::new(None),
            owner: Arc::clone(owner),
        }))
    }

    /// Queues tickets and leads groups until all of them have an outcome, or
    /// are withdrawn.
    fn wait_for(
        &self,
        owner: &Owner,
        tickets: &[Arc<Ticket>],
        stop: Stop<'_>,
    ) -> Result<Vec<Commit>, TopologyError> {
        let mut queue = self.queue.lock();
        queue.waiting.extend(tickets.iter().map(Arc::clone));
        self.lead_until_complete(queue, owner, tickets, stop)
    }

    /// Gives a ticket its place.
    pub(in crate::store) fn push(&self, ticket: &Arc<Ticket>) {
        self.queue.lock().waiting.push(Arc::clone(ticket));
    }

    /// As [`Committer::wait_for`], of one that has its place.
    pub(in crate::store) fn wait_for_one(
        &self,
        ticket: Arc<Ticket>,
    ) -> Result<Commit, TopologyError> {
        let queue = self.queue.lock();
        let owner = Arc::clone(&ticket.owner);
        let mut commits = self.lead_until_complete(queue, &owner, &[ticket], None)?;
        Ok(commits.pop().expect("one ticket, one commit"))
    }

    fn lead_until_complete<'a>(
        &'a self,
        mut queue: MutexGuard<'a, Queue>,
        owner: &Owner,
        tickets: &[Arc<Ticket>],
        stop: Stop<'_>,
    ) -> Result<Vec<Commit>, TopologyError> {
        loop {
            if tickets.iter().all(|ticket| ticket.outcome.lock().is_some()) {
                let outcomes = tickets.iter().filter_map(|t| t.outcome.lock().take());
                return outcomes.map(|o| o.map_err(TopologyError::Group)).collect();
            }
            if is_stopped(stop) && queue.withdraw(tickets) {
                queue.wake_a_leader();
                return Err(TopologyError::Cancelled);
            }
            if queue.leading || queue.waiting.is_empty() {
                owner.sleep(queue, stop);
                queue = self.queue.lock();
                continue;
            }
            queue.leading = true;
            let first = Arc::clone(&queue.waiting[0]);
            drop(queue);
            let mut lead = Lead::new(&self.queue, &self.live().status);
            // Commits stay in the queue meanwhile, and can be withdrawn.
            let room = self.make_room(&first, stop);
            queue = self.queue.lock();
            let is_first = |ticket: &Arc<Ticket>| Arc::ptr_eq(ticket, &first);
            if matches!(room, Ok(false)) || !queue.waiting.first().is_some_and(is_first) {
                // It looks again who leads: it may.
                queue.leading = false;
                lead.end();
                continue;
            }
            lead.group = std::mem::take(&mut queue.waiting);
            drop(queue);
            match room {
                Ok(_) => self.lead(&mut lead),
                Err(error) => self.fail(&mut lead, error),
            }
            lead.end();
            queue = self.queue.lock();
        }
    }

    pub(in crate::store) fn validate(&self, batches: &[Batch]) -> Result<(), TopologyError> {
        self.live().status.refuse_if_not_writable()?;
        if batches
            .iter()
            .flat_map(|batch| &batch.ops)
            .any(Op::makes_room)
        {
            self.live().makes_room.store(true, Ordering::Release);
        }
        // External ids that the table will have when an operation is applied;
        // only one caller at a time assigns any.
        let mut ids = None;
        let ops = batches
            .iter()
            .flat_map(|batch| batch.ops.iter().map(move |op| (op, batch.reserves)));
        for (op, reserves) in ops {
            fits(&self.live().config, op)?;
            match op {
                Op::Ids(assigned) => {
                    let table = self.live().ids()?;
                    let len = *ids.get_or_insert(table.len());
                    let fits = table.check(len, assigned);
                    fits.map_err(TopologyError::ExternalIds)?;
                    ids = Some(len.max(assigned.end()));
                }
                Op::Payload(_) if self.live().extension.is_none() => {
                    return Err(TopologyError::WithoutExtension);
                }
                Op::CreateSnapshot { name, .. } if !reserves => check_not_reserved(name)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Leads one group: `queue.leading` is set, and cleared as soon as the log
    /// can be handed on. Every commit of the group learns its outcome.
    fn lead(&self, lead: &mut Lead<'_>) {
        let (applying, last_csn) = match self.log_group(lead) {
            Ok(logged) => logged,
            Err(error) => return self.fail(lead, error),
        };
        let group = &lead.group;
        let applied = self.live().status.poisoning(|| {
            failpoint!("commit.logged");
            // Nothing is shown over a group that could not be applied.
            self.live().status.refuse_if_failed()?;
            self.live().apply_group(group, last_csn)
        });
        if applied.is_err() {
            // The log holds the group, this process cannot show it. Set before `applying`
            // is dropped: the next group would be shown without this one.
            self.live().status.fail();
        }
        drop(applying);
        match applied {
            Ok(missed) => {
                let first_csn = last_csn + 1 - group.len() as u64;
                self.complete(group, |i| {
                    Ok(Commit {
                        csn: first_csn + i as u64,
                        durability: self.durability,
                        missed_deletes: missed[i],
                    })
                });
            }
            Err(error) => {
                let error = Arc::new(error);
                self.complete(group, |_| Err(Arc::clone(&error)));
            }
        }
    }

    /// Nothing of a group was committed: the next leader may try.
    fn fail(&self, lead: &mut Lead<'_>, error: TopologyError) {
        self.hand_on(lead, Vec::new());
        let error = Arc::new(error);
        self.complete(&lead.group, |_| Err(Arc::clone(&error)));
    }

    fn complete(
        &self,
        group: &[Arc<Ticket>],
        outcome: impl Fn(usize) -> Result<Commit, Arc<TopologyError>>,
    ) {
        for (i, ticket) in group.iter().enumerate() {
            ticket.complete(outcome(i));
        }
    }

    /// Lets the next leader begin, with what this one could not take first.
    fn hand_on(&self, lead: &mut Lead<'_>, mut left: Vec<Arc<Ticket>>) {
        let mut queue = self.queue.lock();
        left.append(&mut queue.waiting);
        queue.waiting = left;
        queue.leading = false;
        lead.is_handed_on = true;
        queue.wake_a_leader();
    }

    /// Durability steps L1 and L2 for a group, for whose first commit the log has
    /// room. Leaves of it the part that is durable now. Returns the right to apply it
    /// next, and the CSN of its last commit.
    fn log_group(&self, lead: &mut Lead<'_>) -> Result<(MutexGuard<'_, ()>, u64), TopologyError> {
        let mut state = self.checkpointer.log.lock();
        // Those that waited when the log failed would follow a torn group.
        self.live().status.refuse_if_failed()?;
        let (taken, last_csn) = self
            .live()
            .status
            .poisoning(|| self.append_group(&mut state, &lead.group))?;
        // Taken while the log is held, so that groups apply in log order.
        let applying = self.live().applying.lock();
        drop(state);
        // Handed on before this group is applied: the next leader's sync and this
        // application overlap.
        let left = lead.group.split_off(taken);
        self.hand_on(lead, left);
        Ok((applying, last_csn))
    }

    /// Writes as many commits of a group as the log takes, and syncs. Returns how many,
    /// and the CSN of the last.
    fn append_group(
        &self,
        state: &mut LogState,
        group: &[Arc<Ticket>],
    ) -> Result<(usize, u64), TopologyError> {
        debug_assert!(!group.is_empty(), "a leader takes its own commit at least");
        let mut taken = 0;
        for ticket in group {
            let payload = &ticket.payload;
            // The log has room for the first: the leader made it.
            if taken > 0 && !state.has_room(ticket, self.live().config.log_bytes) {
                break;
            }
            let csn = state.next_csn + taken as u64;
            if let Some(extent) = &ticket.extent {
                // From here on the log may name it, whatever is reported.
                extent.published();
                state.extents.push(csn, Arc::clone(extent));
            }
            if let Err(error) = state.log.append(csn, ticket.wall_us, payload) {
                // The record may be there in part, and replay ends at it: a commit
                // behind it would be acknowledged and lost.
                self.live().status.fail();
                return Err(error.into());
            }
            taken += 1;
        }
        failpoint!("commit.leads");
        // One fence for the group, before any of it is acknowledged, applied or shown: a
        // power cut would take from readers and callers what they have been told.
        if let Err(error) = state.log.sync() {
            // No second attempt: after a failed sync the system takes the pages for
            // clean, so the next one would succeed without them.
            self.live().status.fail();
            return Err(error.into());
        }
        // Behind the sync: a group that fails takes no numbers, and whether its records
        // hold is for the next opening to find out.
        state.next_csn += taken as u64;
        let last_csn = state.next_csn - 1;
        let head = state.log.head();
        let wall_us = group[taken - 1].wall_us;
        let epoch = state.log.epoch();
        state.boundaries.push_back(GroupEnd {
            csn: last_csn,
            lsn: head,
            wall_us,
            epoch,
        });
        state.invariants();
        Ok((taken, last_csn))
    }
}

/// Now, microseconds since 1970.
pub(in crate::store) fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |d| d.as_micros() as i64)
}
