//! Text in pictures: how wide it is, where its lines break, how it is escaped.

/// About how wide a text is at this font size, in the same units. It is rather too large, because
/// fonts differ.
pub fn width(text: &str, size: f64) -> f64 {
    let of = |letter: char| match letter {
        'i' | 'l' | 'j' | '.' | ',' | ':' | ';' | '|' | '\'' | ' ' | '(' | ')' | 'f' | 't'
        | 'r' | '-' => 0.42,
        'm' | 'w' | 'M' | 'W' | '+' | '=' | '−' | '±' | '×' => 0.9,
        'A'..='Z' => 0.75,
        _ => 0.64,
    };
    text.chars().map(of).sum::<f64>() * size
}

/// Text with the characters escaped that have a meaning in HTML and SVG.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Breaks text at this font size into lines that are not wider than `room`, except for longer
/// words.
pub fn lines(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let line =
            lines.last_mut().filter(|line| width(line, size) + width(word, size) + size < room);
        match line {
            Some(line) if line.is_empty() => *line = word.to_owned(),
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words() {
        assert_eq!(lines("one two three", 10.0, 70.0), ["one two", "three"]);
        assert_eq!(lines("", 10.0, 70.0), [""]);
    }
}
