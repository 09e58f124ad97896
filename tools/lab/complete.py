"""Try completion (Tab) and documentation (Shift-Tab) as a reader does: in JupyterLab, in a browser, by keyboard.

    complete.py FOLDER

Opens the quickstart, runs its first cell, types into a new one, presses the keys, and fails
unless the names of sporf.Learner's fields and of package nb's functions are offered and the documentation of
sporf.Learner is shown. The folder receives a picture of each. The notebook is not saved.
"""

import os
import sys
import time

from browse import emptied, open_notebook, server_url, session, wait

NOTEBOOK = "notebooks/quickstart.ipynb"
TIMEOUT = int(os.environ.get("BROWSER_TIMEOUT", "300"))  # seconds for everything

# Documentation is what Shift-Tab shows, a menu what Tab shows. Neither may stem from the text of the cell.
MENU = "[...document.querySelectorAll('.jp-Completer:not(.lm-mod-hidden) .jp-Completer-match')].map(e => e.textContent)"
DOCUMENTATION = "document.querySelector('.jp-Tooltip')?.textContent ?? ''"

KEYS = {"Tab": 9, "Escape": 27}


def press(page, key, modifiers=0):
    for kind in "rawKeyDown", "keyUp":
        page.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key],
                  modifiers=modifiers)


def write(page, text):
    """Type text into a new cell, key by key: the editor adds closing brackets by itself."""
    page.run("""
        await app.commands.execute('notebook:enter-command-mode');
        panel.content.activeCellIndex = 0;
        await app.commands.execute('notebook:insert-cell-above');
        panel.content.activeCell.model.sharedModel.setSource('%%\\n');
        await app.commands.execute('notebook:enter-edit-mode');
        const editor = panel.content.activeCell.editor;
        editor.setCursorPosition({line: 1, column: 0});
        editor.focus();
        panel.content.activeCell.node.scrollIntoView()""")
    for c in text:
        page.call("Input.dispatchKeyEvent", type="char", text=c)


def ask(page, key, modifiers, shown, holds):
    """Press the key until the page shows what it should. While gopls starts it doesn't know."""
    while True:
        press(page, key, modifiers)
        end = time.monotonic() + 12
        while time.monotonic() < end:
            if holds(page.run(f"return {shown}")):
                return
            time.sleep(0.2)
        wait.reason = f"{key}, which shows {page.run(f'return {shown}')}"
        press(page, "Escape")
        page.run("await app.commands.execute('notebook:enter-edit-mode')")


def run_first(page):
    """Run the first code cell, which keeps the kernel off the internet."""
    wait.reason = "the first cell"
    page.run("""
        panel.content.activeCellIndex = cells.findIndex(c => c.model.type == 'code');
        await app.commands.execute('notebook:run-cell')""")


def try_all(page, folder):
    """Return how long each answer took, in seconds."""
    def offers(*names):
        return lambda shown: set(names) <= set(shown)

    def offers_only(names):
        return lambda shown: len(shown) > 5 and set(shown) <= set(names.split())

    def says(*texts):
        return lambda shown: all(text in shown for text in texts)

    seconds = {}
    for name, text, key, modifiers, shown, holds in (
            ("fields", "sporf.Learner{", "Tab", 0, MENU, offers("Trees", "Candidates", "Density", "Seed")),
            ("documentation", "sporf.Learner", "Tab", 8, DOCUMENTATION, says("grows a SPORF", "the projections tried")),
            ("functions", "nb.", "Tab", 0, MENU,
             offers_only("Ask Card CardOf Compare Context CrossValidate Effect Explain Fit Importance Load Must Open Predict "
                         "Predictions Read ReadLike Regions Save Score Show Split Tune Value")),
    ):
        wait.reason = name
        write(page, text)
        start = time.monotonic()
        ask(page, key, modifiers, shown, holds)
        seconds[name] = time.monotonic() - start
        page.picture(folder / f"{name}.png")
        press(page, "Escape")
    return seconds


def main(folder):
    folder = emptied(folder)
    with session(folder, TIMEOUT) as (page, jupyter, home):
        open_notebook(page, server_url(jupyter, home, NOTEBOOK))
        run_first(page)
        seconds = try_all(page, folder)
    print(", ".join(f"{name} after {s:.1f} s" for name, s in seconds.items()))



if __name__ == "__main__":
    main(*sys.argv[1:])
