window.obliqua = {
  // draw puts a live chart into every element made for it and hides the
  // picture in the output before. A page may hold the same chart twice.
  draw(id, option, theme) {
    for (const series of option.series || []) {
      if (!series.renderItem) continue;
      const draw = this[series.renderItem], data = series.data;
      series.renderItem = (params, api) => draw(params, api, data[params.dataIndex]);
      series.z = 3; // above the bars
    }
    for (const element of document.querySelectorAll(`[data-viz="${id}"]`)) {
      if (element.dataset.drawn) continue;
      element.dataset.drawn = "yes";
      element.style.display = "block";
      if (option.steps) {
        this.step(element, option);
      } else {
        const chart = echarts.init(element, theme);
        chart.setOption(option);
        new ResizeObserver(() => chart.resize()).observe(element);
      }
      // Printed lines may have come between the two.
      let before = element.closest(".jp-OutputArea-child, .output_area");
      do before = before && before.previousElementSibling;
      while (before && !before.querySelector("img, [data-viz]"));
      if (before && before.querySelector("img")) before.style.display = "none";
    }
  },

  // step shows one step of a drawing, and lets the reader choose which.
  step(element, { steps, html }) {
    element.setAttribute("role", "group");
    element.style.height = "auto";
    element.innerHTML = html;
    const [back, slider, on] = element.querySelectorAll("button, input");
    const show = () => {
      const step = +slider.value;
      for (const part of element.querySelectorAll("[data-from]"))
        part.style.display = part.dataset.from <= step && step < part.dataset.to ? "" : "none";
      element.querySelector("output").textContent = steps[step];
    };
    const move = (by) => { slider.value = +slider.value + by; show(); };
    slider.oninput = show;
    back.onclick = () => move(-1);
    on.onclick = () => move(1);
    show();
  },

  // The error bars of a custom series: from (x, low) to (x, high), or from
  // (low, y) to (high, y).
  vertical(params, api) {
    const x = api.value(0);
    return obliqua.bar(api, api.coord([x, api.value(1)]), api.coord([x, api.value(2)]), [4, 0]);
  },
  horizontal(params, api) {
    const y = api.value(2);
    return obliqua.bar(api, api.coord([api.value(0), y]), api.coord([api.value(1), y]), [0, 4]);
  },
  // A rectangle from (x1, y1) to (x2, y2), with a label above it.
  tile(params, api, { value }) {
    const [x1, y1] = api.coord([api.value(0), api.value(1)]), [x2, y2] = api.coord([api.value(2), api.value(3)]);
    const fill = api.visual("color");
    return { type: "group", children: [
      { type: "rect", shape: { x: x1, y: y2, width: x2 - x1, height: y1 - y2 }, style: { fill } },
      { type: "text", style: { text: value[4], x: (x1 + x2) / 2, y: y2 - 1, fill, fontSize: 10, align: "center",
        verticalAlign: "bottom" } },
    ] };
  },
  bar(api, [x1, y1], [x2, y2], [dx, dy]) {
    const style = { stroke: api.visual("color"), lineWidth: 1.2 };
    const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style });
    const cap = (x, y) => line(x - dx, y - dy, x + dx, y + dy);
    return { type: "group", children: [line(x1, y1, x2, y2), cap(x1, y1), cap(x2, y2)] };
  },
};
