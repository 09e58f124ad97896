"""Try the playground in a browser: alone, in JupyterLab, and in a page that nbconvert exports.

    playground.py PLAYGROUND.html NOTEBOOK.ipynb FOLDER

Draws points with the mouse and the keyboard, changes methods and sliders, trains, calls off a long training, reads
errors and regions from the page, opens links, and compares the bytes of every method's model with those of the same
training outside of the browser. Times are printed, but don't fail. The folder receives pictures of the pages.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import browse

TIMEOUT = int(os.environ.get("BROWSER_TIMEOUT", "600"))  # seconds for everything

failures = []


def check(right, what):
    print(("  ok     " if right else "  WRONG  ") + what, flush=True)
    if not right:
        failures.append(what)


class Playground:
    """A playground on the page, or in a frame of it."""

    def __init__(self, page, session=None):
        self.page, self.session = page, session or page.session

    def run(self, script):
        outer, self.page.session = self.page.session, self.session
        try:
            return self.page.run(script)
        finally:
            self.page.session = outer

    def wait(self, condition, what):
        browse.wait(lambda: self.run(f"return !!({condition})"), what)

    def drawn(self):
        """Wait until all that was asked for is shown."""
        self.wait("window.playground?.settled", "models to be drawn")

    def open(self, state):
        self.set_address(state)
        self.drawn()

    def set_address(self, state):
        """Have the page open a state, also one that it has: its own addresses don't end in &."""
        before = self.run(f"""const before = playground.opened;
            location.hash = {json.dumps('#' + state + '&')};
            return before""")
        self.wait(f"playground.opened > {before}", "the address to be opened")

    def result(self, panel=0):
        return self.run(f"return playground.panels[{panel}].result")

    def mouse(self, u, v, kind="left", to=None, panel=0):
        """Click at a place of a panel's picture, where u and v go from 0 to 1, or drag from it."""
        box = self.run(f"""const e = playground.panels[{panel}].plane;
            e.scrollIntoView({{block: 'center'}});
            const {{x, y, width, height}} = e.getBoundingClientRect();
            return {{x, y, width, height}}""")
        left, top = self.corner()
        at = lambda u, v: {"x": left + box["x"] + u * box["width"], "y": top + box["y"] + v * box["height"]}
        modifiers = 8 if kind == "shift" else 0
        button = "right" if kind == "right" else "left"
        self.page.call("Input.dispatchMouseEvent", type="mousePressed", button=button, clickCount=1, modifiers=modifiers, **at(u, v))
        for k in range(1, 21 if to else 0):
            self.page.call("Input.dispatchMouseEvent", type="mouseMoved", button=button, buttons=1, modifiers=modifiers,
                           **at(u + (to[0] - u) * k / 20, v + (to[1] - v) * k / 20))
        self.page.call("Input.dispatchMouseEvent", type="mouseReleased", button=button, clickCount=1, modifiers=modifiers, **at(*(to or (u, v))))

    def corner(self):
        """Return where the playground's frame begins on the page."""
        if self.session == self.page.session:
            return 0, 0
        return self.page.run("""const e = document.querySelector('iframe[title]');
            let before;
            do { // scrolling may go on for a moment
                before = e.getBoundingClientRect().y;
                await new Promise(done => setTimeout(done, 200));
            } while (e.getBoundingClientRect().y !== before);
            const {x, y} = e.getBoundingClientRect();
            return [x, y]""")

    def key(self, key, **more):
        text = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
        self.page.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **more)
        self.page.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def choose(self, title, panel=0):
        """Choose a method in the menu."""
        self.run(f"""const m = playground.panels[{panel}].method;
            m.value = [...m.options].find(o => o.textContent === {json.dumps(title)}).value;
            m.dispatchEvent(new Event('change'))""")

    def slide(self, label, steps, panel=0):
        """Move the slider with a label by some positions, with the arrow keys."""
        self.run(f"""const e = playground.panels[{panel}].element;
            [...e.querySelectorAll('.slider label')].find(l => l.textContent === {json.dumps(label)}).control.focus()""")
        for _ in range(abs(steps)):
            self.key("ArrowRight" if steps > 0 else "ArrowLeft", windowsVirtualKeyCode=39 if steps > 0 else 37)

    def at(self, u, v, panel=0):
        """Return the class that the page holds for a place, and the colour that it shows there."""
        return self.run(f"""const p = playground.panels[{panel}], n = playground.CELLS, c = p.canvas, side = c.width;
            const pixel = c.getContext('2d').getImageData(Math.floor({u} * side), Math.floor({v} * side), 1, 1).data;
            return [p.regions.cls[Math.floor({v} * n) * n + Math.floor({u} * n)], ...pixel.slice(0, 3)]""")


def hue(cls, rgb):
    """Return whether a colour is a tint of the class's: blue for 0, orange for 1, green for 2."""
    return rgb.index(max(rgb)) == (2, 0, 1)[cls]


def alone(game):
    print("Alone")
    times = game.run("return playground.first")
    print("  first picture after", ", ".join(f"{name} {t:.0f} ms" for name, t in sorted(times.items(), key=lambda x: x[1])), flush=True)
    check(game.run("return document.querySelector('#message').hidden"), "no complaint at the start")
    draw_by_hand(game)
    methods_and_sliders(game)
    links(game)
    call_off(game)
    growth_and_sensitivity(game)


def draw_by_hand(game):
    game.open("problem=hand&left=rf.CART,MaxDepth=1&right=oblique.Learner,Trees=1,NodeFeatures=2")
    check("two classes" in game.run("return playground.panels[0].veil.textContent"), "without points the page asks for some")
    for k in range(6):  # class 0 below and class 1 above the diagonal y = x + a little
        game.key("1")
        game.mouse(0.2 + 0.12 * k, 0.95 - 0.12 * k)
        game.key("2")
        game.mouse(0.1 + 0.12 * k, 0.75 - 0.12 * k)
    game.drawn()
    check(game.run("return playground.points.length") == 12, "twelve clicks are twelve points")
    expected = game.run("return [0, 1].map(c => playground.points.filter(p => p.c === c).map(p => p.at))")
    check(all(abs(x - (2 * (0.2 + 0.12 * k) - 1)) < 0.02 and abs(y - (1 - 2 * (0.95 - 0.12 * k))) < 0.02
              for k, (x, y) in enumerate(expected[0])), "points lie where the mouse was")
    check(game.result(1)["train"] == 0, "an oblique split separates them")
    for u, v, cls in (0.9, 0.9, 0), (0.1, 0.1, 1), (0.6, 0.9, 0), (0.4, 0.1, 1):
        got, *rgb = game.at(u, v, 1)
        check(got == cls and hue(cls, rgb), f"region at {u}, {v}: class {got}, colour {rgb}")
    game.mouse(0.2, 0.95, "right")
    game.drawn()
    check(game.run("return playground.points.length") == 11, "a right click removes a point")
    game.mouse(0.1, 0.75, "shift")
    game.drawn()
    check(game.run("return playground.points.length") == 10, "so does a click with shift")
    game.key("u")
    game.drawn()
    check(game.run("return playground.points.length") == 11, "u brings it back")
    game.mouse(0.15, 0.2, to=(0.5, 0.2))
    game.drawn()
    brushed = game.run("return playground.points.length") - 11
    check(brushed >= 8, f"dragging brushes {brushed} points")
    for key in ["ArrowRight"] * 3 + ["Enter"]:
        game.key(key)
    game.drawn()
    check(game.run("return playground.points.length") == 12 + brushed, "arrow keys and Enter add a point")
    check(game.result(0)["folds"] >= 0, "without a test sample and rows out of bag there is a five-fold error")


def methods_and_sliders(game):
    game.open("problem=sim.XOR,Cells=2&n=300&seed=1&noise=0&left=rf.CART,MaxDepth=1&right=rf.CART")
    check(abs(game.result()["test"] - 0.5) < 0.1 and game.result(1)["test"] < 0.05, "one split can't learn the exclusive or, a full tree can")
    game.slide("Depth, at most", 4)
    game.drawn()
    check(game.result()["depth"] <= 5 and "MaxDepth: 5" in game.result()["code"], "the slider of depth trains anew: " + game.result()["code"])
    game.choose("Random forest")
    game.drawn()
    check(game.result()["trees"] == 50 and game.result()["outOfBag"] < 0.1, f"the menu trains a random forest, out-of-bag error {game.result()['outOfBag']:.3f}")
    errors = game.run("return [...playground.panels[0].numbers.querySelectorAll('dt')].map(e => e.textContent)")
    check({"test error", "out-of-bag error", "training time", "file"} <= set(errors), "the page shows errors, time and sizes")
    for u, v, cls in (0.25, 0.25, 1), (0.75, 0.25, 0), (0.25, 0.75, 0), (0.75, 0.75, 1):
        got, *rgb = game.at(u, v)
        check(got == cls and hue(cls, rgb), f"region at {u}, {v}: class {got}, colour {rgb}")


def links(game):
    game.open("problem=sim.Circles&n=200&seed=5&noise=0&left=sporf.Learner,Trees=20,Seed=3&right=godt.Tree,Divider=2")
    game.mouse(0.5, 0.5)
    game.mouse(0.3, 0.3, "right")
    game.mouse(0.1, 0.1, to=(0.9, 0.1))
    game.drawn()
    time.sleep(0.3)
    address = game.run("return location.href")
    before = game.result(0)["sha256"], game.result(1)["sha256"], game.run("return playground.points.length")
    game.page.call("Page.navigate", url="about:blank")
    game.page.call("Page.navigate", url=address)
    game.drawn()
    after = game.result(0)["sha256"], game.result(1)["sha256"], game.run("return playground.points.length")
    check(before == after, f"a link of {len(address.split('#')[1])} characters gives the same {after[2]} points and models")
    game.set_address("left=sporf.Learner,Tress=50")
    game.wait("/Tress/.test(document.body.textContent)", "a complaint about the link")
    check(True, "a link with a wrong field is complained about: " + game.run("return playground.panels[0].veil.textContent.trim()"))
    for state, complaint in ("nn=300", "there is no “nn”"), ("problem=sim.Spiral", "no problem “sim.Spiral”"), ("problem=sim.XOR,Cells=1", "Cells"), \
            ("left=sporf.Learner,Trees=many", "isn’t a field and its number"), ("%E0%A4%A", "no “"):
        game.open(state)
        text = game.run("return document.querySelector('#message').textContent")
        check(complaint in text and game.run("return playground.panels.every(p => p.result)"), f"{state}: {text}")


def call_off(game):
    game.open("problem=sim.RandomRBF,Features=2&n=300&seed=1&noise=0.1&left=rf.CART&right=rf.CART")
    before = game.result()["sha256"]
    game.set_address("problem=sim.RandomRBF,Features=2&n=2000&seed=1&noise=0.1&left=tao.Learner,Trees=500&right=rf.CART")
    game.wait("playground.panels[0].training && !playground.panels[1].training", "a long training to begin")
    with standstill(game, "a long training"):
        time.sleep(3)
    check(game.run("return playground.panels[0].training && /Training: \\d+ of \\d+/.test(playground.panels[0].veil.textContent)"),
          "a long training reports its progress: " + game.run("return playground.panels[0].veil.textContent.trim()"))
    began = time.time()
    game.run("playground.panels[0].train.click()")
    check(not game.run("return playground.panels[0].training") and game.result()["sha256"] == before, f"the button calls it off in {1000 * (time.time() - began):.0f} ms")
    game.choose("CART tree")
    game.drawn()
    check(game.result()["test"] >= 0, "then another method trains")
    with standstill(game, "two forests of 100 trees on 2,000 points, and their pictures"):
        game.open("problem=sim.RandomRBF,Features=2&n=2000&seed=1&noise=0.1&left=rf.Learner,Trees=100&right=sporf.Learner,Trees=100")


@contextlib.contextmanager
def traced(game):
    """Yield a list that then holds the threads' tasks: the thread's name, and milliseconds by the clock and of the
    processor. The latter don't depend on what else the machine does."""
    tasks = []
    game.page.call("Tracing.start", traceConfig={"includedCategories": ["toplevel"]})
    yield tasks
    game.page.call("Tracing.end")
    events = []
    while (message := json.loads(game.page.socket.recv())).get("method") != "Tracing.tracingComplete":
        if message.get("method") == "Tracing.dataCollected":
            events += message["params"]["value"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    tasks += [(names.get((e["pid"], e["tid"])), e.get("dur", 0) / 1000, e.get("tdur", 0) / 1000)
              for e in events if e["name"].endswith("RunTask")]


@contextlib.contextmanager
def standstill(game, what):
    """Print how long the page stood still."""
    with traced(game) as tasks:
        yield
    page = [task for task in tasks if task[0] == "CrRendererMain"]
    clock, processor = (max(task[k] for task in page) for k in (1, 2))
    print(f"  {what}: of {len(page)} tasks of the page the longest takes {clock:.0f} ms, {processor:.0f} ms of the processor", flush=True)


def growth_and_sensitivity(game):
    game.open("problem=sim.XOR,Cells=2&n=200&seed=2&noise=0&view=growth&left=graf.Learner,Trees=1,TreeFeatures=2&right=rf.CART")
    for panel in 0, 1:
        game.run(f"const i = playground.panels[{panel}].stepInput; i.value = 1; i.dispatchEvent(new Event('input'))")
    captions = game.run("return playground.panels.map(p => p.caption.textContent)")
    check(all("Step 1 of" in c and "divides 1 region: 2 regions" in c for c in captions), f"growth, step 1: {captions[0]}")
    game.key("g")
    game.wait("playground.panels.every(p => !p.playing && p.own.step === null)", "trees to grow")
    captions = game.run("return playground.panels.map(p => p.caption.textContent)")
    check(all(", 0 of mixed classes" in c for c in captions), f"grown: {captions[0]}; {captions[1]}")
    leaves = game.run("return [playground.panels[0].result.leaves, playground.panels[1].result.leaves]")
    check(all(f": {n} regions" in c for n, c in zip(leaves, captions)), "grown trees have as many regions as leaves")
    game.run("document.querySelector('#views input[value=sensitivity]').click()")
    game.drawn()
    near = game.run("""const p = playground.panels[0], order = [...p.scores.keys()].sort((a, b) => p.scores[a] - p.scores[b]);
        const margin = i => Math.min(...playground.points[i].at.map(Math.abs));
        const mean = list => list.reduce((s, i) => s + margin(i), 0) / list.length;
        return [mean(order.slice(0, 50)), mean(order.slice(-50))]""")
    check(near[1] < near[0], f"sensitive points are nearer to the boundary: {near[1]:.2f}, others {near[0]:.2f}")


def every_method(game):
    """Train each entry of the menu on the same points here and natively, and compare the models' bytes."""
    print("Every method: 500 points and, if it is a forest, 50 trees; fewer for iterative ones")
    menu = game.run("return playground.menu.methods")
    requests, rows = [], []
    for entry in menu:
        fields = {p["field"]: p["start"] for p in entry["parameters"] if p["start"]} | (entry["fixed"] or {})
        forest = any(p["field"] == "Trees" for p in entry["parameters"])
        if forest:
            fields["Trees"] = 3 if entry["iterative"] else 50
        struct = ",".join([entry["name"]] + [f"{k}={v}" for k, v in fields.items()])
        with traced(game) as tasks:
            game.open(f"problem=sim.Circles&n={150 if entry['iterative'] else 500}&seed=1&noise=0.05&left={struct}&right=rf.CART,MaxDepth=1")
        processor = max(task[2] for task in tasks if task[0] == "DedicatedWorker thread")
        r = {"processor": processor} | game.run("""const p = playground.panels[0], points = playground.points;
            return {shown: p.method.selectedOptions[0].textContent, result: p.result, request: {...p.request(),
                columns: playground.sample.features.map((_, j) => points.map(q => q.at[j])), labels: points.map(q => q.c)}}""")
        requests.append(r["request"])
        rows.append((entry, r))
    native = trained_natively(requests)
    print("  In the page: seconds of the processor, with errors and file. Natively: training alone, by the clock, the least of three.")
    print(f"  {'method':36} {'trees':>5} {'page':>7} {'native':>7}  model")
    for (entry, r), (sha, seconds) in zip(rows, native):
        got, page = r["result"], r["processor"] / 1000
        print(f"  {entry['title']:36} {got['trees']:5} {page:7.3f} {seconds:7.3f}  {sha[:12]}")
        if r["shown"] != entry["title"] or got["sha256"] != sha:
            check(False, f"{entry['title']}: the page shows {r['shown']} and has model {got['sha256'][:12]}, natively {sha[:12]}")
    check(True, f"models of {len(rows)} methods compared byte for byte with native ones")


def trained_natively(requests):
    """Return the SHA-256 of each request's model and its seconds, in order."""
    lines = "\n".join(json.dumps(request) for request in requests)
    out = subprocess.run(["go", "run", "./viz/playground/native"], input=lines, text=True, capture_output=True, check=False,
                         env=os.environ | {"GOMAXPROCS": "1"})
    if out.returncode != 0:
        raise RuntimeError(out.stderr)
    results = [(sha, float(seconds)) for sha, seconds in map(str.split, out.stdout.splitlines())]
    check(len(results) == len(requests), f"{len(results)} models trained natively")
    return results


def framed(page, wait_for):
    """Return the playground in the page's only frame. It is sandboxed, so it is a target of its own."""
    def target():
        outer, page.session = page.session, None
        try:
            infos = page.call("Target.getTargets", filter=[{"type": "iframe"}])["targetInfos"]
            return infos and page.call("Target.attachToTarget", targetId=infos[0]["targetId"], flatten=True)["sessionId"]
        finally:
            page.session = outer

    session = browse.wait(target, wait_for)
    page.run("document.querySelector('iframe[title]').scrollIntoView({block: 'start'})")
    return Playground(page, session)


def in_frame(game, where):
    print(where)
    game.drawn()
    check(game.run("return playground.state.problem") == "data", "the points are those of the cell")
    before = game.run("return playground.points.length")
    sha = game.result()["sha256"]
    game.mouse(0.5, 0.5)
    game.wait(f"playground.points.length === {before + 1}", "a click to add a point")
    game.drawn()
    check(game.result()["sha256"] != sha, "a click adds a point and trains")
    game.choose("Extremely randomised trees")
    game.drawn()
    check(game.result()["trees"] == 50, "the menu works")
    got, *rgb = game.at(0.02, 0.02)
    check(hue(got, rgb), f"regions are drawn: class {got}, colour {rgb}")
    game.set_address("problem=data&left=tao.Learner,Trees=500&right=rf.CART")
    game.wait("playground.panels[0].training && !playground.panels[1].training", "a long training")
    game.key("c")
    game.wait("!playground.panels[0].training", "the training to be called off")
    check(True, "c calls off a long training")


def viewport(page, width, height, dark=False):
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])


def pictures(game, folder):
    """Save pictures of the page at several widths."""
    state = "problem=sim.XOR,Cells=2,Degrees=20&n=300&seed=1&noise=0.05&left=rf.CART&right=sporf.FRC,Trees=50"
    for name, width, dark, more in (("wide", 1400, False, ""), ("dark", 1400, True, "&view=sensitivity"), ("narrow", 400, False, "")):
        viewport(game.page, width, 1000, dark)
        game.open(state + more)
        height = game.run("return document.documentElement.scrollHeight")
        check(game.run("return document.documentElement.scrollWidth <= innerWidth"), f"{width} pixels are wide enough")
        viewport(game.page, width, height, dark)
        time.sleep(0.3)
        game.page.picture(folder / f"{name}.png")
    viewport(game.page, 1400, 1200)


@contextlib.contextmanager
def browser():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        page = browse.Page(home)
        try:
            page.connect(home)
            viewport(page, 1400, 1200)
            yield page
        finally:
            browse.stop(page.process)


def exported(notebook, folder):
    """Return the page that nbconvert makes of an executed notebook."""
    subprocess.run([sys.executable, "-m", "nbconvert", "--to", "html", "--log-level", "ERROR", "--output-dir", str(folder), str(notebook)], check=True)
    return (folder / notebook.with_suffix(".html").name).resolve().as_uri()


def main(html, notebook, folder):
    folder = browse.emptied(folder)
    with browse.time_limit(TIMEOUT):
        run(html, notebook, folder)
    if failures:
        sys.exit("\n".join(f"playground: {f}" for f in failures))


def run(html, notebook, folder):
    with browser() as page:
        game = Playground(page)
        with standstill(game, "opening the file"):
            page.call("Page.navigate", url=pathlib.Path(html).resolve().as_uri())
            game.drawn()
        try:
            alone(game)
            every_method(game)
            pictures(game, folder)
        except (RuntimeError, browse.GaveUp):
            page.picture(folder / "failed.png")
            raise
    with browser() as page, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home, open(folder / "jupyter.log", "w") as log:
        jupyter = browse.start_jupyter(home, log)
        try:
            executed = folder / pathlib.Path(notebook).name
            executed.write_text(json.dumps(browse.run_all(page, browse.server_url(jupyter, home, notebook))))
            in_frame(framed(page, "the playground in JupyterLab"), "In JupyterLab")
            page.picture(folder / "jupyterlab.png")
        except (RuntimeError, browse.GaveUp):
            page.picture(folder / "failed.png")
            raise
        finally:
            browse.stop(jupyter)
    with browser() as page:
        page.call("Page.navigate", url=exported(executed, folder))
        in_frame(framed(page, "the playground in exported HTML"), "In exported HTML")
        page.picture(folder / "exported.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
