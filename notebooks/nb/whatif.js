// A what-if panel: the cells of a row, and what the forest says of it. The fields of m are those of packedForest in
// whatif.go.
const obliqua = {
  // unpack returns the forest of a panel: JSON, compressed by gzip, in base64.
  async unpack(text) {
    const bytes = base64 => {
      const characters = atob(base64), all = new Uint8Array(characters.length);
      for (let i = 0; i < all.length; i++) all[i] = characters.charCodeAt(i);
      return all;
    };
    const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
    const m = await new Response(stream).json();
    m.words = new Uint32Array(bytes(m.Words).buffer);
    m.numbers = new Float32Array(m.words.buffer);
    return m;
  },

  // features returns what the trees see of a row, whose cells are numbers of columns or categories, NaN if missing.
  features(m, row) {
    const cells = m.Columns.map(({ Offset, Step }, j) => Math.fround((row[j] - Offset) / Step));
    return m.Made?.map(({ From, Ops }) => Ops.reduce((v, o) => Math.fround(obliqua.made(v, o)), cells[From])) ?? cells;
  },

  // made returns what an operation of package datasets makes of a cell.
  made(v, { Do, Numbers: n }) {
    const missing = isNaN(v);
    if (Do === "missing") return +missing;
    if (Do === "fill") return missing ? n[0] : v;
    if (Do === "codes") return (code => code === 1e300 ? NaN : code)(n[missing ? n.length - 1 : v]);
    if (Do === "number" || missing) return v;
    if (Do === "is") return +(v === n[0]);
    if (Do === "scale") return Math.max(-3.4028234663852886e38, Math.min(3.4028234663852886e38, (v - n[0]) / n[1]));
    if (Do === "line") {
      let k = 2;
      while (k < n.length - 2 && v >= n[k]) k += 2;
      if (v <= n[k - 2]) return n[k - 1];
      if (v >= n[k]) return n[k + 1];
      return n[k - 1] + (v - n[k - 2]) / (n[k] - n[k - 2]) * (n[k + 1] - n[k - 1]);
    }
    const at = new Date(Math.floor((n[0] + n[1] * v) * 86400 + .5) * 1000);
    return Do === "month" ? at.getUTCMonth() + 1 : Do === "weekday" ? (at.getUTCDay() + 6) % 7 + 1 : at.getUTCHours();
  },

  // leaf returns where the leaf is that features x reach in a tree. It calls visit for each split before.
  leaf({ words, numbers, Fills }, at, x, visit) {
    for (let kind; (kind = words[at]) !== 0;) {
      let left, after = at + 4;
      const v = x[words[at + 3]];
      if (kind <= 2) {
        left = isNaN(v) ? kind === 2 : v <= numbers[at + 2];
      } else if (kind <= 4) {
        const count = words[at + 2];
        left = v >>> 5 < count && !isNaN(v) ? (words[after + (v >>> 5)] >>> (v & 31) & 1) === 1 : kind === 4;
        after += count;
      } else {
        let sum = 0;
        after = at + 3 + 2 * (kind - 5);
        for (let i = at + 3; i < after; i += 2) {
          const cell = x[words[i]];
          sum = Math.fround(sum + Math.fround(numbers[i + 1] * (isNaN(cell) ? Fills[words[i]] : cell)));
        }
        left = sum <= numbers[at + 2];
      }
      visit?.(at, left);
      at = left ? after : words[at + 1];
    }
    return at;
  },

  // predict returns the probability of each class, or the value in an array of one.
  predict(m, row) {
    const { words, numbers, Base, Classes } = m, x = obliqua.features(m, row), summed = m.Sum || !Classes;
    const sums = m.Sum ? [...Base] : new Array(Classes?.length ?? 1).fill(0);
    for (const root of m.Roots) {
      const at = obliqua.leaf(m, root, x), first = words[at + 1], count = words[at + 2];
      for (let i = 0; i < count; i++) {
        const sum = sums[first + i] + numbers[at + 3 + i];
        sums[first + i] = summed ? sum : Math.fround(sum);
      }
    }
    if (!Classes) return [m.Log ? Math.exp(sums[0]) : m.Sum ? sums[0] : sums[0] / m.Roots.length + (Base?.[0] ?? 0)];
    const parts = of => (total => of.map(v => v / total))(of.reduce((a, b) => a + b));
    const softmax = of => (most => parts(of.map(v => Math.exp(v - most))))(Math.max(...of));
    const proba = m.Sum ? softmax(sums.length === 1 ? [0, sums[0]] : sums) : sums.map(v => v / m.Roots.length);
    return m.Power ? softmax(proba.map(p => m.Power * Math.log(p + m.Floor))) : proba;
  },

  // shapley returns how much each cell moved output number o from a typical row to this one: the Shapley values of the
  // game whose players are the cells that differ (Sundararajan and Najmi, The many Shapley values for model
  // explanation, 2020, baseline Shapley). Those of more than 8 cells are means over some orders, each beside its
  // reverse.
  shapley(m, typical, row, o) {
    const players = row.map((_, j) => j).filter(j => !Object.is(row[j], typical[j])), n = players.length;
    const effects = row.map(() => 0), now = [...typical];
    if (n <= 8) {
      const values = Array.from({ length: 2 ** n }, (_, set) => {
        players.forEach((j, k) => now[j] = (set >> k & 1 ? row : typical)[j]);
        return obliqua.predict(m, now)[o];
      });
      const factorial = k => k < 2 ? 1 : k * factorial(k - 1);
      values.forEach((v, set) => players.forEach((j, k) => {
        if (set >> k & 1) return;
        const size = players.filter((_, i) => set >> i & 1).length;
        effects[j] += factorial(size) * factorial(n - 1 - size) / factorial(n) * (values[set | 1 << k] - v);
      }));
      return { effects, orders: 0 };
    }
    const pairs = Math.max(2, Math.round(256 / n)), start = obliqua.predict(m, typical)[o];
    let seed = 1;
    const random = below => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 2 ** 32 * below | 0;
    for (let pair = 0; pair < pairs; pair++) {
      const order = [...players];
      for (let i = n - 1; i > 0; i--) {
        const k = random(i + 1);
        [order[i], order[k]] = [order[k], order[i]];
      }
      for (const cells of [order, [...order].reverse()]) {
        const moved = [...typical];
        let before = start;
        for (const j of cells) {
          moved[j] = row[j];
          const after = obliqua.predict(m, moved)[o];
          effects[j] += (after - before) / (2 * pairs);
          before = after;
        }
      }
    }
    return { effects, orders: 2 * pairs };
  },

  // open fills a panel.
  async open(panel) {
    const m = await obliqua.unpack(panel.querySelector("script").textContent);
    const typical = m.Columns.map(c => c.Start), row = [...typical];
    const add = (parent, name, attributes = {}) => {
      const element = parent.appendChild(document.createElement(name));
      for (const [key, value] of Object.entries(attributes)) {
        if (key === "text") element.textContent = value;
        else element.setAttribute(key, value);
      }
      return element;
    };
    const text = (v, digits = 6) => Number(v.toPrecision(digits)).toString().replace("-", "−");
    const date = (v, length) => new Date(v * 864e5).toISOString().slice(0, length).replace("T", " ");
    const shown = (c, v) => c.Date && Math.abs(v) < 1e7 ? date(v, c.By < 1 ? 16 : 10)
      : text(v, c.Offset ? 15 : 6) + (c.Unit && ` ${c.Unit}`);
    const percent = v => `${(100 * v).toFixed(1)} %`;
    const amount = m.Classes ? percent : text;
    const signed = v => (v < 0 ? "−" : "+") + amount(Math.abs(v));

    panel.querySelector("p").remove();
    const all = add(panel, "div", { class: "what-if-parts" });
    const form = add(all, "form"), answer = add(all, "div"), resets = [];
    form.addEventListener("submit", event => event.preventDefault());
    m.Columns.forEach((c, j) => {
      if (!c.Shown) return;
      const line = add(form, "div"), label = add(line, "label");
      add(label, "span", { text: c.Name });
      if (c.Categories) {
        const list = add(label, "select");
        c.Categories.forEach((name, k) => add(list, "option", { value: k, text: name || "(empty)" }));
        if (c.Missing) add(list, "option", { value: "NaN", text: "(missing)" });
        resets.push(() => list.value = typical[j]);
        list.addEventListener("change", () => { row[j] = Number(list.value); update(); });
        return;
      }
      const known = c.High > c.Low;
      const said = known ? add(label, "output", { "aria-hidden": "true" }) : null;
      const input = add(label, "input", { "aria-label": c.Name, ...(known
        ? { type: "range", min: c.Low, max: c.High, step: c.By } : { type: "number", step: "any" }) });
      const box = c.Missing
        ? add(add(line, "label"), "input", { type: "checkbox", "aria-label": `${c.Name} is missing` }) : null;
      box?.after(" missing");
      const show = () => {
        input.disabled = Boolean(box?.checked);
        row[j] = input.disabled ? NaN : input.value === "" ? typical[j] : Number(input.value);
        if (!said) return;
        said.textContent = input.disabled ? "?" : shown(c, row[j]);
        input.setAttribute("aria-valuetext", said.textContent);
      };
      resets.push(() => {
        input.value = typical[j];
        if (box) box.checked = false;
        show();
        row[j] = typical[j];
      });
      for (const control of [input, box]) control?.addEventListener("input", () => { show(); update(); });
    });
    const button = add(form, "button", { type: "button", text: "Back to a typical row" });
    button.addEventListener("click", () => { resets.forEach(reset => reset()); update(); });

    const status = add(answer, "p", { role: "status" }), bars = add(answer, "table", { class: "bars" });
    const effects = add(answer, "table", { class: "bars" }), path = add(answer, "ol");
    const fill = (table, title, lines) => {
      table.replaceChildren();
      add(table, "caption", { text: title });
      for (const [name, value, length] of lines) {
        const tr = add(add(table, "tbody"), "tr");
        add(tr, "th", { scope: "row", text: name });
        add(tr, "td", { text: value });
        const bar = add(add(tr, "td", { "aria-hidden": "true" }), "span", { class: length < 0 ? "bar less" : "bar" });
        bar.style.width = `${100 * Math.abs(length)}%`;
      }
    };
    const explain = o => {
      const all = obliqua.shapley(m, typical, row, o), most = all.effects.map((_, j) => j).filter(j => all.effects[j])
        .sort((a, b) => Math.abs(all.effects[b]) - Math.abs(all.effects[a]));
      const of = m.Classes ? `the probability of ${m.Classes[o]}` : m.Target || "the value";
      const title = `How the cells moved ${of} from ${amount(obliqua.predict(m, typical)[o])}, that of the typical row`;
      const how = all.orders ? `Shapley values, estimated from ${all.orders} orders of the cells` : "Shapley values";
      const caption = most.length ? `${title} (${how})` : "Move a cell, and here stands what it did.";
      fill(effects, caption, most.slice(0, 8).map(j =>
        [m.Columns[j].Name, signed(all.effects[j]), all.effects[j] / Math.abs(all.effects[most[0]])]));
      path.replaceChildren();
      if (!m.Questions) return;
      add(path, "li", { text: "In the first tree:" });
      obliqua.leaf(m, m.Roots[0], obliqua.features(m, row), (at, left) => {
        if (m.Questions[at]) add(path, "li", { text: `${m.Questions[at]} ${left ? "Yes." : "No."}` });
      });
    };
    let waiting;
    const update = () => {
      const said = obliqua.predict(m, row), best = said.indexOf(Math.max(...said));
      if (m.Classes) {
        status.textContent = `${m.Classes[best]}, ${percent(said[best])}`;
        const order = said.map((_, c) => c);
        if (said.length > 10) order.sort((a, b) => said[b] - said[a]);
        fill(bars, "Probability", order.slice(0, 10).map(c => [m.Classes[c], percent(said[c]), said[c]]));
      } else {
        status.textContent = (m.Target && `${m.Target}: `) + text(said[0]);
      }
      clearTimeout(waiting);
      waiting = setTimeout(explain, 30, best);
    };
    resets.forEach(reset => reset());
    update();
  },
};
for (const panel of document.querySelectorAll(".obliqua-card .what-if:not([data-ready])")) {
  panel.dataset.ready = "";
  const open = () => obliqua.open(panel).catch(error => panel.append(error.message));
  panel.addEventListener("toggle", open, { once: true });
}
