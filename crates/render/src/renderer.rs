//! The renderer of pictures, on the CPU or on a GPU.

use crate::camera::Camera;
use crate::cpu;
use crate::drawing::Drawing;
use crate::error::{Error, Result};
#[cfg(feature = "gpu")]
use crate::gpu::GpuRenderer;
use crate::lens::Lens;
use crate::picture::Picture;
use crate::view::View;
use obbligato::{Backend, Config, report::Engine};
use obbligato_support::parallel;

/// Draws pictures; see [`render`](crate).
pub struct Renderer {
    place: Place,
    warnings: Vec<String>,
}

/// The place where it draws.
enum Place {
    Cpu(Engine),
    #[cfg(feature = "gpu")]
    Gpu(Box<GpuRenderer>),
}

impl Place {
    fn cpu() -> Self {
        Self::Cpu(Engine::Cpu {
            threads: parallel::threads(),
        })
    }

    #[cfg(feature = "gpu")]
    fn choose(config: &Config) -> Result<Self> {
        let renderer = GpuRenderer::open(config)?;
        Ok(renderer.map_or_else(Self::cpu, |renderer| Self::Gpu(Box::new(renderer))))
    }

    #[cfg(not(feature = "gpu"))]
    fn choose(config: &Config) -> Result<Self> {
        // Fails if the configuration insists on a GPU.
        obbligato::Checker::new(config.clone())?;
        Ok(Self::cpu())
    }
}

impl Renderer {
    /// Returns a renderer on the backend and the adapter of a configuration, interpreted as by
    /// [`Checker::new`](obbligato::Checker::new): [`Backend::Auto`] takes the best GPU, and the CPU
    /// if there is none or it fails. Other settings are ignored.
    ///
    /// # Errors
    /// [`Error::NoAdapter`](obbligato::Error::NoAdapter) if there is no GPU or adapter as
    /// requested, [`Error::Device`](obbligato::Error::Device) if its driver provides no device, and
    /// the other errors of devices.
    pub fn new(config: &Config) -> Result<Self> {
        let is_free = config.backend == Backend::Auto && config.adapter.is_none();
        let (place, warnings) = match Place::choose(config) {
            Err(error) if is_free => (Place::cpu(), vec![format!("the CPU draws: {error}")]),
            place => (place?, Vec::new()),
        };
        Ok(Self { place, warnings })
    }

    /// Returns a renderer on the caller's device.
    ///
    /// # Errors
    /// [`Error::Device`](obbligato::Error::Device) if its limits are too low,
    /// [`Error::Gpu`](obbligato::Error::Gpu) if it refuses a pipeline.
    #[cfg(feature = "gpu")]
    pub fn with_device(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Self> {
        Ok(Self {
            place: Place::Gpu(Box::new(GpuRenderer::on(device, queue)?)),
            warnings: Vec::new(),
        })
    }

    /// Returns the engine that draws.
    pub fn engine(&self) -> &Engine {
        match &self.place {
            Place::Cpu(engine) => engine,
            #[cfg(feature = "gpu")]
            Place::Gpu(renderer) => renderer.engine(),
        }
    }

    /// Returns the reasons why [`Backend::Auto`] did not use an existing GPU, one sentence each.
    /// Usually empty.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Draws a picture of `[width, height]` pixels.
    ///
    /// A body that contains the camera is seen from inside and is transparent, so that it hides
    /// nothing. Triangles without an area are not drawn. O(n + pixels).
    ///
    /// # Errors
    /// [`Error::MissingMarks`] if there are marks but not one for each body,
    /// [`Error::InvalidCamera`] if the camera has a [problem](Camera::problem),
    /// [`Error::InvalidPicture`] if a side is 0 or above [`Picture::MOST_PIXELS`],
    /// [`Error::OutOfMemory`](obbligato::Error::OutOfMemory), and the errors of devices. Bodies are
    /// not validated: those that are not finite are not drawn.
    pub fn draw(&mut self, view: &View<'_>, camera: &Camera, size: [u32; 2]) -> Result<Picture> {
        view.validate()?;
        Picture::validate(size)?;
        let camera = &Camera {
            position: camera.position - view.origin,
            target: camera.target - view.origin,
            ..*camera
        };
        if let Some(problem) = camera.problem() {
            return Err(Error::InvalidCamera { problem });
        }
        let lens = Lens::new(camera, size);
        let drawing = Drawing::new(view, camera, &lens)?;
        if let Some(needed) = drawing.too_many() {
            return Err(Error::Engine(obbligato::Error::LimitExceeded {
                what: "a picture".to_owned(),
                needed,
                available: u64::from(u32::MAX),
                hint: "draw fewer bodies and triangles",
            }));
        }
        #[cfg_attr(not(feature = "letters"), expect(unused_mut))]
        let mut picture = match &self.place {
            Place::Cpu(_) => cpu::draw(&drawing, &lens)?,
            #[cfg(feature = "gpu")]
            Place::Gpu(renderer) => renderer.draw(&drawing, &lens)?,
        };
        #[cfg(feature = "letters")]
        crate::legend::write(&mut picture, view);
        Ok(picture)
    }
}
