"""Writes the files of this folder and what they hold, expected.json, with pyarrow.

It was run with pyarrow 26.0.1, pandas 2.3.3 and NumPy 2.4.6 under Python 3.11:

    python write.py

The expected values are worked out from what pyarrow reads back from each file, not by
the code that is tested. The nearest float32 is found by exact fractions.
"""

import decimal
import fractions
import json
import pathlib

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

here = pathlib.Path(__file__).parent
rng = np.random.default_rng(7)
expected = {"pyarrow": pa.__version__, "pandas": pd.__version__, "numpy": np.__version__, "columns": [], "files": {}}


def is_text(t):
    return any(f(t) for f in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view,
                              pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view))


def order(texts):
    """Sorts by number where all are decimal numbers, else by UTF-8 bytes."""
    def number(s):
        try:
            v = float(s)
        except ValueError:
            return None
        return v if set(s) <= set("0123456789+-.eE") else None
    by_bytes = sorted(texts, key=lambda s: s.encode())
    if texts and all(number(s) is not None for s in texts):
        return sorted(by_bytes, key=number)
    return by_bytes


def nearest(v):
    """Returns the float32 nearest to a number, the even one of two."""
    v = fractions.Fraction(v if isinstance(v, (int, decimal.Decimal)) else float(v))
    near = np.float32(float(v))
    around = [near, np.nextafter(near, np.float32(np.inf)), np.nextafter(near, np.float32(-np.inf))]
    return float(min(around, key=lambda f: (abs(fractions.Fraction(float(f)) - v), int(f.view(np.int32)) & 1)))


def as_text(v):
    if isinstance(v, bytes):
        return v.decode()
    if isinstance(v, bool):
        return "true" if v else "false"
    return str(v)


def describe(column):
    """Says what a column holds: its categories and cells, None where missing."""
    t = column.type
    if pa.types.is_dictionary(t):
        texts = []
        for chunk in column.chunks:
            for v in chunk.dictionary.to_pylist():
                if v is not None and as_text(v) not in texts:
                    texts.append(as_text(v))
        if not t.ordered:
            texts = order(texts)
        cells = [None if v is None else texts.index(as_text(v)) for v in column.to_pylist()]
        return {"categories": texts, "cells": cells}
    if is_text(t):
        cells = [None if v is None else as_text(v) for v in column.to_pylist()]
        texts = order({v for v in cells if v is not None})
        return {"categories": texts, "cells": [None if v is None else texts.index(v) for v in cells]}
    cells = []
    for v in column.to_pylist():
        if v is None or v != v:
            cells.append(None)
        else:
            cells.append(nearest(v))
    return {"cells": cells}


def note(name, table):
    numbers = []  # into the list of all columns, since most files hold the same
    for n in table.column_names:
        column = dict(name=n, **describe(table.column(n)))
        if column not in expected["columns"]:
            expected["columns"].append(column)
        numbers.append(expected["columns"].index(column))
    expected["files"][name] = {"rows": table.num_rows, "columns": numbers}


def parquet(name, table, **options):
    pq.write_table(table, here / name, **options)
    with pq.ParquetFile(here / name) as f:
        # Texts stay texts; what was a dictionary is one again, with all entries.
        note(name, f.read())


def arrow(name, table, stream=False, compression=None, batch=None):
    options = pa.ipc.IpcWriteOptions(compression=compression, unify_dictionaries=not stream)
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with new(str(here / name), table.schema, options=options) as w:
        w.write_table(table, max_chunksize=batch)
    opened = pa.ipc.open_stream if stream else pa.ipc.open_file
    with pa.OSFile(str(here / name)) as f:
        note(name, opened(f).read_all())


def every(n):
    """A table of n rows with every type, nulls in all columns but the target."""
    def nulls(values, every):
        return [None if i % every == every - 1 else v for i, v in enumerate(values)]

    columns = {}
    for bits in (8, 16, 32, 64):
        lo, hi = -(1 << bits - 1), (1 << bits - 1) - 1
        v = [lo, hi, 0, -1] + [int(x) for x in rng.integers(lo, hi, n)]
        columns[f"i{bits}"] = pa.array(nulls(v[:n], 5), getattr(pa, f"int{bits}")())
        v = [0, (1 << bits) - 1, 1] + [int(x) for x in rng.integers(0, 1 << bits, n, dtype=np.uint64 if bits == 64 else np.int64)] \
            if bits < 64 else [0, (1 << 64) - 1, 1] + [int(x) for x in rng.integers(0, 2**64 - 1, n, dtype=np.uint64)]
        columns[f"u{bits}"] = pa.array(nulls(v[:n], 7), getattr(pa, f"uint{bits}")())
    f = rng.normal(size=n) * 10.0 ** rng.integers(-20, 20, n)
    columns["f16"] = pa.array(nulls(list(rng.normal(size=n).astype(np.float16)), 6), pa.float16())
    columns["f32"] = pa.array(nulls(list(f.astype(np.float32)), 4), pa.float32())
    columns["f64"] = pa.array(nulls(list(f), 9), pa.float64(), from_pandas=False)
    columns["nan"] = pa.array([float("nan") if i % 3 else float(i) for i in range(n)], pa.float64(), from_pandas=False)
    columns["flag"] = pa.array(nulls([bool(x) for x in rng.integers(0, 2, n)], 8), pa.bool_())
    for precision, scale in ((5, 2), (15, 4), (30, 10), (60, 30)):
        digits = [int("".join(str(d) for d in rng.integers(0, 10, precision))) * (-1) ** int(i) for i in range(n)]
        kind = pa.decimal128 if precision <= 38 else pa.decimal256
        with decimal.localcontext() as context:
            context.prec = 80
            v = [decimal.Decimal(d).scaleb(-scale) for d in digits]
        columns[f"d{precision}"] = pa.array(nulls(v, 10), kind(precision, scale))
    words = ["", "b", "a", "ä", "Zebra", "with, comma", "long text that is no short string " * 3]
    picked = [words[i] for i in rng.integers(0, len(words), n)]
    columns["text"] = pa.array(nulls(picked, 11), pa.string())
    columns["large"] = pa.array(nulls(picked, 5), pa.large_string())
    columns["bytes"] = pa.array(nulls([w.encode() for w in picked], 6), pa.binary())
    columns["numerals"] = pa.array([["10", "9", "-1", "2.5", "1e1"][i] for i in rng.integers(0, 5, n)], pa.string())
    columns["many"] = pa.array([f"id{i * 7919 % n}" for i in range(n)], pa.string())
    columns["nothing"] = pa.nulls(n)
    entries = ["low", "unused", "middle", "high"]
    codes = nulls([[0, 2, 3][i] for i in rng.integers(0, 3, n)], 13)
    columns["dict"] = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), entries)
    columns["ordered"] = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), entries, ordered=True)
    columns["kind"] = pa.array([["no", "yes"][i] for i in rng.integers(0, 2, n)], pa.string())
    return pa.table(columns)


table = every(60)
views = table.append_column("view", table["text"].cast(pa.string_view())).append_column(
    "bytesview", table["bytes"].cast(pa.binary_view()))
numbers = views.append_column("numbers", pa.DictionaryArray.from_arrays(pa.array([i % 3 for i in range(60)], pa.uint16()), pa.array([30, 4, 100, 7]))) \
    .append_column("short", table["d5"].cast(pa.decimal32(5, 2))).append_column("middling", table["d15"].cast(pa.decimal64(15, 4)))

for codec in ("snappy", "gzip", "zstd", "brotli", "lz4", "none"):
    parquet(f"{codec}.parquet", table, compression=codec, row_group_size=35)
parquet("plain.parquet", table, compression="none", use_dictionary=False, row_group_size=35)
parquet("v2pages.parquet", table, data_page_version="2.0", data_page_size=64, write_batch_size=8)
parquet("v2plain.parquet", table, data_page_version="2.0", use_dictionary=False, compression="zstd")
parquet("delta.parquet", table.select(["i32", "i64", "text", "bytes", "f64", "f32", "kind"]), use_dictionary=False,
        column_encoding={"i32": "DELTA_BINARY_PACKED", "i64": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY",
                         "bytes": "DELTA_LENGTH_BYTE_ARRAY", "f64": "BYTE_STREAM_SPLIT", "f32": "BYTE_STREAM_SPLIT",
                         "kind": "DELTA_BYTE_ARRAY"})
parquet("fallback.parquet", table.select(["many", "text", "kind"]), dictionary_pagesize_limit=64, data_page_size=32,
        write_batch_size=4, row_group_size=40)
# Decimals as integers, and no Arrow schema: dictionaries come back as texts that occur.
parquet("foreign.parquet", table, store_schema=False, store_decimal_as_integer=True, row_group_size=31)
parquet("required.parquet", pa.table(
    [pa.array(range(100), pa.int32()), pa.array([i / 7 for i in range(100)]), pa.array([f"c{i % 3}" for i in range(100)])],
    schema=pa.schema([pa.field("a", pa.int32(), False), pa.field("b", pa.float64(), False), pa.field("c", pa.string(), False)])))

arrow("file.arrow", numbers)
arrow("batches.arrow", table, batch=17)
arrow("lz4.arrow", numbers, compression="lz4", batch=25)
arrow("zstd.arrow", numbers, compression="zstd", batch=25)
arrow("stream.arrows", numbers, stream=True, batch=25)
feather.write_feather(table.drop_columns(["nothing"]), here / "feather.feather")
note("feather.feather", feather.read_table(here / "feather.feather"))

# A stream whose dictionary is another one in the second batch, and one that grows.
schema = pa.schema([("x", pa.float32()), ("c", pa.dictionary(pa.int8(), pa.string()))])
batches = [pa.record_batch([pa.array([1, 2], pa.float32()), pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), d)], schema)
           for d in (["b", "a"], ["c", "b"], ["c", "b", "z"])]
for name, deltas in (("replaced.arrows", False), ("deltas.arrows", True)):
    with pa.ipc.new_stream(str(here / name), schema, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=deltas)) as w:
        for b in batches:
            w.write_batch(b)
    with pa.OSFile(str(here / name)) as f:
        note(name, pa.ipc.open_stream(f).read_all())

# What pandas writes: its index, categories, integers with a missing cell as floats. The
# test says what is expected.
frame = pd.DataFrame({
    "size": pd.Categorical(["s", "l", "m", None], categories=["s", "m", "l", "xl"], ordered=True),
    "colour": pd.Categorical(["red", "blue", "red", "blue"], categories=["red", "green", "blue"]),
    "year": pd.Categorical([2020, 2019, 2020, 2019]),
    "count": [1, 2, np.nan, 4],
    "bought": [True, False, True, True],
}, index=[4, 2, 7, 5])
frame.to_parquet(here / "pandas.parquet")
feather.write_feather(pa.Table.from_pandas(frame), here / "pandas.feather", compression="lz4")

# Types that are no numbers and no categories, one a column.
odd = pa.table({
    "x": pa.array([1.0, 2.0]),
    "date": pa.array([1, 2], pa.date32()), "date64": pa.array([0, 86400000], pa.date64()),
    "time": pa.array([1, 2], pa.time32("s")), "time64": pa.array([1, 2], pa.time64("us")),
    "stamp": pa.array([1, 2], pa.timestamp("ms")), "zoned": pa.array([1, 2], pa.timestamp("us", "UTC")),
    "duration": pa.array([1, 2], pa.duration("ms")),
    "fixed": pa.array([b"ab", b"cd"], pa.binary(2)),
    "list": pa.array([[1], [2, 3]]), "struct": pa.array([{"a": 1, "b": "c"}, {"a": 2, "b": "d"}]),
    "map": pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int32())),
    "fixedlist": pa.array([[1, 2], [3, 4]], pa.list_(pa.int32(), 2)),
    "dates": pa.array([1, 2], pa.date32()).dictionary_encode(),
    "y": pa.array(["a", "b"]),
})
pq.write_table(odd.drop_columns(["dates"]), here / "odd.parquet")
with pa.ipc.new_file(str(here / "odd.arrow"), odd.schema) as w:
    w.write_table(odd)
int96 = pa.table({"x": pa.array([1.0]), "stamp": pa.array([1], pa.timestamp("ns")), "y": pa.array(["a"])})
pq.write_table(int96, here / "int96.parquet", use_deprecated_int96_timestamps=True)

# Tables without rows or columns, or with two of a name, or with an infinity, or no UTF-8.
pq.write_table(table.slice(0, 0), here / "empty.parquet")
pq.write_table(pa.table({}), here / "nocolumns.parquet")
pq.write_table(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), here / "twice.parquet")
pq.write_table(pa.table({"x": [1.0, 2.0, float("inf")], "y": ["a", "b", "a"]}), here / "infinite.parquet", row_group_size=2)
pq.write_table(pa.table({"x": [1.0, 1e39], "y": ["a", "b"]}), here / "beyond.parquet")
pq.write_table(pa.table({"x": pa.array([b"a", b"\xff"]), "y": ["a", "b"]}), here / "latin.parquet")
pq.write_table(pa.table({"x": [1, 2, 3], "y": ["a", None, "b"]}), here / "nulltarget.parquet")
for name in ("empty", "twice", "infinite", "beyond", "latin", "nulltarget"):
    t = pq.ParquetFile(here / f"{name}.parquet").read()
    with pa.ipc.new_file(str(here / f"{name}.arrow"), t.schema) as w:
        w.write_table(t, max_chunksize=2)
with open(here / "feather1.feather", "wb") as f:
    feather.write_feather(pa.table({"x": [1.0], "y": ["a"]}), f, version=1)

text = json.dumps(expected, ensure_ascii=False, separators=(",", ":"))
(here / "expected.json").write_text(text.replace('{"name"', '\n{"name"').replace('"files"', '\n"files"') + "\n")
