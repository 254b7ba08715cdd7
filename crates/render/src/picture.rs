//! Pictures, and PNG.

use std::borrow::Borrow;

use crate::colours::BACKGROUND;
#[cfg(feature = "letters")]
use crate::colours::Rgb;
use crate::error::{Error, Result};
use obbligato_support::memory::{self, OutOfMemory};

/// Label for out-of-memory errors.
const WHAT: &str = "the PNG file";

/// A picture: rows from the top, each with four bytes per pixel from the left: red, green, blue
/// (sRGB) and 255.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture {
    /// The number of pixels in a row.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// `4 * width * height` bytes.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// The maximum number of pixels along a side.
    pub const MOST_PIXELS: u32 = 1 << 15;

    /// Returns an error unless a picture can have this size.
    pub(super) fn validate(size: [u32; 2]) -> Result<()> {
        let wrong = size.into_iter().find(|side| !(1..=Self::MOST_PIXELS).contains(side));
        let most = Self::MOST_PIXELS;
        wrong.map_or(Ok(()), |side| Err(Error::InvalidPicture { side, most }))
    }

    /// Returns an empty picture of a valid size.
    pub(super) fn blank([width, height]: [u32; 2]) -> Result<Self> {
        let bytes = width as usize * height as usize * 4;
        let mut pixels = memory::zeroed(bytes, "the picture")?;
        let [red, green, blue] = BACKGROUND;
        for pixel in pixels.chunks_exact_mut(4) {
            pixel.copy_from_slice(&[red, green, blue, u8::MAX]);
        }
        Ok(Self { width, height, pixels })
    }

    /// Blends a colour over a pixel, if it is in the picture.
    #[cfg(feature = "letters")]
    pub(super) fn blend(&mut self, x: u32, y: u32, colour: Rgb, alpha: u8) {
        if x >= self.width || y >= self.height {
            return;
        }
        let first = (y as usize * self.width as usize + x as usize) * 4;
        for (channel, colour) in self.pixels[first..first + 3].iter_mut().zip(colour) {
            let [under, over, alpha] = [*channel, colour, alpha].map(u32::from);
            *channel = ((under * (255 - alpha) + over * alpha + 127) / 255) as u8;
        }
    }

    /// Returns the picture as a PNG file.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory) if there is not enough memory for it.
    pub fn png(&self) -> Result<Vec<u8>> {
        encode(std::iter::once(Ok(self)), None)
    }

    /// Encodes pictures of one size as an animated PNG file, which repeats and shows each for
    /// `milliseconds` milliseconds. Programs without support for animations show the first. Each
    /// picture is taken from the iterator after the previous one is written.
    ///
    /// # Errors
    /// The first error among the pictures; [`Error::Unavailable`](obbligato::Error::Unavailable) if
    /// there are none, or if their sizes differ;
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory).
    pub fn animation(pictures: impl ExactSizeIterator<Item = Result<Self>>, milliseconds: u16) -> Result<Vec<u8>> {
        encode(pictures, Some(milliseconds))
    }
}

/// Encodes pictures of one size as a file. Each is taken from the iterator after the previous one
/// is written.
fn encode<P: Borrow<Picture>>(
    mut pictures: impl ExactSizeIterator<Item = Result<P>>,
    milliseconds: Option<u16>,
) -> Result<Vec<u8>> {
    let unavailable = |hint| {
        Error::Engine(obbligato::Error::Unavailable {
            what: "an animation",
            hint,
        })
    };
    let count = pictures.len() as u32;
    let Some(first) = pictures.next() else {
        return Err(unavailable("there are no pictures: give at least one"));
    };
    let first = first?;
    let &Picture { width, height, .. } = first.borrow();
    // The encoder writes to memory, and every picture is valid, so it fails only if memory runs
    // out.
    let failed = |_: png::EncodingError| OutOfMemory {
        what: WHAT,
        needed: u64::from(width) * u64::from(height) * 3,
    };
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.set_compression(png::Compression::Balanced);
    if let Some(milliseconds) = milliseconds {
        encoder.set_animated(count, 0).map_err(failed)?;
        encoder.set_frame_delay(milliseconds, 1000).map_err(failed)?;
    }
    let mut writer = encoder.write_header().map_err(failed)?;
    for picture in std::iter::once(Ok(first)).chain(pictures) {
        let picture = picture?;
        let picture: &Picture = picture.borrow();
        if [picture.width, picture.height] != [width, height] {
            return Err(unavailable("the pictures differ in size: draw all of one size"));
        }
        let mut rgb = Vec::new();
        memory::reserve(&mut rgb, picture.pixels.len() / 4 * 3, WHAT)?;
        rgb.extend(picture.pixels.chunks_exact(4).flat_map(|pixel| &pixel[..3]));
        writer.write_image_data(&rgb).map_err(failed)?;
    }
    writer.finish().map_err(failed)?;
    Ok(file)
}
