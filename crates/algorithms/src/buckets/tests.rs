//! Both kinds of buckets against a map of sets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use evergraph_graph::VertexId;
use evergraph_graph::random::Random;
use proptest::prelude::*;

use super::{BucketQueue, Buckets, NONE, Order, SemiEagerBuckets};

/// Both kinds of bucket queues, as the tests see them.
trait Kind: BucketQueue {
    fn entries(&self) -> usize;
}

impl<F: Fn(VertexId) -> u32 + Sync> Kind for Buckets<F> {
    fn entries(&self) -> usize {
        Buckets::entries(self)
    }
}

impl<F: Fn(VertexId) -> u32 + Sync> Kind for SemiEagerBuckets<F> {
    fn entries(&self) -> usize {
        SemiEagerBuckets::entries(self)
    }
}

/// Vertices in sets by bucket.
struct Model {
    order: Order,
    sets: BTreeMap<u32, BTreeSet<VertexId>>,
    last: Option<u32>,
}

impl Model {
    fn place(&mut self, v: VertexId, bucket: u32) {
        for set in self.sets.values_mut() {
            set.remove(&v);
        }
        if bucket != NONE {
            let bucket = match (self.last, self.order) {
                (Some(last), Order::Increasing) => bucket.max(last),
                (Some(last), Order::Decreasing) => bucket.min(last),
                (None, _) => bucket,
            };
            self.sets.entry(bucket).or_default().insert(v);
        }
    }

    fn next(&mut self) -> Option<(u32, Vec<VertexId>)> {
        self.sets.retain(|_, set| !set.is_empty());
        let (bucket, set) = match self.order {
            Order::Increasing => self.sets.pop_first(),
            Order::Decreasing => self.sets.pop_last(),
        }?;
        self.last = Some(bucket);
        Some((bucket, set.into_iter().collect()))
    }
}

/// The next bucket, or new values for some vertices.
#[derive(Clone, Debug)]
enum Step {
    Next,
    Update(Vec<(VertexId, u32)>),
}

fn follow(
    values: &[AtomicU32],
    mut buckets: impl Kind,
    order: Order,
    steps: &[Step],
) -> Result<(), TestCaseError> {
    let mut model = Model {
        order,
        sets: BTreeMap::new(),
        last: None,
    };
    for (v, value) in (0..).zip(values) {
        model.place(v, value.load(Relaxed));
    }
    for step in steps {
        match step {
            Step::Next => prop_assert_eq!(buckets.next(), model.next()),
            Step::Update(updates) => {
                let mut vertices = Vec::new();
                for &(v, value) in updates {
                    let v = v % values.len() as VertexId;
                    values[v as usize].store(value, Relaxed);
                    vertices.push(v);
                }
                buckets.update(&vertices);
                for &v in &vertices {
                    model.place(v, values[v as usize].load(Relaxed));
                }
            }
        }
    }
    for bucket in buckets.by_ref() {
        prop_assert_eq!(Some(bucket), model.next());
    }
    prop_assert_eq!(model.next(), None);
    prop_assert_eq!(buckets.entries(), 0);
    Ok(())
}

fn bucket() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 0_u32..12, 2 => 0_u32..200, 1 => Just(NONE), 1 => NONE - 5..NONE]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let update = prop::collection::vec((any::<VertexId>(), bucket()), 0..12);
    let step = prop_oneof![Just(Step::Next), update.prop_map(Step::Update)];
    prop::collection::vec(step, 0..60)
}

fn shared(values: &[u32]) -> Vec<AtomicU32> {
    values.iter().copied().map(AtomicU32::new).collect()
}

proptest! {
    #[test]
    fn buckets_are_a_map_of_sets(
        start in prop::collection::vec(bucket(), 1..40),
        steps in steps(),
        open in 0_usize..6,
        decreasing in any::<bool>(),
    ) {
        let order = if decreasing { Order::Decreasing } else { Order::Increasing };
        let n = start.len();
        let values = shared(&start);
        let of = |v: VertexId| values[v as usize].load(Relaxed);
        follow(&values, Buckets::new(n, order, open, of), order, &steps)?;
        let values = shared(&start);
        let of = |v: VertexId| values[v as usize].load(Relaxed);
        follow(&values, SemiEagerBuckets::new(n, order, of), order, &steps)?;
    }
}

/// Many vertices move far more often than there are vertices, some in updates
/// that several tasks share: the order is that of the model, and entries stay O(n).
#[test]
fn entries_stay_within_the_bound() {
    const N: usize = 50_000;
    let check = |mut buckets: Box<dyn Kind + '_>, values: &[AtomicU32], bound: usize| {
        let mut random = Random::new(3);
        let mut all: Vec<VertexId> = (0..N as VertexId).collect();
        for round in 0..40 {
            all.iter().for_each(|&v| {
                values[v as usize].store(10 + random.below(1000) as u32, Relaxed);
            });
            buckets.update(&all);
            assert!(buckets.entries() <= bound, "{}", buckets.entries());
            if round % 7 == 6 {
                all = buckets.next().unwrap().1;
                all.extend(0..100);
            }
            if round % 7 == 3 {
                all = (0..N as VertexId).collect();
            }
        }
        let mut seen = vec![false; N];
        let mut last = 0;
        for (bucket, vertices) in buckets {
            assert!(bucket >= last && vertices.is_sorted());
            last = bucket;
            for v in vertices {
                assert!(!std::mem::replace(&mut seen[v as usize], true));
            }
        }
        assert!(seen.iter().all(|&seen| seen));
    };
    let values = shared(&[7; N]);
    let of = |v: VertexId| values[v as usize].load(Relaxed);
    let open = Buckets::new(N, Order::Increasing, 16, of);
    check(Box::new(open), &values, 3 * N + 1024);
    let values = shared(&[7; N]);
    let of = |v: VertexId| values[v as usize].load(Relaxed);
    let semi_eager = SemiEagerBuckets::new(N, Order::Increasing, of);
    check(Box::new(semi_eager), &values, 2 * N + 16 * 1000);
}
