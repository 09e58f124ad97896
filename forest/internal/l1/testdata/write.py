"""Writes optima.json: problems with an l1 penalty and what scikit-learn makes of them.

Objectives are those of package l1, with an unpenalised intercept:
    logistic  sum c log(1 + exp(-t (w x + b))) + penalty sum |w|
    softmax   sum c (log sum exp(s) - s[y]) + penalty sum |w|
    squares   sum c (w x + b - y)^2 + penalty sum |w|
LIBLINEAR penalises the intercept divided by intercept_scaling, which is made large. Kind "penalised bias" is logistic
with intercept_scaling 1, + penalty |b|; its weights are stored, too, the last of them b.
"""

import json
import platform

import numpy as np
import sklearn
from sklearn.linear_model import Lasso, LogisticRegression

rng = np.random.default_rng(20260101)


def cells(n, p, zeros=0.0):
    """Multiples of 1/32, which are short in JSON and exact in float32."""
    x = np.round(rng.normal(size=(n, p)) * 32) / 32
    x[rng.random((n, p)) < zeros] = 0
    return x


def labels(x, noise):
    v = x @ rng.normal(size=x.shape[1]) + noise * rng.normal(size=len(x))
    return np.where(v > np.median(v), 1, -1)


def logistic(x, y, c, penalty, liblinear=True):
    options = {"solver": "liblinear", "intercept_scaling": 1e4} if liblinear else {"solver": "saga"}
    model = LogisticRegression(l1_ratio=1, C=1 / penalty, tol=1e-10, max_iter=1_000_000, random_state=0, **options)
    return model.fit(x, y, sample_weight=c)


def penalised(x, y, c, penalty):
    model = LogisticRegression(l1_ratio=1, C=1 / penalty, tol=1e-12, max_iter=1_000_000, random_state=0,
                               solver="liblinear", intercept_scaling=1)
    return model.fit(x, y, sample_weight=c)


def saga(x, y, c, penalty):
    return logistic(x, y, c, penalty, liblinear=False)


def squares(x, y, c, penalty):
    alpha = penalty / 2 / (len(x) if c is None else c.sum())
    return Lasso(alpha=alpha, tol=1e-14, max_iter=10_000_000).fit(x, y, sample_weight=c)


def loss(kind, x, y, w, b):
    s = x @ w.T + b
    if kind in ("logistic", "penalised bias"):
        return np.logaddexp(0, -y * s[:, 0])
    if kind == "softmax":
        return np.logaddexp.reduce(s, axis=1) - s[np.arange(len(y)), y]
    return (s[:, 0] - y) ** 2


problems = []


def add(name, kind, x, y, penalty, fit, c=None):
    model = fit(x, y, c, penalty)
    w, b = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    weight = np.ones(len(x)) if c is None else c
    objective = weight @ loss(kind, x, y, w, b) + penalty * np.abs(w).sum()
    stored = {}
    if kind == "penalised bias":
        objective += penalty * abs(b[0])
        stored["w"] = [*w[0].tolist(), float(b[0])]
    print(f"{name}: {objective:.12g}, {np.count_nonzero(w)} of {w.size} weights, {model.n_iter_} iterations")
    problems.append({
        "name": name, "kind": kind, "solver": getattr(model, "solver", "Lasso"), "objective": float(objective),
        "penalty": penalty, "c": None if c is None else c.tolist(), "y": y.tolist(), "x": x.tolist(),
        **stored,
    })


x = cells(60, 8)
c = np.round(rng.uniform(0.1, 3, size=60) * 16) / 16
y = labels(x, 2)
add("plain", "logistic", x, y, 1.5, logistic)
add("plain, by SAGA", "logistic", x, y, 1.5, saga)
add("small penalty", "logistic", x, labels(x, 1), 0.01, logistic)
add("separable", "logistic", x, labels(x, 0), 0.1, logistic)
add("weighted", "logistic", x, labels(x, 2), 0.5, logistic, c)
x = cells(15, 40)
add("more features than rows", "logistic", x, labels(x, 1), 0.2, logistic)
x = cells(80, 30, zeros=0.85)
add("mostly zeros", "logistic", x, labels(x, 1), 0.3, logistic)
x = cells(60, 8) * 2.0 ** np.arange(-12, 12, 3)
add("badly scaled", "logistic", x, labels(x / np.abs(x).max(axis=0), 0.5), 0.05, logistic)
x = cells(60, 6) + 16
add("far from centred", "logistic", x, labels(x - 16, 1), 0.5, logistic)

x = cells(90, 5)
y = (x @ rng.normal(size=(5, 4)) + rng.normal(size=(90, 4))).argmax(axis=1)
c = np.round(rng.uniform(0.1, 3, size=90) * 16) / 16
add("four classes", "softmax", x, y, 0.7, saga)
add("four classes, weighted", "softmax", x, y, 0.7, saga, c)
x = cells(12, 20)
add("three classes, more features than rows", "softmax", x, np.arange(12) % 3, 0.5, saga)
x = cells(80, 15, zeros=0.8)
add("three classes, mostly zeros", "softmax", x, (x[:, :3] + 0.5 * rng.normal(size=(80, 3))).argmax(axis=1), 0.4, saga)

x = cells(50, 7)
y = np.round((x @ rng.normal(size=7) + rng.normal(size=50) + 5) * 32) / 32
c = np.round(rng.uniform(0.1, 3, size=50) * 16) / 16
add("plain", "squares", x, y, 4.0, squares)
add("weighted", "squares", x, y, 4.0, squares, c)
x = cells(12, 25)
add("more features than rows", "squares", x, np.round(rng.normal(size=12) * 32) / 32, 1.0, squares)
x = cells(60, 6) * 2.0 ** np.arange(-6, 12, 3) + 3
add("badly scaled, far from centred", "squares", x, np.round(rng.normal(size=60) * 32) / 32, 0.5, squares)

x = cells(60, 6)
y = labels(x + 1, 1)
add("plain", "penalised bias", x, y, 1.5, penalised)
add("small penalty", "penalised bias", x, y, 0.01, penalised)
add("weighted", "penalised bias", x, y, 0.5, penalised, np.round(rng.uniform(0.1, 3, size=60) * 16) / 16)
x = cells(60, 6) + 8
add("far from centred", "penalised bias", x, labels(x - 8, 1), 0.5, penalised)
x = cells(80, 20, zeros=0.85)
add("mostly zeros", "penalised bias", x, labels(x, 1), 0.3, penalised)

versions = {"python": platform.python_version(), "scikit-learn": sklearn.__version__, "numpy": np.__version__}
with open("optima.json", "w") as f:
    f.write('{"versions": ' + json.dumps(versions) + ', "problems": [\n')
    f.write(",\n".join(json.dumps(p, separators=(",", ":")) for p in problems) + "\n]}\n")
