"""Check an executed notebook against the committed one, or pictures of one.

    check.py COMMITTED.ipynb EXECUTED.ipynb
    check.py PICTURE.png...

Fails on errors, on empty displays and blank pictures, and if a cell's outputs differ in number or MIME types from those
committed: they get lost without an error if a program ends before they are flushed. Texts and pictures may differ.
Without OBLIQUA_DATA, cells may stop for lack of a data set.
"""

import base64
import io
import os
import sys

import nbformat
from PIL import Image

DRAWN = 0.002  # of the pixels: specks are fewer, a thin line across the picture is more


def blank(file):
    """Say that (nearly) all pixels of a picture have the same colour, or that it is none."""
    try:
        picture = Image.open(file).convert("RGBA")
    except (OSError, ValueError) as err:
        return f"isn't a picture: {err}"
    total = picture.width * picture.height
    most = max((count for count, _ in picture.getcolors(total) or []), default=0)
    return f"is blank: {most} of {total} pixels have the same colour" if total - most < max(1, DRAWN * total) else ""


def problem(output):
    if output.output_type == "stream":
        return ""
    if output.output_type == "error":
        return f"ends in the error {output.evalue}"
    if not output.data:
        return "displays nothing"
    for mime, body in output.data.items():
        if isinstance(body, str) and not body.strip():
            return f"displays an empty {mime}"
        fault = blank(io.BytesIO(base64.b64decode(body))) if mime == "image/png" else ""
        if fault:
            return f"displays a picture that {fault}"
    return ""


def progress(output):
    """Say whether an output is a line of progress, which a model that is kept on disk doesn't have."""
    return output.output_type != "stream" and output.get("data", {}).get("text/html", "").startswith("<span")


def kinds(cell):
    """The names of streams, once each since they come in pieces, and the MIME types of displays but for progress."""
    outputs = [o for o in cell.get("outputs", []) if not progress(o)]
    streams = {o.name for o in outputs if o.output_type == "stream"}
    return sorted([*streams, *("+".join(sorted(o.get("data", {}))) for o in outputs if o.output_type != "stream")])


def lacks_data(cell):
    return any(o.output_type == "stream" and "No data at hand: " in o.text for o in cell.get("outputs", []))


def problems(committed, executed, may_lack_data):
    """What is wrong with the cells of an executed notebook, by the number of the cell."""
    if len(committed.cells) != len(executed.cells):
        yield f"there are {len(executed.cells)} cells, committed are {len(committed.cells)}"
        return
    for i, (want, got) in enumerate(zip(committed.cells, executed.cells), 1):
        if got.cell_type == "code" and got.source.strip() and got.execution_count is None:
            yield f"cell {i} has not run"
        yield from (f"cell {i} {p}" for p in map(problem, got.get("outputs", [])) if p)
        if want.source != got.source:
            yield f"cell {i} has another source than the committed one"
        if may_lack_data and lacks_data(got):
            print(f"cell {i} was left out: its data are not at hand and OBLIQUA_DATA is unset")
        elif kinds(want) != kinds(got):
            yield f"cell {i} puts out {kinds(got)}, committed is {kinds(want)}"


def main(paths):
    if len(paths) == 2 and paths[0].endswith(".ipynb"):
        found = list(problems(*(nbformat.read(path, 4) for path in paths), not os.environ.get("OBLIQUA_DATA")))
        found = [f"{paths[1]}: {p}" for p in found]
    else:
        found = [f"{path} {fault}" for path in paths if (fault := blank(path))]
    if found or not paths:
        sys.exit("\n".join(found) or __doc__)
    print(f"{paths[-1]}: as it should be")


if __name__ == "__main__":
    main(sys.argv[1:])
