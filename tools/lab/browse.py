"""Run a notebook as a user does: in JupyterLab, in a browser, with Run All Cells.

    browse.py NOTEBOOK.ipynb FOLDER

The folder receives the notebook as it stands after the run (under its own name), a picture of the whole
page (page.png) and one of every chart on it (cell02-1.png, ...). The committed notebook is not written to.
Fails if a cell draws less on the page than its outputs hold. Whether the pictures are blank and the
outputs complete is judged by check.py.
"""

import base64
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import websocket

BROWSERS = "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"
TIMEOUT = int(os.environ.get("BROWSER_TIMEOUT", "300"))  # seconds for everything

# What a user sees as a chart: large enough, and no part of another one.
CHARTS = """[...cells[%d].node.querySelectorAll(
    '.jp-OutputArea-output :is(img, svg, canvas)')].filter(e => {
  const r = e.getBoundingClientRect();
  return r.width >= 100 && r.height >= 50 && !e.parentElement.closest('svg');
})"""


class GaveUp(Exception):
    """Time is up. No TimeoutError, which the libraries below would catch."""


class Page:
    """The one page of a headless browser, driven by the Chrome DevTools protocol."""

    def __init__(self, profile):
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if browser is None:
            sys.exit(f"browse.py: none of {', '.join(BROWSERS)} is installed")
        command = [browser, "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}",
                   "--window-size=1400,1200", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # Chromium refuses to start for root otherwise
        self.process = subprocess.Popen(command + ["about:blank"], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        self.sent, self.session = 0, None

    def connect(self, profile):
        port_file = pathlib.Path(profile, "DevToolsActivePort")
        wait(lambda: port_file.exists() and "\n" in port_file.read_text(), "the browser to start")
        port, path = port_file.read_text().split("\n")[:2]
        self.socket = websocket.create_connection(f"ws://127.0.0.1:{port}{path}", suppress_origin=True)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method, **params):
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:  # the browser reports events in between
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.sent:
                break
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def run(self, script):
        """Evaluate JavaScript in which panel and cells are those of the open notebook."""
        answer = self.call("Runtime.evaluate", awaitPromise=True, returnByValue=True, expression=f"""(async () => {{
            const app = window.jupyterapp, panel = app?.shell.currentWidget, cells = panel?.content?.widgets;
            {script}
        }})()""")
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description", script))
        return answer["result"].get("value")

    def picture(self, path, **clip):
        """Save what stands still: charts may still be moving into place."""
        shot, before = self.capture(clip), None
        for _ in range(20):
            if shot == before:
                break
            time.sleep(0.25)
            shot, before = self.capture(clip), shot
        path.write_bytes(base64.b64decode(shot))

    def capture(self, clip):
        params = {"clip": clip | {"scale": 1}} if clip else {}
        return self.call("Page.captureScreenshot", **params)["data"]


def wait(condition, what):
    """Wait until the condition holds. The alarm in main ends waits that are in vain."""
    wait.reason = what
    while not (value := condition()):
        time.sleep(0.2)
    return value


def start_jupyter(home, log):
    """Start JupyterLab with settings of its own; the user's stay untouched."""
    settings = pathlib.Path(home, "lab", "user-settings", "@jupyterlab", "docmanager-extension")
    settings.mkdir(parents=True)
    (settings / "plugin.jupyterlab-settings").write_text('{"autosave": false}')
    env = os.environ | {"JUPYTER_CONFIG_DIR": home, "JUPYTER_RUNTIME_DIR": f"{home}/runtime"}
    return subprocess.Popen([sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0",
                             "--expose-app-in-browser"], env=env, stdout=log, stderr=log, start_new_session=True)


def server_url(process, home, path):
    """Return the address of a notebook; the token in it is new at every start."""
    info = pathlib.Path(home, "runtime", f"jpserver-{process.pid}.json")

    def started():
        if process.poll() is not None:
            sys.exit("browse.py: JupyterLab has ended; see its log")
        return info.exists() and info.read_text().rstrip().endswith("}")

    wait(started, "JupyterLab to start")
    server = json.loads(info.read_text())
    return f"{server['url']}lab/tree/{path}?token={server['token']}"


def stop(process):
    if process is None or process.poll() is not None:
        return
    process.terminate()  # JupyterLab shuts its kernels down
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def displays(cell):
    return [output["data"] for output in cell.get("outputs", []) if "data" in output]


def html(cell):
    return "".join("".join(data.get("text/html", "")) for data in displays(cell))


def wanted(notebook):
    """Return for each cell how many charts it has to show, and how many of them live: where the notebook has
    ECharts, a live chart takes the place of its picture."""
    interactive = any("window.echarts" in html(cell) for cell in notebook["cells"])
    return [{"charts": sum(any(mime.startswith("image/") for mime in data) for data in displays(cell)),
             "live charts": html(cell).count(' data-viz="') if interactive else 0} for cell in notebook["cells"]]


def open_notebook(page, url):
    """Open a notebook in JupyterLab and wait until its kernel is connected."""
    page.call("Page.navigate", url=url)
    wait(lambda: page.run("""
        await app?.restored;
        return !!cells && panel.context.isReady && panel.sessionContext.session?.kernel?.connectionStatus == 'connected'"""),
         "the notebook and its kernel")


def run_all(page, url):
    open_notebook(page, url)
    # What was committed must not pass for what this run draws.
    page.run("await app.commands.execute('notebook:clear-all-cell-outputs')")
    wait.reason = "the cells to run"
    page.run("await app.commands.execute('notebook:run-all-cells')")
    wait(lambda: page.run("return panel.sessionContext.session.kernel.status == 'idle'"), "the kernel to be idle")
    return page.run("return panel.content.model.toJSON()")


def take_pictures(page, notebook, folder):
    """Save a picture of every chart on the page and return what is missing."""
    wait.reason = "the charts"
    missing, taken = [], 0
    for i, want in enumerate(wanted(notebook)):
        charts = CHARTS % i
        page.run(f"cells[{i}].node.scrollIntoView()")
        for _ in range(50):
            got = page.run(f"""const all = {charts};
                return {{charts: all.length, 'live charts': all.filter(e => e.matches('canvas')).length}}""")
            if all(got[kind] >= want[kind] for kind in want):
                break
            time.sleep(0.2)
        missing += [f"cell {i+1}: {got[kind]} {kind} on the page, its outputs hold {want[kind]}"
                    for kind in want if got[kind] < want[kind]]
        for k in range(got["charts"]):
            clip = page.run(f"""const e = {charts}[{k}];
                e.scrollIntoView({{block: 'center'}});
                const {{x, y, width, height}} = e.getBoundingClientRect();
                return {{x, y, width, height}}""")
            page.picture(folder / f"cell{i+1:02}-{k+1}.png", **clip)
            taken += 1
    # The page at its full height, in one picture.
    height = page.run("return Math.max(1200, 200 + cells.reduce((h, c) => h + c.node.offsetHeight, 0))")
    page.call("Emulation.setDeviceMetricsOverride", width=1400, height=min(height, 16000), deviceScaleFactor=1,
              mobile=False)
    page.run("cells[0].node.scrollIntoView()")
    page.picture(folder / "page.png")
    if taken == 0:
        missing.append("there is no chart on the page")
    return missing


def emptied(folder):
    """Return the folder, new and empty."""
    folder = pathlib.Path(folder).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


@contextlib.contextmanager
def time_limit(seconds):
    """Raise GaveUp after so many seconds. A process that is told to end still cleans up."""
    def give_up(*_):
        raise GaveUp(f"waited {seconds} s in all, last for {wait.reason}")

    signal.signal(signal.SIGALRM, give_up)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.setitimer(signal.ITIMER_REAL, seconds, 30)  # once more, should saving a picture of the failure hang
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextlib.contextmanager
def session(folder, seconds):
    """Yield a page and a running JupyterLab, with its home, for so many seconds at most. The folder receives
    JupyterLab's log and, if something fails, a picture of the page."""
    jupyter = page = None
    with time_limit(seconds), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home, \
            open(folder / "jupyter.log", "w") as log:
        try:
            jupyter = start_jupyter(home, log)
            page = Page(f"{home}/browser")
            page.connect(f"{home}/browser")
            yield page, jupyter, home
        except (RuntimeError, GaveUp):
            if page and page.session:
                page.picture(folder / "failed.png")
            raise
        finally:
            stop(page and page.process)
            stop(jupyter)


def main(notebook_path, folder):
    folder = emptied(folder)
    with session(folder, TIMEOUT) as (page, jupyter, home):
        notebook = run_all(page, server_url(jupyter, home, notebook_path))
        (folder / pathlib.Path(notebook_path).name).write_text(json.dumps(notebook, indent=1))
        missing = take_pictures(page, notebook, folder)
    if missing:
        sys.exit("\n".join(f"{notebook_path}: {m}" for m in missing))


if __name__ == "__main__":
    main(*sys.argv[1:])
