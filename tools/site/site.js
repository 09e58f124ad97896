// Hides the picture of a figure when its live chart is drawn, as the notebooks' own script does in
// JupyterLab. MyST-NB nests outputs otherwise, and the notebooks are shown as they were saved.
addEventListener("DOMContentLoaded", () => {
  // Sphinx makes headings of the contents' captions, without a level.
  for (const caption of document.querySelectorAll(".caption[role=heading]")) caption.ariaLevel = 2;
  const hide = chart => {
    let before = chart.closest(".output");
    do before = before && before.previousElementSibling;
    while (before && !before.matches("img, a:has(> img)") && !before.querySelector("[data-viz]"));
    if (before && before.matches("img, a")) before.style.display = "none";
  };
  for (const chart of document.querySelectorAll(".cell_output [data-viz]")) {
    if (chart.dataset.drawn) hide(chart);
    else new MutationObserver(() => chart.dataset.drawn && hide(chart)).observe(chart, {attributeFilter: ["data-drawn"]});
  }
});
