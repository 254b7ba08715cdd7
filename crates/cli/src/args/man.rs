//! The arguments of `obbligato man`.

use std::path::PathBuf;

use clap::Args;

/// `obbligato man`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  obbligato man --out man1 && man man1/obbligato-check.1

No device is needed.")]
pub struct ManArguments {
    /// The folder for obbligato.1, obbligato-check.1 and so on; created if it does not exist
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}
