"""Settings of Sphinx for the site. The pages are what tools/site gathers; see its documentation."""

import html
import re

from docutils import nodes

project = "Obliqua"
copyright = "the Obliqua authors"
html_title = "Obliqua"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}

extensions = ["myst_nb"]
nb_execution_mode = "off"  # notebooks are committed with their outputs
nb_merge_streams = True  # programs print in pieces
nb_mime_priority_overrides = [("html", "image/png", 0)]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
myst_links_external_new_tab = False

suppress_warnings = [
    "myst.xref_missing",  # anchors in the packages' pages; tools/site checks all links afterwards
    "misc.highlighting_failure",  # cells have GoNB's lines that begin with % and !, which are no Go
    "mystnb.unknown_mime_type",
    "myst.header",  # a notebook's first heading need not be of level 1
]


def describe(app, pagename, templatename, context, doctree):
    """Make a page's first sentence what search engines show of it."""
    for paragraph in doctree.findall(nodes.paragraph) if doctree else []:
        if isinstance(paragraph.parent, nodes.section):
            sentence = re.match(r".*?\.(?=\s|$)|.*", " ".join(paragraph.astext().split()))[0]
            context["metatags"] += f'<meta name="description" content="{html.escape(sentence)}">'
            break


def setup(app):
    app.connect("html-page-context", describe)
