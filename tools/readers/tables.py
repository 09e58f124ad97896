"""Makes 800 tables as people and programs write them, each with what is meant, and compares pandas' reading.

tables.py make FOLDER      writes NAME.csv and NAME.json; a seed for each table
tables.py compare FOLDER   reads the files with pandas' defaults and their separator, and prints the cells that differ

What is meant is a JSON object: separator, skip (lines before the header), columns, each with a name, a kind (number,
text or date, which is days since 1970, or key, which isn't a feature) and cells, null where one is missing; regression,
whether the last column is a number to predict; and group, the column of the groups of rows, or "".
"""
import datetime
import json
import pathlib
import random
import sys

TABLES = 400  # of each of two sorts
MISSING = ["", "NA", "N/A", "null", "NULL", "nan", "NaN", "?", "-", ".", "none", "None", "#N/A", "n/a", "<NA>", "unknown",
           "#DIV/0!", " ", "missing"]
PLAIN_MISSING = ["", "NA", "NaN", "?"]  # in columns of text, where other words may be categories
WORDS = ["Köln", "Straße", "façade", "red", "blue", "green", "New York", "a, b", 'say "hi"', "O'Neil", "São Paulo", "None",
         "low", "high", "Total recall", "100 % wool", "v1", "1st", "B-12", "5-10", "12:30"]


def grouped(digits, mark):
    parts = []
    while len(digits) > 3:
        digits, last = digits[:-3], digits[-3:]
        parts.insert(0, last)
    return mark.join([digits] + parts)


class Table:
    def __init__(self, seed):
        r = self.r = random.Random(seed)
        self.n = r.choice([12, 30, 60, 200] if seed < TABLES else [1, 2, 12, 60, 200])
        self.regression, self.group_column, self.total = False, "", False
        self.comma = r.random() < 0.35  # decimal comma
        self.sep = r.choice([";", "\t", ";", "|"] if self.comma else [",", ",", ",", ";", "\t", "|"])
        self.group = r.choice(["", "", ".", " ", "'"] if self.comma else ["", "", ",", ",", "'", " "])
        self.encoding = r.choice(["utf-8", "utf-8", "utf-8-sig", "cp1252", "latin-1"])
        self.end = r.choice(["\n", "\n", "\r\n", "\r\n", "\r"])
        self.quote_all = r.random() < 0.2
        self.columns = []

    def number(self, v, decimals, group=True):
        whole, _, fraction = f"{abs(v):.{decimals}f}".partition(".")
        text = grouped(whole, self.group) if group else whole
        if fraction:
            text += ("," if self.comma else ".") + fraction
        return text, v < 0 and float(f"{v:.{decimals}f}") != 0

    def add(self, name, kind, cells, texts, missing=None):
        share = self.r.choice([0, 0, 0, 0.05, 0.1, 0.33]) if missing else 0
        word = self.r.choice(missing) if missing else ""
        for i in range(self.n):
            if self.r.random() < share:
                cells[i], texts[i] = None, word
        self.columns.append((name, kind, cells, texts))

    def numeric(self, name, style):
        r, n = self.r, self.n
        decimals = 2
        negative = r.choice(["-", "-", "−", "()", "trailing"])
        values = {
            "plain": lambda: r.gauss(0, 100), "money": lambda: r.lognormvariate(9, 1), "percent": lambda: r.uniform(-20, 100),
            "unit": lambda: r.uniform(1, 200), "whole": lambda: r.randrange(-50, 5000),
            "key": lambda: 10**12 + r.randrange(10**6), "time": lambda: 1_700_000_000_000 + r.randrange(10**8),
            "utm": lambda: 5_400_000 + r.uniform(0, 900), "cents": lambda: r.randrange(10**7, 4 * 10**7),
            "exponent": lambda: r.lognormvariate(0, 9)}[style]
        if style in ("whole", "key", "time", "cents"):
            decimals = 0
        before, after = "", ""
        if style == "money":
            before, after = r.choice([("", " €"), ("", "€"), ("", " EUR"), ("", " kr")] if self.comma else
                                     [("$", ""), ("$ ", ""), ("£", ""), ("USD ", ""), ("", " CHF")])
        if self.encoding == "latin-1":  # which has no such sign
            after = after.replace("€", "EUR")
        if style == "percent":
            after = r.choice(["%", " %"])
        if style == "unit":
            after = r.choice([" kg", "kg", " km", " °C", " sq ft"])
        cells, texts = [], []
        for _ in range(n):
            v = values()
            if style == "exponent":
                text = f"{v:.4e}"
                cells.append(float(text))
                texts.append(text.replace(".", ",") if self.comma else text)
                continue
            text, minus = self.number(v, decimals, style not in ("key", "time", "utm"))
            cells.append(round(v, decimals))
            text = before + text + after
            if minus:
                text = {"-": "-" + text, "−": "−" + text, "()": "(" + text + ")", "trailing": text + "-"}[negative]
                if negative == "−" and self.encoding in ("cp1252", "latin-1"):
                    text = "-" + text[1:]
            texts.append(text)
        self.add(name, "number", cells, texts, MISSING)

    def date(self, name):
        form = self.r.choice(["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y-%m-%d %H:%M", "%d-%b-%Y"])
        start, cells, texts = datetime.datetime(2020, 1, 1), [], []
        for _ in range(self.n):
            at = start + datetime.timedelta(minutes=self.r.randrange(3 * 365 * 24 * 60))
            text = at.strftime(form)
            cells.append((datetime.datetime.strptime(text, form) - datetime.datetime(1970, 1, 1)).total_seconds() / 86400)
            texts.append(text)
        self.add(name, "date", cells, texts, MISSING)

    def words(self, name):
        k = self.r.choice([2, 4, 8])
        names = self.r.sample(WORDS, k)
        cells = [self.r.choice(names) for _ in range(self.n)]
        self.add(name, "text", cells, list(cells), PLAIN_MISSING)

    def truths(self, name):
        names = self.r.choice([["TRUE", "FALSE"], ["true", "false"], ["True", "False"], ["yes", "no"], ["Y", "N"]])
        cells = [self.r.choice(names) for _ in range(self.n)]
        self.add(name, "text", cells, list(cells))

    def make(self):
        r = self.r
        styles = ["plain", "whole", "money", "percent", "unit", "key", "time", "utm", "cents", "exponent"]
        index = r.random()
        if index < 0.15:
            order = list(range(self.n))
            r.shuffle(order)
            self.add(r.choice(["", "Unnamed: 0"]), "key", order, [str(i) for i in order])
        for k in range(r.choice([3, 5, 7])):
            what = r.random()
            name = f"c{k}" if r.random() < 0.8 else f"größe {k}"
            if what < 0.6:
                self.numeric(name, r.choice(styles))
            elif what < 0.75:
                self.date(name)
            elif what < 0.92:
                self.words(name)
            else:
                self.truths(name)
        cells = [r.choice(["p", "q"]) for _ in range(self.n)]
        self.add("class", "text", cells, list(cells))

    def further(self, name, k):
        """Adds the column of the k-th further sort, in its own notation; those of fewest rows or more."""
        r, comma = self.r, self.comma
        day = lambda: datetime.datetime(2020, 1, 1) + datetime.timedelta(seconds=r.randrange(10**8))
        days = lambda at: (at - datetime.datetime(1970, 1, 1)).total_seconds() / 86400
        local = lambda text: text.translate(str.maketrans(",.", ".,")) if comma else text
        sign, unit = r.choice("$£¥₹₽₩₺฿₫₦"), r.choice([" kg", "mm", " °F", " km/h", " m²", " mph", " sq ft", " years", "ms"])
        zone = r.choice(["Z", "+00:00", "+0000", "+00", " UTC"])
        blank = r.choice(["\u00a0", "\u202f", "\u2009", "’"])
        marks = r.choice(["*", "†", " [1]", " (r)"])

        def indian(v):
            head, last = divmod(v, 1000)
            return grouped2(str(head)) + f",{last:03}" if head else str(last)

        def grouped2(digits):
            return grouped2(digits[:-2]) + "," + digits[-2:] if len(digits) > 2 else digits

        number, whole = lambda: round(r.gauss(0, 50), 2), lambda: r.randrange(10**r.randrange(1, 8))
        sorts = [
            ("number", 1, number, lambda v: r.choice(["", " ", "  "]) + local(f"{v}") + r.choice(["", " "])),
            ("number", 1, number, lambda v: r.choice(["+", ""]) * (v > 0) + local(f"{v:.2f}")),
            ("number", 12, number, lambda v: local(f"{v:.2f}") + "%"),
            ("number", 12, lambda: 1000 * r.randrange(1, 999), lambda v: local(f"{v:,}")),
            ("number", 12, whole, lambda v: local(f"{v:,}")),
            ("number", 12, whole, lambda v: f"{v:,}".replace(",", blank)),
            ("number", 12, lambda: r.randrange(10**5, 10**8), (lambda v: f"{v:,}".replace(",", ".")) if comma else indian),
            ("number", 1, lambda: r.randrange(10**5), lambda v: f"{v:05}"),
            ("number", 1, lambda: r.randrange(10**9, 10**10), lambda v: f"{v:011}"),
            ("number", 1, lambda: r.randrange(1900, 2030), str),
            ("number", 1, lambda: r.randrange(2), str),
            ("number", 1, lambda: 10**18 + 1024 * r.randrange(10**4), str),
            ("number", 1, lambda: 7, str),
            ("number", 1, lambda: None, lambda v: ""),
            ("number", 1, lambda: float(f"{r.lognormvariate(0, 9):.3e}"), lambda v: local(f"{v:.3E}")),
            ("number", 12, whole, lambda v: sign + local(f"{v:,}.00")),
            ("number", 12, number, lambda v: local(f"{v}") + unit),
            ("number", 12, number, lambda v: local(f"{v}") + marks * (r.random() < 0.3)),
            ("number", 12, lambda: 1_600_000_000 + round(r.uniform(0, 10**5), 3), lambda v: local(f"{v:.3f}")),
            ("date", 12, day, lambda v: v.strftime("%Y-%m-%dT%H:%M:%S") + zone.replace(" UTC", "Z")),
            ("date", 12, day, lambda v: v.strftime("%Y-%m-%d %H:%M:%S") + zone),
            ("date", 12, day, lambda v: v.strftime("%Y-%m-%d %H:%M:%S.%f")),
            ("date", 12, lambda: day().replace(hour=0, minute=0, second=0), lambda v: v.strftime("%d.%m.%y")),
            ("date", 12, lambda: day().replace(hour=0, minute=0, second=0), lambda v: v.strftime("%B %d, %Y")),
            ("text", 1, lambda: f"{r.randrange(24):02}:{r.randrange(60):02}", str),
            ("text", 1, lambda: f"0x{r.randrange(256):02X}", str),
            ("text", 1, lambda: f"+49 {r.randrange(30, 999)}/{r.randrange(10**6)}", str),
            ("text", 1, lambda: f"555-{r.randrange(10**4):04}", str),
            ("text", 12, lambda: r.choice(["1", "2", "3", "other", "none of them", "all"]), str),
            ("text", 1, lambda: r.choice(["0-9", "10-19", "20+"]), str),
            ("text", 1, lambda: r.choice(["a b", 'c "d"' if self.end == "\r" else 'c "d"\ne']), str),
            ("text", 1, lambda: f"10.{r.randrange(256)}.{r.randrange(256)}.{r.randrange(256)}", str),
            ("text", 1, lambda: f"{r.randrange(9)}.{r.randrange(20)}.{r.randrange(200)}", str),
            ("text", 1, lambda: r.choice(["A1", "B2", "C3"]), str),
            ("text", 12, lambda: r.choice(["S", "M", "L", "XL", "10", "12"]), str),
        ]
        kind, fewest, draw, write = sorts[k % len(sorts)]
        if self.n < fewest:
            return
        cells = [draw() for _ in range(self.n)]
        texts = [write(v) for v in cells]
        self.add(name, kind, [days(v) if kind == "date" else v for v in cells], texts)

    def make_further(self, seed):
        r, n = self.r, self.n
        self.encoding, self.quote_all = "utf-8", False
        index = r.choice(["", "Unnamed: 0", "__index_level_0__", None, None, None])
        if index is not None and n > 1:
            self.add(index, "key", list(range(n)), [str(i) for i in range(n)])
        words = [r.choice(["red", "blue", "light green"]) for _ in range(n)]
        self.add("w", "text", words, list(words))
        for k in range(6):
            self.further(f"c{k}", 6 * seed + k if r.random() < 0.7 else r.randrange(100))
        if r.random() < 0.2:
            groups = [r.choice(["7", "07", "g 8"]) for _ in range(n)]
            self.add("g", "group", groups, list(groups))
            self.group_column = "g"
        self.regression = r.random() < 0.5
        if self.regression:
            self.further("class", r.choice([1, 2, 3, 4, 6, 11, 14, 15, 16, 18]))
        if self.columns[-1][0] != "class":
            self.regression = False
            cells = [r.choice(["p", "q"]) for _ in range(n)]
            self.add("class", "text", cells, list(cells))
        self.total = n > 2 and r.random() < 0.1

    def text(self):
        def cell(s):
            if self.quote_all or self.sep in s or '"' in s or "\n" in s:
                return '"' + s.replace('"', '""') + '"'
            return s
        rows = [[c[0] for c in self.columns]] + [[c[3][i] for c in self.columns] for i in range(self.n)]
        if self.total:
            rows.append(["Total" if c[0] == "w" else c[3][0] for c in self.columns])
        lines = [self.sep.join(cell(s) for s in row) for row in rows]
        self.skip = 0
        if self.r.random() < 0.04:
            lines.insert(0, f"sep={self.sep}")
        elif self.r.random() < 0.04:
            lines[:0] = ["Report of the year", ""]
            self.skip = 2
        return self.end.join(lines) + self.end


def make(folder):
    for seed in range(2 * TABLES):
        t = Table(seed)
        t.make() if seed < TABLES else t.make_further(seed)
        text = t.text()
        name = folder / f"{seed:03}"
        name.with_suffix(".csv").write_bytes(text.encode(t.encoding, errors="replace"))
        columns = [{"name": c[0], "kind": c[1], "cells": [
            s.encode(t.encoding, errors="replace").decode(t.encoding) if isinstance(s, str) else s for s in c[2]]}
            for c in t.columns]
        name.with_suffix(".json").write_text(json.dumps(
            {"separator": t.sep, "skip": t.skip, "regression": t.regression, "group": t.group_column, "columns": columns}, ensure_ascii=False), encoding="utf-8")


def compare(folder):
    import pandas as pd
    cells = wrong = refused = 0
    for path in sorted(folder.glob("*.json")):
        meant = json.loads(path.read_text(encoding="utf-8"))
        n = sum(len(c["cells"]) for c in meant["columns"])
        try:
            table = pd.read_csv(path.with_suffix(".csv"), sep=meant["separator"])
        except Exception:
            refused += n
            continue
        cells += n
        for k, c in enumerate(meant["columns"]):
            if k >= table.shape[1] or len(table) != len(c["cells"]):
                wrong += len(c["cells"])
                continue
            column = table.iloc[:, k]
            if c["kind"] == "key":  # read as a feature
                wrong += len(c["cells"])
                continue
            for got, want in zip(column, c["cells"]):
                if want is None or pd.isna(got):
                    wrong += not (want is None and pd.isna(got))
                elif c["kind"] == "text":
                    wrong += str(got) != want and str(got).lower() != want.lower()
                elif isinstance(got, str) or isinstance(got, bool):
                    wrong += 1
                else:
                    wrong += abs(got - want) > 1e-6 * max(1, abs(want))
    print(f"pandas {pd.__version__}: {cells} cells read, {wrong} differ ({100 * wrong / cells:.1f} %), {refused} refused")


{"make": make, "compare": compare}[sys.argv[1]](pathlib.Path(sys.argv[2]))
