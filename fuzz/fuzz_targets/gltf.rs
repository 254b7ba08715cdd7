#![no_main]

obbligato_fuzz::reader!("gltf");
