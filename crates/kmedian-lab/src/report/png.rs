//! Renders SVG as PNG, with a font that is part of the program, so that all machines draw the same.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb::Database};

/// The number of pixels for each unit of the SVG: two, so that small text stays sharp on fine
/// screens and in print.
const DENSITY: f32 = 2.0;

/// The fonts for rendering: DejaVu Sans, for every family.
pub fn fonts() -> Arc<Database> {
    let mut fonts = Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    Arc::new(fonts)
}

/// Renders an SVG as PNG.
///
/// # Errors
///
/// If the SVG cannot be read, or has no size or too large a one.
pub fn render(svg: &str, fonts: &Arc<Database>) -> Result<Vec<u8>, String> {
    let options = Options { fontdb: Arc::clone(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size().to_int_size().scale_by(DENSITY).ok_or("it has no size")?;
    let mut dots = Pixmap::new(size.width(), size.height()).ok_or("it is too large")?;
    resvg::render(&tree, Transform::from_scale(DENSITY, DENSITY), &mut dots.as_mut());
    dots.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of dark pixels of a rendered SVG with this content.
    fn dark(content: &str) -> usize {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"60\" height=\"20\"><rect width=\"60\" height=\"20\" \
             fill=\"#fff\"/>{content}</svg>"
        );
        let png = render(&svg, &fonts()).unwrap();
        let dots = Pixmap::decode_png(&png).unwrap();
        assert_eq!((dots.width(), dots.height()), (120, 40));
        dots.pixels().iter().filter(|dot| dot.red() < 128).count()
    }

    #[test]
    fn text_shows_with_no_fonts_but_our_own() {
        let text = |family: &str| {
            dark(&format!(
                "<text x=\"2\" y=\"15\" font-size=\"14\" font-family=\"{family}\">ε = 1</text>"
            ))
        };
        assert_eq!(dark(""), 0);
        assert!(text("DejaVu Sans") > 50);
        assert_eq!(text("sans-serif"), text("DejaVu Sans"));
    }

    #[test]
    fn what_is_no_svg_is_an_error() {
        assert!(render("no", &fonts()).is_err());
    }
}
