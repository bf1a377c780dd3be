//! Space and media writes on a Kronecker graph, as figures.

use std::sync::Arc;
use std::time::Instant;

use evergraph_generators::kronecker;
use evergraph_storage::medium::EmulatedStorage;

use super::*;
use crate::section_format;

const SHIFT: u32 = 8;

/// All sections of a graph.
struct Graph {
    volume: Volume,
    sections: Vec<Arc<Base>>,
}

impl Graph {
    fn new(medium: &MediumHandle, vertices: usize) -> Self {
        let volume = fresh(medium);
        let lists = 1 << SHIFT;
        let sections = (0..vertices / lists)
            .map(|k| Arc::new(Base::empty(&volume, (k * lists) as u32, lists, 1)))
            .collect();
        Graph { volume, sections }
    }

    fn flush(&mut self, csn: u64, arcs: &[(u32, u32)]) {
        let lists = 1 << SHIFT;
        let mut new: Lists = vec![Vec::new(); lists * self.sections.len()];
        for &(from, to) in arcs {
            new[from as usize].push((to, 0));
        }
        for (section, lists) in self.sections.iter_mut().zip(new.chunks(lists)) {
            let source = Source {
                lists,
                weighted: false,
            };
            let written = section.append(&self.volume, csn, &source).unwrap();
            *section = publish(&self.volume, written).0;
        }
    }

    /// Bytes asked for, bytes occupied.
    fn bytes(&self) -> (u64, u64) {
        let used = self.sections.iter().map(|section| section.bytes());
        let asked = used.map(|bytes| bytes.index + bytes.slabs).sum();
        (asked, self.volume.region.used_bytes())
    }

    /// Lines that the packed layout would write now.
    fn packed_lines(&self) -> u64 {
        let bytes = |base: &Base| 64 + 4 * (base.lists() as u64 + 1 + base.entries());
        let sections = self.sections.iter();
        sections.map(|base| bytes(base).div_ceil(256)).sum()
    }

    /// A pass over all arcs, as a kernel makes one.
    fn time_reading(&self, when: &str) {
        let pass = || {
            let mut sum = 0u64;
            for section in &self.sections {
                for list in 0..section.lists() {
                    let len = section.list_len(list);
                    let _ = section.for_each_segment::<()>(list, len, |words, _| {
                        sum += words.iter().map(|&word| u64::from(word)).sum::<u64>();
                        std::ops::ControlFlow::Continue(())
                    });
                }
            }
            sum
        };
        report_fastest(when, pass);
    }

    fn time_reading_packed(&self) {
        let (region, uuid) = (&self.volume.region, &self.volume.uuid);
        let packed: Vec<section_format::Base> = self
            .sections
            .iter()
            .map(|section| {
                let mut image = packed_image(&**section, section.lists(), 1);
                let draft = region.allocate(image.encoded_len()).unwrap();
                let (entry, bytes) = image.encode(uuid, draft.offset(), 0, 0, 0);
                let (extent, _) = draft.finish(bytes).unwrap().split();
                let lists = section.lists();
                section_format::Base::open(uuid, Arc::new(extent), &entry, 0, lists).unwrap()
            })
            .collect();
        let pass = || {
            let mut sum = 0u64;
            for base in &packed {
                for list in 0..base.starts.len() - 1 {
                    let words = base
                        .words
                        .range(base.starts[list] as usize, base.list_len(list));
                    sum += words.iter().map(|&word| u64::from(word)).sum::<u64>();
                }
            }
            sum
        };
        report_fastest("packed", pass);
    }

    fn blocks_per_list(&self) -> f64 {
        let (mut blocks, mut lists) = (0, 0);
        for section in &self.sections {
            for list in 0..section.lists() {
                blocks += section.block_count(list);
                lists += usize::from(section.list_len(list) > 0);
            }
        }
        blocks as f64 / lists as f64
    }
}

fn report_fastest(when: &str, mut pass: impl FnMut() -> u64) {
    let fastest = (0..9).map(|_| {
        let started = Instant::now();
        std::hint::black_box(pass());
        started.elapsed()
    });
    println!(
        "one pass over all arcs, {when}: {:?}",
        fastest.min().unwrap()
    );
}

#[test]
fn space_and_media_writes_are_what_the_layout_promises() {
    let scale = 16;
    let arcs: Vec<(u32, u32)> = kronecker(scale, 16, 1)
        .into_iter()
        .flat_map(|(a, b)| [(a, b), (b, a)])
        .collect();
    let vertices = 1 << scale;
    let per_arc = |n: u64| n as f64 / arcs.len() as f64;
    for (flushes, most_writes) in [(4, 0.05), (32, 0.25)] {
        let storage = EmulatedStorage::new(Arc::new(DramStorage::new()), None);
        let medium = storage.open("extents", true).unwrap();
        let mut graph = Graph::new(&medium, vertices);
        let before = storage.device().drain();
        let mut packed_writes = 0;
        for (csn, part) in arcs.chunks(arcs.len() / flushes).enumerate() {
            graph.flush(csn as u64 + 1, part);
            packed_writes += graph.packed_lines();
        }
        let counted = storage.device().drain() - before;
        let (asked, occupied) = graph.bytes();
        println!(
            "{} arcs in {flushes} flushes: {:.4} media writes (packed: {:.4}), {:.4} merge reads, {:.1} bytes \
             stored, {:.4} redundant line flushes an arc; {:.2} bytes an arc ({:.2} occupied), \
             {:.2} blocks a list",
            arcs.len(),
            per_arc(counted.media_writes),
            per_arc(packed_writes),
            per_arc(counted.merge_reads),
            per_arc(counted.stored_bytes),
            per_arc(counted.redundant_flushes),
            per_arc(asked),
            per_arc(occupied),
            graph.blocks_per_list(),
        );
        assert!(per_arc(counted.media_writes) < most_writes);
        graph.time_reading("after the flushes");
        for section in &mut graph.sections {
            let written = section.rewrite(&graph.volume, 99, 1, &**section).unwrap();
            *section = publish(&graph.volume, written).0;
        }
        let (asked, occupied) = graph.bytes();
        let allowed = 4 * arcs.len() + 20 * vertices;
        println!(
            "rewritten: {:.2} bytes an arc ({:.2} occupied), {:.3} of 4 an arc and 20 a vertex; a Base \
             is {} bytes",
            per_arc(asked),
            per_arc(occupied),
            asked as f64 / allowed as f64,
            size_of::<Base>(),
        );
        assert!(asked as f64 <= 1.1 * allowed as f64);
        assert_eq!(graph.blocks_per_list(), 1.0);
        graph.time_reading("rewritten");
        graph.time_reading_packed();
    }
}
