//! The machine's NUMA nodes, and binding a thread to the CPUs of one.

use std::path::Path;
use std::sync::OnceLock;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Directory in which Linux describes the nodes.
const NODES: &str = "/sys/devices/system/node";

/// The CPUs of each NUMA node that has any. At least one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nodes {
    cpus: Vec<Vec<usize>>,
}

impl Nodes {
    /// Those of this machine, as far as the process may run on them. Looked up
    /// once.
    pub fn of_this_machine() -> &'static Nodes {
        static NODES_HERE: OnceLock<Nodes> = OnceLock::new();
        NODES_HERE.get_or_init(|| {
            let mut nodes = Nodes::in_directory(Path::new(NODES));
            if let Ok(allowed) = sched_getaffinity(None) {
                for cpus in &mut nodes.cpus {
                    cpus.retain(|&cpu| allowed.is_set(cpu));
                }
            }
            nodes.or_one()
        })
    }

    /// Those that a directory describes as Linux does, with a file `cpulist` in
    /// a folder `node<N>` for each. What cannot be read is left out.
    pub fn in_directory(root: &Path) -> Nodes {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix("node"));
            let Some(number) = number.and_then(|number| number.parse::<u32>().ok()) else {
                continue;
            };
            if let Ok(list) = std::fs::read_to_string(entry.path().join("cpulist")) {
                found.push((number, cpu_list(&list)));
            }
        }
        found.sort();
        let cpus = found.into_iter().map(|(_, cpus)| cpus).collect();
        Nodes { cpus }.or_one()
    }

    /// Without nodes that are memory only; one node of unknown CPUs if nothing
    /// is left.
    fn or_one(mut self) -> Self {
        self.cpus.retain(|cpus| !cpus.is_empty());
        if self.cpus.is_empty() {
            self.cpus.push(Vec::new());
        }
        self
    }

    /// Number of nodes.
    pub fn count(&self) -> usize {
        self.cpus.len()
    }

    /// CPUs of a node; none if they are not known.
    pub fn cpus(&self, node: usize) -> &[usize] {
        &self.cpus[node]
    }
}

/// Lets the calling thread run on these CPUs only. `false` if the system
/// refuses, or there are none.
pub fn bind_thread(cpus: &[usize]) -> bool {
    let mut set = CpuSet::new();
    for &cpu in cpus.iter().filter(|&&cpu| cpu < CpuSet::MAX_CPU) {
        set.set(cpu);
    }
    set.count() > 0 && sched_setaffinity(None, &set).is_ok()
}

/// CPUs that the calling thread may run on.
pub fn thread_cpus() -> Vec<usize> {
    let Ok(set) = sched_getaffinity(None) else {
        return Vec::new();
    };
    (0..CpuSet::MAX_CPU)
        .filter(|&cpu| set.is_set(cpu))
        .collect()
}

/// `0-3,8` and the like, ascending.
fn cpu_list(text: &str) -> Vec<usize> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) {
            cpus.extend(first..=last.min(CpuSet::MAX_CPU - 1));
        }
    }
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(nodes: &[(&str, &str)]) -> Nodes {
        let root = tempfile::tempdir().unwrap();
        for (name, list) in nodes {
            let folder = root.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("cpulist"), list).unwrap();
        }
        std::fs::write(root.path().join("online"), "0-9\n").unwrap();
        Nodes::in_directory(root.path())
    }

    #[test]
    fn nodes_are_read_as_linux_writes_them() {
        let nodes = described(&[
            ("node10", "6\n"),
            ("node2", "\n"),
            ("node0", "0-1,4\n"),
            ("node1", "2-3,5\n"),
            ("power", "7\n"),
        ]);
        assert_eq!(nodes.cpus, [vec![0, 1, 4], vec![2, 3, 5], vec![6]]);
    }

    #[test]
    fn what_makes_no_sense_is_left_out() {
        let nodes = described(&[("node0", "x,3-1,0-99999999999999999999\n"), ("nodex", "1")]);
        assert_eq!((nodes.count(), nodes.cpus(0)), (1, &[][..]));
        let huge = described(&[("node0", "1022-4000000000\n")]);
        assert_eq!(huge.cpus(0), [1022, 1023]);
        let missing = Nodes::in_directory(Path::new("/nonexistent"));
        assert_eq!(missing.count(), 1);
        assert!(!bind_thread(missing.cpus(0)));
    }

    #[test]
    fn threads_are_bound() {
        let here = Nodes::of_this_machine();
        assert!(here.count() >= 1);
        std::thread::spawn(|| {
            let one = *thread_cpus().last().expect("it runs somewhere");
            assert!(bind_thread(&[one]));
            assert_eq!(thread_cpus(), [one]);
        })
        .join()
        .unwrap();
    }
}
