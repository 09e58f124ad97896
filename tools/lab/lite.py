"""Open a lesson of the site from its link and run its first cells, in a browser, without a server of Jupyter's.

    lite.py SITE NOTEBOOK CELLS FOLDER

SITE is served over the loop-back address. NOTEBOOK is an executed one, whose page in the site has the link. Its first
CELLS cells of code run, one after the other, and must print what the notebook holds and show its pictures, byte for
byte. Then a slider of viz.Explore is moved, and its cell stopped; Tab and Shift-Tab are tried, as in complete.py; a file
that is dropped on the page is copied by a cell, whose file the page must offer; and a link to another notebook must open
it. At last the server ends, the page is loaded anew, and the first cell runs again. The folder receives the notebook as
it stands after the first cells, the times, and pictures of the page at 1400 and at 400 pixels.
"""

import functools
import http.server
import json
import os
import pathlib
import sys
import tempfile
import threading
import time

import browse
import complete

TIMEOUT = int(os.environ.get("BROWSER_TIMEOUT", "300"))  # seconds for everything


EXPLORE = """%%
nb.Must(viz.Explore([]viz.Control{viz.Slider{Name: "side", Min: 1, Max: 9, Value: 2}},
	func(_ context.Context, v viz.Values) (viz.Chart, error) {
		return viz.Scatter{Title: v.String(), Data: sim.Circles{}.Sample(9, 1)}, nil
	}))
"""


COPY = """%%
nb.Must(os.WriteFile("copy.csv", nb.Value(os.ReadFile("dropped.csv")), 0o666))
"""


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def outputs(cell):
    """Return what a cell has printed and the pictures that it shows."""
    printed = "".join("".join(o["text"]) for o in cell["outputs"] if o.get("name") == "stdout")
    return printed, ["".join(d["image/png"]).replace("\n", "") for d in browse.displays(cell) if "image/png" in d]


def execute(page, i):
    """Run cell i and return how many seconds it took."""
    before = time.monotonic()
    page.run(f"panel.content.activeCellIndex = {i}; panel.content.deselectAll()")
    page.run("app.commands.execute('notebook:run-cell')")
    browse.wait(lambda: page.run(f"""const cell = cells[{i}].model;
        return cell.executionCount && cell.executionState == 'idle'"""), f"cell {i+1} to run")
    return time.monotonic() - before


def compare(i, committed, got):
    """Return what is wrong with the outputs of cell i, and how many pictures it shows."""
    want, have = outputs(committed["cells"][i]), outputs(got["cells"][i])
    errors = [o["evalue"] for o in got["cells"][i]["outputs"] if o["output_type"] == "error"]
    wrong = []
    if want != have or errors:
        same = "the same" if want[1] == have[1] else "others"
        wrong.append(f"cell {i+1} prints {have[0]!r} and shows {len(have[1])} pictures, {errors}; "
                     f"want {want[0]!r} and {len(want[1])} pictures, which are {same}")
    return wrong, len(have[1])


def run(page, url, committed, code, folder):
    """Run these cells and return what is wrong."""
    page.call("Page.navigate", url=url)
    link = browse.wait(lambda: page.run("return document.querySelector('a.run')?.href"), "the link")
    started = time.monotonic()
    browse.open_notebook(page, link)
    report = [f"notebook open after {time.monotonic() - started:.1f} s"]
    report += [f"cell {i+1} took {execute(page, i):.1f} s" for i in code]
    got = page.run("return panel.content.model.toJSON()")
    (folder / "executed.ipynb").write_text(json.dumps(got, indent=1))
    (folder / "times.txt").write_text("\n".join(report) + "\n")
    print("\n".join(report))
    wrong, shown = [], 0
    for i in code:
        more, pictures = compare(i, committed, got)
        wrong += more
        shown += pictures
    if not shown:
        wrong.append("no picture is shown")
    for width in 1400, 400:
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                  mobile=width < 600)
        for i in code:
            page.run(f"cells[{i}].node.scrollIntoView()")
            page.picture(folder / f"cell{i+1:02}-{width}.png")
    page.call("Emulation.clearDeviceMetricsOverride")
    slide(page, code[0])
    complete.try_all(page, folder)
    drop(page, code[0])
    follow(page)
    return wrong


def offline(page, committed, i):
    """Load the page anew, without its server, run cell i and return what is wrong."""
    browse.open_notebook(page, page.run("return location.href"))
    print(f"without a network, cell {i+1} took {execute(page, i):.1f} s")
    return compare(i, committed, page.run("return panel.content.model.toJSON()"))[0]


def slide(page, i):
    """Put an Explore into cell i, move its slider, and stop it."""
    title = lambda: page.run(f"return cells[{i}].model.toJSON().outputs.map(o => o.data['text/plain']).join()")
    page.run(f"cells[{i}].model.sharedModel.setSource({json.dumps(EXPLORE)}); panel.content.activeCellIndex = {i}")
    page.run("app.commands.execute('notebook:run-cell')")
    browse.wait(lambda: page.run(f"return cells[{i}].node.querySelector('input')?.disabled === false"), "the slider")
    page.run(f"""const slider = cells[{i}].node.querySelector('input');
        slider.value = 7;
        slider.dispatchEvent(new Event('input', {{bubbles: true}}))""")
    browse.wait(lambda: "side = 7" in title(), "the slider's new chart")
    page.run("await app.commands.execute('notebook:interrupt-kernel')")
    browse.wait(lambda: page.run(f"return cells[{i}].model.executionState == 'idle'"), "the cell to stop")


def drop(page, i):
    """Drop a CSV file on the page and have cell i copy it."""
    page.run("""const data = new DataTransfer();
        data.items.add(new File(['a,b'], 'dropped.csv'));
        for (const type of ['dragover', 'drop'])
            panel.node.dispatchEvent(new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true}))""")
    offered = lambda name: page.run(f"return !!document.querySelector('a[download=\"{name}\"]')")
    browse.wait(lambda: offered("dropped.csv"), "the dropped file")
    page.run(f"cells[{i}].model.sharedModel.setSource({json.dumps(COPY)}); panel.content.activeCellIndex = {i}")
    page.run("app.commands.execute('notebook:run-cell')")
    browse.wait(lambda: offered("copy.csv"), "the cell's file")
    text = page.run("""const link = document.querySelector('a[download="copy.csv"]');
        link.onclick();
        return await (await fetch(link.href)).text()""")
    if text != "a,b":
        raise RuntimeError(f"the copy of a,b is {text!r}")


def follow(page):
    """Follow the page's first link to another notebook, and come back."""
    back = page.run("await panel.context.revert(); return location.href")  # changes would ask whether to leave
    link = """document.querySelector('.jp-RenderedMarkdown a[href$=".ipynb"]')"""
    page.run("""panel.content.scrollToItem(0);
        window.open = address => { window.followed = new URL(address, location).href; }""")
    browse.wait(lambda: page.run(f"return !!{link}"), "a link to a notebook")
    browse.open_notebook(page, page.run(f"{link}.click(); return window.followed"))
    browse.open_notebook(page, back)


def main(site, notebook, cells, folder):
    committed = json.loads(pathlib.Path(notebook).read_text())
    code = [i for i, c in enumerate(committed["cells"]) if c["cell_type"] == "code"][:int(cells)]
    folder = browse.emptied(folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with browse.time_limit(TIMEOUT), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        page = browse.Page(home)
        try:
            page.connect(home)
            page.call("Page.enable")
            url = f"http://127.0.0.1:{server.server_port}/{pathlib.PurePosixPath(notebook).with_suffix('.html')}"
            wrong = run(page, url, committed, code, folder)
            server.shutdown()
            server.server_close()
            wrong += offline(page, committed, code[0])
        except (RuntimeError, browse.GaveUp):
            page.picture(folder / "failed.png")
            raise
        finally:
            browse.stop(page.process)
            server.shutdown()
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
