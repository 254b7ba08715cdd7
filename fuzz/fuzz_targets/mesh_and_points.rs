#![no_main]

obbligato_fuzz::reader!("mesh_and_points");
