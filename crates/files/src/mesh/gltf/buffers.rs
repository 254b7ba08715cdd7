//! The bytes of a glTF file: in GLB, as base64, and in files next to it.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use crate::error::Result;
use crate::mesh::gltf::document::Buffer;
use crate::mesh::input::{Input, without_mark};
use obbligato_support::{excerpt::excerpt, memory};

/// Label for out-of-memory errors.
const WHAT: &str = "the buffers of a glTF file";

/// Base64 with padding or without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The parts of a file.
pub(super) struct Chunks<'a> {
    pub json: &'a [u8],
    pub binary: Option<&'a [u8]>,
    /// The number of bytes after the announced end.
    pub trailing: u64,
}

impl<'a> Chunks<'a> {
    /// Splits a GLB into its chunks; any other file is all JSON.
    pub fn of(bytes: &'a [u8]) -> Result<Self, String> {
        if !bytes.starts_with(b"glTF") {
            return Ok(Self {
                json: without_mark(bytes),
                binary: None,
                trailing: 0,
            });
        }
        let word = |at: usize| {
            let word = bytes.get(at..at + 4)?.try_into().ok()?;
            Some(u32::from_le_bytes(word))
        };
        let (Some(version), Some(length)) = (word(4), word(8)) else {
            return Err("is cut short in its header: export it again".to_owned());
        };
        if version != 2 {
            return Err(format!(
                "is GLB of version {version}, but only version 2 is read: export it again"
            ));
        }
        let there = bytes.len();
        let Some(bytes) = bytes.get(..length as usize) else {
            return Err(format!(
                "announces {length} bytes (at byte 8), but has {there}: export it again"
            ));
        };
        let mut chunks = Vec::new();
        let mut at = 12;
        // The third chunk and those after it belong to extensions.
        while at < bytes.len() && chunks.len() < 2 {
            let chunk = word(at).zip(word(at + 4)).and_then(|(length, kind)| {
                let begin = at + 8;
                let end = begin.checked_add(length as usize)?;
                Some((kind, bytes.get(begin..end)?, end))
            });
            let Some((kind, content, end)) = chunk else {
                return Err(format!("has a chunk at byte {at} that is cut short: export it again"));
            };
            chunks.push((kind.to_le_bytes(), content));
            at = end;
        }
        match chunks[..] {
            [(kind, json), ref rest @ ..] if kind == *b"JSON" => Ok(Self {
                // Some programs pad with zeros instead of blanks.
                json: trim_zeros(json),
                binary: rest
                    .first()
                    .filter(|(kind, _)| kind == b"BIN\0")
                    .map(|(_, bytes)| *bytes),
                trailing: (there - bytes.len()) as u64,
            }),
            _ => Err("has no JSON chunk at byte 12: export it again".to_owned()),
        }
    }
}

fn trim_zeros(mut bytes: &[u8]) -> &[u8] {
    while let Some(rest) = bytes.strip_suffix(&[0]) {
        bytes = rest;
    }
    bytes
}

/// Returns the bytes of each buffer: as many as it announces, without any that follow.
pub(super) fn load<'a>(buffers: &[Buffer], binary: Option<&'a [u8]>, input: &Input) -> Result<Vec<Cow<'a, [u8]>>> {
    let mut loaded = Vec::new();
    for (number, buffer) in buffers.iter().enumerate() {
        let about = |words: String| input.problem(format!("buffer {number}, from 0, {words}: export it again"));
        let mut bytes = if let Some(data) = buffer.uri.strip_prefix("data:") {
            Cow::Owned(decode(data, about)?)
        } else if !buffer.uri.is_empty() && input.is_alone() {
            let uri = excerpt(&buffer.uri);
            return Err(input.problem(format!(
                "buffer {number}, from 0, is at {uri}, which is not in this file: export it as .glb"
            )));
        } else if !buffer.uri.is_empty() {
            let path = beside(input.path(), &buffer.uri).map_err(about)?;
            let mut bytes = Vec::new();
            Input::open_regular(&path)?.at_most(buffer.byte_length, &mut bytes)?;
            Cow::Owned(bytes)
        } else {
            let first = binary.filter(|_| number == 0);
            Cow::Borrowed(first.ok_or_else(|| about("has no bytes".to_owned()))?)
        };
        let there = bytes.len();
        let announced = usize::try_from(buffer.byte_length)
            .ok()
            .filter(|&announced| announced <= there);
        let Some(announced) = announced else {
            return Err(about(format!(
                "is cut short: it announces {} bytes, and has {there}",
                buffer.byte_length
            )));
        };
        match &mut bytes {
            Cow::Owned(bytes) => bytes.truncate(announced),
            Cow::Borrowed(bytes) => *bytes = &bytes[..announced],
        }
        loaded.push(bytes);
    }
    Ok(loaded)
}

/// The bytes of a `data:` URI without its beginning.
fn decode(data: &str, about: impl Fn(String) -> crate::error::Error) -> Result<Vec<u8>> {
    let Some((_, text)) = data.split_once(',').filter(|(kind, _)| kind.ends_with(";base64")) else {
        return Err(about("has data that is not base64".to_owned()));
    };
    let mut bytes = memory::zeroed(base64::decoded_len_estimate(text.len()), WHAT)?;
    let length = BASE64
        .decode_slice(text, &mut bytes)
        .map_err(|error| about(format!("has data that is not base64 ({error})")))?;
    bytes.truncate(length);
    Ok(bytes)
}

/// Returns the path of a file that is named relative to another, and is in its folder or below.
fn beside(path: &Path, uri: &str) -> Result<PathBuf, String> {
    let elsewhere = || format!("is at {}, not in a file beside this one", excerpt(uri));
    let name = percent_decode_str(uri).decode_utf8().map_err(|_| elsewhere())?;
    let scheme = uri.split('/').next().unwrap_or_default();
    if scheme.contains(':') {
        return Err(elsewhere());
    }
    // As in all URIs, `..` removes the preceding name, whatever it is on disk.
    let mut inside = PathBuf::new();
    for part in Path::new(&*name).components() {
        match part {
            Component::Normal(name) => inside.push(name),
            Component::CurDir => {}
            Component::ParentDir if inside.pop() => {}
            _ => return Err(elsewhere()),
        }
    }
    match inside.as_os_str().is_empty() {
        true => Err(elsewhere()),
        false => Ok(path.parent().unwrap_or(Path::new("")).join(inside)),
    }
}
