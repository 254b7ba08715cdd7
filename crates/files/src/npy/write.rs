//! Writes NPY files.

use std::io::{self, Write};

use crate::npy::{MAGIC, ROW_NUMBERS};
use crate::scene::Content;
use crate::scene_rows::form::{numbers_of, numbers_of_motion};
use obbligato::{Obb, Pair};

/// A number type that can be written.
pub(crate) trait Number: Copy {
    /// The name of the type in NPY, little-endian.
    const DESCR: &'static str;

    fn write(self, out: &mut dyn Write) -> io::Result<()>;
}

macro_rules! number {
    ($type:ty, $descr:literal) => {
        impl Number for $type {
            const DESCR: &'static str = $descr;

            fn write(self, out: &mut dyn Write) -> io::Result<()> {
                out.write_all(&self.to_le_bytes())
            }
        }
    };
}

number!(f32, "<f4");
number!(f64, "<f8");
number!(u32, "<u4");
number!(u64, "<u8");

/// Writes a scene without groups: ten numbers per row, or sixteen with motions, one for each box.
/// The numbers are `float64` if centers are.
pub(crate) fn write_scene(out: &mut dyn Write, content: &Content) -> io::Result<()> {
    let (boxes, motions) = (content.bodies.boxes, content.motions);
    if let Some(centers) = content.centers {
        write_header(out, f64::DESCR, &format!("({}, {})", boxes.len(), ROW_NUMBERS[0]))?;
        return boxes.iter().zip(centers).try_for_each(|(obb, center)| {
            let others = numbers_of(obb).into_iter().skip(3).map(f64::from);
            let mut numbers = center.to_array().into_iter().chain(others);
            numbers.try_for_each(|number| number.write(out))
        });
    }
    let columns = ROW_NUMBERS[usize::from(!motions.is_empty())];
    write_header(out, f32::DESCR, &format!("({}, {columns})", boxes.len()))?;
    boxes.iter().enumerate().try_for_each(|(row, obb)| {
        let motion = motions.get(row).map(numbers_of_motion);
        let motion = motion.into_iter().flatten().take(columns - ROW_NUMBERS[0]);
        numbers_of(obb)
            .into_iter()
            .chain(motion)
            .try_for_each(|number| number.write(out))
    })
}

/// Begins an array of `count` boxes.
pub(crate) fn begin_boxes(out: &mut dyn Write, count: usize) -> io::Result<()> {
    write_header(out, f32::DESCR, &format!("({count}, {})", ROW_NUMBERS[0]))
}

/// Writes more boxes to an array that has begun.
pub(crate) fn write_more_boxes(out: &mut dyn Write, boxes: &[Obb]) -> io::Result<()> {
    let mut numbers = boxes.iter().flat_map(numbers_of);
    numbers.try_for_each(|number| number.write(out))
}

/// Writes pairs as an array of shape (P, 2), with the number of each box if `numbers` are given.
pub(crate) fn write_pairs(out: &mut dyn Write, numbers: [Option<&[u32]>; 2], pairs: &[Pair]) -> io::Result<()> {
    begin_pairs(out, pairs.len() as u64)?;
    write_more_pairs(out, numbers, pairs)
}

/// Begins an array of `count` pairs.
pub(crate) fn begin_pairs(out: &mut dyn Write, count: u64) -> io::Result<()> {
    write_header(out, u32::DESCR, &format!("({count}, 2)"))
}

/// Writes more pairs to an array that has begun.
pub(crate) fn write_more_pairs(out: &mut dyn Write, numbers: [Option<&[u32]>; 2], pairs: &[Pair]) -> io::Result<()> {
    let number =
        |numbers: Option<&[u32]>, position: u32| numbers.map_or(position, |numbers| numbers[position as usize]);
    pairs.iter().try_for_each(|pair| {
        number(numbers[0], pair.a).write(out)?;
        number(numbers[1], pair.b).write(out)
    })
}

/// Writes an array of one dimension.
pub(crate) fn write_numbers<T: Number>(out: &mut dyn Write, numbers: &[T]) -> io::Result<()> {
    write_header(out, T::DESCR, &format!("({},)", numbers.len()))?;
    numbers.iter().try_for_each(|number| number.write(out))
}

/// Writes a version 1 header, padded so that the data begins at a multiple of 64 bytes.
fn write_header(out: &mut dyn Write, descr: &str, shape: &str) -> io::Result<()> {
    const BEFORE_TEXT: usize = 10;
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let end = (BEFORE_TEXT + text.len() + 1).next_multiple_of(64);
    let length = end - BEFORE_TEXT;
    out.write_all(MAGIC)?;
    out.write_all(&[1, 0])?;
    out.write_all(&(length as u16).to_le_bytes())?;
    writeln!(out, "{text:<0$}", length - 1)
}
