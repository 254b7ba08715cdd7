//! The arguments of a bench.

/// The arguments that are not read yet.
pub struct Arguments {
    pub words: Vec<String>,
    /// Set by `cargo bench`, which passes `--bench`. `cargo test --benches`, which only checks that
    /// benches run, does not.
    pub timed: bool,
}

/// Reads the arguments with `plan`, and refuses those that it leaves.
pub fn read<T>(plan: impl FnOnce(&mut Arguments) -> Result<T, String>) -> Result<T, String> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let is_mode = |word: &String| word == "--bench" || word == "--test";
    let timed = words.iter().rfind(|word| is_mode(word));
    let timed = timed.is_some_and(|word| word == "--bench");
    words.retain(|word| !is_mode(word));
    let mut arguments = Arguments { words, timed };
    let plan = plan(&mut arguments)?;
    match arguments.words.first() {
        Some(word) => Err(format!("unknown argument {word}")),
        None => Ok(plan),
    }
}

impl Arguments {
    /// Removes the first of these words, and returns the place where it was.
    pub fn take(&mut self, name: &str) -> Option<usize> {
        let place = self.words.iter().position(|word| word == name)?;
        self.words.remove(place);
        Some(place)
    }

    /// Returns the value of an option; that of the last one, if there are several.
    pub fn value<T>(&mut self, name: &str, parse: fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
        let mut value = None;
        while let Some(place) = self.take(name) {
            if place == self.words.len() {
                return Err(format!("{name} needs a value"));
            }
            let word = self.words.remove(place);
            value = Some(parse(&word).map_err(|problem| format!("{name} {word}: {problem}"))?);
        }
        Ok(value)
    }
}
