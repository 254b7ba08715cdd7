//! Pictures of scenes, as parts of a page.

use crate::failure::Failure;
use base64::{Engine, prelude::BASE64_STANDARD};
use maud::{Markup, html};
use obbligato::{Backend, Bodies, Config, Pair};
use obbligato_render::{Camera, Legend, Mark, Renderer, View, close_up::MeshCloseUps};
use obbligato_support::memory;

/// The renderer of the pictures.
pub struct Artist(Renderer);

impl Artist {
    /// Creates a renderer on the CPU: pictures are few, and need not wait for a busy device.
    pub fn new() -> Result<Self, Failure> {
        let config = Config {
            backend: Backend::Cpu,
            ..Config::default()
        };
        Ok(Renderer::new(&config).map(Self)?)
    }

    /// Returns a picture of `[width, height]` pixels with all of `focus` in it, and its text
    /// alternative. If it cannot be drawn, returns the reason.
    pub fn draw(&mut self, view: &View<'_>, focus: &View<'_>, size: [u32; 2], words: &str) -> Markup {
        let picture = self.0.draw(view, &Camera::around(focus, size), size);
        match picture.and_then(|picture| picture.png()) {
            Ok(png) => {
                let source = format!("data:image/png;base64,{}", BASE64_STANDARD.encode(png));
                html! { img src=(source) width=(size[0]) height=(size[1]) alt=(words); }
            }
            Err(problem) => html! { p { "There is no picture: " (problem) } },
        }
    }

    /// Returns a picture from a camera as PNG.
    pub fn png(&mut self, view: &View<'_>, camera: &Camera, size: [u32; 2]) -> Result<Vec<u8>, Failure> {
        Ok(self.0.draw(view, camera, size)?.png()?)
    }

    /// Returns a close-up as PNG.
    pub fn close_up(&mut self, close_ups: &MeshCloseUps<'_>, clash: usize, size: [u32; 2]) -> Result<Vec<u8>, Failure> {
        Ok(close_ups.draw(clash, &mut self.0, size)?.png()?)
    }

    /// Returns a scene in two colours: bodies that are in one of the pairs, and others. Pairs may
    /// name bodies that do not exist.
    pub fn colliding(
        &mut self,
        bodies: Bodies<'_>,
        pairs: &[Pair],
        size: [u32; 2],
        words: &str,
    ) -> Result<Markup, Failure> {
        let mut marks = memory::collect((0..bodies.len()).map(|_| Mark::Free), "the marks of bodies")?;
        for body in pairs.iter().flat_map(|pair| [pair.a, pair.b]) {
            if let Some(mark) = marks.get_mut(body as usize) {
                *mark = Mark::Overlapping;
            }
        }
        let view = View {
            bodies,
            marks: &marks,
            legend: Legend::Colliding,
            ..View::default()
        };
        Ok(self.draw(&view, &view, size, words))
    }
}
