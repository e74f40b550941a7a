//! The page as text: its markup, its style and its script, with the data in it.

use serde_json::Value;

const STYLE: &str = include_str!("../assets/page.css");
const SCRIPT: &str = include_str!("../assets/page.js");
const BODY: &str = include_str!("../assets/page.html");

/// What the browser may load: nothing but what is in the page.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// Text that may come from a file, as markup that shows it.
pub fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '"' => shown.push_str("&quot;"),
            '\'' => shown.push_str("&#39;"),
            _ => shown.push(letter),
        }
    }
    shown
}

/// The page that shows the data. `data` may hold any text: it is written so that none of it can end
/// the script that it is in.
pub(crate) fn page(title: &str, data: &Value) -> String {
    let data = data.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028");
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n{BODY}\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n\
         </body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_name_becomes_markup() {
        let evil = "</script><img src=x onerror=alert(1)>&\"'";
        let page = page(evil, &json!({"title": evil}));
        assert!(!page.contains("<img") && page.contains("&lt;img"));
        assert_eq!(page.matches("</script>").count(), 2);
        let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
        assert_eq!(serde_json::from_str::<Value>(data).unwrap()["title"], evil);
    }

    #[test]
    fn the_page_needs_nothing_else() {
        let page = page("x", &json!({}));
        for outside in ["http://", "https://", "url(", "@import", "src=\"", "<link"] {
            let svg = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!svg.contains(outside), "{outside}");
        }
    }
}
