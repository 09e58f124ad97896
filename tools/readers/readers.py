"""pandas as a contender of tools/readers: reads a file once and writes a line of JSON.

readers.py read FILE    after a small file of the same form, so that everything needed is loaded
readers.py parquet CSV PARQUET    writes a table once more
"""
import io
import json
import resource
import sys
import time

import pandas as pd


def status(key):
    """Bytes that the system says of this process: VmRSS now, VmHWM at most so far."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key + ":"))


def processor():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def read(path):
    reader = pd.read_parquet if path.endswith(".parquet") else pd.read_csv
    if reader is pd.read_csv:
        pd.read_csv(io.StringIO("x,colour\n1.5,red\n2.5,blue\n"))
    else:
        small = io.BytesIO()
        pd.DataFrame({"x": [1.5, 2.5], "colour": ["red", "blue"]}).to_parquet(small)
        pd.read_parquet(small)
    baseline, used, start = status("VmRSS"), processor(), time.perf_counter()
    table = reader(path)
    seconds, used = time.perf_counter() - start, processor() - used
    peak = status("VmHWM")
    numbers = table.drop(columns="colour")
    return {
        "version": pd.__version__, "seconds": seconds, "processor": used, "baseline": baseline, "peak": peak,
        "rows": len(table), "classes": table["colour"].nunique(), "sum": float(numbers.to_numpy("float32").sum(dtype="float64")),
    }


if sys.argv[1] == "read":
    print(json.dumps(read(sys.argv[2])))
else:
    pd.read_csv(sys.argv[2]).to_parquet(sys.argv[3], index=False)
