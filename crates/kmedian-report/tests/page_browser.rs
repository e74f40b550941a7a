//! Pages in a real browser: Chromium without a window, on a desktop, on a phone, in the dark and in
//! print. What was photographed is kept in `target/tmp/pages`, to be looked at.

#![allow(clippy::unwrap_used)] // A failed unwrap is a failed test.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use kmedian::{Demand, Effort, KMedian, LocalSearch, Metric, Objective, Problem, Run, Vectors};
use kmedian_report::{Places, Subject, fit_page};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

/// Uses the page once it is drawn, and leaves what it saw where `--dump-dom` shows it.
const PROBE: &str = r#"<script>
addEventListener('load', () => {
  const el = id => document.getElementById(id), canvas = el('map'), slider = el('slider');
  const seen = {}, look = () => canvas.toDataURL();
  const rows = id => el(id).tBodies[0].rows;
  const first = look();
  seen.drawn = [...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data].some(x => x > 0);
  seen.k = el('chosen').textContent;
  slider.value = +slider.max; slider.dispatchEvent(new Event('input'));
  seen.last = el('chosen').textContent;
  seen.rows = rows('table').length;
  seen.moved = look() !== first;
  const at = look();
  canvas.dispatchEvent(new KeyboardEvent('keydown', { key: '+', cancelable: true }));
  requestAnimationFrame(() => requestAnimationFrame(() => {
    seen.zoomed = look() !== at;
    const near = look();
    canvas.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', cancelable: true }));
    requestAnimationFrame(() => requestAnimationFrame(() => {
      seen.panned = look() !== near;
      canvas.dispatchEvent(new KeyboardEvent('keydown', { key: '0', cancelable: true }));
      const column = 1, cells = () => [...rows('table')].map(row => +row.cells[column].textContent.replace(/,/g, ''));
      const button = () => el('table').tHead.rows[0].cells[column].firstChild;
      button().click();
      const down = cells(); seen.down = down.every((x, at) => at === 0 || down[at - 1] >= x);
      button().click();
      const up = cells(); seen.up = up.every((x, at) => at === 0 || up[at - 1] <= x);
      seen.focus = document.activeElement === button();
      const before = look();
      rows('table')[0].querySelector('button').click();
      seen.picked = look() !== before && rows('table')[0].className.includes('on');
      el('suggested').click();
      seen.back = el('chosen').textContent;
      const reached = [...document.querySelectorAll('button,input,canvas[tabindex]')].filter(x => x.offsetParent && !x.disabled && x.tabIndex < 0);
      seen.unreached = reached.length;
      seen.worst = rows('worst').length;
      seen.wide = document.documentElement.clientWidth;
      seen.overflow = document.documentElement.scrollWidth - seen.wide;
      seen.charts = [...document.querySelectorAll('#charts svg')].every(svg => svg.getBoundingClientRect().height > 100);
      const ticks = [...document.querySelectorAll('#charts svg text')].map(x => x.textContent);
      seen.whole = !ticks.includes('2.5') && ticks.includes('4');
      Object.assign(document.body.dataset, seen);
      document.body.dataset.done = 'yes';
    }));
  }));
});
</script>"#;

/// Towns round a few places, with centers for 2 to 9.
fn page(n: usize) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut values = Vec::with_capacity(2 * n);
    let places = [
        (48.0, 2.0),
        (52.5, 13.4),
        (40.4, -3.7),
        (45.5, 9.2),
        (51.5, 0.0),
        (50.1, 14.4),
        (47.5, 19.0),
    ];
    for _ in 0..n {
        let (lat, lon) = places[rng.random_range(0..places.len())];
        let spread =
            |rng: &mut ChaCha8Rng| (0..6).map(|_| rng.random_range(-0.5..0.5)).sum::<f64>();
        values.extend([(lat + spread(&mut rng)) as f32, (lon + 1.4 * spread(&mut rng)) as f32]);
    }
    let space = Vectors::new(2, &values, Metric::Haversine).unwrap();
    let demand = Demand::uniform(n);
    let search = LocalSearch { effort: Effort::Fast, ..LocalSearch::default() };
    let plan = KMedian { search, ..KMedian::default() };
    let problem = Problem::of(&space).demand(&demand).build().unwrap();
    let prepared = plan.prepare(&problem, &mut Run::default()).unwrap();
    let ks: Vec<usize> = (2..=12).collect();
    let fits = prepared.fit_each(&ks, &mut Run::default()).unwrap();
    let at = values.chunks(2).map(|at| [f64::from(at[0]), f64::from(at[1])]).collect();
    let name = |item: usize| format!("town {item} <b>");
    let subject = Subject {
        title: "towns.csv",
        space: &space,
        served: n,
        name: &name,
        places: Places::Degrees(at),
        metric: "haversine",
        objective: Objective::Median,
        unit: Some("km"),
        images: None,
    };
    fit_page(&subject, &demand, &fits)
}

#[test]
#[ignore = "needs Chromium"]
fn pages_are_drawn_and_answer_to_slider_and_keys() {
    let album = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    fs::create_dir_all(&album).unwrap();
    for n in [300, 10_000, 100_000] {
        let html = page(n);
        let file = album.join(format!("towns-{n}.html"));
        fs::write(&file, &html).unwrap();
        let probed = album.join(format!("probed-{n}.html"));
        fs::write(&probed, html.replace("</body>", &format!("{PROBE}</body>"))).unwrap();
        for (device, width) in [("phone", 390), ("desktop", 1280)] {
            let frame = framed(&album, &probed, width);
            let probe =
                || run(&["--dump-dom".into(), format!("--window-size={width},900")], &frame);
            // The browser's own clock may run ahead of its work: then the page is asked again.
            let done = |(dom, _): &(String, String)| attribute(dom, "data-done") == "yes";
            let (dom, log) = (0..4).map(|_| probe()).find(done).unwrap_or_else(probe);
            let answer = |name: &str| attribute(&dom, &format!("data-{name}"));
            let what = format!("{n} items, {device}: {log}");
            assert_eq!(answer("done"), "yes", "{what}");
            for name in [
                "drawn", "moved", "zoomed", "panned", "down", "up", "focus", "picked", "charts",
                "whole",
            ] {
                assert_eq!(answer(name), "true", "{name}: {what}");
            }
            assert_eq!(
                [answer("last"), answer("rows"), answer("worst")],
                ["k = 12", "12", "10"],
                "{what}"
            );
            assert_eq!((answer("k"), answer("unreached")), (answer("back"), "0".into()), "{what}");
            assert_eq!(
                (answer("wide"), answer("overflow")),
                (width.to_string(), "0".into()),
                "{what}"
            );
            assert!(!log.contains("CONSOLE"), "{what}");
            println!(
                "{n} items, {device}: {} KB, complete after {} ms",
                html.len() / 1000,
                answer("ready")
            );
        }
        for (name, width, height, dark) in [
            ("phone", 500, 2600, false),
            ("desktop", 1280, 2200, false),
            ("dark", 1280, 2200, true),
        ] {
            let picture = album.join(format!("{n}-{name}.png"));
            let mut options = vec![
                format!("--screenshot={}", picture.display()),
                format!("--window-size={width},{height}"),
            ];
            if dark {
                options.push("--blink-settings=preferredColorScheme=0".into());
            }
            let _ = fs::remove_file(&picture);
            let (_, log) = run(&options, &file);
            assert!(!log.contains("CONSOLE"), "{name}: {log}");
            assert!(fs::metadata(&picture).is_ok_and(|file| file.len() > 20_000), "{name}: {log}");
        }
        let paper = album.join(format!("{n}.pdf"));
        let _ = fs::remove_file(&paper);
        run(
            &[format!("--print-to-pdf={}", paper.display()), "--no-pdf-header-footer".into()],
            &file,
        );
        assert!(fs::metadata(&paper).is_ok_and(|file| file.len() > 20_000), "{n}");
    }
}

/// A page that shows another one at a width that no window may have, and repeats its answers.
fn framed(folder: &Path, page: &Path, width: u32) -> PathBuf {
    let frame = folder.join(format!("frame-{width}.html"));
    let name = page.file_name().unwrap().to_str().unwrap();
    let html = format!(
        "<!DOCTYPE html><body style=\"margin:0\"><iframe src=\"{name}\" style=\"border:0;width:{width}px;height:900px\" \
         onload=\"const copy = () => {{ const told = this.contentDocument.body.dataset; \
         if (told.done) Object.assign(document.body.dataset, told); else setTimeout(copy, 20); }}; copy()\"></iframe></body>"
    );
    fs::write(&frame, html).unwrap();
    frame
}

/// Opens a page and hands out what was printed and what was logged.
fn run(options: &[String], page: &Path) -> (String, String) {
    let browser = env::var_os("CHROMIUM").map_or_else(|| "chromium".into(), PathBuf::from);
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(&browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--allow-file-access-from-files", "--hide-scrollbars"])
        .args(["--disable-dev-shm-usage", "--virtual-time-budget=60000"])
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
