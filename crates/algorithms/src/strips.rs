//! Work whose tasks keep a scratch of O(n) words: one task a thread, each with a
//! scratch that is made once.

use rayon::prelude::*;

/// A scratch for each thread.
pub(crate) struct Strips<S>(Vec<S>);

impl<S: Send> Strips<S> {
    /// As many as there are threads.
    pub(crate) fn new<E>(scratch: impl Fn() -> Result<S, E>) -> Result<Self, E> {
        let scratches = (0..rayon::current_num_threads()).map(|_| scratch());
        Ok(Self(scratches.collect::<Result<_, E>>()?))
    }

    /// One scratch, for what one thread does.
    pub(crate) fn first(&mut self) -> &mut S {
        &mut self.0[0]
    }

    /// Calls `work` with each of `items` and its position. Each thread takes
    /// consecutive ones, in order.
    pub(crate) fn each<I: Send, E: Send>(
        &mut self,
        items: &mut [I],
        work: impl Fn(&mut S, usize, &mut I) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let strip = items.len().div_ceil(self.0.len()).max(1);
        self.0
            .par_iter_mut()
            .zip(items.par_chunks_mut(strip))
            .enumerate()
            .with_max_len(1)
            .try_for_each(|(at, (scratch, items))| {
                let mut numbered = (at * strip..).zip(items);
                numbered.try_for_each(|(number, item)| work(scratch, number, item))
            })
    }

    /// The sum of what `work` gives for each number below `count`.
    pub(crate) fn sum<E: Send>(
        &mut self,
        count: usize,
        work: impl Fn(&mut S, usize) -> Result<u64, E> + Sync,
    ) -> Result<u64, E> {
        let strip = count.div_ceil(self.0.len());
        let parts = self.0.par_iter_mut().enumerate().with_max_len(1);
        parts
            .map(|(at, scratch)| {
                let numbers = count.min(at * strip)..count.min((at + 1) * strip);
                numbers.map(|number| work(scratch, number)).sum()
            })
            .collect::<Result<Vec<u64>, E>>()
            .map(|parts| parts.iter().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_comes_once() {
        for threads in 1..5 {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().expect("threads").install(|| {
                for count in 0..12 {
                    let mut strips = Strips::new(|| Ok::<_, ()>(0_u64)).unwrap();
                    let mut items = vec![0; count];
                    let numbered = strips.each(&mut items, |calls, number, item| {
                        *item += number + 1;
                        *calls += 1;
                        Ok::<_, ()>(())
                    });
                    assert_eq!(numbered, Ok(()));
                    assert!(items.into_iter().eq(1..=count));
                    let numbers = |_: &mut u64, number| Ok::<_, ()>(number as u64);
                    assert_eq!(strips.sum(count, numbers), Ok((0..count as u64).sum()));
                    let calls: u64 = strips.0.iter().sum();
                    assert_eq!(calls, count as u64);
                }
            });
        }
    }
}
