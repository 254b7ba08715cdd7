//! The caller's part of a kernel: WGSL in place of one of the kernel's files, with the buffers that
//! it binds in group 1.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as Polling, Poll, Waker};

use crate::base::error::{Error, Result};
use crate::device::buffers::Slot;
use crate::device::kernel::{Code, File, current};
use crate::device::namespace::prefixed;
use crate::device::tuning;

/// The caller's part of the kernels of a frame that have a certain file.
#[derive(Clone, Copy)]
pub(crate) struct Guest<'a> {
    /// The name of the file that is replaced.
    pub replaces: &'static str,
    /// The file in its place, which calls the caller's functions.
    pub by: File,
    /// The slot that only the replaced file binds.
    pub without: &'static Slot,
    /// The name that the caller's text takes from this crate's.
    pub shared: &'static str,
    /// The caller's text.
    pub text: &'a Arc<str>,
    /// The caller's buffers, by their bindings in group 1.
    pub buffers: &'a [(u32, wgpu::Buffer)],
    /// The reason given if this crate's text does not fit the caller's.
    pub expected: &'static str,
}

/// An error in a shader: its line in the whole text, and its description.
pub(crate) type Fault = (Option<usize>, String);

impl Guest<'_> {
    /// Returns `true` if the kernel has the caller's part.
    pub fn is_in(&self, code: &Code) -> bool {
        code.slots
            .iter()
            .flat_map(|slots| slots.iter())
            .any(|at| std::ptr::eq(at.slot, self.without))
    }

    /// Returns the text of a kernel. The caller's part comes first, so that its lines are counted
    /// as the caller counts them; this crate's names begin with a prefix.
    pub fn source(&self, code: &Code, subgroups: bool) -> String {
        let files = code.source.list(subgroups).into_iter();
        let files = files.map(|file| if file.0 == self.replaces { self.by } else { file });
        let own: String = files.map(current).collect();
        let own = prefixed(&tuning::apply(code.entry, own.into()), self.shared);
        format!("{}\n{own}", self.text)
    }

    /// Returns `true` if the text declares bindings.
    pub fn binds(&self) -> bool {
        self.text.lines().any(|line| bound(line).is_some())
    }

    /// Checks that all bindings are in group 1.
    ///
    /// # Errors
    /// With the line of the first that is not.
    pub fn expect_groups(&self) -> Result<()> {
        let is_other = |line: &str| bound(line).is_some_and(|group| group != "1" && group != "1u");
        match self.text.lines().position(is_other) {
            None => Ok(()),
            Some(place) => Err(Error::InvalidVisitor {
                line: Some(place + 1),
                reason: "the group of a binding is not 1: declare it as `@group(1)`".to_owned(),
            }),
        }
    }

    /// Returns the error of a kernel with this part, given that of the device and the fault of the
    /// shader. It blames the caller's text, unless the device has failed.
    pub fn blamed(&self, error: Error, fault: Option<Fault>) -> Error {
        let Error::Gpu { reason, .. } = error else {
            return error;
        };
        let (line, reason) = fault.unwrap_or((None, reason));
        match line {
            Some(line) if line > self.text.lines().count() => Error::InvalidVisitor {
                line: None,
                reason: format!("{reason}: {}", self.expected),
            },
            line => Error::InvalidVisitor { line, reason },
        }
    }
}

/// Returns the group of the binding that a line declares, if it does.
fn bound(line: &str) -> Option<&str> {
    let (code, _) = line.split_once("//").unwrap_or((line, ""));
    let (_, after) = code.split_once("@group")?;
    let (group, _) = after.trim_start().strip_prefix('(')?.split_once(')')?;
    Some(group.trim_matches([' ', ',']))
}

/// Returns the first error in a shader, if it is known already, as it is except in browsers.
pub(crate) fn fault_of(module: &wgpu::ShaderModule) -> Option<Fault> {
    let info = pin!(module.get_compilation_info());
    let Poll::Ready(info) = info.poll(&mut Polling::from_waker(Waker::noop())) else {
        return None;
    };
    let is_error = |message: &wgpu::CompilationMessage| message.message_type == wgpu::CompilationMessageType::Error;
    let message = info.messages.into_iter().find(is_error)?;
    let line = message.location.map(|location| location.line_number as usize);
    Some((line, summary(&message.message)))
}

/// Returns the first line of a message with its colons and causes, without the quoted source.
fn summary(message: &str) -> String {
    let lines = message.lines().map(str::trim).take_while(|line| !line.starts_with('┌'));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}
