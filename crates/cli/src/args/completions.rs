//! The arguments of `obbligato completions`.

use clap::Args;
use clap_complete::Shell;

/// `obbligato completions`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  obbligato completions bash > ~/.local/share/bash-completion/completions/obbligato
  obbligato completions zsh > ~/.zfunc/_obbligato
  obbligato completions fish > ~/.config/fish/completions/obbligato.fish

No device is needed.")]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}
