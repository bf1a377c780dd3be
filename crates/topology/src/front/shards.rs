//! Logical shards: sections by their number modulo P, each shard worked on by
//! threads of one NUMA node (XPGraph's sub-graphs, its section 4.2).
//!
//! A section's append buffer, vertex buffers and merges are then touched by threads of
//! one node, which is where their memory comes to lie. P is the number of nodes:
//! 1 on most machines, and then there are no threads beyond the usual ones.
//!
//! Shards do not change results: a section is worked on by one thread at a time in any
//! case, and sections do not depend on one another.

use evergraph_storage::failpoint;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use evergraph_storage::machine::{Nodes, bind_thread};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// More shards make no sense.
const MAX_SHARDS: usize = 64;

/// The shards of a store, and who works on them.
#[derive(Debug)]
pub struct Shards {
    nodes: Nodes,
    count: usize,
    /// Threads of each shard, started when there is work; none if there is one
    /// shard, or if they cannot be started.
    pools: OnceLock<Vec<ThreadPool>>,
    items: AtomicU64,
    misplaced: AtomicU64,
}

/// Counters of the shards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShardReport {
    /// Shards.
    pub shards: usize,
    /// Parts of the work that were handed to the threads of a shard. With one
    /// shard none.
    pub items: u64,
    /// Of those, how many another thread did.
    pub misplaced: u64,
}

/// Items that one worker takes from the work of its shard, one by one: an item may cost
/// as much as a thousand others.
pub struct Items<'a, T> {
    list: &'a [T],
    next: &'a AtomicUsize,
    shards: &'a Shards,
    shard: usize,
}

impl Shards {
    /// As many as the machine has nodes, or `count`. Shard p belongs to node p
    /// modulo their number.
    pub fn new(count: Option<usize>, nodes: &Nodes) -> Self {
        Shards {
            count: count.unwrap_or(nodes.count()).clamp(1, MAX_SHARDS),
            nodes: nodes.clone(),
            pools: OnceLock::new(),
            items: AtomicU64::new(0),
            misplaced: AtomicU64::new(0),
        }
    }

    /// Number of shards, P.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The shard of a section.
    #[inline(always)]
    pub fn of_section(&self, number: usize) -> usize {
        number % self.count
    }

    /// Sorts items by the shard of their section.
    pub fn split<T>(&self, items: Vec<T>, number: impl Fn(&T) -> usize) -> Vec<Vec<T>> {
        if self.count == 1 {
            return vec![items];
        }
        let mut lists: Vec<Vec<T>> = (0..self.count).map(|_| Vec::new()).collect();
        for item in items {
            lists[self.of_section(number(&item))].push(item);
        }
        lists
    }

    /// Counters since the store was opened.
    pub fn report(&self) -> ShardReport {
        ShardReport {
            shards: self.count,
            items: self.items.load(Ordering::Relaxed),
            misplaced: self.misplaced.load(Ordering::Relaxed),
        }
    }

    /// Calls `work` on workers of each shard with what is to be done there, and
    /// returns when all of it is done. With one shard, `threads` workers share
    /// its list; a single one is the caller.
    pub fn drain<T, F>(&self, lists: &[Vec<T>], threads: usize, work: F)
    where
        T: Sync,
        F: Fn(Items<'_, T>) + Sync,
    {
        let next: Vec<AtomicUsize> = lists.iter().map(|_| AtomicUsize::new(0)).collect();
        let run = |shard: usize| {
            work(Items {
                list: &lists[shard],
                next: &next[shard],
                shards: self,
                shard,
            });
        };
        let workers = |shard: usize, most: usize| most.min(lists[shard].len());
        let pools = self.pools();
        if !pools.is_empty() {
            enter(pools, 0, &workers, &run);
        } else if lists.len() == 1 && threads <= 1 {
            run(0);
        } else {
            rayon::scope(|scope| {
                for shard in 0..lists.len() {
                    let run = &run;
                    (0..workers(shard, threads)).for_each(|_| scope.spawn(move |_| run(shard)));
                }
            });
        }
    }

    fn pools(&self) -> &[ThreadPool] {
        if self.count == 1 {
            return &[];
        }
        self.pools.get_or_init(|| {
            let pools: Result<Vec<_>, _> = (0..self.count).map(|shard| self.pool(shard)).collect();
            pools.unwrap_or_default()
        })
    }

    fn pool(&self, shard: usize) -> Result<ThreadPool, rayon::ThreadPoolBuildError> {
        let node = shard % self.nodes.count();
        let cpus = self.nodes.cpus(node).to_vec();
        // Shards of one node share its CPUs.
        let sharing = (self.count - node).div_ceil(self.nodes.count());
        let threads = match cpus.len() {
            0 => rayon::current_num_threads() / self.count,
            known => known / sharing,
        };
        let armed = failpoint::scope();
        ThreadPoolBuilder::new()
            .num_threads(threads.max(1))
            .thread_name(move |thread| format!("evergraph-shard-{shard}-{thread}"))
            // A thread that cannot be bound works all the same.
            .start_handler(move |_| {
                armed.enter_for_good();
                let _ = bind_thread(&cpus);
            })
            .build()
    }
}

/// Starts the workers of every shard and waits for all of them.
fn enter(
    pools: &[ThreadPool],
    shard: usize,
    workers: &(dyn Fn(usize, usize) -> usize + Sync),
    run: &(dyn Fn(usize) + Sync),
) {
    let Some(pool) = pools.get(shard) else {
        return;
    };
    pool.in_place_scope(|scope| {
        for _ in 0..workers(shard, pool.current_num_threads()) {
            scope.spawn(move |_| run(shard));
        }
        enter(pools, shard + 1, workers, run);
    });
}

impl<T> Items<'_, T> {
    /// The shard whose work it is.
    pub fn shard(&self) -> usize {
        self.shard
    }
}

impl<'a, T> Iterator for Items<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        let item = self.list.get(self.next.fetch_add(1, Ordering::Relaxed))?;
        if self.shards.count > 1 {
            let pool = self.shards.pools().get(self.shard);
            let at_home = pool.is_some_and(|pool| pool.current_thread_index().is_some());
            self.shards.items.fetch_add(1, Ordering::Relaxed);
            let misplaced = u64::from(!at_home);
            self.shards
                .misplaced
                .fetch_add(misplaced, Ordering::Relaxed);
        }
        Some(item)
    }
}
