#![no_main]

obbligato_fuzz::reader!("stl");
