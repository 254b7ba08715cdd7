//! `obbligato devices`: the adapters and the CPU that checks can run on.

use obbligato::{Backend, Checker, Config, Error};
use obbligato_support::excerpt::visible;

#[cfg(feature = "gpu")]
use super::adapters::described;
use super::{engine, failure::Failure, output};

pub fn run() -> Result<(), Failure> {
    let adapters = described();
    let mut text = adapters.concat();
    let cpu = Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })?;
    text += &format!("cpu  {}\n", engine::describe(cpu.engine()));
    output::write(&visible(&text))?;
    if adapters.is_empty() {
        return Err(Error::NoAdapter {
            wanted: "any graphics API".into(),
            found: match cfg!(feature = "gpu") {
                true => "none".into(),
                false => "none, as the program was built without the feature `gpu`".into(),
            },
        }
        .into());
    }
    Ok(())
}

#[cfg(not(feature = "gpu"))]
fn described() -> Vec<String> {
    Vec::new()
}
