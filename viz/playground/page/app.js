// The page: menus and sliders, points under the mouse, two panels, and the address.

const CELLS = 224, COARSE = 56, BAND = 28; // cells along a side of a picture, of a first one, and rows asked for at a time
const $ = (selector, from = document) => from.querySelector(selector);
const make = (tag, attributes = {}, ...children) => {
  const e = Object.assign(document.createElement(tag), attributes);
  e.append(...children);
  return e;
};
// later returns f, put off until it hasn't been called for a while.
const waiting = new Set();
const later = (f, wait) => {
  let timer;
  const due = (...args) => { waiting.delete(due); f(...args); };
  return (...args) => { clearTimeout(timer); waiting.add(due); timer = setTimeout(due, wait, ...args); };
};

const given = JSON.parse(pageText("start")); // the cell's data and learners
let state = fresh(), menu, sample, points = [], version = 0, past = [], brush = 0, cursor = null;
const panels = [];

function complain(text) {
  $("#message").textContent = text ?? "";
  $("#message").hidden = !text;
}

// ---- Points

const HAND = {target: "class", features: ["x1", "x2"], classes: ["1", "2", "3", "4"], view: [-1, 1, -1, 1], bayes: -1};

const place = p => { // of a point drawn by hand, in units of the features
  const [x0, x1, y0, y1] = sample.view, rest = sample.features.slice(2).map(() => state.slice);
  return [x0 + (x1 - x0) * (p.x + 0.5) / GRID, y0 + (y1 - y0) * (p.y + 0.5) / GRID, ...rest].map(Math.fround);
};

// arrange sets points: those of the sample that are left, and those drawn by hand.
function arrange() {
  const gone = new Set(state.removed), n = sample.labels.length;
  points = [];
  for (let i = 0; i < n; i++) if (!gone.has(i)) points.push({row: i, at: sample.columns.map(col => col[i]), c: sample.labels[i]});
  for (const p of state.added) points.push({hand: p, at: place(p), c: p.c});
  version++;
}

async function draw() {
  const s = state;
  if (s.problem === "hand") sample = {...HAND, columns: [[], []], labels: []};
  else if (s.problem === "data" && given.data) sample = {...given.data, bayes: -1};
  else {
    const {answer, arrays} = await panels[0].steady(e => e.ask({do: "sample", problem: s.problem, fields: s.fields, rows: s.rows, seed: s.seed, noise: s.noise}));
    const whole = arrays.map(a => a.buffer);
    sample = {...answer, columns: whole.slice(0, -1).map(b => new Float32Array(b)), labels: new Int32Array(whole.at(-1))};
  }
  if (state !== s) return;
  first.points ??= performance.now();
  arrange();
}

const byMenu = (list, name, fields) => list.find(e => e.name === name && admits(e, fields)) ?? list.find(e => e.name === name);

// admits reports whether an entry of a menu can have these fields.
const admits = (entry, fields) => Object.entries(entry.fixed ?? {}).every(([k, v]) => (fields[k] ?? 0) === v) &&
  (entry.parameters ?? []).every(p => !p.names || p.values.includes(fields[p.field] ?? 0));

// starting returns the fields that an entry starts with.
const starting = entry => ({...entry.fixed, ...Object.fromEntries((entry.parameters ?? []).filter(p => p.start !== 0).map(p => [p.field, p.start]))});

const snap = (value, n) => Math.max(0, Math.min(n - 1, Math.floor(value * n)));

function remember() {
  past.push({removed: state.removed, added: state.added});
  if (past.length > 200) past.shift();
}

function add(u, v) {
  if (brush < 0) return remove(u, v, 0.03);
  const c = Math.min(brush, sample.classes.length - 1);
  state.added = [...state.added, {x: snap(u, GRID), y: snap(1 - v, GRID), c}];
  edited();
}

// remove removes the nearest point, if it is near enough.
function remove(u, v, within) {
  let best = null, least = within * within;
  for (const p of points) {
    const q = onPlane(p), d = (q.u - u) ** 2 + (q.v - v) ** 2;
    if (d < least) [best, least] = [p, d];
  }
  if (!best) return;
  if (best.hand) state.added = state.added.filter(p => p !== best.hand);
  else state.removed = [...state.removed, best.row];
  edited();
}

const onPlane = p => {
  const [x0, x1, y0, y1] = sample.view;
  return {u: (p.at[0] - x0) / (x1 - x0), v: (y1 - p.at[1]) / (y1 - y0)};
};

const edited = () => { arrange(); panels.forEach(p => p.drawMarks()); trainSoon(); };

// ---- Sliders

// slider returns a labelled slider or menu of a parameter, and calls changed with a new value.
function slider(parameter, value, changed) {
  const p = parameter, id = "s" + slider.count++;
  if (p.names) {
    const select = make("select", {id}, ...p.names.map((name, i) => make("option", {value: p.values[i], textContent: name})));
    select.value = value;
    select.onchange = () => changed(Number(select.value));
    return make("div", {className: "slider"}, make("label", {htmlFor: id, textContent: p.label}), select);
  }
  let values = p.values;
  const of = v => v === 0 && p.default ? p.default : v; // 0 stands for the default
  if (!values.includes(of(value))) values = [...values.filter(v => v !== 0 || !p.zero), of(value)].sort((a, b) => a - b).concat(p.zero && values.includes(0) && of(value) !== 0 ? [0] : []);
  const input = make("input", {type: "range", id, min: 0, max: values.length - 1, step: 1, value: values.indexOf(of(value))});
  const output = make("output");
  output.htmlFor.add(id);
  const write = () => {
    const v = values[input.value];
    const text = v === 0 && p.zero ? p.zero : v === -1 && p.none ? p.none : p.percent ? `${Math.round(100 * v)} %` : String(v).replace("-", "−") + (p.unit ?? "");
    output.textContent = text;
    if (p.default && p.start) output.append(make("small", {textContent: v === p.default ? " (default)" : ` (default ${p.default})`}));
    input.setAttribute("aria-valuetext", text);
  };
  write();
  input.oninput = () => { write(); changed(values[input.value] === p.default ? 0 : values[input.value]); };
  input.disabled = values.length < 2;
  return make("div", {className: "slider"}, make("label", {htmlFor: id, textContent: p.label}), output, input);
}
slider.count = 0;

// ---- Panels

class Panel {
  constructor(index) {
    this.index = index;
    this.element = $("#panel").content.firstElementChild.cloneNode(true);
    for (const name of ["method", "train", "about", "plane", "veil", "growth", "parameters", "rose", "numbers", "code", "sha", "save", "status", "caption"]) this[name] = $("." + name, this.element);
    this.canvas = $(".regions", this.element);
    this.marks = $(".marks", this.element);
    this.element.setAttribute("aria-label", index ? "Right method" : "Left method");
    this.method.setAttribute("aria-label", index ? "Right method" : "Left method");
    this.turn = 0; // number of the training; what belongs to earlier ones is dropped
    this.area = new Area(CELLS);
    this.method.onchange = () => this.choose(menu.methods[this.method.value]);
    this.train.onclick = () => this.training ? this.callOff() : this.run();
    this.save.onclick = () => this.download();
    followMouse(this.plane);
    $("#panels").append(this.element);
  }

  get own() { return state.panels[this.index]; }

  entry() { return byMenu(menu.methods, this.own.method, this.own.fields); }

  // steady calls f with the engine as soon as that is idle.
  async steady(f) {
    await this.engine.idle();
    return f(this.engine);
  }

  choose(entry) {
    Object.assign(this.own, {method: entry.name, fields: starting(entry), tree: 0, step: null});
    this.menu();
    this.run();
  }

  // menu writes the menu of methods and the sliders of the chosen one.
  menu() {
    const groups = Map.groupBy(menu.methods.entries(), ([, e]) => e.group);
    this.method.replaceChildren(...[...groups].map(([label, list]) => {
      const group = make("optgroup", {label});
      group.append(...list.map(([i, e]) => make("option", {value: i, textContent: e.title})));
      return group;
    }));
    const entry = this.entry();
    if (!entry) throw new Error(`there is no method “${this.own.method}”`);
    this.method.value = menu.methods.indexOf(entry);
    this.about.textContent = entry.about;
    this.parameters.replaceChildren(...entry.parameters.filter(p => p.values.length > 1 || p.names).map(p => slider(p, this.own.fields[p.field] ?? 0, v => {
      this.own.fields = {...this.own.fields, [p.field]: v};
      if (v === 0) delete this.own.fields[p.field];
      trainSoon(this);
    })));
  }

  request() {
    const test = state.problem.startsWith("sim.") ? {problem: state.problem, fields: state.fields, rows: state.rows, seed: state.seed, noise: state.noise} : null;
    return {do: "train", method: this.own.method, fields: this.own.fields, target: sample.target, features: sample.features, classes: sample.classes, view: sample.view, test};
  }

  // run trains the method on the points and shows what comes of it. A training under way is called off.
  run() {
    const turn = ++this.turn;
    this.work(turn, this.trainAndLook(() => turn === this.turn));
  }

  // work keeps which turn is under way.
  async work(turn, done) {
    this.working = turn;
    try {
      await done;
    } finally {
      if (this.working === turn) this.working = null;
    }
  }

  async trainAndLook(going) {
    keepAddress();
    if (this.engine.busy) {
      await Promise.race([this.engine.idle(), new Promise(done => setTimeout(done, 100))]);
      if (!going()) return;
      if (this.engine.busy) this.replaceEngine();
    }
    const request = this.request(), columns = sample.features.map((_, j) => Float32Array.from(points, p => p.at[j]));
    const arrays = [...columns, Int32Array.from(points, p => p.c)].map(a => new Uint8Array(a.buffer));
    this.setTraining(true);
    try {
      const {answer} = await this.engine.ask(request, arrays, (done, total) => going() && this.progress(done, total));
      if (!going()) return;
      this.setTraining(false);
      first.trained ??= performance.now();
      this.result = answer;
      this.version = version;
      this.growing = this.scores = this.fine = null;
      this.numbersOf(answer);
      await this.look(going);
    } catch (e) {
      if (!going()) return;
      this.setTraining(false);
      this.tell(e.message.replace(/^playground: /, ""));
    }
  }

  // look asks for what is shown of the model.
  async look(going) {
    const at = {view: sample.view, slice: state.slice}, ask = (...request) => this.engine.ask(...request);
    if (state.view === "growth") {
      await this.grow(going);
      return;
    }
    if (!this.fine) {
      const {arrays: [cls, margin]} = await ask({do: "regions", ...at, cells: COARSE, from: 0, to: COARSE});
      if (!going()) return;
      this.regions = {cls: new Uint8Array(CELLS * CELLS), margin: new Uint8Array(CELLS * CELLS)};
      const k = CELLS / COARSE;
      for (let i = 0; i < CELLS * CELLS; i++) {
        const from = Math.floor(Math.floor(i / CELLS) / k) * COARSE + Math.floor(i % CELLS / k);
        this.regions.cls[i] = cls[from];
        this.regions.margin[i] = margin[from];
      }
      this.drawRegions(0, CELLS);
      first.picture ??= performance.now();
    }
    if (state.view === "sensitivity" && !this.scores) {
      const {arrays: [scores]} = await ask({do: "sensitivity"});
      if (!going()) return;
      this.scores = new Float64Array(scores.buffer);
      this.drawMarks();
    }
    for (let from = 0; from < CELLS && !this.fine; from += BAND) {
      const {arrays: [cls, margin]} = await ask({do: "regions", ...at, cells: CELLS, from, to: from + BAND});
      if (!going()) return;
      this.regions.cls.set(cls, from * CELLS);
      this.regions.margin.set(margin, from * CELLS);
      this.drawRegions(from, Math.min(CELLS, from + BAND + 1));
    }
    this.fine = true;
    if (this.result.test < 0 && this.result.outOfBag < 0 && this.result.folds === undefined) {
      const {answer} = await ask({do: "folds"});
      if (!going()) return;
      this.result.folds = answer;
      this.numbersOf(this.result);
    }
  }

  async grow(going) {
    const tree = Math.min(this.own.tree, this.result.trees - 1);
    if (this.growing?.tree !== tree) {
      const {arrays: [parent, splitAt, cls, share, lines, leaves]} = await this.engine.ask(
        {do: "growth", tree, view: sample.view, slice: state.slice, cells: CELLS, from: 0, to: CELLS});
      if (!going()) return;
      this.growing = {tree, parent: new Int32Array(parent.buffer), splitAt: new Int32Array(splitAt.buffer), cls, share,
        lines: new Float64Array(lines.buffer), leaves: new Int32Array(leaves.buffer)};
      this.growthControls();
    }
    this.drawGrowth();
  }

  growthControls() {
    const g = this.growing, last = g.lines.length / 3, step = this.own.step === null ? last : Math.min(this.own.step, last);
    const play = make("button", {type: "button", textContent: "Grow"});
    const input = make("input", {type: "range", min: 0, max: last, step: 1, value: step});
    input.setAttribute("aria-label", "Step of growth");
    input.oninput = () => { this.stopPlaying(); this.toStep(Number(input.value)); };
    play.onclick = () => this.playing ? this.stopPlaying() : this.play();
    [this.playButton, this.stepInput] = [play, input];
    $(".step", this.element).replaceChildren(play, input);
    const trees = Array.from({length: this.result.trees}, (_, i) => i + 1);
    $(".tree", this.element).replaceChildren(...(trees.length < 2 ? [] : slider({label: "Tree", values: trees}, g.tree + 1, v => {
      this.stopPlaying();
      Object.assign(this.own, {tree: v - 1, step: null});
      this.lookAgain();
    }).children));
  }

  toStep(step) {
    this.own.step = step >= this.growing.lines.length / 3 ? null : step;
    this.stepInput.value = step;
    this.drawGrowth();
    keepAddress();
  }

  // play lets the tree grow, from the beginning if it is complete.
  play() {
    if (!this.growing) return;
    const last = this.growing.lines.length / 3;
    let step = this.own.step ?? 0;
    this.playButton.textContent = "Stop";
    this.toStep(step);
    this.playing = setInterval(() => {
      this.toStep(++step);
      if (step >= last) this.stopPlaying();
    }, Math.max(50, Math.min(700, 9000 / last)));
  }

  stopPlaying() {
    clearInterval(this.playing);
    this.playing = null;
    if (this.playButton) this.playButton.textContent = "Grow";
  }

  // lookAgain shows the same model in another way.
  lookAgain() {
    keepAddress();
    if (!this.result || this.training) return;
    const turn = ++this.turn;
    return this.work(turn, this.lookWhenIdle(() => turn === this.turn));
  }

  async lookWhenIdle(going) {
    await this.engine.idle();
    if (!going()) return;
    if (state.view !== "growth" && this.regions) this.drawRegions(0, CELLS);
    this.drawMarks();
    try {
      await this.look(going);
    } catch (e) {
      if (going()) this.tell(e.message);
    }
  }

  replaceEngine() {
    this.engine.end();
    this.engine = engines.take();
  }

  callOff() {
    if (!this.training) return;
    this.turn++;
    this.working = null;
    this.replaceEngine();
    this.setTraining(false);
    this.element.classList.add("stale");
    this.tell("Called off. The picture is of the model before.");
    this.status.textContent = "Training called off";
  }

  setTraining(on) {
    this.training = on;
    clearTimeout(this.veilTimer);
    this.stopPlaying();
    this.train.textContent = on ? "Call off" : "Train again";
    this.train.classList.toggle("busy", on);
    if (on) this.veilTimer = setTimeout(() => { this.element.classList.add("stale"); this.progress(0, 1); }, 200);
    else { this.veil.hidden = true; this.element.classList.remove("stale"); }
  }

  progress(done, total) {
    this.veil.hidden = false;
    $(".bar", this.veil).hidden = false;
    $("i", this.veil).style.width = `${100 * done / total}%`;
    $("span", this.veil).textContent = total > 1 ? `Training: ${done} of ${total}` : "Training …";
  }

  tell(text) {
    this.veil.hidden = false;
    $(".bar", this.veil).hidden = true;
    $("span", this.veil).textContent = text;
  }

  numbersOf(r) {
    const rows = [], count = n => n.toLocaleString("en");
    if (state.problem.startsWith("sim.")) rows.push(["test error", percent(r.test), `of 2,000 further points of the simulation${sample.bayes >= 0 ? `; the least possible is ${percent(sample.bayes)}` : ""}`]);
    if (r.folds >= 0) rows.push(["five-fold error", percent(r.folds), "mean error on fifths of the points that the model wasn’t trained on"]);
    else rows.push(["out-of-bag error", r.outOfBag >= 0 ? percent(r.outOfBag) : "–", r.outOfBag >= 0 ? "each point is predicted by the trees that haven’t seen it" : "all trees see all points, or there is only one tree"]);
    rows.push(["training error", percent(r.train), "error on the points drawn"]);
    rows.push(["training time", r.seconds < 0.995 ? `${Math.max(1, Math.round(1000 * r.seconds))} ms` : `${r.seconds.toFixed(1)} s`, "in this page, on one core"]);
    rows.push(["trees", count(r.trees), ""], ["depth", r.depth, "splits on the longest path"], ["splits", count(r.splits), "nodes that are split"]);
    if (r.functions < r.splits && this.own.method === "graf.Learner") rows.push(["planes", count(r.functions), "distinct ones, several of which divide many nodes"]);
    rows.push(["coefficients", count(r.parameters), "coefficients, thresholds and leaves"]);
    rows.push(["file", r.bytes < 9950 ? `${(r.bytes / 1000).toFixed(1)} kB` : `${count(Math.round(r.bytes / 1000))} kB`, `${r.bytes} bytes`]);
    this.numbers.replaceChildren(...rows.map(([name, value, title]) => make("div", {title}, make("dt", {textContent: name}), make("dd", {textContent: value}))));
    this.code.textContent = r.code;
    this.sha.textContent = `SHA-256 of its file: ${r.sha256}`;
    drawRose(this.rose, r.rose, r.curved);
    this.status.textContent = `${this.entry().title}: trained in ${r.seconds.toFixed(2)} seconds, ${rows[0][0]} ${rows[0][1]}`;
    this.plane.setAttribute("aria-label", `${this.entry().title}: ${points.length} points and the predicted class of each place. ${rows[0][0]} ${rows[0][1]}. Arrow keys move a cursor, Enter adds a point.`);
  }

  async download() {
    const {arrays: [bytes]} = await this.steady(e => e.ask({do: "model"}));
    const link = make("a", {href: URL.createObjectURL(new Blob([bytes])), download: `${this.own.method}.forest`});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  drawRegions(from, to) {
    this.growth.hidden = true;
    paintRegions(this.area, this.regions, from, to);
    this.area.show(this.canvas);
  }

  drawGrowth() {
    const g = this.growing;
    if (!g) return;
    const last = g.lines.length / 3, step = this.own.step ?? last;
    this.growth.hidden = false;
    paintGrowth(this.area, g, step);
    this.area.show(this.canvas);
    if (this.own.step !== null) drawLine(this.canvas, g, step, sample.view);
    this.caption.textContent = this.describe(g, step, last);
    first.picture ??= performance.now();
  }

  describe(g, step, last) {
    let regions = 0, mixed = 0, divided = 0;
    for (let i = 0; i < g.parent.length; i++) {
      const p = g.parent[i];
      if (g.splitAt[i] === step && step > 0) divided++;
      if (p >= 0 && !(g.splitAt[p] <= step) || g.splitAt[i] > 0 && g.splitAt[i] <= step) continue;
      regions++;
      if (g.share[i] < 255) mixed++;
    }
    const s = n => n === 1 ? "" : "s";
    return `Step ${step} of ${last}${step ? ` divides ${divided} region${s(divided)}` : ""}: ${regions} region${s(regions)}, ${mixed} of mixed classes`;
  }

  // axes writes the names of the features and the ends of the picture beside it.
  axes() {
    const [x0, x1, y0, y1] = sample.view, number = v => String(Number(v.toPrecision(3))).replace("-", "−");
    for (const [name, ends] of [[".horizontal", [x0, sample.features[0], x1]], [".vertical", [y0, sample.features[1], y1]]]) {
      $(name, this.element).replaceChildren(...ends.map((v, i) => make("span", {textContent: i === 1 ? v : number(v)})));
    }
  }

  drawMarks() {
    let rank = null;
    if (state.view === "sensitivity" && this.scores && this.version === version && this.scores.length === points.length) {
      rank = new Float32Array(points.length);
      [...this.scores.keys()].sort((a, b) => this.scores[a] - this.scores[b]).forEach((i, k) => { rank[i] = (k + 1) / points.length; });
    }
    drawPoints(this.marks, points.map((p, i) => ({...onPlane(p), c: p.c,
      size: rank ? 0.45 + 1.75 * rank[i] ** 4 : 1,
      faint: rank ? rank[i] < 0.5 : p.at.slice(2).some(x => x > 0 !== state.slice > 0)})), cursor);
  }
}

const first = {}; // when the page first came so far, in milliseconds since it was opened

// ---- Mouse and keys

function followMouse(plane) {
  let held = null, last = null;
  const where = e => {
    const box = plane.getBoundingClientRect();
    return [(e.clientX - box.left - 1) / (box.width - 2), (e.clientY - box.top - 1) / (box.height - 2)];
  };
  plane.oncontextmenu = e => e.preventDefault();
  plane.onpointerdown = e => {
    if (!sample || e.button === 1) return;
    plane.setPointerCapture(e.pointerId);
    remember();
    held = e.button === 2 || e.shiftKey ? "remove" : "add";
    last = [e.clientX, e.clientY];
    const [u, v] = where(e);
    cursor = null;
    if (held === "add") add(u, v); else remove(u, v, 0.03);
    plane.focus({preventScroll: true});
  };
  plane.onpointermove = e => {
    if (!held || Math.hypot(e.clientX - last[0], e.clientY - last[1]) < (held === "add" ? 9 : 4)) return;
    last = [e.clientX, e.clientY];
    let [u, v] = where(e);
    if (held === "add" && brush >= 0) { // a brush scatters points around its path
      u += 0.05 * (Math.random() + Math.random() - 1);
      v += 0.05 * (Math.random() + Math.random() - 1);
    }
    if (u < 0 || u > 1 || v < 0 || v > 1) return;
    if (held === "add") add(u, v); else remove(u, v, 0.03);
  };
  plane.onpointerup = plane.onpointercancel = () => { held = null; };
  plane.onkeydown = onPlaneKey;
  plane.onblur = () => { cursor = null; panels.forEach(p => p.drawMarks()); };
}

function onPlaneKey(e) {
  const moves = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};
  if (moves[e.key]) {
    const far = e.shiftKey ? 0.1 : 0.02, inside = x => Math.max(0, Math.min(0.9999, x));
    cursor ??= {u: 0.5, v: 0.5};
    cursor = {u: inside(cursor.u + far * moves[e.key][0]), v: inside(cursor.v + far * moves[e.key][1])};
    panels.forEach(p => p.drawMarks());
  } else if ((e.key === "Enter" || e.key === " ") && cursor) {
    remember();
    add(cursor.u, cursor.v);
  } else if ((e.key === "Delete" || e.key === "Backspace") && cursor) {
    remember();
    remove(cursor.u, cursor.v, 0.1);
  } else return;
  e.preventDefault();
}

document.addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || /^(SELECT|TEXTAREA)$/.test(e.target.tagName) || !menu) return;
  const k = Number(e.key) - 1;
  if (e.key === "n" && !$("#sample").disabled) $("#sample").click();
  else if (e.key === "u") $("#undo").click();
  else if (e.key === "c") panels.forEach(p => p.callOff());
  else if (e.key === "g") show("growth").then(() => panels.forEach(p => p.growing && !p.playing && p.play()));
  else if (k >= 0 && k < sample.classes.length) choose(k);
});

// ---- What is above the panels

function choose(k) {
  brush = k;
  const input = $(`#classes input[value="${k}"]`);
  if (input) input.checked = true;
}

// radio returns a button of a group that excludes the others.
const radio = (name, value, label, checked, changed) =>
  make("label", {}, make("input", {type: "radio", name, value, checked, onchange: changed}), ...label);

function classButtons() {
  const glyph = k => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), parts = [];
    const path = {moveTo: (x, y) => parts.push(`M${x} ${y}`), lineTo: (x, y) => parts.push(`L${x} ${y}`), closePath: () => parts.push("Z"),
      arc: (x, y, r) => parts.push(`A${r} ${r} 0 1 1 ${x - 2 * r} ${y}A${r} ${r} 0 1 1 ${x} ${y}`.replace(/A(\S+) (\S+) 0 1 1 \S+ \S+A.*/, `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`))};
    marker(path, k, 7, 7, 5);
    svg.setAttribute("viewBox", "0 0 14 14");
    svg.setAttribute("aria-hidden", "true");
    svg.innerHTML = `<path d="${parts.join("")}" fill="${css(color(k))}"/>`;
    return svg;
  };
  brush = Math.min(brush, sample.classes.length - 1);
  $("#classes").replaceChildren($("#classes legend"),
    ...sample.classes.map((name, k) => radio("class", k, [glyph(k), name], brush === k, () => { brush = k; })),
    radio("class", -1, ["Erase"], brush < 0, () => { brush = -1; }));
}

function sourceControls() {
  const entries = [...menu.problems.map(e => [e.name, e.title, e.group]), ["hand", "Drawn by hand", "Your own"]];
  if (given.data) entries.push(["data", given.data.name, "Your own"]);
  const select = make("select", {id: "problem"});
  for (const [label, list] of Map.groupBy(entries, e => e[2])) {
    const group = make("optgroup", {label});
    group.append(...list.map(([value, textContent]) => make("option", {value, textContent})));
    select.append(group);
  }
  select.value = state.problem;
  select.onchange = () => {
    const entry = menu.problems.find(e => e.name === select.value);
    Object.assign(state, {problem: select.value, fields: entry ? starting(entry) : {}});
    resample(true);
  };
  const controls = [make("div", {className: "slider"}, make("label", {htmlFor: "problem", textContent: "Points from"}), select)];
  const entry = menu.problems.find(e => e.name === state.problem);
  for (const p of entry?.parameters ?? []) controls.push(slider({...p, start: 0}, state.fields[p.field] ?? 0, v => {
    state.fields = {...state.fields, [p.field]: v};
    if (v === 0) delete state.fields[p.field];
    resampleSoon();
  }));
  if (entry) controls.push(
    slider({label: "Points", values: [20, 50, 100, 200, 300, 500, 1000, 2000]}, state.rows, v => { state.rows = v; resampleSoon(); }),
    slider({label: "Wrong labels", values: [0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4], percent: true}, state.noise, v => { state.noise = v; resampleSoon(); }));
  if (sample.features.length > 2) controls.push(
    slider({label: "Slice, at other features =", values: [-0.75, -0.5, -0.25, 0.25, 0.5, 0.75]}, state.slice, v => { state.slice = v; arrange(); panels.forEach(p => p.drawMarks()); trainSoon(); }));
  $("#source").replaceChildren(...controls);
  $("#sample").disabled = !entry;
}

// resample draws the points anew. Edits are of the old points, so they go.
async function resample(controls) {
  Object.assign(state, {removed: [], added: []});
  past = [];
  await refresh(controls);
}
const resampleSoon = later(() => resample(false), 60);

// refresh draws the state's points and trains both methods on them.
async function refresh(controls) {
  refresh.under = (refresh.under ?? 0) + 1;
  try {
    await drawAndTrain(controls);
  } finally {
    refresh.under--;
  }
}

async function drawAndTrain(controls) {
  const features = sample?.features.length;
  try {
    await draw();
  } catch (e) {
    return complain(`These points can’t be drawn: ${e.message.replace(/^playground: /, "")}.`);
  }
  if (controls || features !== sample.features.length) {
    menu = (await panels[0].steady(e => e.ask({do: "menu", p: sample.features.length}))).answer;
    panels.forEach(p => p.menu());
    controls = true;
  }
  if (controls) sourceControls();
  classButtons();
  panels.forEach(p => { p.axes(); p.drawMarks(); p.run(); });
}

const trainSoon = later(panel => (panel ? [panel] : panels).forEach(p => p.run()), 120);

async function show(view) {
  state.view = view;
  $(`#views input[value="${view}"]`).checked = true;
  await Promise.all(panels.map(p => { p.stopPlaying(); return p.lookAgain(); }));
}

// keepAddress writes the state into the address. Pages that may not keep it there, such as those in a frame without
// an address, go on without.
const keepAddress = later(() => {
  const text = writeState(state);
  keepAddress.written = text;
  try { history.replaceState(null, "", "#" + text); } catch { try { location.hash = text; } catch { /* no address */ } }
}, 80);

async function copyLink() {
  const text = writeState(state), page = location.href.split("#")[0];
  const link = /^(file|https?):/.test(page) ? `${page}#${text}` : `#${text}`;
  const button = $("#link");
  try {
    await navigator.clipboard.writeText(link);
  } catch {
    const area = make("textarea", {value: link});
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy link"; }, 1500);
}

const address = () => { try { return decodeURIComponent(location.hash.slice(1)); } catch { return location.hash.slice(1); } };

// read returns the state that a text stands for, if this page can show it.
function read(text, base) {
  const s = readState(text, base);
  if (!["regions", "growth", "sensitivity"].includes(s.view)) throw new Error(`there is no view “${s.view}”`);
  if (s.problem === "data" && !given.data) throw new Error("this page has no data of its own");
  if (!["hand", "data", ...menu.problems.map(e => e.name)].includes(s.problem)) throw new Error(`there is no problem “${s.problem}”`);
  for (const p of s.panels) if (!byMenu(menu.methods, p.method, p.fields)) throw new Error(`there is no method “${p.method}”`);
  return s;
}

// open shows the state of the address.
async function open() {
  complain();
  state = fresh();
  try {
    state = read(given.state ?? "", state);
    state = read(address(), state);
  } catch (e) {
    complain(`The address can’t be read: ${e.message}. This is the start instead.`);
  }
  past = [];
  open.count = (open.count ?? 0) + 1;
  $(`#views input[value="${state.view}"]`).checked = true;
  await refresh(true);
  if (!sample) { // such as with fields out of range
    state = fresh();
    await refresh(true);
  }
}

async function main() {
  for (const i of [0, 1]) panels.push(new Panel(i));
  $("#views").append(...[["regions", "Regions"], ["growth", "Growth"], ["sensitivity", "Sensitivity"]].map(([v, label]) => radio("view", v, [label], v === "regions", () => show(v))));
  $("#sample").onclick = () => { state.seed++; resample(false); };
  $("#undo").onclick = () => {
    const before = past.pop();
    if (before) { Object.assign(state, before); edited(); }
  };
  $("#clear").onclick = () => {
    remember();
    Object.assign(state, {added: [], removed: sample.labels.length ? Array.from(sample.labels.keys()) : []});
    edited();
  };
  $("#link").onclick = copyLink;
  $("#help").onclick = () => {
    $("#keys").hidden = !$("#keys").hidden;
    $("#help").setAttribute("aria-expanded", !$("#keys").hidden);
  };
  panels.forEach(p => p.tell("Starting …"));
  const controls = [$("#points"), $("#panels")];
  controls.forEach(e => { e.inert = true; });
  try {
    panels[0].engine = await engines.first();
    first.compiled = performance.now();
    panels[1].engine = engines.take();
    menu = (await panels[0].engine.ask({do: "menu", p: 2})).answer;
    first.started = performance.now();
  } catch (e) {
    panels.forEach(p => p.tell("The playground can’t start here."));
    return complain(`WebAssembly could not be started: ${e.message}`);
  }
  panels.forEach(p => p.veil.hidden = true);
  addEventListener("hashchange", () => { if (address() !== keepAddress.written) open(); });
  const redraw = later(() => panels.forEach(p => { if (p.result) { state.view === "growth" ? p.drawGrowth() : p.regions && p.drawRegions(0, CELLS); p.drawMarks(); } }), 50);
  addEventListener("resize", redraw);
  dark.addEventListener("change", () => { redraw(); classButtons(); });
  await open();
  controls.forEach(e => { e.inert = false; });
}

main();
// For tests, and for the console.
window.playground = {
  // Whether all that was asked for is shown.
  get settled() { return open.count > 0 && !waiting.size && !refresh.under && panels.every(p => !p.working); },
  get opened() { return open.count ?? 0; },
  get state() { return state; }, get points() { return points; }, get sample() { return sample; }, get menu() { return menu; }, panels, first, engines, CELLS};
