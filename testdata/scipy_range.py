"""Writes scipy_range.json: quantiles of the studentized range of SciPy, for forest/eval to repeat.

Run with scipy 1.17.1 and numpy 2.4.6:  python scipy_range.py > scipy_range.json
"""

import json

import numpy
from scipy.stats import studentized_range

print(json.dumps([{"K": k, "P": p, "Q": studentized_range.ppf(p, k, numpy.inf)}
                  for k in (2, 3, 5, 8, 12, 20, 50) for p in (0.5, 0.9, 0.95, 0.99)]).replace('{"K"', '\n{"K"'))
