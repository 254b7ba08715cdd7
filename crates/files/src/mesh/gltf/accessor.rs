//! Elements of buffers: positions, transforms, weights, and vertex and joint indices.

use std::borrow::Cow;

use crate::mesh::gltf::document::{Document, Sparse, get};

/// The largest number of elements without bytes, which are zeros.
const MOST_ZEROS: u64 = 1 << 20;

/// The number of components of an element.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Width {
    Scalar = 1,
    Vec3 = 3,
    Vec4 = 4,
    Mat4 = 16,
}

impl Width {
    /// Returns the name of the type, and `true` if the component type is allowed for it.
    fn of(self, component: Component, normalized: bool) -> (&'static str, bool) {
        match self {
            Self::Scalar => ("SCALAR", component.is_index() && !normalized),
            Self::Vec3 => ("VEC3", component != Component::U32),
            Self::Vec4 => ("VEC4", component != Component::U32),
            Self::Mat4 => ("MAT4", component == Component::F32),
        }
    }
}

/// The type of a component.
#[derive(Clone, Copy, PartialEq)]
enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn of(number: u32) -> Result<Self, String> {
        Ok(match number {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return Err(format!("names the component type {number}, which glTF does not know")),
        })
    }

    fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    fn is_index(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32)
    }

    /// Returns the number at the beginning of some bytes.
    fn number(self, bytes: &[u8]) -> f64 {
        let mut all = [0; 4];
        all[..self.bytes()].copy_from_slice(&bytes[..self.bytes()]);
        let word = u32::from_le_bytes(all);
        match self {
            Self::I8 => f64::from(word as i8),
            Self::I16 => f64::from(word as i16),
            Self::U8 | Self::U16 | Self::U32 => f64::from(word),
            Self::F32 => f64::from(f32::from_bits(word)),
        }
    }

    /// Returns the integer that stands for 1 if numbers are normalized.
    fn one(self) -> Option<f64> {
        match self {
            Self::I8 => Some(127.0),
            Self::U8 => Some(255.0),
            Self::I16 => Some(32767.0),
            Self::U16 => Some(65535.0),
            Self::U32 | Self::F32 => None,
        }
    }
}

/// Elements at a constant stride.
#[derive(Clone, Copy)]
struct Strided<'a> {
    bytes: &'a [u8],
    stride: usize,
}

impl<'a> Strided<'a> {
    fn get(&self, number: u64) -> &'a [u8] {
        &self.bytes[number as usize * self.stride..]
    }
}

/// The elements of an accessor.
pub(super) struct Values<'a> {
    pub count: u64,
    component: Component,
    normalized: bool,
    /// `None` if all are zero.
    base: Option<Strided<'a>>,
    sparse: Option<Replaced<'a>>,
}

/// Sparse elements, which replace others.
struct Replaced<'a> {
    count: u64,
    component: Component,
    /// Ascending.
    indices: Strided<'a>,
    values: Strided<'a>,
}

impl Replaced<'_> {
    fn index(&self, number: u64) -> u64 {
        self.component.number(self.indices.get(number)) as u64
    }

    /// Returns the number of sparse elements before an element.
    fn before(&self, element: u64) -> u64 {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            match self.index(middle) < element {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}

/// The location of elements.
struct Span {
    view: usize,
    offset: u64,
    count: u64,
    bytes: usize,
    /// `true` if the view's stride applies.
    strided: bool,
}

/// The accessors of a file with all its bytes.
#[derive(Clone, Copy)]
pub(super) struct Accessors<'a> {
    pub document: &'a Document<'a>,
    pub buffers: &'a [Cow<'a, [u8]>],
}

impl<'a> Accessors<'a> {
    /// Returns the number of elements that an accessor announces.
    pub fn count(self, number: usize) -> Result<u64, String> {
        Ok(get(&self.document.accessors, number, "accessor")?.count)
    }

    /// Returns the elements of an accessor by its number, after checking that all of them are in
    /// the buffer.
    pub fn values(self, number: usize, width: Width) -> Result<Values<'a>, String> {
        let accessor = get(&self.document.accessors, number, "accessor")?;
        let about = |words: String| format!("uses accessor {number}, which {words}");
        let component = Component::of(accessor.component_type).map_err(about)?;
        let (kind, fits) = width.of(component, accessor.normalized);
        if accessor.kind != kind || !fits || (accessor.normalized && component.one().is_none()) {
            return Err(about(format!("is not of the type that is needed, {kind}")));
        }
        let bytes = component.bytes() * width as usize;
        let base = accessor.buffer_view.map(|view| {
            let span = Span {
                view,
                offset: accessor.byte_offset,
                count: accessor.count,
                bytes,
                strided: true,
            };
            span.resolve(self)
        });
        if base.is_none() && accessor.count > MOST_ZEROS {
            return Err(about(format!("announces {} elements without bytes", accessor.count)));
        }
        let sparse = accessor.sparse.as_ref();
        let sparse = sparse.map(|sparse| self.replaced(sparse, bytes, accessor.count));
        Ok(Values {
            count: accessor.count,
            component,
            normalized: accessor.normalized,
            base: base.transpose().map_err(about)?,
            sparse: sparse.transpose().map_err(about)?,
        })
    }

    /// Returns the sparse elements, of `bytes` bytes each, that replace some of `elements`
    /// elements.
    fn replaced(self, sparse: &Sparse, bytes: usize, elements: u64) -> Result<Replaced<'a>, String> {
        let component = Component::of(sparse.indices.component_type)?;
        if !component.is_index() {
            return Err("has sparse indices that are not whole".to_owned());
        }
        let strided = |view, offset, bytes| {
            let span = Span {
                view,
                offset,
                count: sparse.count,
                bytes,
                strided: false,
            };
            span.resolve(self)
        };
        let replaced = Replaced {
            count: sparse.count,
            component,
            indices: strided(
                sparse.indices.buffer_view,
                sparse.indices.byte_offset,
                component.bytes(),
            )?,
            values: strided(sparse.values.buffer_view, sparse.values.byte_offset, bytes)?,
        };
        let ascend = (1..sparse.count).all(|k| replaced.index(k - 1) < replaced.index(k));
        let fit = sparse.count == 0 || replaced.index(sparse.count - 1) < elements;
        match ascend && fit {
            true => Ok(replaced),
            false => Err("has sparse indices that do not ascend, or are out of range".to_owned()),
        }
    }
}

impl<'a> Values<'a> {
    /// Returns the bytes of an element, possibly followed by others; `None` if it is zero.
    fn bytes(&self, number: u64) -> Option<&'a [u8]> {
        if let Some(sparse) = &self.sparse {
            let place = sparse.before(number);
            if place < sparse.count && sparse.index(place) == number {
                return Some(sparse.values.get(place));
            }
        }
        self.base.map(|base| base.get(number))
    }

    /// Returns a vertex index.
    pub fn index(&self, number: u64) -> u64 {
        self.bytes(number)
            .map_or(0, |bytes| self.component.number(bytes) as u64)
    }

    /// Returns `true` if elements are indices or counts.
    pub fn are_whole(&self) -> bool {
        self.component.is_index() && !self.normalized
    }

    /// Returns the first `N` components of an element.
    pub fn numbers<const N: usize>(&self, number: u64) -> [f64; N] {
        let Some(bytes) = self.bytes(number) else {
            return [0.0; N];
        };
        let step = self.component.bytes();
        std::array::from_fn(|k| {
            let number = self.component.number(&bytes[k * step..]);
            match self.component.one() {
                Some(one) if self.normalized => (number / one).max(-1.0),
                _ => number,
            }
        })
    }
}

impl Span {
    /// Returns the elements, after checking that all lie in the buffer.
    fn resolve(self, accessors: Accessors<'_>) -> Result<Strided<'_>, String> {
        let number = self.view;
        let view = get(&accessors.document.buffer_views, number, "buffer view")?;
        let buffer = get(accessors.buffers, view.buffer, "buffer")?;
        let end = view.byte_offset.checked_add(view.byte_length);
        let range = end.filter(|&end| end <= buffer.len() as u64);
        let range = range.map(|end| view.byte_offset as usize..end as usize);
        let Some(bytes) = range.and_then(|range| buffer.get(range)) else {
            return Err(format!(
                "needs buffer view {number}, which does not fit into its buffer"
            ));
        };
        let stride = match view.byte_stride.filter(|_| self.strided) {
            Some(stride) if stride < self.bytes as u64 => {
                return Err(format!(
                    "needs buffer view {number}, whose stride of {stride} bytes is too small"
                ));
            }
            Some(stride) => stride,
            None => self.bytes as u64,
        };
        let needed = match self.count.checked_sub(1) {
            Some(last) => u128::from(last) * u128::from(stride) + self.bytes as u128 + u128::from(self.offset),
            None => 0,
        };
        match needed <= bytes.len() as u128 {
            // If no bytes are needed, the offset may be anything.
            true => Ok(Strided {
                bytes: bytes.get(self.offset as usize..).unwrap_or_default(),
                stride: stride as usize,
            }),
            false => Err(format!(
                "has {} elements, which need {needed} bytes of buffer view {number}, but there are {}",
                self.count,
                bytes.len()
            )),
        }
    }
}
