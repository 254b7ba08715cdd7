//! `obbligato devices`: the adapters and the CPU that checks can run on.

use obbligato::{
    Backend, Checker, Config, Error,
    gpu::{self, AdapterSummary},
};

use super::{engine, failure::Failure, output, table};

pub fn run() -> Result<(), Failure> {
    let adapters = gpu::adapters();
    let mut text: String = adapters.iter().map(describe).collect();
    let cpu = Checker::new(Config {
        backend: Backend::Cpu,
        ..Config::default()
    })?;
    text += &format!("cpu  {}\n", engine::describe(cpu.engine()));
    output::print(&text)?;
    if adapters.is_empty() {
        return Err(Error::NoAdapter {
            wanted: "any graphics API".into(),
            found: "none".into(),
        }
        .into());
    }
    Ok(())
}

/// A heading, then one line per fact.
fn describe(adapter: &AdapterSummary) -> String {
    let subgroups = match adapter.subgroup_sizes {
        Some((least, most)) if least == most => least.to_string(),
        Some((least, most)) => format!("{least} to {most}"),
        None => "none".to_owned(),
    };
    let facts = [
        ("driver", adapter.driver.clone()),
        ("backend", adapter.api.to_owned()),
        ("type", adapter.kind.to_string()),
        ("largest binding", table::bytes(adapter.max_binding_bytes)),
        ("largest buffer", table::bytes(adapter.max_buffer_bytes)),
        (
            "workgroups",
            format!(
                "{} per dimension",
                table::grouped(adapter.max_workgroups_per_dimension.into())
            ),
        ),
        ("subgroups", subgroups),
        ("64-bit floats", yes_or_no(adapter.shader_f64)),
        ("timestamps", yes_or_no(adapter.timestamps)),
    ];
    let mut text = format!("{:<3}  {}\n", adapter.index, adapter.name);
    for (name, fact) in facts {
        text += &format!("       {name:<16} {fact}\n");
    }
    text
}

fn yes_or_no(fact: bool) -> String {
    if fact { "yes" } else { "no" }.to_owned()
}
