// A table's columns are sorted when their names are pressed: numbers from the largest, texts from a to z, and back.
for (const table of document.querySelectorAll(".obliqua-card table.sorts:not([data-ready])")) {
  table.dataset.ready = "";
  const body = table.tBodies[0], heads = [...table.tHead.rows].at(-1).cells;
  const number = text => parseFloat((/[-−]?\d[\d.]*(e[-+]?\d+)?/.exec(text) ?? [""])[0].replace("−", "-"));
  [...heads].forEach((head, j) => {
    if (body.rows[0]?.cells[j].querySelector("svg")) return;
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.append(button);
    const text = row => row.cells[j].textContent;
    const numbers = [...body.rows].every(row => /^([-−+]?\d|$)/.test(text(row)));
    button.addEventListener("click", () => {
      const down = head.ariaSort === null ? numbers : head.ariaSort === "ascending";
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = down ? "descending" : "ascending";
      const order = (a, b) => {
        if (!text(a) || !text(b)) return !text(a) - !text(b); // empty cells come last
        const by = numbers ? number(text(a)) - number(text(b)) : text(a).localeCompare(text(b));
        return down ? -by : by;
      };
      body.append(...[...body.rows].sort(order));
    });
  });
}
