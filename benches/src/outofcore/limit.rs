//! Limits of memory: a control group where one can be made, else what a process
//! can ask for itself.

use std::path::{Path, PathBuf};

use rustix::process::{Resource, Rlimit};

/// A limit for one process.
pub enum Limit {
    /// A control group below our own; memory and page cache count.
    Group(Group),
    /// No group could be made; only anonymous memory counts.
    Data(Option<u64>),
}

/// A control group of the first or second version, removed when dropped.
pub struct Group {
    path: PathBuf,
    version: Version,
    bytes: Option<u64>,
}

#[derive(Clone, Copy)]
enum Version {
    One,
    Two,
}

impl Limit {
    /// The best limit of so many bytes that this system permits; `None` only
    /// counts.
    pub fn new(bytes: Option<u64>) -> Self {
        match Group::new(bytes) {
            Some(group) => Limit::Group(group),
            None => Limit::Data(bytes),
        }
    }

    /// For people.
    pub fn describe(&self) -> String {
        match self {
            Limit::Group(Group {
                version,
                bytes: Some(_),
                ..
            }) => match version {
                Version::One => "cgroup v1, memory and page cache".to_string(),
                Version::Two => "cgroup v2, memory and page cache".to_string(),
            },
            Limit::Data(Some(_)) => {
                "RLIMIT_DATA, anonymous memory only; page cache is not limited".to_string()
            }
            Limit::Group(_) | Limit::Data(None) => "none".to_string(),
        }
    }

    /// For the process that is to be limited; it calls [`Limit::enter`].
    pub fn argument(&self) -> String {
        match self {
            Limit::Group(group) => format!("group:{}", group.path.display()),
            Limit::Data(Some(bytes)) => format!("data:{bytes}"),
            Limit::Data(None) => "none".to_string(),
        }
    }

    /// Puts this process under the limit that an argument says.
    pub fn enter(argument: &str) -> Result<(), String> {
        let shown = |error: &dyn std::fmt::Display| format!("limit {argument}: {error}");
        match argument.split_once(':') {
            Some(("group", path)) => {
                let path = Path::new(path).join("cgroup.procs");
                std::fs::write(path, "0").map_err(|error| shown(&error))
            }
            Some(("data", bytes)) => {
                let bytes: u64 = bytes.parse().map_err(|error| shown(&error))?;
                let limit = Rlimit {
                    current: Some(bytes),
                    maximum: Some(bytes),
                };
                rustix::process::setrlimit(Resource::Data, limit).map_err(|error| shown(&error))
            }
            _ => Ok(()),
        }
    }

    /// The most that was in use, if the system counts it.
    pub fn peak_bytes(&self) -> Option<u64> {
        let Limit::Group(group) = self else {
            return None;
        };
        let name = match group.version {
            Version::One => "memory.max_usage_in_bytes",
            Version::Two => "memory.peak",
        };
        let text = std::fs::read_to_string(group.path.join(name)).ok()?;
        text.trim().parse().ok()
    }
}

impl Group {
    fn new(bytes: Option<u64>) -> Option<Self> {
        let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
        own_groups(&groups).into_iter().find_map(|(own, version)| {
            let name = format!("evergraph-bench-{}", std::process::id());
            let path = own.join(name);
            std::fs::create_dir(&path).ok()?;
            let group = Group {
                path,
                version,
                bytes,
            };
            group.set().then_some(group)
        })
    }

    /// Whether the limit is in force.
    fn set(&self) -> bool {
        let write = |name: &str, value: &str| std::fs::write(self.path.join(name), value);
        let bytes = self.bytes.map(|bytes| bytes.to_string());
        match self.version {
            Version::One => {
                let value = bytes.as_deref().unwrap_or("-1");
                let set = write("memory.limit_in_bytes", value).is_ok();
                // Where swap is counted, it is no way out either.
                let _ = write("memory.memsw.limit_in_bytes", value);
                set
            }
            Version::Two => {
                let value = bytes.as_deref().unwrap_or("max");
                let _ = write("memory.swap.max", "0");
                write("memory.max", value).is_ok()
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Its process has ended; a group that is in use is only left over.
        let _ = std::fs::remove_dir(&self.path);
    }
}

/// The groups of this process that may count memory, as `/proc/self/cgroup`
/// names them.
fn own_groups(groups: &str) -> Vec<(PathBuf, Version)> {
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let below = |root: &str| Path::new(root).join(path.trim_start_matches('/'));
        if controllers.split(',').any(|name| name == "memory") {
            found.push((below("/sys/fs/cgroup/memory"), Version::One));
        } else if controllers.is_empty() {
            found.push((below("/sys/fs/cgroup"), Version::Two));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_groups_are_found() {
        let paths = |text: &str| -> Vec<String> {
            let groups = own_groups(text).into_iter();
            groups.map(|(path, _)| path.display().to_string()).collect()
        };
        let first = "9:name=systemd:/\n4:cpu,memory:/a/b\n0::/\n";
        assert_eq!(
            paths(first),
            ["/sys/fs/cgroup/memory/a/b", "/sys/fs/cgroup/"]
        );
        assert_eq!(paths("0::/user.slice\n"), ["/sys/fs/cgroup/user.slice"]);
        assert!(paths("").is_empty());
    }
}
