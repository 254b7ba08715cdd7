//! The arguments of `obbligato man`.

use std::path::PathBuf;

use clap::Args;

/// `obbligato man`.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  obbligato man --out man1 && man man1/obbligato-check.1

It takes no device.")]
pub struct ManArguments {
    /// The folder to write obbligato.1, obbligato-check.1 and so on to; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}
