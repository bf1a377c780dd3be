//! Lengths of a section's lists at several moments, as a chain of differences.
//!
//! A *point* is a length page that a snapshot or view may still ask for. It is stored as
//! what each list grew by since the point before (lists only grow), or *whole*, from
//! empty lists. It is whole when the differences since the last whole one would become as
//! large, so that reading a point decodes at most twice the bytes of a page, and all
//! points together take at most twice those of their differences.
//!
//! | what | as |
//! |---|---|
//! | commits since the point before (of the first: since commit 0) | varint |
//! | bytes of the changes · 4 + dense · 2 + whole | varint |
//! | changes | below |
//!
//! Sparse changes are, for each list that changed: lists passed over since the
//! last that changed, then the growth. Dense ones are the growth of each list.
//! A growth is entries · 2, + 1 if there are tombstones among them, whose number
//! then follows. All are varints: seven bits a byte, the lowest first, the high
//! bit set on all but the last.

use super::NewPoints;
use crate::lengths::LengthPage;

const WHOLE: u64 = 1;
const DENSE: u64 = 2;

/// Points one after another, as they are made.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    /// Commit of the point before.
    after: u64,
    /// The page of the last point, or of the one before.
    tip: LengthPage,
    bytes: Vec<u8>,
    /// Commit of each point, and where it ends.
    ends: Vec<(u64, usize)>,
    weight: Weight,
}

/// Sizes that decide whether the next point is whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    /// Bytes of the last whole point; 0 if there is none.
    whole: usize,
    /// Bytes of the differences since then.
    since: usize,
}

impl Weight {
    /// With one more point.
    pub(crate) fn and(self, point: &Point<'_>) -> Self {
        match point.whole {
            true => Weight {
                whole: point.body.len(),
                since: 0,
            },
            false => Weight {
                since: self.since + point.body.len(),
                ..self
            },
        }
    }
}

impl Chain {
    /// Continues after a point, with the weight of what is before it; begins
    /// after the empty page of commit 0.
    pub(crate) fn after(tip: LengthPage, weight: Weight) -> Self {
        Chain {
            after: tip.csn,
            tip,
            bytes: Vec::new(),
            ends: Vec::new(),
            weight,
        }
    }

    /// Adds a point, unless it is the last already.
    pub(crate) fn push(&mut self, page: &LengthPage) {
        if page.csn <= self.tip.csn {
            return;
        }
        page.follows(&self.tip);
        let (mut flags, mut body) = (0, Vec::new());
        if self.weight.whole > 0 {
            (flags, body) = changes(Some(&self.tip), page);
        }
        if self.weight.since + body.len() >= self.weight.whole {
            (flags, body) = changes(None, page);
            flags |= WHOLE;
        }
        put(&mut self.bytes, page.csn - self.tip.csn);
        put(&mut self.bytes, (body.len() as u64) << 2 | flags);
        self.bytes.extend_from_slice(&body);
        self.weight = self.weight.and(&Point {
            csn: page.csn,
            whole: flags & WHOLE != 0,
            dense: flags & DENSE != 0,
            body: &body,
            bytes: 0,
        });
        self.tip = page.clone();
        self.ends.push((page.csn, self.bytes.len()));
        self.invariants();
    }

    /// Panics in debug builds if points, bytes and weight contradict each other.
    fn invariants(&self) {
        if !cfg!(debug_assertions) {
            return;
        }
        if let [.., before, last] = &self.ends[..] {
            assert!(
                before.0 < last.0 && before.1 < last.1,
                "points follow one another: {before:?}, then {last:?}"
            );
        }
        assert_eq!(
            self.ends.last().map_or((self.after, 0), |end| *end),
            (self.tip.csn, self.bytes.len()),
            "the tip is the last point"
        );
        assert!(
            self.weight.since <= self.weight.whole,
            "reading a point decodes at most twice a page: {:?}",
            self.weight
        );
    }

    /// Without the points after commit `csn`, to be stored; `None` if that
    /// leaves none.
    pub(crate) fn until(mut self, csn: u64) -> Option<NewPoints> {
        self.ends.retain(|end| end.0 <= csn);
        let end = self.ends.last()?.1;
        self.bytes.truncate(end);
        self.into_points()
    }

    /// The points, to be stored; `None` if there are none.
    pub(crate) fn into_points(self) -> Option<NewPoints> {
        let (first, last) = (self.after, self.ends.last()?.0);
        Some(NewPoints {
            after: first,
            last,
            points: self.ends.len() as u32,
            bytes: self.bytes,
        })
    }

    /// All points.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Commit of the point before the first; 0 if there is none.
    pub(crate) fn begins_after(&self) -> u64 {
        self.after
    }

    /// Commit of the last point, also of one before the chain.
    pub(crate) fn last(&self) -> u64 {
        self.tip.csn
    }

    /// The page of the last point.
    pub(crate) fn tip(&self) -> &LengthPage {
        &self.tip
    }

    /// Bytes in DRAM.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.bytes.capacity()
            + self.ends.capacity() * size_of::<(u64, usize)>()
            + self.tip.heap_bytes()
    }
}

/// The changes from a page, or from empty lists, to another, in the shorter of
/// both forms.
fn changes(from: Option<&LengthPage>, to: &LengthPage) -> (u64, Vec<u8>) {
    let growth = |list: usize| match from {
        Some(from) => (
            to.len.of(list) - from.len.of(list),
            to.tombstones(list) - from.tombstones(list),
        ),
        None => (to.len.of(list), to.tombstones(list)),
    };
    let lists = to.len.count();
    let mut sparse = Vec::new();
    let mut next = 0;
    for list in 0..lists {
        let (entries, tombstones) = growth(list);
        if entries > 0 {
            put(&mut sparse, (list - next) as u64);
            put_growth(&mut sparse, entries, tombstones);
            next = list + 1;
        }
    }
    // Dense changes have a byte at least for each list.
    if sparse.len() > lists {
        let mut dense = Vec::with_capacity(sparse.len());
        for list in 0..lists {
            let (entries, tombstones) = growth(list);
            put_growth(&mut dense, entries, tombstones);
        }
        if dense.len() < sparse.len() {
            return (DENSE, dense);
        }
    }
    (0, sparse)
}

fn put_growth(bytes: &mut Vec<u8>, entries: u32, tombstones: u32) {
    put(bytes, u64::from(entries) << 1 | u64::from(tombstones > 0));
    if tombstones > 0 {
        put(bytes, u64::from(tombstones));
    }
}

fn put(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take(bytes: &mut &[u8]) -> Result<u64, &'static str> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or("it ends in a number")?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7F);
        if bits << shift >> shift != bits {
            break;
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err("it has a number that is too large")
}

/// A point as it is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point<'a> {
    pub csn: u64,
    /// From empty lists.
    pub whole: bool,
    dense: bool,
    body: &'a [u8],
    /// All its bytes.
    pub bytes: usize,
}

impl Point<'_> {
    /// Takes the page of the point before, or any if the point is whole, to the
    /// point's own.
    pub(crate) fn apply(&self, page: &mut LengthPage) -> Result<(), &'static str> {
        if self.whole {
            page.len.own().fill(0);
            page.tombstones = None;
        }
        page.csn = self.csn;
        let mut body = self.body;
        let mut list = 0;
        while !body.is_empty() {
            if !self.dense {
                let skipped = usize::try_from(take(&mut body)?).unwrap_or(usize::MAX);
                list = skipped.saturating_add(list);
            }
            let growth = take(&mut body)?;
            let tombstones = if growth & 1 == 1 { take(&mut body)? } else { 0 };
            grow(page, list, growth >> 1, tombstones)?;
            list += 1;
        }
        match self.dense && list != page.len.count() {
            true => Err("it does not say how all lists grew"),
            false => Ok(()),
        }
    }
}

/// Adds to one list of a page what holds for it.
fn grow(
    page: &mut LengthPage,
    list: usize,
    entries: u64,
    tombstones: u64,
) -> Result<(), &'static str> {
    let len = page
        .len
        .own()
        .get_mut(list)
        .ok_or("it names a list too many")?;
    let grown = u64::from(*len).checked_add(entries);
    *len = grown
        .and_then(|grown| u32::try_from(grown).ok())
        .ok_or("a list has too many entries")?;
    let len = u64::from(*len);
    if tombstones > 0 {
        let counts = page.tombstones_mut();
        let all = u64::from(counts[list]).saturating_add(tombstones);
        if all > len / 2 {
            return Err("a list has more deletions than edges");
        }
        counts[list] = all as u32;
    }
    Ok(())
}

/// Walks over points without looking into them.
pub(crate) struct Points<'a> {
    rest: &'a [u8],
    csn: u64,
}

impl<'a> Points<'a> {
    /// The points in `bytes`, which come after one of commit `after`.
    pub(super) fn new(bytes: &'a [u8], after: u64) -> Self {
        Points {
            rest: bytes,
            csn: after,
        }
    }

    fn point(&mut self) -> Result<Point<'a>, &'static str> {
        let before = self.rest.len();
        let gap = take(&mut self.rest)?;
        if gap == 0 {
            return Err("two moments are one");
        }
        self.csn = self.csn.checked_add(gap).ok_or("a commit is impossible")?;
        let size = take(&mut self.rest)?;
        let len = usize::try_from(size >> 2).unwrap_or(usize::MAX);
        if len > self.rest.len() {
            return Err("it is shorter than it says");
        }
        let (body, rest) = self.rest.split_at(len);
        self.rest = rest;
        Ok(Point {
            csn: self.csn,
            whole: size & WHOLE != 0,
            dense: size & DENSE != 0,
            body,
            bytes: before - rest.len(),
        })
    }
}

impl<'a> Iterator for Points<'a> {
    type Item = Result<Point<'a>, &'static str>;

    fn next(&mut self) -> Option<Self::Item> {
        (!self.rest.is_empty()).then(|| {
            let point = self.point();
            if point.is_err() {
                self.rest = &[];
            }
            point
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LISTS: usize = 9;

    fn pages() -> impl Strategy<Value = Vec<LengthPage>> {
        let change = (0..LISTS, 1u32..400, any::<bool>());
        let step = (1u64..300, proptest::collection::vec(change, 0..2 * LISTS));
        proptest::collection::vec(step, 1..20).prop_map(|steps| {
            let mut page = LengthPage::empty(LISTS);
            let grown = steps.into_iter().map(|(commits, changes)| {
                page.csn += commits;
                for (list, entries, deletes) in changes {
                    page.len.own()[list] += entries;
                    if deletes && page.len.of(list) >= 2 * (page.tombstones(list) + 1) {
                        page.add_tombstone(list);
                    }
                }
                page.clone()
            });
            grown.collect()
        })
    }

    proptest! {
        #[test]
        fn a_chain_is_its_pages(pages in pages(), cut in 0usize..20) {
            let empty = LengthPage::empty(LISTS);
            let cut = cut.min(pages.len());
            let mut first = Chain::after(empty.clone(), Weight::default());
            pages[..cut].iter().for_each(|page| first.push(page));
            let mut rest = Chain::after(first.tip.clone(), first.weight);
            pages[cut..].iter().for_each(|page| rest.push(page));
            // Cut anywhere, put together again.
            let bytes = [first.bytes(), rest.bytes()].concat();
            let mut all = Chain::after(empty.clone(), Weight::default());
            pages.iter().for_each(|page| all.push(page));
            prop_assert_eq!(&bytes, &all.bytes().to_vec());
            let mut page = empty.clone();
            let (mut weight, mut total, mut differences) = (Weight::default(), 0, 0);
            let mut count = 0;
            for (point, expected) in Points::new(&bytes, 0).zip(&pages) {
                let point = point.unwrap();
                point.apply(&mut page).unwrap();
                prop_assert_eq!(page.csn, expected.csn);
                prop_assert!(has_same_lists(&page, expected));
                weight = weight.and(&point);
                prop_assert!(weight.since <= weight.whole);
                total += point.body.len();
                differences += changes(expected_before(&pages, expected.csn, &empty), expected).1.len();
                count += 1;
            }
            prop_assert_eq!(count, pages.len());
            prop_assert!(total <= 2 * differences + 3 * LISTS, "{} of {}", total, differences);
        }

        /// Anything else is an error or pages, never a panic.
        #[test]
        fn damage_is_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let mut page = LengthPage::empty(LISTS);
            for point in Points::new(&bytes, 0) {
                let Ok(point) = point else { break };
                if point.apply(&mut page).is_err() {
                    break;
                }
            }
        }
    }

    fn has_same_lists(a: &LengthPage, b: &LengthPage) -> bool {
        a.len == b.len && (0..LISTS).all(|list| a.tombstones(list) == b.tombstones(list))
    }

    fn expected_before<'a>(
        pages: &'a [LengthPage],
        csn: u64,
        empty: &'a LengthPage,
    ) -> Option<&'a LengthPage> {
        let at = pages.iter().position(|page| page.csn == csn)?;
        Some(at.checked_sub(1).map_or(empty, |before| &pages[before]))
    }

    fn chain() -> Chain {
        let mut chain = Chain::after(LengthPage::empty(LISTS), Weight::default());
        let mut page = LengthPage::empty(LISTS);
        for csn in 1..=2 {
            page.csn = csn;
            page.len.own()[0] += 1;
            chain.push(&page);
        }
        chain
    }

    #[test]
    #[should_panic(expected = "follow one another")]
    fn points_ascend() {
        let mut chain = chain();
        chain.ends.swap(0, 1);
        chain.invariants();
    }

    #[test]
    #[should_panic(expected = "the tip is the last point")]
    fn the_tip_is_told() {
        let mut chain = chain();
        chain.bytes.pop();
        chain.invariants();
    }

    #[test]
    #[should_panic(expected = "at most twice a page")]
    fn differences_do_not_outgrow_a_page() {
        let mut chain = chain();
        chain.weight.since = chain.weight.whole + 1;
        chain.invariants();
    }
}
