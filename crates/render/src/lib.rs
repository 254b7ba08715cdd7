//! Draws pictures of scenes: free, touching and overlapping bodies in different colours.
//!
//! A [`View`] has the content of the picture, a [`Camera`] the point of view, and a [`Renderer`]
//! draws it, on a GPU or on the CPU. Both use the same formulas, so their pictures differ only by
//! rounding, which may change a pixel on an edge.
//!
//! ```
//! use obbligato::glam::Vec3;
//! use obbligato_render::{Camera, Renderer, View, marks};
//! use obbligato::{Backend, Checker, Config, Obb};
//!
//! # fn main() -> obbligato_render::Result<()> {
//! let boxes = [0.0, 1.5, 9.0].map(|x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE));
//! let config = Config { backend: Backend::Cpu, list_touching: true, ..Config::default() };
//! let report = Checker::new(config.clone())?.check(&boxes)?;
//!
//! let marks = marks(&report)?;
//! let view = View { bodies: (&boxes).into(), marks: &marks, ..View::default() };
//! let camera = Camera::around(&view, [320, 200]);
//! let picture = Renderer::new(&config)?.draw(&view, &camera, [320, 200])?;
//! let png = picture.png()?;
//! # assert!(png.starts_with(b"\x89PNG"));
//! # Ok(())
//! # }
//! ```

mod arrows;
mod camera;
pub mod close_up;
mod colours;
mod cpu;
mod drawing;
mod error;
mod glb;
#[cfg(feature = "gpu")]
mod gpu;
#[cfg(feature = "letters")]
mod legend;
mod lens;
mod mark;
mod picture;
mod rays;
mod records;
mod renderer;
mod shading;
mod view;

pub use crate::arrows::arrows;
pub use crate::camera::{Camera, CameraProblem};
pub use crate::error::{Error, Result};
pub use crate::glb::glb;
pub use crate::mark::{Mark, marks};
pub use crate::picture::Picture;
pub use crate::renderer::Renderer;
pub use crate::view::{Arrow, Legend, View, ghosts, poses};
