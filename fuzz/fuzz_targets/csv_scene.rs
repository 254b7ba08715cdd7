#![no_main]

obbligato_fuzz::reader!("csv_scene");
