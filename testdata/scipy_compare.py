"""Writes scipy_compare.json: quantiles of the studentized range and bootstrap intervals of SciPy,
for forest/eval to repeat.

Run with scipy 1.17.1 and numpy 2.4.6:  python scipy_compare.py > scipy_compare.json

The bootstrap distributions of "exact" hold every sample with replacement once, so no random numbers
matter. Differences are multiples of 1/64, so that sums are exact in any order. "random" has 100,000
samples drawn by numpy.
"""

import itertools
import json
from types import SimpleNamespace

import numpy
from scipy.stats import bootstrap, studentized_range

STATISTICS = {"mean": numpy.mean, "median": numpy.median}
EXACT = [
    # name, differences in 64ths, statistic, level
    ("skewed", [1, 2, 3, 5, 40], "mean", 0.95),
    ("skewed to the left", [-40, -3, 2, 4, 5], "mean", 0.9),
    ("symmetric", [-9, -3, 0, 3, 9], "mean", 0.95),
    ("ties", [4, 4, 4, 7, 7, -1], "mean", 0.8),
    ("two", [3, 8], "mean", 0.95),
    ("median of five", [1, 2, 3, 5, 40], "median", 0.95),
    ("median of six", [-7, 1, 2, 6, 13, 40], "median", 0.9),
]


def interval(x, statistic, level, method, **more):
    result = bootstrap((x,), STATISTICS[statistic], vectorized=True, axis=-1, confidence_level=level, method=method, **more)
    return {"Low": result.confidence_interval.low, "High": result.confidence_interval.high}


def intervals(name, x, statistic, level, more):
    return {"Name": name, "X": x.tolist(), "Statistic": statistic, "Level": level,
            "Percentile": interval(x, statistic, level, "percentile", **more()),
            "BCa": interval(x, statistic, level, "BCa", **more())}


def exact(name, x, statistic, level):
    x = numpy.array(x) / 64
    samples = numpy.array(list(itertools.product(x, repeat=len(x))))
    given = SimpleNamespace(bootstrap_distribution=STATISTICS[statistic](samples, axis=-1))
    return intervals(name, x, statistic, level, lambda: {"n_resamples": 0, "bootstrap_result": given})


def random(name, x, statistic, level):
    return intervals(name, x, statistic, level, lambda: {"n_resamples": 100_000, "rng": numpy.random.default_rng(1), "batch": 1000})


rng = numpy.random.default_rng(0)
print(json.dumps({
    "Range": [{"K": k, "P": p, "Q": studentized_range.ppf(p, k, numpy.inf)}
              for k in (2, 3, 5, 8, 12, 20, 50) for p in (0.5, 0.9, 0.95, 0.99)],
    "Exact": [exact(*case) for case in EXACT],
    "Random": [random("thirty-one, skewed", numpy.round(64 * rng.lognormal(0, 1, 31)) / 64, statistic, 0.95) for statistic in STATISTICS],
}).replace('{"K"', '\n{"K"').replace('{"Name"', '\n{"Name"'))
