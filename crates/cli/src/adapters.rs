//! Descriptions of the adapters of this machine.

use obbligato::gpu::{self, AdapterSummary};

use super::table;

/// Describes all adapters, the best first.
pub fn described() -> Vec<String> {
    gpu::adapters().iter().map(describe).collect()
}

/// Returns a heading, then one line per fact.
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
        ("largest binding", bytes(adapter.max_binding_bytes)),
        ("largest buffer", bytes(adapter.max_buffer_bytes)),
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

/// Formats bytes in the largest binary unit that gives at least 1.
fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut size = number as f64;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    if size.fract() == 0.0 {
        format!("{size:.0} {}", UNITS[unit])
    } else {
        format!("{size:.1} {}", UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_counts_have_units() {
        assert_eq!(
            ["0 B", "1 KiB", "1.5 MiB", "2 GiB"].map(String::from),
            [0, 1024, 3 << 19, 2 << 30].map(bytes)
        );
    }
}
