//! Robots compared with Parry and with dense samples, and the refusal of faulty files.

mod checks;
mod motions;
mod refused;
mod support;
