//! The style sheet of the page: for light and dark color schemes, and for print.

/// The style sheet, without the rules that depend on the number of pictures.
///
/// The six colors of the areas are those of Okabe and Ito, which can be told apart under all common
/// kinds of color blindness.
pub const STYLE: &str = "
:root{color-scheme:light dark;
--paper:#faf8f4;--ink:#2a2e33;--soft:#6b7078;--rule:#d9d4c9;--card:#fff;
--land:#f3efe6;--green:#d6e3c6;--water:#b4d0e1;--water-ink:#3f6f8e;--casing:#fffdf8;--halo:#f6f3ec;--dot:#2a2e33;
--wash:.24;--c0:#0072b2;--c1:#e69f00;--c2:#009e73;--c3:#cc79a7;--c4:#56b4e9;--c5:#d55e00}
@media (prefers-color-scheme:dark){:root{
--paper:#14181c;--ink:#e6e4de;--soft:#9aa0a6;--rule:#31373d;--card:#1b2025;
--land:#1b2025;--green:#24352b;--water:#22465c;--water-ink:#9cc6e0;--casing:#0f1316;--halo:#1b2025;--dot:#f4f1e8;
--wash:.26;--c0:#3d9bdc;--c1:#f0b43c;--c2:#25b98c;--c3:#dc92bb;--c4:#8fd0f5;--c5:#ee7d33}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif}
main,header,footer{max-width:1120px;margin:0 auto;padding:0 20px}
header{padding-top:36px}
h1{font:600 clamp(26px,4.4vw,40px)/1.15 \"Iowan Old Style\",Palatino,\"Palatino Linotype\",Georgia,serif;margin:0 0 12px;letter-spacing:-.01em;text-wrap:balance}
h2{text-wrap:balance;font:600 21px/1.3 \"Iowan Old Style\",Palatino,\"Palatino Linotype\",Georgia,serif;margin:40px 0 6px}
h3{font-size:15px;margin:0 0 2px}
p{max-width:78ch;margin:0 0 14px}
.soft{color:var(--soft);font-size:14px}
.pick{position:fixed;top:0;left:0;opacity:0;pointer-events:none}
.chips{display:flex;flex-wrap:wrap;gap:6px 18px;margin:18px 0 12px;font-size:14px}
.chips span{display:inline-flex;align-items:center;gap:4px}
.chips b{font-weight:600;margin-right:4px}
.chips label{padding:2px 11px;border:1px solid var(--rule);border-radius:99px;cursor:pointer;color:var(--soft)}
figure{margin:0}
svg{display:block;width:100%;height:auto}
.frame{border:1px solid var(--rule);border-radius:6px;overflow:hidden;background:var(--land)}
figcaption{margin-top:8px;font-size:14px;color:var(--soft)}
.s{display:none}
.panels{display:grid;grid-template-columns:repeat(3,1fr);gap:22px;margin-top:14px}
.panels .frame{display:block;cursor:pointer;margin-top:8px}
.panels .cost{display:flex;justify-content:space-between;padding:5px 10px;font-size:14px;background:var(--card);border-top:1px solid var(--rule)}
.panels .cost b{font-variant-numeric:tabular-nums}
.land{fill:var(--land)}.green{fill:var(--green)}
.river{fill:none;stroke:var(--water);stroke-linejoin:round}
.main{fill:none;stroke:var(--casing);stroke-width:20;stroke-linecap:round}
.areas{fill:none;stroke-linejoin:round;stroke-linecap:round}
.wash{stroke-width:76;opacity:var(--wash)}
.line{stroke-width:7}
.small .wash{stroke-width:96;opacity:calc(var(--wash)*1.6)}
.small .line{stroke-width:9}
.c0{stroke:var(--c0)}.c1{stroke:var(--c1)}.c2{stroke:var(--c2)}.c3{stroke:var(--c3)}.c4{stroke:var(--c4)}.c5{stroke:var(--c5)}
.people{fill:none;stroke:var(--dot);stroke-linecap:round;stroke-opacity:.3}
.d0{stroke-width:8}.d1{stroke-width:13}.d2{stroke-width:18}.d3{stroke-width:23}
.rim,.core{fill:none;stroke-linecap:round}
.rim{stroke:var(--card);stroke-width:150}.core{stroke:var(--ink);stroke-width:106}
.depot circle{fill:var(--card);stroke-width:15}
.depot text{font:700 56px system-ui,sans-serif;text-anchor:middle;fill:var(--ink)}
.names text{font:italic 600 64px \"Iowan Old Style\",Palatino,\"Palatino Linotype\",Georgia,serif;letter-spacing:.03em;text-anchor:middle;fill:var(--ink);stroke:var(--halo);stroke-width:17;stroke-linejoin:round;paint-order:stroke;opacity:.9}
.names .water{font-size:40px;font-weight:400;letter-spacing:.22em;fill:var(--water-ink);stroke:none;opacity:1}
.scale path{fill:none;stroke:var(--ink);stroke-width:6}
.scale text{font:52px system-ui,sans-serif;fill:var(--ink)}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:10px 0 12px;min-width:min(100%,560px)}
th,td{padding:7px 0 7px 26px;text-align:right;border-bottom:1px solid var(--rule);white-space:nowrap}
th:first-child,td:first-child{text-align:left;padding-left:0}
thead th{font-weight:500;color:var(--soft);font-size:14px}
footer{padding-top:22px;padding-bottom:40px}
@media (max-width:1060px){.pair p{min-height:3.1em}}
@media (max-width:640px){
.pair p{min-height:0}
header{padding-top:22px}main,header,footer{padding-left:14px;padding-right:14px}
.panels{grid-template-columns:1fr;gap:26px}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:0 10px}.pair h3,.pair p{grid-column:1/-1}
.depot{transform:scale(1.75)}
.names text{font-size:118px;stroke-width:26}.names .water{font-size:70px;letter-spacing:.1em}
.scale text{font-size:110px}.scale path{stroke-width:12}
.line{stroke-width:9}
table{font-size:14px}th,td{padding-left:8px}thead th{font-size:13px}}
@media print{
:root{color-scheme:light;--paper:#fff;--ink:#222;--soft:#555;--rule:#ccc;--card:#fff;--land:#fff;--halo:#fff;--casing:#fff;--green:#dfead2;--water:#bcd6e6;--water-ink:#3f6f8e;--dot:#222;--wash:.24;--c0:#0072b2;--c1:#e69f00;--c2:#009e73;--c3:#cc79a7;--c4:#56b4e9;--c5:#d55e00}
body{font-size:10.5pt;-webkit-print-color-adjust:exact;print-color-adjust:exact}
header{padding-top:0}.chips{display:none}figure,.pair,table{break-inside:avoid}
main,header,footer{max-width:none;padding-left:0;padding-right:0}
.panels{grid-template-columns:repeat(3,1fr);gap:14px}.pair{display:block}.pair p{min-height:3.1em}}
";

/// The rules, for this number of pictures, that show the picked one and mark its buttons.
pub fn picking(states: usize) -> String {
    let rule = |i: usize| {
        format!(
            "#p{i}:checked~main .s{i}{{display:inline}}\
             #p{i}:checked~main .chips [for=p{i}]{{background:var(--ink);color:var(--paper);border-color:var(--ink)}}\
             #p{i}:checked~main .frame[for=p{i}]{{border-color:var(--ink);box-shadow:0 0 0 1px var(--ink)}}\
             #p{i}:focus-visible~main .chips [for=p{i}]{{outline:2px solid var(--c0);outline-offset:2px}}\n"
        )
    };
    (0..states).map(rule).collect()
}
