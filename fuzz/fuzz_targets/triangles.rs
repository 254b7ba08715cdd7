#![no_main]

obbligato_fuzz::scene!("triangles");
