//! The report in a real browser: Chromium without a window, on a desktop, on a phone and in the
//! dark.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

mod synthetic;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kmedian_lab::report::{self, Origin};

/// Widths in dots: a phone, and a desktop.
const WIDTHS: [(&str, u32); 2] = [("phone", 390), ("desktop", 1280)];

/// Asks the page, once it is laid out, what can be seen of it, and leaves the answer where
/// `--dump-dom` shows it. A picture can be seen if it has a size, lies within the page, and its
/// series have sizes of their own.
const PROBE: &str = r#"<script>
addEventListener('load', () => {
  const seen = box => box.width > 1 && box.height > 1;
  const wide = document.documentElement.clientWidth;
  const hidden = [...document.querySelectorAll('figure')].filter(figure => {
    const pictures = [...figure.querySelectorAll('svg.panel')];
    const inside = picture => {
      const box = picture.getBoundingClientRect();
      const scrolls = picture.closest('.one');
      return seen(box) && box.width > 200 && (scrolls || box.right <= wide + 1)
        && [...picture.querySelectorAll('.series')].every(series => {
          const box = series.getBoundingClientRect();
          return box.width > 1 || box.height > 1;
        });
    };
    return pictures.length === 0 || !pictures.every(inside);
  });
  const small = [...document.querySelectorAll('svg.panel text')]
    .filter(text => text.textContent && text.getBoundingClientRect().height < 9);
  document.body.dataset.figures = document.querySelectorAll('figure').length;
  document.body.dataset.hidden = hidden.map(figure => figure.id).join(' ');
  document.body.dataset.small = small.length;
  document.body.dataset.overflow = document.documentElement.scrollWidth - wide;
  document.body.dataset.wide = wide;
});
</script>"#;

#[test]
#[ignore = "needs Chromium"]
fn every_figure_can_be_seen_and_nothing_is_logged() {
    let browser = chromium();
    let out = tempfile::tempdir().unwrap();
    let origin = Origin { command: "cargo run".into(), date: None };
    report::write(&synthetic::everything(), origin, out.path()).unwrap();
    let page = fs::read_to_string(out.path().join("report.html")).unwrap();
    let probed = out.path().join("probed.html");
    fs::write(&probed, page.replace("</body>", &format!("{PROBE}</body>"))).unwrap();
    // What was photographed is kept, to be looked at.
    let album = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
    fs::create_dir_all(&album).unwrap();
    for (device, width) in WIDTHS {
        let frame = framed(out.path(), &probed, width);
        let (dom, log) = run(&browser, out.path(), &["--dump-dom".into()], &frame);
        let answer = |name: &str| attribute(&dom, &format!("data-{name}"));
        assert_eq!(answer("figures"), "16", "{device}: {log}");
        assert_eq!(answer("wide"), width.to_string(), "{device}");
        assert_eq!(answer("hidden"), "", "{device}");
        assert_eq!(answer("overflow"), "0", "{device}: the page scrolls sideways");
        assert_eq!(answer("small"), "0", "{device}: texts that are too small to read");
        assert!(!log.contains("CONSOLE"), "{device}: {log}");
    }
    for (name, width, height, dark) in [
        ("phone.png", 390, 3000, false),
        ("desktop.png", 1280, 5000, false),
        ("dark.png", 1280, 3000, true),
    ] {
        let picture = album.join(name);
        let mut options = vec![
            format!("--screenshot={}", picture.display()),
            format!("--window-size={width},{height}"),
        ];
        if dark {
            options.push("--blink-settings=preferredColorScheme=0".into());
        }
        let _ = fs::remove_file(&picture);
        let (_, log) = run(&browser, out.path(), &options, &out.path().join("report.html"));
        assert!(!log.contains("CONSOLE"), "{name}: {log}");
        assert!(fs::metadata(&picture).is_ok_and(|file| file.len() > 20_000), "{name}: {log}");
    }
}

/// A page that shows another one at a width that no window may have, and repeats its answers.
fn framed(folder: &Path, page: &Path, width: u32) -> PathBuf {
    let frame = folder.join(format!("frame-{width}.html"));
    let name = page.file_name().unwrap().to_str().unwrap();
    let html = format!(
        "<!DOCTYPE html><body style=\"margin:0\"><iframe src=\"{name}\" style=\"border:0;width:{width}px;height:900px\" \
         onload=\"Object.assign(document.body.dataset, this.contentDocument.body.dataset)\"></iframe></body>"
    );
    fs::write(&frame, html).unwrap();
    frame
}

/// Opens a page and hands out what was printed and what was logged.
fn run(browser: &Path, folder: &Path, options: &[String], page: &Path) -> (String, String) {
    let profile = tempfile::tempdir_in(folder).unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--allow-file-access-from-files", "--hide-scrollbars"])
        .args(["--disable-dev-shm-usage", "--virtual-time-budget=2000"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(options)
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}: set CHROMIUM", browser.display()));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

/// The value of an attribute of the printed page.
fn attribute(dom: &str, name: &str) -> String {
    let from = dom.split_once(&format!("{name}=\"")).map(|(_, from)| from);
    from.and_then(|from| from.split_once('"')).map_or("absent".into(), |(value, _)| value.into())
}

/// The browser that `CHROMIUM` names, or `chromium` on the path. `cargo xtask test` installs one.
fn chromium() -> PathBuf {
    env::var_os("CHROMIUM").map_or_else(|| "chromium".into(), PathBuf::from)
}
