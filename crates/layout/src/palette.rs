//! Colours of pictures, for a light and a dark page. All texts have a contrast of at least 4.5 to 1 on their ground.

use crate::figure::{ArrowKind, Role};

/// A colour as bytes.
pub type Rgb = [u8; 3];

/// A colour for each ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shade {
    /// On a light page.
    pub light: Rgb,
    /// On a dark page.
    pub dark: Rgb,
}

const fn shade(light: u32, dark: u32) -> Shade {
    const fn bytes(color: u32) -> Rgb {
        [(color >> 16) as u8, (color >> 8) as u8, color as u8]
    }
    Shade { light: bytes(light), dark: bytes(dark) }
}

/// What a shape is painted with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// The page.
    Page,
    /// The ground of a band.
    Band,
    /// The ground of the name of a band.
    Ground,
    /// A box: ground and frame.
    Box(Role),
    /// An arrow.
    Arrow(ArrowKind),
    /// Text.
    Text,
    /// Text of less weight.
    Muted,
}

/// Fill and stroke of boxes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoxColors {
    pub(crate) fill: Shade,
    pub(crate) stroke: Shade,
}

impl BoxColors {
    pub(crate) fn light(self) -> (String, String) {
        (hex(self.fill.light), hex(self.stroke.light))
    }
}

/// A colour as CSS writes it.
pub(crate) fn hex(color: Rgb) -> String {
    format!("#{:02x}{:02x}{:02x}", color[0], color[1], color[2])
}

pub(crate) const fn box_colors(role: Role) -> BoxColors {
    let (fill, stroke) = match role {
        Role::Plain => (shade(0xffffff, 0x161b22), shade(0x8c959f, 0x6e7681)),
        Role::Focus => (shade(0xddf4ff, 0x0c2d6b), shade(0x0969da, 0x58a6ff)),
        Role::Breaks => (shade(0xffebe9, 0x4b1113), shade(0xcf222e, 0xf85149)),
        Role::Test => (shade(0xdafbe1, 0x04260f), shade(0x1a7f37, 0x3fb950)),
        Role::Document => (shade(0xfff8c5, 0x341a00), shade(0x9a6700, 0xd29922)),
        Role::Circle => (shade(0xfbefff, 0x271052), shade(0x8250df, 0xa371f7)),
    };
    BoxColors { fill, stroke }
}

impl Paint {
    /// Its fill or only colour.
    pub const fn fill(self) -> Shade {
        match self {
            Self::Page => shade(0xffffff, 0x0d1117),
            Self::Band | Self::Ground => shade(0xf6f8fa, 0x13171e),
            Self::Box(role) => box_colors(role).fill,
            Self::Arrow(ArrowKind::Certain) => shade(0x8c959f, 0x6e7681),
            Self::Arrow(ArrowKind::Possible) => shade(0xafb8c1, 0x545d68),
            Self::Arrow(ArrowKind::Against) => shade(0xcf222e, 0xf85149),
            Self::Text => shade(0x1f2328, 0xe6edf3),
            Self::Muted => shade(0x57606a, 0x9da7b3),
        }
    }

    /// The colour of its frame, if it has one.
    pub const fn stroke(self) -> Option<Shade> {
        match self {
            Self::Box(role) => Some(box_colors(role).stroke),
            Self::Band => Some(shade(0xd1d9e0, 0x30363d)),
            _ => None,
        }
    }

    /// Its class in the style sheet.
    pub(crate) fn class(self) -> String {
        match self {
            Self::Page => "page".to_owned(),
            Self::Band => "band".to_owned(),
            Self::Ground => "ground".to_owned(),
            Self::Box(role) => format!("box-{}", role.word()),
            Self::Arrow(ArrowKind::Certain) => "edge".to_owned(),
            Self::Arrow(ArrowKind::Possible) => "edge-possible".to_owned(),
            Self::Arrow(ArrowKind::Against) => "edge-against".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Muted => "muted".to_owned(),
        }
    }

    /// Every paint.
    pub(crate) fn all() -> Vec<Self> {
        let arrows = [ArrowKind::Certain, ArrowKind::Possible, ArrowKind::Against].map(Self::Arrow);
        let roles = [Role::Plain].into_iter().chain(Role::MARKED).map(Self::Box);
        [Self::Page, Self::Band, Self::Ground, Self::Text, Self::Muted].into_iter().chain(roles).chain(arrows).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contrast of two colours as WCAG 2.2 defines it.
    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let part = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let light = |color: Rgb| 0.2126 * part(color[0]) + 0.7152 * part(color[1]) + 0.0722 * part(color[2]);
        let (a, b) = (light(a) + 0.05, light(b) + 0.05);
        a.max(b) / a.min(b)
    }

    #[test]
    fn texts_can_be_read_on_every_ground() {
        let roles = [Role::Plain].into_iter().chain(Role::MARKED).map(Paint::Box);
        for ground in [Paint::Page, Paint::Band].into_iter().chain(roles) {
            for text in [Paint::Text, Paint::Muted] {
                let (own, on) = (text.fill(), ground.fill());
                let least = contrast(own.light, on.light).min(contrast(own.dark, on.dark));
                assert!(least >= 4.5, "{text:?} on {ground:?}: {least}");
            }
        }
    }
}
