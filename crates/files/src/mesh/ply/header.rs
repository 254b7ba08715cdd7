//! The header of a PLY file.

use crate::error::Result;
use crate::mesh::input::{Input, parse, shown, words};

/// The encoding of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn of(name: &[u8]) -> Result<Self, String> {
        Ok(match name {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            other => return Err(format!("has {}, which is not a PLY type", shown(other))),
        })
    }

    pub fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Returns `true` if it is an integer type.
    fn is_whole(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }
}

/// A number, or a list of numbers after its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Scalar(Scalar),
    List { count: Scalar, item: Scalar },
}

/// The purpose for which a property is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Role {
    /// The coordinate of a vertex along this axis.
    Coordinate(usize),
    /// The vertices of a face.
    Corners,
    /// Nothing.
    None,
}

pub(super) struct Property {
    pub role: Role,
    pub kind: Kind,
}

/// A table: `count` rows of these properties.
pub(super) struct Element {
    /// The name; `other` for elements that are not read.
    pub name: &'static str,
    pub count: u64,
    pub properties: Vec<Property>,
}

impl Element {
    fn has(&self, role: Role) -> bool {
        self.properties.iter().any(|property| property.role == role)
    }

    /// Returns `true` if its rows are vertices.
    pub fn has_coordinates(&self) -> bool {
        self.has(Role::Coordinate(0))
    }

    fn add(&mut self, kind: Kind, name: &[u8]) -> Result<(), String> {
        let role = match (self.name, name) {
            ("vertex", b"x") => Role::Coordinate(0),
            ("vertex", b"y") => Role::Coordinate(1),
            ("vertex", b"z") => Role::Coordinate(2),
            ("face", b"vertex_indices" | b"vertex_index") => Role::Corners,
            _ => Role::None,
        };
        let fits = match (role, kind) {
            (Role::None | Role::Coordinate(_), Kind::Scalar(_)) => true,
            (Role::None, Kind::List { count, .. }) => count.is_whole(),
            (Role::Corners, Kind::List { count, item }) => count.is_whole() && item.is_whole(),
            _ => false,
        };
        if !fits {
            return Err(format!("gives {} a type that it cannot have", shown(name)));
        }
        if role != Role::None && self.has(role) {
            return Err(format!("has {} a second time", shown(name)));
        }
        self.properties.push(Property { role, kind });
        Ok(())
    }

    /// Returns the required properties that it lacks.
    fn lacks(&self) -> Option<&'static str> {
        let coordinates = (0..3).all(|axis| self.has(Role::Coordinate(axis)));
        match self.name {
            _ if self.count == 0 => None,
            "vertex" if !coordinates => Some("properties x, y and z"),
            "face" if !self.has(Role::Corners) => Some("a property vertex_indices"),
            "tristrips" => Some("faces (strips are not read)"),
            _ => None,
        }
    }
}

pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
}

impl Header {
    /// Reads the header, up to the end of its last line.
    pub fn read(input: &mut Input) -> Result<Self> {
        let mut text = Vec::new();
        let mut encoding = None;
        let mut elements = Vec::new();
        loop {
            text.clear();
            let there = input.next_line(&mut text)?;
            if input.line() == 1 {
                // Otherwise bytes that begin with LF would lose it to a header whose lines end with
                // CR.
                input.keep_line_ends();
            }
            if input.line() <= 1 && text.trim_ascii() != b"ply" {
                return Err(input.problem("is not a PLY file, which begins with a line `ply`: export it again"));
            }
            if !there {
                return Err(input.problem("is cut short in its header, which lacks end_header: export it again"));
            }
            let line = input.line();
            let ended = match line {
                1 => Ok(false),
                _ => follow(&text, &mut encoding, &mut elements),
            };
            if ended.map_err(|words| input.problem_in(line, words))? {
                break;
            }
        }
        let Some(encoding) = encoding else {
            return Err(input.problem("has no line `format` in its header: export it again"));
        };
        let lacking = elements.iter().find_map(|element| Some((element, element.lacks()?)));
        match lacking {
            Some((element, what)) => Err(input.problem(format!(
                "has elements {} that lack {what}: export it again",
                element.name
            ))),
            None => Ok(Self { encoding, elements }),
        }
    }
}

/// Parses a line of the header. Returns `true` if it is the last.
fn follow(text: &[u8], encoding: &mut Option<Encoding>, elements: &mut Vec<Element>) -> Result<bool, String> {
    let all: Vec<&[u8]> = words(text).take(6).collect();
    match all[..] {
        [] | [b"comment" | b"obj_info", ..] => {}
        [b"end_header"] => return Ok(true),
        [b"format", name, b"1.0"] => {
            *encoding = Some(match name {
                b"ascii" => Encoding::Text,
                b"binary_little_endian" => Encoding::LittleEndian,
                b"binary_big_endian" => Encoding::BigEndian,
                other => return Err(format!("has {}, which is not a PLY format", shown(other))),
            });
        }
        [b"element", name, count] => {
            let name = match name {
                b"vertex" => "vertex",
                b"face" => "face",
                b"edge" => "edge",
                b"tristrips" => "tristrips",
                _ => "other",
            };
            if name != "other" && elements.iter().any(|element| element.name == name) {
                return Err(format!("has elements {name} a second time"));
            }
            elements.push(Element {
                name,
                count: parse(count).ok_or_else(|| format!("has {} instead of a count", shown(count)))?,
                properties: Vec::new(),
            });
        }
        [b"property", ref rest @ ..] => {
            let (kind, name) = match rest {
                [b"list", count, item, name] => (
                    Kind::List {
                        count: Scalar::of(count)?,
                        item: Scalar::of(item)?,
                    },
                    name,
                ),
                [kind, name] => (Kind::Scalar(Scalar::of(kind)?), name),
                _ => return Err("is not a valid PLY property".to_owned()),
            };
            let element = elements.last_mut();
            element.ok_or("has a property before any element")?.add(kind, name)?;
        }
        [first, ..] => {
            return Err(format!(
                "begins with {}, which is not a keyword of a PLY header",
                shown(first)
            ));
        }
    }
    Ok(false)
}
