"""Writes scipy_ranks.json: rank tests of SciPy, for forest/eval to repeat.

Run with scipy 1.17.1 and numpy 2.4.6:  python scipy_ranks.py > scipy_ranks.json

All numbers are multiples of 1/64, so that differences are exact and ties are ties.
"""

import json
import sys

import numpy
import scipy
from scipy.stats import friedmanchisquare, rankdata, wilcoxon

PAIRS = [
    # name, pairs, differences are multiples of this many 64ths, their mean in 64ths, pairs made equal
    ("one pair", 1, 1, 100, 0),
    ("five pairs", 5, 1, 20, 0),
    ("thirteen pairs, ties", 13, 16, 20, 0),
    ("thirteen pairs, ties, equal pairs", 13, 16, 20, 4),
    ("thirteen equal pairs", 13, 1, 0, 13),
    ("fourteen pairs, ties", 14, 16, 20, 0),
    ("fourteen pairs, an equal one", 14, 1, 20, 1),
    ("thirty pairs", 30, 1, 20, 0),
    ("thirty pairs, ties and equal ones", 30, 16, -10, 5),
    ("fifty pairs", 50, 1, 30, 0),
    ("fifty pairs, worse", 50, 1, -30, 0),
    ("fifty pairs, far better", 50, 1, 2000, 0),
    ("fifty pairs, an equal one", 50, 1, 30, 1),
    ("fifty-one pairs", 51, 1, 30, 0),
    ("two hundred pairs, ties and equal ones", 200, 16, 15, 20),
    ("two hundred pairs, far better", 200, 1, 2000, 0),
]
TABLES = [
    # name, data sets, methods, rounded to this many 64ths
    ("no ties", 12, 4, 1),
    ("ties", 12, 4, 32),
    ("many ties", 30, 7, 64),
    ("two sets of three", 2, 3, 1),
]


def pair(rng, n, step, mean, equal):
    """Pairs whose differences are tied if and only if the step is above 1."""
    if step == 1:
        d = rng.choice(numpy.arange(1, 400), n, replace=False) * rng.choice([-1, 1], n) + 400 * numpy.sign(mean) * (abs(mean) > 400)
        d = numpy.where(rng.random(n) < abs(mean) / 200, numpy.sign(mean) * abs(d), d)
    else:
        d = numpy.round(rng.normal(mean, 60, n) / step) * step
        d[d == 0] = step
        d[:2] = step
    d[rng.choice(n, equal, replace=False)] = 0
    y = rng.integers(0, 64, n)
    return (y + d) / 64, y / 64


def main():
    print("scipy", scipy.__version__, "numpy", numpy.__version__, file=sys.stderr)
    rng = numpy.random.default_rng(7)
    out = {"wilcoxon": [], "friedman": []}
    for name, n, step, mean, equal in PAIRS:
        x, y = pair(rng, n, step, mean, equal)
        p = wilcoxon(x, y, alternative="greater").pvalue
        out["wilcoxon"].append({"name": name, "x": x.tolist(), "y": y.tolist(), "p": float(p)})
    for name, sets, methods, step in TABLES:
        scores = numpy.round(rng.normal(0, 64, (sets, methods)) + 15 * numpy.arange(methods))
        scores = numpy.round(scores / step) * step / 64
        result = friedmanchisquare(*scores.T)
        out["friedman"].append({
            "name": name,
            "scores": scores.tolist(),
            "ranks": numpy.mean([rankdata(-s) for s in scores], axis=0).tolist(),
            "statistic": float(result.statistic),
            "p": float(result.pvalue),
        })
    print(json.dumps(out, indent=None).replace('{"name"', '\n{"name"'))


main()
