//! Every flipped bit of a small section: an error, or the right content.

use evergraph_storage::StorageError;

use super::*;

const LISTS: usize = 4;

/// A section with chains, a compacted list, free space, and some room.
fn small(volume: &Volume, columns: usize) -> (Entry, Lists, Vec<(u64, u64)>) {
    let entries =
        |from: u32, count: u32| (from..from + count).map(|i| (i, i * (columns as u32 - 1)));
    let mut model: Lists = vec![Vec::new(); LISTS];
    let mut base = Arc::new(Base::empty(volume, FIRST_VERTEX, LISTS, columns));
    let mut entry = None;
    for (csn, counts) in [[5, 0, 30, 1], [3, 0, 9, 0], [40, 0, 1, 2]]
        .iter()
        .enumerate()
    {
        let new: Lists = counts
            .iter()
            .map(|&n| entries(csn as u32 * 64, n).collect())
            .collect();
        let source = Source {
            lists: &new,
            weighted: columns == 2,
        };
        let written = base.append(volume, csn as u64 + 1, &source).unwrap();
        let published = publish(volume, written);
        (base, entry) = (published.0, Some(published.1));
        model
            .iter_mut()
            .zip(new)
            .for_each(|(list, new)| list.extend(new));
    }
    // One list becomes one block, and its old blocks are free.
    let mut new: Lists = vec![Vec::new(); LISTS];
    model[2].truncate(20);
    new[2].clone_from(&model[2]);
    let source = Source {
        lists: &new,
        weighted: columns == 2,
    };
    let written = base.update(volume, 4, 1, &source, &[2]).unwrap();
    let (base, _) = (publish(volume, written), entry);
    let places = base.0.extents().map(|e| (e.offset(), e.len())).collect();
    (base.1, model, places)
}

fn read(medium: &MediumHandle, entry: &Entry, columns: usize) -> Result<Lists, StorageError> {
    let volume = volume(medium);
    let base = open(&volume, entry, LISTS, columns)?;
    base.verify(&volume.uuid)?;
    Ok(contents(&base))
}

#[test]
fn every_flipped_bit_is_an_error_or_means_nothing() {
    for columns in [1, 2] {
        let medium = dram();
        let (entry, model, places) = small(&fresh(&medium), columns);
        assert_eq!(read(&medium, &entry, columns).unwrap(), model);
        let (mut errors, mut harmless) = (0, 0);
        for (offset, len) in places {
            for at in offset..offset + len {
                let mut byte = [0];
                medium.read(at, &mut byte).unwrap();
                for bit in 0..8 {
                    medium.write(at, &[byte[0] ^ 1 << bit]).unwrap();
                    match read(&medium, &entry, columns) {
                        Ok(lists) => {
                            assert_eq!(lists, model, "bit {bit} of byte {at}");
                            harmless += 1;
                        }
                        Err(StorageError::Damaged { .. }) => errors += 1,
                        Err(other) => panic!("{other}"),
                    }
                }
                medium.write(at, &byte).unwrap();
            }
        }
        assert!(errors > 4000 && harmless > 0, "{errors}, {harmless}");
        assert_eq!(read(&medium, &entry, columns).unwrap(), model);
    }
}

#[test]
fn lost_and_exchanged_lines_are_errors_or_mean_nothing() {
    for columns in [1, 2] {
        let medium = dram();
        let (entry, model, places) = small(&fresh(&medium), columns);
        let lines: Vec<u64> = places
            .iter()
            .flat_map(|&(offset, len)| (offset..offset + len).step_by(64))
            .collect();
        let line = |at: u64| {
            let mut bytes = [0; 64];
            medium.read(at, &mut bytes).unwrap();
            bytes
        };
        let expect_sound = |what: &str| {
            if let Ok(lists) = read(&medium, &entry, columns) {
                assert_eq!(lists, model, "{what}");
            }
        };
        for &a in &lines {
            let was = line(a);
            for lost in [[0; 64], [0xFF; 64]] {
                medium.write(a, &lost).unwrap();
                expect_sound("a lost line");
            }
            for &b in &lines {
                medium.write(a, &line(b)).unwrap();
                expect_sound("a misdirected line");
                medium.write(a, &was).unwrap();
            }
        }
    }
}

#[test]
fn a_link_that_goes_round_ends_in_an_error() {
    let medium = dram();
    let volume = fresh(&medium);
    let base = Base::empty(&volume, FIRST_VERTEX, LISTS, 1);
    let mut base = Arc::new(base);
    let mut entry = None;
    for csn in 1..=2 {
        let new: Lists = vec![vec![(csn, 0); 50]; LISTS];
        let source = Source {
            lists: &new,
            weighted: false,
        };
        let written = base.append(&volume, csn.into(), &source).unwrap();
        let published = publish(&volume, written);
        (base, entry) = (published.0, Some(published.1));
    }
    // The first slab begins with the first block of the first list, which now
    // leads to itself.
    let slabs = base.extents().map(|extent| extent.offset());
    let first = slabs.min().unwrap();
    let mut header = [0; 8];
    medium.read(first, &mut header).unwrap();
    assert_eq!(header[4..], 62u32.to_le_bytes());
    medium.write(first, &0u32.to_le_bytes()).unwrap();
    let error = read(&medium, &entry.unwrap(), 1).unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
}
