//! Makes the JavaScript module of compiled WebAssembly: `bindgen WASM FOLDER` writes `engine.js`
//! and `engine_bg.wasm`, as `wasm-bindgen --target web --out-name engine` does.

use std::env;
use std::error::Error;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [wasm, folder] = &arguments[..] else {
        return Err("give the WebAssembly and the folder to write to".into());
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true);
    bindgen.input_path(wasm).out_name("engine").generate(folder)?;
    Ok(())
}
