//! Available memory on Linux: the minimum of what the machine, the control groups and the address
//! space allow.

use std::fs::read_to_string;
use std::path::{Component, Path, PathBuf};

/// Returns the bytes available to this process.
pub(super) fn available() -> Option<u64> {
    let meminfo = read_to_string("/proc/meminfo").ok()?;
    let swap = kilobytes(&meminfo, "SwapFree:").unwrap_or(0);
    let machine = kilobytes(&meminfo, "MemAvailable:").map(|memory| memory.saturating_add(swap));
    let groups = read_to_string("/proc/self/cgroup").ok();
    let groups = groups.and_then(|groups| of_groups(&groups, Path::new("/sys/fs/cgroup"), swap));
    [machine, groups, addresses()].into_iter().flatten().min()
}

/// Returns the bytes that remain under a limit on the address space, if there is one.
pub(super) fn addresses() -> Option<u64> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    of_addresses(&limits, &read_to_string("/proc/self/status").ok()?)
}

/// Returns the bytes of memory that this process occupies, without pages of files.
pub(super) fn resident() -> Option<u64> {
    kilobytes(&read_to_string("/proc/self/status").ok()?, "RssAnon:")
}

/// Returns the value of a line of `/proc/meminfo` or `/proc/self/status` in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

/// Returns the bytes that remain under a limit on the address space (`ulimit -v`).
fn of_addresses(limits: &str, status: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(kilobytes(status, "VmSize:")?))
}

/// Returns the bytes that remain in this process's control groups, given `/proc/self/cgroup` and
/// the mount point of the groups.
fn of_groups(groups: &str, mount: &Path, swap: u64) -> Option<u64> {
    let own = |line: &str| {
        let mut fields = line.splitn(3, ':');
        let (number, controllers, group) = (fields.next()?, fields.next()?, fields.next()?);
        if controllers.split(',').any(|name| name == "memory") {
            Some(least(&mount.join("memory"), group, |folder| of_group_v1(folder, swap)))
        } else if number == "0" && controllers.is_empty() {
            Some(least(mount, group, |folder| of_group_v2(folder, swap)))
        } else {
            None
        }
    };
    groups.lines().filter_map(own).flatten().min()
}

/// Returns the minimum of the bytes that remain in a group and its parents. In a container, the
/// path may be the outside one, which does not exist; then the mount point is the group.
fn least(mount: &Path, group: &str, of_group: impl Fn(&Path) -> Option<u64>) -> Option<u64> {
    let group: PathBuf = Path::new(group)
        .components()
        .filter(|part| *part != Component::RootDir)
        .collect();
    let folder = mount.join(&group);
    let is_there = folder.is_dir() && !group.components().any(|part| part == Component::ParentDir);
    let folder = if is_there { folder.as_path() } else { mount };
    folder
        .ancestors()
        .take_while(|folder| folder.starts_with(mount))
        .filter_map(of_group)
        .min()
}

fn of_group_v2(folder: &Path, swap: u64) -> Option<u64> {
    let used = number(folder, "memory.current")?;
    let stat = read_to_string(folder.join("memory.stat")).ok()?;
    let cache = sum(&stat, &["inactive_file", "active_file", "slab_reclaimable"]);
    let left = number(folder, "memory.max")?.saturating_sub(used.saturating_sub(cache));
    let swap_left = match number(folder, "memory.swap.max") {
        Some(most) => most.saturating_sub(number(folder, "memory.swap.current").unwrap_or(0)),
        None => u64::MAX,
    };
    Some(left.saturating_add(swap.min(swap_left)))
}

fn of_group_v1(folder: &Path, swap: u64) -> Option<u64> {
    let used = number(folder, "memory.usage_in_bytes")?;
    let stat = read_to_string(folder.join("memory.stat")).ok()?;
    let cache = sum(&stat, &["total_inactive_file", "total_active_file"]);
    let left = number(folder, "memory.limit_in_bytes")?.saturating_sub(used.saturating_sub(cache));
    Some(left.saturating_add(swap))
}

/// Returns the number in a file; `None` if there is no file or it says "max".
fn number(folder: &Path, file: &str) -> Option<u64> {
    read_to_string(folder.join(file)).ok()?.trim().parse().ok()
}

/// Returns the sum of some lines of `memory.stat`.
fn sum(stat: &str, names: &[&str]) -> u64 {
    stat.lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|(name, _)| names.contains(name))
        .filter_map(|(_, value)| value.trim().parse::<u64>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_reports_its_memory() {
        let meminfo = "MemTotal:       16000000 kB\nMemAvailable:    8000000 kB\nSwapFree:           4 kB\n";
        assert_eq!(kilobytes(meminfo, "MemAvailable:"), Some(8_192_000_000));
        assert_eq!(kilobytes(meminfo, "SwapFree:"), Some(4096));
        assert_eq!(kilobytes(meminfo, "HighFree:"), None);
        assert!(available().is_some());
    }

    #[test]
    fn address_spaces() {
        let limits =
            |most: &str| format!("Limit  Soft Limit  Hard Limit  Units\nMax address space  {most}  unlimited  bytes\n");
        let status = "Name:\ttest\nVmPeak:\t  900 kB\nVmSize:\t  800 kB\n";
        assert_eq!(of_addresses(&limits("1048576"), status), Some(1_048_576 - 800 * 1024));
        assert_eq!(of_addresses(&limits("1000"), status), Some(0));
        assert_eq!(of_addresses(&limits("unlimited"), status), None);
    }

    /// Creates a folder of control groups from files by path.
    fn mount(files: &[(&str, &str)]) -> tempfile::TempDir {
        let mount = tempfile::tempdir().expect("a temporary folder");
        for (path, content) in files {
            let path = mount.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, content).expect("a file");
        }
        mount
    }

    #[test]
    fn groups_of_version_2() {
        let stat = "anon 600\nfile 900\ninactive_file 100\nactive_file 150\nslab_reclaimable 50\n";
        let mount = mount(&[
            ("pods/memory.max", "5000\n"),
            ("pods/memory.current", "4500\n"),
            ("pods/memory.stat", stat),
            ("pods/one/memory.max", "2000\n"),
            ("pods/one/memory.current", "1400\n"),
            ("pods/one/memory.stat", stat),
            ("pods/one/memory.swap.max", "70\n"),
            ("pods/one/memory.swap.current", "30\n"),
            ("pods/two/memory.max", "max\n"),
            ("pods/two/memory.current", "1\n"),
            ("pods/two/memory.stat", stat),
        ]);
        for (group, swap, left) in [
            // 5,000 minus the 4,200 that cannot be reclaimed, which all share; the first group
            // itself has 900.
            ("/pods/one", 0, Some(800)),
            ("/pods/one", 20, Some(820)),
            ("/pods/one", 1000, Some(940)),
            ("/pods/two", 0, Some(800)),
            ("/", 0, None),
            ("/elsewhere/unseen", 0, None),
            ("/pods/../pods/one", 0, None),
        ] {
            assert_eq!(
                of_groups(&format!("0::{group}\n"), mount.path(), swap),
                left,
                "{group}, swap {swap}"
            );
        }
        // In a container, the group itself is mounted.
        let inside = mount.path().join("pods/one");
        assert_eq!(of_groups("0::/docker/abc\n", &inside, 0), Some(900));
    }

    #[test]
    fn groups_of_version_1() {
        let mount = mount(&[
            ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("memory/memory.usage_in_bytes", "9000\n"),
            ("memory/memory.stat", "total_inactive_file 1\n"),
            ("memory/jobs/memory.limit_in_bytes", "4000\n"),
            ("memory/jobs/memory.usage_in_bytes", "3000\n"),
            (
                "memory/jobs/memory.stat",
                "inactive_file 7\ntotal_inactive_file 500\ntotal_active_file 25\n",
            ),
        ]);
        let of = |groups: &str| of_groups(groups, mount.path(), 0);
        assert_eq!(of("3:cpu,memory:/jobs\n2:cpu:/\n0::/\n"), Some(1525));
        assert_eq!(of("4:memory:/gone\n"), Some(9_223_372_036_854_771_712 - 8999));
        assert_eq!(of("4:cpu:/jobs\n"), None);
    }
}
