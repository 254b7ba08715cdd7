#![no_main]

obbligato_fuzz::scene!("boxes64");
