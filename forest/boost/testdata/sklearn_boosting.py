"""Expected values of TestTextbook, by scikit-learn: rows, and predictions of them after some rounds.
GradientBoostingRegressor makes those of losses of y. It has no Poisson loss: columns poisson of count are boosted here
from its trees, of (y − μ)/μ with weights μ, whose leaves get ln(Σy/Σμ), and newton1 is a tree of
HistGradientBoostingRegressor, whose leaves have Newton's step v, with ln(1 + v) in its place.
Run: python sklearn_boosting.py > textbook.csv"""

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.tree import DecisionTreeRegressor

rng = np.random.default_rng(2)
n = 200
x = rng.integers(0, 1000, size=(n, 3)) / 8  # eighths, which float32 holds
y = np.round(np.sin(x[:, 0] / 20) * 10 + x[:, 1] / 10 + rng.normal(size=n), 3)
w = rng.integers(64, 192, size=n) / 64  # so many that no two splits are equally good
count = rng.poisson(np.exp(np.sin(x[:, 0] / 20) + x[:, 1] / 100))
y_outliers = np.where(rng.random(n) < 0.08, y * 20, y)

tree = dict(max_depth=3, min_samples_leaf=5, random_state=0)
columns = {}
for name, y_of, rounds, parameters in (
    ("squared", y, (1, 2, 5, 20), dict(loss="squared_error")),
    ("absolute", y_outliers, (1, 5, 20), dict(loss="absolute_error")),
    ("huber", y_outliers, (1, 5, 20), dict(loss="huber", alpha=0.9)),
    ("quantile", y_outliers, (1, 5, 20), dict(loss="quantile", alpha=0.3)),
):
    for r in rounds:
        model = GradientBoostingRegressor(n_estimators=r, learning_rate=0.1, **tree, **parameters)
        columns[f"{name}{r}"] = model.fit(x, y_of, sample_weight=w).predict(x)

base = np.log(np.average(count, weights=w))
scores = np.full(n, base)
for r in range(1, 21):
    mean = np.exp(scores)
    leaves = DecisionTreeRegressor(**tree).fit(x, (count - mean) / mean, sample_weight=w * mean).apply(x)
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        scores[rows] += 0.1 * np.log((w * count)[rows].sum() / (w * mean)[rows].sum())
    if r in (1, 5, 20):
        columns[f"poisson{r}"] = np.exp(scores)
model = HistGradientBoostingRegressor(loss="poisson", learning_rate=1, max_iter=1, max_leaf_nodes=None, max_depth=3,
                                      min_samples_leaf=5, early_stopping=False)
columns["newton1"] = np.exp(base) * (1 + np.log(model.fit(x, count, sample_weight=w).predict(x)) - base)

print("x1,x2,x3,y,outlying,count,weight", *columns, sep=",")
for i in range(n):
    print(*x[i], y[i], f"{y_outliers[i]:.9g}", count[i], w[i], *(f"{c[i]:.9g}" for c in columns.values()), sep=",")
