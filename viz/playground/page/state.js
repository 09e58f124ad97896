// The state of the page and its text in the address, such as
//   problem=sim.XOR,Cells=2&n=300&seed=1&left=rf.CART,MaxDepth=3&right=sporf.Learner,Trees=50

const GRID = 4096; // points drawn by hand lie on a grid of as many cells along a side

const fresh = () => ({
  problem: "sim.XOR", fields: {Cells: 2, Degrees: 20}, rows: 300, seed: 1, noise: 0.05, slice: 0.5, view: "regions",
  removed: [], added: [],
  panels: [{method: "rf.CART", fields: {}, tree: 0, step: null}, {method: "sporf.FRC", fields: {Trees: 50}, tree: 0, step: null}],
});

const writeStruct = (name, fields) => [name, ...Object.entries(fields).filter(([, v]) => v !== 0).map(([k, v]) => `${k}=${v}`)].join(",");

function readStruct(text) {
  const [name, ...rest] = text.split(","), fields = {};
  for (const part of rest) {
    const [k, v] = part.split("=");
    fields[k] = Number(v);
    if (v === undefined || v === "" || !Number.isFinite(fields[k])) throw new Error(`“${part}” in “${text}” isn’t a field and its number`);
  }
  return {name, fields};
}

const toBase64 = list => btoa(String.fromCharCode(...list)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const fromBase64 = text => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));

// Four bytes a point: twice twelve bits for the cell of the grid, and the class.
const packPoint = ({x, y, c}) => [x >> 4, (x & 15) << 4 | y >> 8, y & 255, c];
const unpackPoint = (b, i) => ({x: b[i] << 4 | b[i + 1] >> 4, y: (b[i + 1] & 15) << 8 | b[i + 2], c: b[i + 3]});

function writeState(s) {
  const out = [`problem=${writeStruct(s.problem, s.fields)}`];
  if (s.problem.startsWith("sim.")) out.push(`n=${s.rows}`, `seed=${s.seed}`, `noise=${s.noise}`);
  if (s.slice !== 0.5) out.push(`slice=${s.slice}`);
  if (s.view !== "regions") out.push(`view=${s.view}`);
  ["left", "right"].forEach((side, i) => {
    const p = s.panels[i];
    out.push(`${side}=${writeStruct(p.method, p.fields)}`);
    if (p.tree > 0) out.push(`${side}tree=${p.tree}`);
    if (p.step !== null) out.push(`${side}step=${p.step}`);
  });
  if (s.removed.length) out.push(`removed=${toBase64(new Uint8Array(new Uint16Array(s.removed).buffer))}`);
  if (s.added.length) out.push(`added=${s.added.reduce((parts, p, i) => {
    if (i % 1500 === 0) parts.push([]);
    parts.at(-1).push(...packPoint(p));
    return parts;
  }, []).map(toBase64).join("")}`);
  return out.join("&");
}

// readState returns the state that a text stands for. What it doesn't name is as in base.
function readState(text, base) {
  const s = structuredClone(base), given = new Map(text.split("&").filter(Boolean).map(part => {
    const at = part.indexOf("=");
    return [part.slice(0, at), part.slice(at + 1)];
  }));
  const keys = ["problem", "n", "seed", "noise", "slice", "view", "removed", "added", ...["left", "right"].flatMap(side => [side, side + "tree", side + "step"])];
  for (const key of given.keys()) if (!keys.includes(key)) throw new Error(`there is no “${key}”`);
  const number = (key, lo, hi) => {
    const v = Number(given.get(key));
    if (!(v >= lo && v <= hi)) throw new Error(`${key}=${given.get(key)}: want a number from ${lo} to ${hi}`);
    return v;
  };
  if (given.has("problem")) ({name: s.problem, fields: s.fields} = readStruct(given.get("problem")));
  if (given.has("n")) s.rows = Math.round(number("n", 2, 5000));
  if (given.has("seed")) s.seed = Math.round(number("seed", 0, 1e9));
  if (given.has("noise")) s.noise = number("noise", 0, 0.5);
  if (given.has("slice")) s.slice = number("slice", -1, 1);
  if (given.has("view")) s.view = given.get("view");
  ["left", "right"].forEach((side, i) => {
    const p = s.panels[i];
    if (given.has(side)) Object.assign(p, {tree: 0, step: null}, (({name, fields}) => ({method: name, fields}))(readStruct(given.get(side))));
    if (given.has(side + "tree")) p.tree = Math.round(number(side + "tree", 0, 1e6));
    if (given.has(side + "step")) p.step = Math.round(number(side + "step", 0, 1e6));
  });
  if (given.has("removed")) s.removed = [...new Uint16Array(fromBase64(given.get("removed")).buffer)];
  if (given.has("added")) {
    const b = fromBase64(given.get("added"));
    s.added = Array.from({length: b.length >> 2}, (_, i) => unpackPoint(b, 4 * i));
  }
  return s;
}
