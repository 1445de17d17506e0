/// Meaning of a piece of text, shown as a colour on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// A heading or a name.
    Strong,
    /// Secondary.
    Dim,
    /// Success.
    Good,
    /// A warning.
    Warn,
    /// An error.
    Bad,
    /// The path of a file.
    Path,
    /// A number of a line.
    Line,
    /// Something outside the project.
    Outside,
}

/// Colours the text if `colour` is set.
pub(crate) fn paint(colour: bool, tone: Tone, text: &str) -> String {
    if !colour {
        return text.to_owned();
    }
    let code = match tone {
        Tone::Strong => "1",
        Tone::Dim => "2",
        Tone::Good => "32",
        Tone::Warn => "33",
        Tone::Bad => "31",
        Tone::Path => "35",
        Tone::Line => "32",
        Tone::Outside => "36",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}
