"""Writes sklearn.json: mixtures of two Gaussians that scikit-learn fits to data sets.

    python write.py FOLDER…    with the folders of iris.csv.gz and the others

The start is that of package mixture: the means of the first and the second half of the rows,
weights of 1/2, and the covariance of all rows. Missing cells are 0.
"""

import csv
import gzip
import json
import pathlib
import sys
import warnings

import numpy as np
import sklearn
from sklearn.mixture import GaussianMixture

RIDGE, ROUNDS = 1e-3, 20


def cells(name):
    path = next(p for f in sys.argv[1:] if (p := pathlib.Path(f, name + ".csv.gz")).exists())
    with gzip.open(path, "rt") as f:
        rows = list(csv.reader(f))[1:]
    return np.array([[np.float32(v or 0) for v in row[:-1]] for row in rows]).astype(float)


def precisions(x, kind):
    covariance = np.cov(x.T, bias=True) + RIDGE * np.eye(x.shape[1])
    if kind == "diag":
        return np.tile(1 / np.diag(covariance), (2, 1))
    inverse = np.linalg.inv(covariance)
    return inverse if kind == "tied" else np.stack([inverse, inverse])


warnings.simplefilter("ignore")  # that max_iter rounds don't converge
fits = []
for name in "iris", "wine", "breast-cancer-wisc", "ionosphere":
    x = cells(name)
    half = (len(x) + 1) // 2
    for kind in "tied", "full", "diag":
        m = GaussianMixture(
            2, covariance_type=kind, reg_covar=RIDGE, tol=0, max_iter=ROUNDS, weights_init=[0.5, 0.5],
            means_init=np.stack([x[:half].mean(0), x[half:].mean(0)]), precisions_init=precisions(x, kind),
        ).fit(x)
        proba = m._estimate_weighted_log_prob(x)
        fits.append({
            "data": name, "kind": kind, "ridge": RIDGE, "rounds": m.n_iter_, "weights": m.weights_.tolist(),
            "means": m.means_.tolist(), "logLikelihood": m.lower_bound_ * len(x),
            "logOdds": (proba[:, 0] - proba[:, 1])[::10].tolist(),  # of every tenth row
        })
pathlib.Path(__file__).with_name("sklearn.json").write_text(
    json.dumps({"scikit-learn": sklearn.__version__, "numpy": np.__version__, "fits": fits}, indent=0) + "\n"
)
