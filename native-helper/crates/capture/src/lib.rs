//! The capture: what one sample is ([`sample`]), how far it can be trusted ([`quality`]).

pub mod quality;
pub mod sample;
