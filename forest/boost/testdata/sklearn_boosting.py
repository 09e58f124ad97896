"""Expected values of TestTextbook, by scikit-learn's GradientBoostingRegressor: rows, and predictions of them after
some rounds. Run: python sklearn_boosting.py > textbook.csv"""

import numpy as np
import sklearn
from sklearn.ensemble import GradientBoostingRegressor

rng = np.random.default_rng(1)
n = 200
x = rng.integers(0, 1000, size=(n, 3)) / 8  # eighths, which float32 holds
y = np.round(np.sin(x[:, 0] / 20) * 10 + x[:, 1] / 10 + rng.normal(size=n), 3)
w = rng.integers(1, 4, size=n)

print("x1,x2,x3,y,weight,rounds1,rounds2,rounds5,rounds20")
columns = []
for rounds in (1, 2, 5, 20):
    model = GradientBoostingRegressor(
        n_estimators=rounds, learning_rate=0.1, max_depth=3, min_samples_leaf=5, criterion="squared_error", random_state=0)
    columns.append(model.fit(x, y, sample_weight=w).predict(x))
for i in range(n):
    print(*x[i], y[i], w[i], *(f"{c[i]:.9g}" for c in columns), sep=",")
