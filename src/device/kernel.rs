//! Compute kernels, declared as data.

use std::borrow::Cow;
use std::fs;
use std::ops::Range;

use crate::device::buffers::Slot;

/// A file in `shaders/`: its name and its text.
pub(crate) type File = (&'static str, &'static str);

/// Files in `shaders/`, by their names.
macro_rules! files {
    ($($file:literal),* $(,)?) => {
        &[$(($file, $crate::base::shader::code!($file))),*]
    };
}
pub(crate) use files;

/// The parts of a shader.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    /// Groups of files, so that stages can contribute files that several kernels share.
    pub files: [&'static [File]; 3],
    /// A part that exists in two forms.
    pub forms: Option<Forms>,
}

/// A part of a shader for adapters with subgroup operations, and an equivalent part for every
/// adapter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forms {
    pub subgroup: &'static [File],
    pub portable: &'static [File],
}

impl Source {
    /// Declares a shader of these files alone.
    pub const fn of(files: &'static [File]) -> Self {
        Self {
            files: [files, &[], &[]],
            forms: None,
        }
    }

    /// Declares a shader of these files that appends to lists, with one atomic operation per
    /// subgroup or workgroup.
    pub const fn appending(files: &'static [File]) -> Self {
        Self {
            forms: Some(Forms {
                subgroup: files!["shared/append.wgsl", "shared/append_subgroup.wgsl"],
                portable: files!["shared/append.wgsl", "shared/append_portable.wgsl"],
            }),
            ..Self::of(files)
        }
    }

    /// Adds more files after the first, for at most two groups of them.
    pub const fn and(self, more: &'static [File]) -> Self {
        Self {
            files: [self.files[0], more, self.files[1]],
            forms: self.forms,
        }
    }

    /// Returns all files of one form.
    pub fn list(&self, subgroups: bool) -> Vec<File> {
        let form = match (&self.forms, subgroups) {
            (None, _) => &[][..],
            (Some(forms), true) => forms.subgroup,
            (Some(forms), false) => forms.portable,
        };
        self.files.iter().copied().chain([form]).flatten().copied().collect()
    }

    /// Returns the text of one form.
    pub fn text(&self, subgroups: bool) -> String {
        self.list(subgroups).into_iter().map(current).collect()
    }
}

/// Returns a file's text as compiled in; with the feature `reload`, as it currently is in the
/// source tree, if available.
pub(super) fn current((name, text): File) -> Cow<'static, str> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/");
    match cfg!(feature = "reload").then(|| fs::read_to_string(format!("{path}{name}"))) {
        Some(Ok(now)) => Cow::Owned(now),
        _ => Cow::Borrowed(text),
    }
}

/// The position at which a shader binds a slot: at `binding`, and if the slot has several bindings,
/// at the following ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub binding: u32,
    pub slot: &'static Slot,
    /// The name in the shader.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test holds it against the shader"))]
    pub name: &'static str,
    /// Set if the kernel runs once for each used binding of the slot, and sees one of them at a
    /// time.
    pub streamed: bool,
}

impl At {
    /// Binds by the slot's own name.
    pub const fn new(binding: u32, slot: &'static Slot) -> Self {
        Self::named(binding, slot, slot.name)
    }

    /// Binds by another name.
    pub const fn named(binding: u32, slot: &'static Slot, name: &'static str) -> Self {
        Self {
            binding,
            slot,
            name,
            streamed: false,
        }
    }

    /// Binds one binding of the slot at a time.
    pub const fn streamed(binding: u32, slot: &'static Slot) -> Self {
        Self {
            streamed: true,
            ..Self::new(binding, slot)
        }
    }
}

/// An entry point of a shader, and its requirements.
#[derive(Debug)]
pub(crate) struct Code {
    pub entry: &'static str,
    /// The number of invocations of a workgroup.
    pub workgroup: u32,
    pub source: Source,
    /// The buffers it binds: its own, and those of a stage that contributes files.
    pub slots: [&'static [At]; 2],
    /// The names of its pipeline constants.
    pub overrides: &'static [&'static str],
}

/// A kernel: an entry point, and the number of workgroups for a piece of work.
#[derive(Debug)]
pub(crate) struct Kernel<W: 'static> {
    pub code: Code,
    pub size: Size<W>,
}

/// The size of a dispatch for the work `W`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Size<W: 'static> {
    /// One workgroup.
    One,
    /// One workgroup per item, or fewer that loop.
    Groups(fn(&W) -> u64),
    /// One invocation per item, or fewer that loop.
    Each(fn(&W) -> u64),
    /// Like [`Size::Each`], with at most as many workgroups as fill a GPU: if only the device knows
    /// the number of items, or if a workgroup should do much work before it communicates.
    Looping(fn(&W) -> u64),
    /// Like [`Size::Looping`], over a streamed slot: the range of its items, and the number in a
    /// full binding.
    Streamed(fn(&W) -> Range<u64>, fn(&W) -> u64),
    /// The number of workgroups that the device has computed: three numbers at this offset in the
    /// slot.
    Indirect(&'static Slot, u64),
}

#[test]
fn shaders_come_from_the_source_tree_only_with_reload() {
    let (name, own) = files!["shared/common.wgsl"][0];
    let expected = if cfg!(feature = "reload") {
        own
    } else {
        "as compiled in"
    };
    assert_eq!(current((name, "as compiled in")), expected);
    assert_eq!(current(("nowhere.wgsl", "as compiled in")), "as compiled in");
}
