"""Open every page of a site in a browser, as wide as a telephone and as a desk's screen.

    pages.py SITE FOLDER

The folder receives a picture of each page at 400 and at 1400 pixels, and one of the start page in the dark
theme. Fails if a page is wider than the window, so that a reader would have to move it sideways, if its
scripts fail, if it asks for anything but files of the site, or if axe-core finds what keeps people out, such as text
that is hard to see or a picture without words.
"""

import importlib.resources
import pathlib
import sys
import tempfile

import browse

WIDTHS = 400, 1400
HEIGHT = 8000  # of a picture at most
TIMEOUT = 900  # seconds for all pages
AXE = importlib.resources.files("axe_core_python").joinpath("axe.min.js").read_text()


def problems(page, url, width, picture):
    """Open a page, save a picture of it and return what is wrong."""
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
    page.call("Page.navigate", url=url)
    browse.wait(lambda: page.run("return location.href.split('#')[0] == %r && document.readyState == 'complete'" % url), url)
    found = page.run("""
        const wide = document.documentElement.scrollWidth, found = [];
        if (wide > innerWidth + 1) {
            const widest = [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1
                && !e.closest('pre, table, .sidebar-drawer, .toc-drawer, [style*=overflow]'))[0];
            found.push(`is ${wide} pixels wide in a window of ${innerWidth}` + (widest ? `: ${widest.outerHTML.slice(0, 120)}` : ''));
        }
        const elsewhere = performance.getEntriesByType('resource').map(r => r.name).filter(n => !/^(file|data|blob):/.test(n));
        return found.concat(elsewhere.map(n => `asks for ${n}`), window.failures || [])""")
    if width == WIDTHS[-1]:
        found += barriers(page)
    height = page.run("return document.documentElement.scrollHeight")
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=min(height, HEIGHT), deviceScaleFactor=1, mobile=width < 600)
    page.picture(picture)
    return [f"{url} at {width} pixels {f}" for f in found]


def barriers(page):
    """Return what axe-core calls serious or critical, each kind once, with its first place."""
    page.run(AXE)
    found = page.run("return (await axe.run({resultTypes: ['violations']})).violations")
    return [f"{v['help']} ({v['id']}, {len(v['nodes'])}): {v['nodes'][0]['html'][:120]}"
            for v in found if v["impact"] in ("serious", "critical")]


def main(site, folder):
    site, folder = pathlib.Path(site).resolve(), browse.emptied(folder)
    found = []
    with browse.time_limit(TIMEOUT), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        page = browse.Page(home)
        try:
            page.connect(home)
            page.call("Page.enable")
            page.call("Page.addScriptToEvaluateOnNewDocument", source="""
                window.failures = [];
                addEventListener('error', e => failures.push(`fails: ${e.message}`));""")
            for file in sorted(set(site.rglob("*.html")) - set(site.glob("lite/**/*"))):  # JupyterLite needs a server
                name = str(file.relative_to(site).with_suffix("")).replace("/", "-")
                for width in WIDTHS:
                    found += problems(page, file.as_uri(), width, folder / f"{name}-{width}.png")
            page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
            found += problems(page, (site / "index.html").as_uri(), 1400, folder / "index-dark.png")
        finally:
            browse.stop(page.process)
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
