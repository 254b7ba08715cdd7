//! The machine and the program, for results.

/// The commit that the program was built from, with `-dirty` if its sources had changed since;
/// `None` if not known at build time.
pub const COMMIT: Option<&str> = option_env!("OBBLIGATO_COMMIT");

/// Returns the model of the processor, if the system reports it.
pub fn cpu() -> Option<String> {
    let model = if cfg!(target_os = "macos") {
        let command = std::process::Command::new("/usr/sbin/sysctl")
            .args(["-n", "machdep.cpu.brand_string"])
            .output();
        command.ok().and_then(|output| String::from_utf8(output.stdout).ok())
    } else {
        let text = std::fs::read_to_string("/proc/cpuinfo").ok();
        text.and_then(|text| model(&text).map(str::to_owned))
    };
    model
        .map(|model| model.trim().to_owned())
        .filter(|model| !model.is_empty())
}

/// Returns the first processor's model in Linux's list of all processors.
fn model(text: &str) -> Option<&str> {
    let mut facts = text.lines().filter_map(|line| line.split_once(':'));
    facts
        .find(|(name, _)| name.trim() == "model name")
        .map(|(_, model)| model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_of_the_first_processor() {
        let text = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: A: fast one\n\nprocessor\t: 1\nmodel name\t: B\n";
        assert_eq!(model(text).map(str::trim), Some("A: fast one"));
        assert_eq!(model("processor : 0\nFeatures : fp asimd\n"), None);
    }
}
