//! Pictures.

use obbligato::glam::Vec3;
use obbligato::{Checker, Config, Obb};
use obbligato_render::{Camera, Legend, Mark, Picture, Renderer, View, marks};

use super::{on_cpu, on_gpu};

/// The number of pixels with approximately the hue of a colour, however it is shaded. Hues are
/// compared by the angle between the two colours without their grey parts; greys have almost none.
fn pixels_of(picture: &Picture, colour: [u8; 3]) -> usize {
    let chroma = |pixel: &[u8]| {
        let colour = Vec3::from([0, 1, 2].map(|k| f32::from(pixel[k])));
        colour - Vec3::splat(colour.element_sum() / 3.0)
    };
    let wanted = chroma(&colour).normalize();
    let alike = |pixel: &&[u8]| {
        let found = chroma(pixel);
        found.length() > 25.0 && found.normalize().dot(wanted) > 0.95
    };
    picture.pixels.chunks_exact(4).filter(alike).count()
}

fn draw(config: &Config, boxes: &[Obb], marks: &[Mark]) -> Picture {
    let view = View {
        bodies: boxes.into(),
        marks,
        legend: Legend::Hidden,
        ..View::default()
    };
    let size = [160, 100];
    let camera = Camera::around(&view, size);
    let mut renderer = Renderer::new(config).expect("the backend is there");
    renderer.draw(&view, &camera, size).expect("a picture")
}

/// Both bodies of every colliding pair have the colour of their state, and no others do.
#[test]
fn r4_both_bodies_of_a_pair_are_marked() {
    let at = |x: f32| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE);
    let [free, touching, overlapping] = Mark::ALL;
    let cases = [
        (vec![at(0.0), at(5.0)], [free, free]),
        (vec![at(0.0), at(2.0)], [touching, touching]),
        (vec![at(0.0), at(1.5)], [overlapping, overlapping]),
    ];
    for config in [on_cpu(), on_gpu()] {
        let config = Config {
            list_touching: true,
            ..config
        };
        for (boxes, expected) in &cases {
            let report = Checker::new(config.clone())
                .expect("the backend is there")
                .check(boxes)
                .expect("valid boxes");
            let found = marks(&report).expect("pairs and touching ones");
            assert_eq!(found, expected);
            let picture = draw(&config, boxes, &found);
            for mark in [touching, overlapping] {
                let count = pixels_of(&picture, mark.colour());
                assert_eq!(
                    count > 1000,
                    expected[0] == mark,
                    "{mark:?}: {count} pixels, {:?}",
                    config.backend
                );
            }
        }
    }
}

/// A picture without a window, on the GPU and on the CPU, as a PNG file.
#[test]
fn x2_scenes_are_drawn_headless() {
    let boxes = [0.0, 1.5, 9.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
    let [free, _, overlapping] = Mark::ALL;
    let marks = [overlapping, overlapping, free];
    let [gpu, cpu] = [on_gpu(), on_cpu()].map(|config| draw(&config, &boxes, &marks));
    for picture in [&gpu, &cpu] {
        assert!(pixels_of(picture, overlapping.colour()) > 300);
        let file = picture.png().expect("a file");
        let mut reader = png::Decoder::new(std::io::Cursor::new(file))
            .read_info()
            .expect("a PNG");
        let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
        let info = reader.next_frame(&mut bytes).expect("a picture");
        assert_eq!([info.width, info.height], [160, 100]);
        assert!(
            picture
                .pixels
                .chunks_exact(4)
                .zip(bytes.chunks_exact(3))
                .all(|(pixel, found)| pixel[..3] == *found)
        );
    }
    let pixels = gpu.pixels.iter().zip(&cpu.pixels);
    let differ = pixels.filter(|(a, b)| a.abs_diff(**b) > 8).count();
    assert!(differ < gpu.pixels.len() / 200, "{differ} of {}", gpu.pixels.len());
}
