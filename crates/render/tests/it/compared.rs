//! The similarity of two pictures.

use obbligato_render::Picture;

/// The maximum difference of pictures. Cells of 4 x 4 pixels are averaged. Of the intensities, from
/// 0 to 255, this is the mean of the differences, and the share of cells that differ by more than
/// [`FAR`]. Another device may shift an edge by part of a pixel.
const MOST_MEAN: f64 = 0.4;
const MOST_SHARE: f64 = 0.004;
const FAR: f64 = 16.0;

/// Cells of 4 x 4 pixels, averaged.
fn cells(picture: &Picture) -> Vec<[f64; 3]> {
    let [width, height] = [picture.width as usize / 4, picture.height as usize / 4];
    let mut cells = vec![[0.0; 3]; width * height];
    for y in 0..4 * height {
        for x in 0..4 * width {
            let pixel = &picture.pixels[4 * (y * picture.width as usize + x)..];
            let cell = &mut cells[y / 4 * width + x / 4];
            for (sum, &channel) in cell.iter_mut().zip(pixel) {
                *sum += f64::from(channel) / 16.0;
            }
        }
    }
    cells
}

/// The mean difference, and the share of cells that differ a lot.
pub fn difference(a: &Picture, b: &Picture) -> [f64; 2] {
    difference_beyond(0.0, a, b)
}

/// [`difference`] of the part that exceeds `rounding` in each cell: a target of 8 bits rounds each
/// layer of glass, and devices round by up to half a level in either direction (Vulkan,
/// "Floating-Point to Normalized Fixed-Point Conversions").
pub fn difference_beyond(rounding: f64, a: &Picture, b: &Picture) -> [f64; 2] {
    assert_eq!([a.width, a.height], [b.width, b.height]);
    let [a, b] = [a, b].map(cells);
    let differences = a.iter().zip(&b).map(|(a, b)| {
        let channels = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        (channels.fold(0.0, f64::max) - rounding).max(0.0)
    });
    let differences: Vec<f64> = differences.collect();
    let far = differences.iter().filter(|&&difference| difference > FAR).count();
    let count = differences.len() as f64;
    [differences.iter().sum::<f64>() / count, far as f64 / count]
}

pub fn is_alike(a: &Picture, b: &Picture) -> bool {
    is_alike_but_for(0.0, a, b)
}

/// Returns `true` if two pictures are alike up to a difference of `rounding` in each cell.
pub fn is_alike_but_for(rounding: f64, a: &Picture, b: &Picture) -> bool {
    let [mean, share] = difference_beyond(rounding, a, b);
    mean <= MOST_MEAN && share <= MOST_SHARE
}
