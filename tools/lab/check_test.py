"""Tests of check.py; make notebooks-test runs them first."""

import base64
import io
import unittest

from nbformat import v4
from PIL import Image

from check import blank, problems


def picture(width, height, drawn):
    """A white picture whose first pixels are black."""
    image = Image.new("L", (width, height), 255)
    image.putdata([0] * drawn + [255] * (width * height - drawn))
    file = io.BytesIO()
    image.save(file, "PNG")
    file.seek(0)
    return file


def png(drawn):
    return base64.b64encode(picture(9, 9, drawn).read()).decode()


def code(*outputs, source="f()", count=1):
    return v4.new_code_cell(source, outputs=list(outputs), execution_count=count)


def stream(text, name="stdout"):
    return v4.new_output("stream", name=name, text=text)


def shown(**data):
    return v4.new_output("display_data", data={k.replace("_", "/"): v for k, v in data.items()})


def found(committed, executed, may_lack_data=False):
    return list(problems(v4.new_notebook(cells=committed), v4.new_notebook(cells=executed), may_lack_data))


HTML, BOTH = shown(text_html="<p>"), shown(text_plain="p", image_png=png(9))


class Check(unittest.TestCase):
    def test_blank(self):
        for drawn, wrong in [(0, True), (10000, True), (19, True), (20, False), (5000, False), (9981, True)]:
            self.assertEqual(bool(blank(picture(100, 100, drawn))), wrong, drawn)
        self.assertIn("isn't a picture", blank(io.BytesIO(b"hello")))

    def test_outputs(self):
        for cell, want in [
            (code(stream("x")), ""), (code(HTML), ""), (code(BOTH), ""), (v4.new_markdown_cell("# Title"), ""),
            (code(shown(application_json={"a": 1})), ""), (code(source=" \n", count=None), ""),
            (code(count=None), "has not run"),
            (code(v4.new_output("error", ename="E", evalue="exit status 1")), "exit status 1"),
            (code(shown()), "displays nothing"), (code(shown(text_html="\n ")), "empty text/html"),
            (code(shown(image_png=png(0))), "blank"), (code(shown(image_png="aGVsbG8=")), "isn't a picture"),
        ]:
            got = found([cell], [cell])
            self.assertTrue(len(got) == bool(want) and want in "".join(got), (cell, got))

    def test_differences(self):
        flipped = shown(image_png=png(9), text_plain="q")
        for committed, executed, want in [
            ([code(stream("x")), code(HTML)], [code(stream("y")), code(HTML)], 0),
            ([code(stream("x"))], [code(stream("x"), stream("y"))], 0),
            ([code(stream("x"), stream("z", "stderr"))], [code(stream("z", "stderr"), stream("x"))], 0),
            ([code(BOTH)], [code(flipped)], 0),
            ([code(HTML, HTML)], [code(HTML)], 1), ([code()], [code(HTML)], 1), ([code(stream("x"))], [code()], 1),
            ([code(HTML)], [code(BOTH)], 1), ([code(), code()], [code()], 1), ([code()], [code(source="g()")], 1),
        ]:
            self.assertEqual(len(found(committed, executed)), want, (committed, executed))

    def test_lacking_data(self):
        committed, executed = [code(HTML)], [code(stream("No data at hand: datasets: …\n"))]
        self.assertEqual(len(found(committed, executed)), 1)
        self.assertEqual(found(committed, executed, may_lack_data=True), [])


if __name__ == "__main__":
    unittest.main()
