//! Layouts of graphs for pictures and the map, and pictures as text. Pure: the same input gives the same picture on
//! every machine, and nothing here reads a file or the time.
//!
//! - [`nest`] places the nodes of a tree as circles inside circles. Each container is laid out alone, so the cost is
//!   near linear, and opening one moves nothing outside of it.
//! - [`rank`] places boxes in rows so that most edges lead down.
//! - A [`Figure`] is written as Mermaid or DOT, or drawn as a [`Scene`], which is written as SVG or HTML.

#![warn(clippy::disallowed_methods)]

mod circles;
mod figure;
mod nest;
mod palette;
mod ranked;
mod scene;
mod svg;
mod text;

pub use circles::{Circle, pack};
pub use figure::{Arrow, ArrowKind, Figure, FigureBox, Role};
pub use nest::{Link, Tree, lift, nest};
pub use palette::{Paint, Rgb, Shade};
pub use ranked::{Boxes, Placed, Rectangle, rank};
pub use scene::{Anchor, Scene, Shape, draw};
pub use svg::{escape, write_html, write_svg};
pub use text::{write_dot, write_mermaid};
