"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const el = id => document.getElementById(id);
const show = (id, on = true) => { el(id).hidden = !on; };
const make = (tag, text, className) => {
  const node = document.createElement(tag);
  if (text !== undefined && text !== null) node.textContent = text;
  if (className) node.className = className;
  return node;
};

// Numbers for people: four digits, with commas between thousands.
const number = x => {
  if (x === null || x === undefined) return "–";
  if (Array.isArray(x)) return `${number(x[0])} and ${number(x[1])}`;
  if (typeof x !== "number") return String(x);
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return x.toExponential(2);
  const digits = size >= 1000 || size === 0 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(size)));
  return x.toLocaleString("en-US", { maximumFractionDigits: digits });
};
// Large numbers at an axis as 40K, 3M or 2T, which are short.
const brief = x => Math.abs(x) < 1e4 ? number(x) : x.toLocaleString("en-US", { notation: "compact", maximumFractionDigits: 1 });
const withUnit = (x, unit) => unit ? `${number(x)} ${unit}` : number(x);

// Bytes in base 64; and numbers of one, two or four bytes.
const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
const unpack = ([size, text]) => {
  const buffer = bytes(text).buffer;
  return size === 1 ? new Uint8Array(buffer) : size === 2 ? new Uint16Array(buffer) : new Uint32Array(buffer);
};

// Colors: six that can be told apart whatever one's eyes see, then darker and lighter ones of them.
const PALETTE = {
  light: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"],
  dark: ["#3d9bdc", "#f0b43c", "#25b98c", "#dc92bb", "#8fd0f5", "#ee7d33"],
};
const SHADES = [0, -0.4, 0.45, -0.62, 0.68];
let scheme = "light";
const rgb = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));
const hsl = (hue, s, l) => [0, 8, 4].map(n => {
  const k = (n + hue / 30) % 12;
  return Math.round(255 * (l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
});
const color = at => {
  const base = PALETTE[scheme], shade = SHADES[Math.floor(at / base.length)];
  // Beyond that, more colors than anybody can tell apart; no two that follow each other are alike.
  if (shade === undefined) return hsl((at * 137.508) % 360, 0.5, 0.35 + (at * 0.07) % 0.4);
  const to = shade < 0 ? 0 : 255;
  return rgb(base[at % base.length]).map(c => Math.round(c + (to - c) * Math.abs(shade)));
};
const css = ([r, g, b], alpha = 1) => `rgba(${r},${g},${b},${alpha})`;
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// What is looked at: which k, which center, which part of the picture, and how rows are sorted.
const fits = data.fits || [];
let now = Math.max(0, fits.findIndex(fit => data.suggested && fit.k === data.suggested.k));
let picked = null;
let view = { x: 0, y: 0, zoom: 1 };
let order = { column: null, down: true };
let allRows = false;
let printing = false;
const FIRST_ROWS = 100;
const MOST_ZOOM = 40;

const canvas = el("map"), frame = canvas.parentElement, tip = el("tip");
let xy, sizes, wash = null, width = 0, height = 0;
const across = at => (xy[2 * at] / 65535 - view.x) * view.zoom * width;
const down = at => (1 - xy[2 * at + 1] / 65535 - view.y) * view.zoom * height;

// The areas of the centers as a small picture, a dot for each cell.
const paint = fit => {
  const [wide, high] = data.map.grid;
  const small = document.createElement("canvas");
  small.width = wide;
  small.height = high;
  const pen = small.getContext("2d"), picture = pen.createImageData(wide, high);
  let cell = 0;
  for (let run = 0; run < fit.runs.length; run += 2) {
    const label = fit.runs[run], end = cell + fit.runs[run + 1];
    if (label === 0) { cell = end; continue; }
    const [r, g, b] = color(fit.colors[label - 1]);
    const alpha = picked === null ? 80 : picked === label - 1 ? 120 : 22;
    for (; cell < end; cell++) {
      // The first row of cells is at the bottom.
      const at = 4 * ((high - 1 - Math.floor(cell / wide)) * wide + cell % wide);
      picture.data[at] = r; picture.data[at + 1] = g; picture.data[at + 2] = b; picture.data[at + 3] = alpha;
    }
  }
  pen.putImageData(picture, 0, 0);
  return small;
};

const draw = () => {
  if (!data.map || !width) return;
  const ratio = window.devicePixelRatio || 1, fit = fits[now], pen = canvas.getContext("2d");
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  pen.scale(ratio, ratio);
  wash = wash || paint(fit);
  pen.drawImage(wash, -view.x * view.zoom * width, -view.y * view.zoom * height, width * view.zoom, height * view.zoom);
  const n = xy.length / 2, dark = scheme === "dark";
  const radius = Math.min(4.5, Math.max(1.1, 60 / Math.sqrt(n))) * Math.min(2.2, Math.sqrt(view.zoom)) * (width < 500 ? 0.8 : 1);
  // Dots of one color are one path: that is much faster than a path for each.
  const paths = new Map();
  for (let at = 0; at < n; at++) {
    const x = across(at), y = down(at);
    if (x < -9 || y < -9 || x > width + 9 || y > height + 9) continue;
    const slot = fit.of[at], faint = (picked !== null && slot !== picked) || (sizes && sizes[at] === 0);
    const key = faint ? -1 : fit.colors[slot];
    if (!paths.has(key)) paths.set(key, new Path2D());
    const r = sizes ? radius * (0.55 + 0.3 * sizes[at]) : radius, path = paths.get(key);
    path.moveTo(x + r, y);
    path.arc(x, y, r, 0, 7);
  }
  for (const [key, path] of [...paths].sort(([a], [b]) => a - b)) {
    pen.fillStyle = key === -1 ? (dark ? "rgba(220,220,220,.22)" : "rgba(60,60,60,.18)")
      : css(color(key).map(c => Math.round(dark ? c + (255 - c) * 0.18 : c * 0.82)), n > 4000 ? 0.75 : 0.9);
    pen.fill(path);
  }
  if (data.map.kind !== "similarity") rulers(pen);
  marks(pen, fit);
};

// Round numbers between two others, about as many as asked for.
const steps = (low, high, most, whole) => {
  const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
  let step = [1, 2, 5, 10].map(digit => digit * power).find(step => step >= rough) || 10 * power;
  if (whole) step = Math.max(1, Math.round(step));
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9 && found.length < 100; at++) {
    found.push(+(at * step).toPrecision(12));
  }
  return found;
};

// Round numbers at the left and lower edges of the picture.
const rulers = pen => {
  const [[left, right], [bottom, top]] = data.map.bounds;
  const x0 = left + (right - left) * view.x, x1 = x0 + (right - left) / view.zoom;
  const y1 = top - (top - bottom) * view.y, y0 = y1 - (top - bottom) / view.zoom;
  const unit = data.map.kind === "degrees" ? "°" : "";
  pen.font = "12px system-ui, sans-serif";
  pen.fillStyle = style("--soft");
  pen.strokeStyle = style("--soft");
  pen.lineWidth = 1;
  const write = (text, x, y) => {
    pen.save();
    pen.lineWidth = 3;
    pen.strokeStyle = style("--land");
    pen.strokeText(text, x, y);
    pen.restore();
    pen.fillText(text, x, y);
  };
  const tick = (x, y, dx, dy) => { pen.beginPath(); pen.moveTo(x, y); pen.lineTo(x + dx, y + dy); pen.stroke(); };
  pen.textAlign = "center";
  for (const x of steps(x0, x1, Math.max(3, width / 130))) {
    const at = (x - x0) / (x1 - x0) * width;
    tick(at, height, 0, -5);
    if (at > 40 && at < width - 90) write(number(x) + unit, at, height - 9);
  }
  pen.textAlign = "left";
  for (const y of steps(y0, y1, Math.max(3, height / 90))) {
    const at = (y1 - y) / (y1 - y0) * height;
    tick(0, at, 5, 0);
    if (at > 30 && at < height - 24) write(number(y) + unit, 9, at + 4);
  }
  write(`↑ ${data.map.names[1]}`, 9, 18);
  pen.textAlign = "right";
  write(`${data.map.names[0]} →`, width - 9, height - 9);
};

// Centers, and the items that are farthest from theirs.
const marks = (pen, fit) => {
  const ink = style("--ink"), card = style("--card");
  pen.lineWidth = 1.8;
  pen.strokeStyle = style("--mark");
  for (const [at, , slot] of fit.worst) {
    if (at === null || (picked !== null && picked !== slot)) continue;
    const x = across(at), y = down(at);
    pen.beginPath();
    pen.moveTo(x, y - 7); pen.lineTo(x + 6.5, y + 5); pen.lineTo(x - 6.5, y + 5);
    pen.closePath();
    pen.stroke();
  }
  const numbered = fit.k <= 60, r = numbered ? (fit.k > 25 || width < 500 ? 8.5 : 10) : 4.5;
  const ranks = rankOf(fit);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = `700 ${r < 10 ? 10 : 11.5}px system-ui, sans-serif`;
  const slots = [...Array(fit.k).keys()].sort((a, b) => ranks[b] - ranks[a]);
  for (const slot of slots) {
    const at = fit.centers[slot];
    if (at === null) continue;
    const x = across(at), y = down(at);
    if (x < -20 || y < -20 || x > width + 20 || y > height + 20) continue;
    const circle = (r, line, stroke) => { pen.beginPath(); pen.arc(x, y, r, 0, 7); pen.lineWidth = line; pen.strokeStyle = stroke; };
    pen.globalAlpha = picked === null || picked === slot ? 1 : 0.35;
    circle(r, numbered ? 3 : 2.5, css(color(fit.colors[slot])));
    pen.fillStyle = card;
    pen.fill();
    pen.stroke();
    circle(r + 2, 1, ink);
    pen.stroke();
    if (numbered) { pen.fillStyle = ink; pen.fillText(ranks[slot], x, y + 0.5); }
  }
  pen.globalAlpha = 1;
  pen.textBaseline = "alphabetic";
};

// The number of each center: 1 is the largest, by the last column that says how large it is.
const rankOf = fit => {
  if (!fit.ranks) {
    const column = data.heads.findIndex(head => head.name === "demand");
    const size = slot => fit.rows[slot][column > 0 ? column : 1] ?? 0;
    fit.ranks = [];
    [...Array(fit.k).keys()].sort((a, b) => size(b) - size(a) || a - b).forEach((slot, rank) => { fit.ranks[slot] = rank + 1; });
  }
  return fit.ranks;
};

// A thumbnail of an item of the picture, if items are pictures.
const thumbnail = at => {
  const pixels = data.images && at !== null && data.images.of[at];
  if (!pixels) return [];
  const small = document.createElement("canvas");
  small.width = data.images.width;
  small.height = data.images.height;
  small.setAttribute("aria-hidden", "true");
  const pen = small.getContext("2d"), picture = pen.createImageData(small.width, small.height);
  bytes(pixels).forEach((value, pixel) => picture.data.set([value, value, value, 255], 4 * pixel));
  pen.putImageData(picture, 0, 0);
  return [small];
};

// What is under the pointer.
const nearestItem = (x, y) => {
  let best = -1, least = 14 * 14;
  const offer = (at, bonus) => {
    if (at === null) return;
    const away = (across(at) - x) ** 2 + (down(at) - y) ** 2 - bonus;
    if (away < least) { least = away; best = at; }
  };
  for (let at = 0; at < xy.length / 2; at++) offer(at, 0);
  fits[now].centers.forEach(at => offer(at, 90));
  return best;
};
const explain = (at, x, y) => {
  if (at < 0) { tip.hidden = true; return; }
  const fit = fits[now], slot = fit.of[at], own = fit.centers.indexOf(at);
  const far = fit.worst.find(row => row[0] === at);
  tip.replaceChildren(make("b", data.map.items[at]));
  const line = text => { tip.append(make("div", text)); };
  line(own >= 0 ? `center ${rankOf(fit)[own]}` : `goes to center ${rankOf(fit)[slot]}, ${fit.rows[slot][0]}`);
  if (far) line(`${withUnit(far[1], data.unit)} away`);
  tip.append(...thumbnail(at));
  tip.hidden = false;
  tip.style.left = `${Math.max(4, Math.min(x + 14, width - tip.offsetWidth - 4))}px`;
  tip.style.top = `${Math.max(4, Math.min(y + 14, height - tip.offsetHeight - 4))}px`;
};

// Zooming and moving.
let waiting = false;
const later = () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; draw(); });
};
const settle = () => {
  const most = 1 - 1 / view.zoom;
  view.x = Math.min(most, Math.max(0, view.x));
  view.y = Math.min(most, Math.max(0, view.y));
  frame.classList.toggle("zoomed", view.zoom > 1);
  tip.hidden = true;
  later();
};
const zoom = (factor, x = width / 2, y = height / 2) => {
  const before = view.zoom;
  view.zoom = Math.min(MOST_ZOOM, Math.max(1, view.zoom * factor));
  view.x += x / width * (1 / before - 1 / view.zoom);
  view.y += y / height * (1 / before - 1 / view.zoom);
  settle();
};
const pan = (dx, dy) => { view.x += dx / view.zoom; view.y += dy / view.zoom; settle(); };
const listen = () => {
  const pointers = new Map();
  let moved = false;
  const place = event => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  canvas.addEventListener("pointerdown", event => { pointers.set(event.pointerId, place(event)); moved = false; });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, event => { pointers.delete(event.pointerId); });
  canvas.addEventListener("pointermove", event => {
    const [x, y] = place(event), before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse") explain(nearestItem(x, y), x, y);
      return;
    }
    const [dx, dy] = [x - before[0], y - before[1]];
    if (Math.abs(dx) + Math.abs(dy) > 3) moved = true;
    if (pointers.size === 2) {
      const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const apart = ([ax, ay]) => Math.hypot(ax - other[0], ay - other[1]) || 1;
      zoom(apart([x, y]) / apart(before), (x + other[0]) / 2, (y + other[1]) / 2);
    } else if (view.zoom > 1) {
      pan(-dx / width, -dy / height);
    }
    pointers.set(event.pointerId, [x, y]);
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("click", event => {
    if (moved) return;
    const [x, y] = place(event), at = nearestItem(x, y);
    pick(at < 0 ? null : fits[now].of[at]);
    explain(at, x, y);
  });
  canvas.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 300), ...place(event));
  }, { passive: false });
  canvas.addEventListener("keydown", event => {
    const act = {
      "+": () => zoom(1.5), "=": () => zoom(1.5), "-": () => zoom(1 / 1.5), "0": () => zoom(1 / MOST_ZOOM), "Escape": () => pick(null),
      "ArrowLeft": () => pan(-0.1, 0), "ArrowRight": () => pan(0.1, 0), "ArrowUp": () => pan(0, -0.1), "ArrowDown": () => pan(0, 0.1),
    }[event.key];
    if (!act || (view.zoom === 1 && event.key.startsWith("Arrow"))) return;
    act();
    event.preventDefault();
  });
  el("in").onclick = () => zoom(1.6);
  el("out").onclick = () => zoom(1 / 1.6);
  el("all").onclick = () => zoom(1 / MOST_ZOOM);
};

// Looks at one center, or at all again.
const pick = slot => {
  picked = picked === slot ? null : slot;
  wash = null;
  draw();
  for (const row of el("table").tBodies[0].rows) row.classList.toggle("on", picked !== null && +row.dataset.slot === picked);
};

// Looks at another k.
const choose = at => {
  now = Math.min(fits.length - 1, Math.max(0, at));
  picked = null;
  wash = null;
  tip.hidden = true;
  const fit = fits[now], slider = el("slider");
  slider.value = now;
  slider.setAttribute("aria-valuetext", `${fit.k} centers`);
  el("chosen").textContent = `k = ${fit.k}`;
  el("fewer").disabled = now === 0;
  el("more").disabled = now === fits.length - 1;
  el("tiles").replaceChildren(...fit.tiles.map(([name, value, unit]) => {
    const tile = make("div", null, "tile");
    tile.append(make("b", withUnit(value, unit)), make("span", name));
    return tile;
  }));
  el("note").textContent = fit.note || "";
  show("note", Boolean(fit.note));
  canvas.setAttribute("aria-label", `${data.map.items.length} items and their ${fit.k} centers. Plus and minus zoom, arrow keys move.`);
  draw();
  rows();
  far();
  for (const line of document.querySelectorAll("line.now")) line.style.display = +line.dataset.k === fit.k ? "" : "none";
};

// The table of centers, whose headings sort it.
const heading = (head, column) => {
  const cell = make("th"), button = make("button", head.name);
  cell.scope = "col";
  button.type = "button";
  button.onclick = () => {
    order = { column, down: order.column === column ? !order.down : !head.text };
    rows();
    el("table").tHead.rows[0].cells[column].firstChild.focus();
  };
  if (order.column === column) cell.setAttribute("aria-sort", order.down ? "descending" : "ascending");
  cell.append(button);
  return cell;
};
const rows = () => {
  const fit = fits[now], table = el("table"), ranks = rankOf(fit), { column, down } = order;
  const slots = [...Array(fit.k).keys()].sort((a, b) => {
    const [x, y] = column === null ? [ranks[a], ranks[b]] : [fit.rows[a][column], fit.rows[b][column]];
    if (x === null || y === null) return (x === null) - (y === null) || ranks[a] - ranks[b];
    const less = typeof x === "string" ? x.localeCompare(y, "en", { numeric: true }) : x - y;
    return (column !== null && down ? -less : less) || ranks[a] - ranks[b];
  });
  const head = make("tr");
  head.append(...data.heads.map(heading));
  table.tHead.replaceChildren(head);
  const shown = allRows ? slots : slots.slice(0, FIRST_ROWS);
  table.tBodies[0].replaceChildren(...shown.map(slot => {
    const row = make("tr", null, "pick");
    row.dataset.slot = slot;
    row.classList.toggle("on", slot === picked);
    const cell = make("td"), name = make("div", null, "name"), swatch = make("span", null, "swatch"), button = make("button", `${ranks[slot]}. ${fit.rows[slot][0]}`);
    swatch.style.background = css(color(fit.colors[slot]));
    button.type = "button";
    name.append(swatch, ...thumbnail(fit.centers[slot]), button);
    cell.append(name);
    row.append(cell, ...fit.rows[slot].slice(1).map(value => make("td", number(value))));
    row.onclick = () => pick(slot);
    return row;
  }));
  const rest = slots.length - shown.length;
  show("rest", rest > 0);
  el("rest").textContent = `Show the ${rest} other centers`;
  el("rest").onclick = () => { allRows = true; rows(); };
  show("centers");
};

// A table that does not sort.
const fill = (table, heads, lines) => {
  const head = make("tr");
  head.append(...heads.map(name => { const cell = make("th", name); cell.scope = "col"; return cell; }));
  table.tHead.replaceChildren(head);
  table.tBodies[0].replaceChildren(...lines.map(cells => {
    const line = make("tr");
    line.append(...cells.map(value => value instanceof Node ? value : make("td", number(value))));
    return line;
  }));
};

// The items that are farthest from their centers.
const far = () => {
  const fit = fits[now], unit = data.unit ? `, ${data.unit}` : "";
  el("far-title").textContent = data.worst;
  fill(el("worst"), ["item", `distance${unit}`, "center"], fit.worst.map(([at, away, slot]) => {
    const item = make("td");
    item.append(make("span", "△ ", "triangle"), ...thumbnail(at), document.createTextNode(at === null ? "" : data.map.items[at]));
    return [item, away, `${rankOf(fit)[slot]}. ${fit.rows[slot][0]}`];
  }));
  show("far", fit.worst.length > 0);
};

// Curves.
const shape = (name, attributes, text) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  return node;
};
const chart = spec => {
  const [W, H, L, R, T, B] = [520, 300, 66, 14, 12, 46];
  const points = spec.series.flatMap(series => series.points);
  // Lines for comparison, such as centers without data, must not squeeze the curves.
  const curves = spec.series.filter(series => !series.aside).flatMap(series => series.points);
  const values = curves.flatMap(point => point.slice(1)).filter(Number.isFinite);
  if (spec.line !== undefined) values.push(spec.line);
  if (spec.zero) values.push(0);
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (!(high > low)) { low -= 0.5; high += 0.5; }
  const room = (high - low) * 0.06;
  high += room;
  if (!(spec.zero && low === 0)) low -= room;
  const xs = [...new Set(points.map(point => point[0]))].sort((a, b) => a - b);
  const on = x => spec.log ? Math.log10(x) : x;
  const [first, last] = [on(xs[0]), on(xs[xs.length - 1])];
  const pad = (last - first) * 0.03 || 0.5;
  const px = x => L + (on(x) - first + pad) / (last - first + 2 * pad) * (W - L - R);
  const py = y => T + (1 - (y - low) / (high - low)) * (H - T - B);
  const svg = shape("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `${spec.title}: ${spec.y} over ${spec.x}` });
  // The line across has its number, in place of those that it would touch.
  const isFree = y => spec.line === undefined || Math.abs(py(y) - py(spec.line)) > 14;
  for (const y of steps(low, high, 5).filter(isFree)) {
    svg.append(shape("path", { class: "axis", d: `M${L} ${py(y)}H${W - R}` }));
    svg.append(shape("text", { x: L - 7, y: py(y) + 4, "text-anchor": "end" }, brief(y)));
  }
  for (const x of spec.log ? xs : steps(xs[0], xs[xs.length - 1], 9, spec.whole)) {
    svg.append(shape("path", { class: "axis", d: `M${px(x)} ${H - B}v5` }));
    svg.append(shape("text", { x: px(x), y: H - B + 19, "text-anchor": "middle" }, number(x)));
  }
  const middle = (T + H - B) / 2;
  svg.append(shape("text", { x: (L + W - R) / 2, y: H - 6, "text-anchor": "middle" }, spec.x));
  svg.append(shape("text", { x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, spec.y));
  if (spec.line !== undefined) {
    svg.append(shape("path", { class: "one", d: `M${L} ${py(spec.line)}H${W - R}` }));
    svg.append(shape("text", { x: L - 7, y: py(spec.line) + 4, "text-anchor": "end" }, brief(spec.line)));
  }
  spec.series.forEach((series, place) => {
    const inside = series.points.filter(([, y]) => Number.isFinite(y) && y >= low && y <= high);
    const stroke = css(color(series.color ?? place));
    const d = inside.map(([x, y], at) => `${at ? "L" : "M"}${px(x).toFixed(1)} ${py(y).toFixed(1)}`).join("");
    if (d) svg.append(shape("path", { d, fill: "none", stroke, "stroke-width": series.dotted ? 1.8 : 2.2, "stroke-dasharray": series.dotted ? "2 4" : "none" }));
    if (series.dotted) return;
    for (const [x, y, least, most] of inside) {
      if (Number.isFinite(least)) svg.append(shape("path", { d: `M${px(x)} ${py(Math.max(low, least))}V${py(Math.min(high, most))}`, stroke, "stroke-width": 1.2 }));
      if (inside.length <= 60) svg.append(shape("circle", { cx: px(x), cy: py(y), r: 3.2, fill: stroke }));
    }
  });
  if (spec.picks) {
    const wide = (W - L - R) / Math.max(1, fits.length);
    fits.forEach((fit, at) => {
      svg.append(shape("line", { class: "now", x1: px(fit.k), x2: px(fit.k), y1: T, y2: H - B, "data-k": fit.k }));
      const hit = shape("rect", { class: "hit", x: px(fit.k) - wide / 2, y: T, width: wide, height: H - T - B });
      hit.addEventListener("click", () => choose(at));
      hit.append(shape("title", {}, `k = ${fit.k}`));
      svg.append(hit);
    });
  }
  const box = make("div"), legend = make("p", null, "soft legend");
  const named = spec.series.filter(series => series.points.length && !series.aside);
  if (named.length > 1) {
    for (const series of named) {
      const swatch = make("span", null, "swatch"), entry = make("span", null, "named");
      swatch.style.background = css(color(series.color ?? spec.series.indexOf(series)));
      entry.append(swatch, series.dotted ? `${series.name} (dotted)` : series.name);
      legend.append(entry, " ");
    }
  }
  if (spec.words) legend.append(document.createTextNode(spec.words));
  box.append(make("h2", spec.title), svg, legend);
  return box;
};

// Everything is drawn again when the colors or the width change.
const media = matchMedia("(prefers-color-scheme: dark)");
const measure = () => {
  if (!data.map) return;
  // Both directions have one scale. Paper may be wider or narrower than the window: shares fit both.
  const wide = frame.clientWidth, most = printing ? 0.8 * wide : Math.max(320, innerHeight * 0.8);
  width = Math.min(wide, most * data.map.ratio);
  height = width / data.map.ratio;
  canvas.style.width = `${100 * width / wide}%`;
  canvas.style.aspectRatio = `${width} / ${height}`;
};
const dress = () => {
  scheme = media.matches && !printing ? "dark" : "light";
  measure();
  el("charts").replaceChildren(...(data.charts || []).map(chart));
  if (data.map) choose(now);
};
const words = () => {
  el("title").textContent = data.title;
  el("lead").textContent = data.lead;
  el("warning").textContent = data.warning || "";
  show("warning", Boolean(data.warning));
  if (data.table) {
    fill(el("plain"), data.table.heads.map(head => head.name), data.table.rows);
    show("numbers");
  }
  if (data.facts && data.facts.length) {
    el("terms-title").textContent = data.kind === "plan" ? "The demand that was made up" : "What was released, and whom it protects";
    el("facts").replaceChildren(...data.facts.flatMap(([term, text]) => [make("dt", term), make("dd", text)]));
    show("terms");
  }
};
const picture = () => {
  xy = new Uint16Array(bytes(data.map.xy).buffer);
  sizes = data.map.sizes ? bytes(data.map.sizes) : null;
  for (const fit of fits) {
    fit.of = unpack(fit.labels);
    fit.runs = unpack(fit.areas);
  }
  const count = x => x.toLocaleString("en-US"), shown = data.map.items.length;
  const kinds = {
    degrees: "A map, with longitude to the right and latitude upwards.",
    plane: `${data.map.names[0]} to the right, ${data.map.names[1]} upwards.`,
    similarity: "Items have no places: those that are alike are drawn near to each other, as far as two dimensions allow.",
  };
  el("caption").textContent = [
    kinds[data.map.kind],
    "A dot is an item, in the color of the center that serves it; numbers are centers, 1 the largest; triangles are the items farthest from their center.",
    shown < data.map.all ? `${count(shown)} of ${count(data.map.all)} items are drawn; all numbers are of all of them.` : "",
    data.left_out ? `${data.left_out} of the k have no picture, to keep the page small; the curves have all.` : "",
  ].join(" ");
  show("picture");
  listen();
};
const slider = () => {
  el("slider").max = fits.length - 1;
  el("slider").oninput = event => choose(+event.target.value);
  el("fewer").onclick = () => choose(now - 1);
  el("more").onclick = () => choose(now + 1);
  const at = data.suggested ? fits.findIndex(fit => fit.k === data.suggested.k) : -1;
  if (at >= 0) {
    el("suggested").textContent = `Suggested: ${data.suggested.k}`;
    el("suggested").onclick = () => choose(at);
    el("why").textContent = data.suggested.why;
    show("suggested");
  }
  show("choose");
};

words();
if (data.map) picture();
if (fits.length > 1) slider();
dress();
media.addEventListener("change", dress);
let wide = innerWidth;
addEventListener("resize", () => { if (innerWidth !== wide) { wide = innerWidth; measure(); later(); } });
addEventListener("beforeprint", () => { printing = true; dress(); });
addEventListener("afterprint", () => { printing = false; dress(); });
// When the page was complete, in milliseconds after it was asked for.
document.body.dataset.ready = Math.round(performance.now());
})();
