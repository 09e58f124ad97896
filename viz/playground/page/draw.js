// Pictures: regions, growth and points on canvases, and the rose of directions.

const PALETTE = [[0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167], [86, 180, 233], [213, 94, 0], [0, 0, 0], [240, 228, 66]];
const dark = matchMedia("(prefers-color-scheme: dark)");
const color = k => {
  const c = PALETTE[k % PALETTE.length];
  return dark.matches && k % PALETTE.length === 6 ? [220, 220, 220] : c;
};
const css = ([r, g, b]) => `rgb(${r} ${g} ${b})`;
const ground = () => dark.matches ? [22, 25, 28] : [255, 255, 255];
const ink = () => dark.matches ? [235, 238, 240] : [34, 34, 34];
const mix = (a, b, t) => a.map((v, i) => Math.round(v + t * (b[i] - v)));
const word = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;

// shade returns the colour of a region of class k, stronger with more certainty, from 0 to 1, in eight steps.
const shade = (k, t) => mix(ground(), color(k), 0.10 + 0.45 * Math.floor(t * 7.999) / 7);

// marker adds the outline of the mark of class k to a path: shapes differ, for those who don't see colours.
function marker(path, k, x, y, r) {
  const ring = (n, turn, size) => {
    for (let i = 0; i < n; i++) {
      const a = turn + 2 * Math.PI * i / n;
      path[i ? "lineTo" : "moveTo"](x + size * r * Math.cos(a), y + size * r * Math.sin(a));
    }
    path.closePath();
  };
  switch (k % 6) {
    case 0: path.moveTo(x + r, y); path.arc(x, y, r, 0, 2 * Math.PI); break;
    case 1: ring(4, Math.PI / 4, 1.2); break;
    case 2: ring(3, -Math.PI / 2, 1.35); break;
    case 3: ring(4, 0, 1.3); break;
    case 4: ring(3, Math.PI / 2, 1.35); break;
    case 5: ring(6, 0, 1.1); break;
  }
}

// fit gives a canvas the pixels of the screen and returns its context and their number along a side.
function fit(canvas) {
  const side = Math.max(1, Math.round(canvas.clientWidth * Math.min(2, devicePixelRatio || 1)));
  if (canvas.width !== side) canvas.width = canvas.height = side;
  return [canvas.getContext("2d"), side];
}

// An Area is a picture of cells, each two pixels wide, with lines where neighbours differ.
class Area {
  constructor(cells) {
    this.cells = cells;
    this.canvas = new OffscreenCanvas(2 * cells, 2 * cells);
    this.context = this.canvas.getContext("2d");
    this.image = this.context.createImageData(2 * cells, 2 * cells);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  // paint draws rows of cells. fill(i) is the colour of cell i, and edge(i, j) that of the line between two cells, or 0.
  paint(from, to, fill, edge) {
    const n = this.cells, w = 2 * n;
    for (let row = from; row < to; row++) {
      for (let col = 0; col < n; col++) {
        const i = row * n + col, f = fill(i), at = 2 * row * w + 2 * col;
        const up = row > 0 && edge(i, i - n) || 0, left = col > 0 && edge(i, i - 1) || 0;
        this.pixels[at] = up || left || f;
        this.pixels[at + 1] = up || f;
        this.pixels[at + w] = left || f;
        this.pixels[at + w + 1] = f;
      }
    }
    this.context.putImageData(this.image, 0, 0, 0, 2 * from, w, 2 * (to - from));
  }

  show(canvas) {
    const [g, side] = fit(canvas);
    g.imageSmoothingEnabled = side < 2 * this.cells;
    g.clearRect(0, 0, side, side);
    g.drawImage(this.canvas, 0, 0, side, side);
  }
}

// shades returns the colours of all classes and certainties from 0 to 255.
const shadeTables = {};
function shades() {
  return shadeTables[dark.matches] ??= Uint32Array.from({length: 256 * PALETTE.length}, (_, i) => word(shade(i >> 8, (i & 255) / 255)));
}

function paintRegions(area, {cls, margin}, from, to) {
  const table = shades(), line = word(mix(ground(), ink(), 0.75));
  area.paint(from, to, i => table[256 * (cls[i] % PALETTE.length) + margin[i]], (i, j) => cls[i] !== cls[j] ? line : 0);
}

// paintGrowth paints a tree as it is after a step.
function paintGrowth(area, g, step) {
  const shown = new Int32Array(g.parent.length); // the node that stands for each node: it or the ancestor that isn't split yet
  const table = shades(), fill = new Uint32Array(shown.length);
  for (let i = 0; i < shown.length; i++) {
    const p = g.parent[i];
    shown[i] = p < 0 || shown[p] === p && g.splitAt[p] > 0 && g.splitAt[p] <= step ? i : shown[p];
    fill[i] = table[256 * (g.cls[i] % PALETTE.length) + (g.share[i] === 255 ? 255 : Math.max(0, g.share[i] - 128) >> 1)];
  }
  const thin = word(mix(ground(), ink(), 0.35)), thick = word(ink());
  area.paint(0, area.cells, i => fill[shown[g.leaves[i]]], (i, j) => {
    const a = shown[g.leaves[i]], b = shown[g.leaves[j]];
    if (a === b) return 0;
    return g.parent[a] === g.parent[b] && g.splitAt[g.parent[a]] === step ? thick : thin;
  });
}

// drawLine draws the whole line of a step, dashed.
function drawLine(canvas, g, step, view) {
  const [a, b, c] = g.lines.subarray(3 * step - 3, 3 * step);
  if (!(step > 0) || Number.isNaN(a) || a === 0 && b === 0) return;
  const [ctx, side] = fit(canvas), [x0, x1, y0, y1] = view, ends = [];
  const put = (x, y) => {
    const e = 1e-9;
    if (x >= x0 - e && x <= x1 + e && y >= y0 - e && y <= y1 + e) ends.push([(x - x0) / (x1 - x0) * side, (y1 - y) / (y1 - y0) * side]);
  };
  if (b !== 0) { put(x0, (c - a * x0) / b); put(x1, (c - a * x1) / b); }
  if (a !== 0) { put((c - b * y0) / a, y0); put((c - b * y1) / a, y1); }
  if (ends.length < 2) return;
  const far = ends.reduce((best, p) => Math.hypot(p[0] - ends[0][0], p[1] - ends[0][1]) > Math.hypot(best[0] - ends[0][0], best[1] - ends[0][1]) ? p : best);
  ctx.strokeStyle = css(ink());
  ctx.lineWidth = side / 320;
  ctx.setLineDash([side / 60, side / 80]);
  ctx.beginPath();
  ctx.moveTo(...ends[0]);
  ctx.lineTo(...far);
  ctx.stroke();
  ctx.setLineDash([]);
}

// stamp returns a picture of the mark of class k with radius r, in pixels. Stamping is many times faster than
// filling paths.
const stamps = new Map();
function stamp(k, r, scale) {
  const size = Math.max(1, Math.round(4 * r)) / 4, key = [k, size, scale, dark.matches].join();
  if (!stamps.has(key)) {
    const side = 2 * Math.ceil(1.4 * size + 2 * scale), canvas = new OffscreenCanvas(side, side), ctx = canvas.getContext("2d");
    ctx.beginPath();
    marker(ctx, k, side / 2, side / 2, size);
    ctx.fillStyle = css(mix(color(k), [255, 255, 255], dark.matches ? 0.25 : 0));
    ctx.strokeStyle = css(ground());
    ctx.lineWidth = 0.9 * scale;
    ctx.fill();
    ctx.stroke();
    stamps.set(key, canvas);
  }
  return stamps.get(key);
}

// drawPoints draws marks of points {u, v, c, faint, size}: u and v from 0 to 1, v downwards. Pale ones are below.
function drawPoints(canvas, points, cursor) {
  const [ctx, side] = fit(canvas);
  ctx.clearRect(0, 0, side, side);
  const scale = side / Math.max(1, canvas.clientWidth);
  const radius = scale * Math.max(1.8, Math.min(4, 70 / Math.sqrt(points.length)));
  for (const pale of [true, false]) {
    ctx.globalAlpha = pale ? 0.3 : 1;
    for (const p of points) {
      if (!!p.faint !== pale) continue;
      const mark = stamp(p.c, radius * (p.size ?? 1), scale);
      ctx.drawImage(mark, p.u * side - mark.width / 2, p.v * side - mark.height / 2);
    }
  }
  if (!cursor) return;
  const x = cursor.u * side, y = cursor.v * side, r = 9 * scale;
  for (const [width, style] of [[3.5, ground()], [1.5, ink()]]) {
    ctx.lineWidth = width * scale;
    ctx.strokeStyle = css(style);
    ctx.beginPath();
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      ctx.moveTo(x + dx * r / 3, y + dy * r / 3);
      ctx.lineTo(x + dx * r, y + dy * r);
    }
    ctx.stroke();
  }
}

// drawRose draws the shares of directions, over half a turn, as sectors whose areas are the shares.
function drawRose(figure, rose, curved) {
  const svg = figure.querySelector("svg"), n = rose.length, top = Math.max(...rose), R = 46;
  const at = (a, r) => `${(r * Math.cos(a)).toFixed(2)} ${(-r * Math.sin(a)).toFixed(2)}`;
  let d = "";
  for (let k = 0; k < 2 * n; k++) {
    const share = rose[k % n];
    if (share < 1e-6) continue;
    const r = R * Math.sqrt(share / top), a = k * Math.PI / n, half = 0.46 * Math.PI / n;
    d += `M0 0L${at(a - half, r)}A${r} ${r} 0 0 0 ${at(a + half, r)}Z`;
  }
  svg.innerHTML = `<circle r="${R}"/><circle r="${R / 2}"/><line x1="-${R}" x2="${R}" y1="0" y2="0"/><line y1="-${R}" y2="${R}" x1="0" x2="0"/>` +
    `<text x="${R + 3}" y="3">0°</text><text y="-${R + 4}" text-anchor="middle">90°</text><path d="${d}"/>`;
  let text = "Directions of the splits, by impurity decrease";
  if (curved > 0.995) text = "The boundaries are curves and have no direction.";
  else if (curved > 0.005) text += `; ${percent(curved)} of it is by curves`;
  figure.querySelector("figcaption").textContent = text + (curved > 0.995 ? "" : ".");
  const order = [...rose.keys()].sort((a, b) => rose[b] - rose[a]).filter(k => rose[k] > 0).slice(0, 3);
  svg.setAttribute("aria-label", text + ": " + (order.map(k => `${k * 180 / n}°, ${percent(rose[k])}`).join("; ") || "none"));
}

const percent = v => `${(100 * v).toFixed(v > 0 && v < 0.1 ? 1 : v < 0.9995 ? 1 : 0)} %`;
