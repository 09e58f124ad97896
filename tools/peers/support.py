"""Support vector machines of scikit-learn, for table 2 of the GRAF paper; support.go starts it.

Each line of standard input is JSON: a folder with train.x, train.y, test.x and test.y as peers.py reads them, their shape,
c and gamma, and subsets, lists of training rows. A machine with an RBF kernel is trained on each subset. The answer is a
line of JSON: version, c, gamma, the accuracy of each machine on the test rows, and the support vectors of the first, as
numbers of training rows in ascending order, with their weights. scikit-learn trains a machine for each pair of classes; weights are summed over pairs.

If c is 0, C and gamma are chosen from GRID by 5-fold cross-validation on the training rows, or on 2000 of them; of equals
the first is taken. A subset of one class predicts this class.
"""
import json
import sys
import types
import warnings

import numpy as np
import sklearn
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.svm import SVC

from peers import read

GRID = [(c, g) for c in (0.1, 1, 10, 100, 1000) for g in (0.01, 0.1, 1, 10)]  # gamma times the number of features
TUNING_ROWS = 2000
TUNING_STEPS = 100000


def machine(c, gamma, steps=-1):
    return SVC(C=c, gamma=gamma, max_iter=steps, cache_size=500)


def accuracy(model, x, y):
    return float(np.mean(model.predict(x) == y))


def tune(x, y):
    if len(y) > TUNING_ROWS:
        x, _, y, _ = train_test_split(x, y, train_size=TUNING_ROWS, stratify=y, random_state=1)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=1).split(x, y))

    def score(setting):
        c, gamma = setting[0], setting[1] / x.shape[1]
        return np.mean([accuracy(machine(c, gamma, TUNING_STEPS).fit(x[a], y[a]), x[b], y[b]) for a, b in folds])

    c, gamma = max(GRID, key=score)
    return c, gamma / x.shape[1]


def main():
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        job = types.SimpleNamespace(**json.loads(line))
        x, y = read(job, "train", job.rows)
        test_x, test_y = read(job, "test", job.test_rows)
        x, test_x = x.astype(float), test_x.astype(float)
        c, gamma = (job.c, job.gamma) if job.c else tune(x, y)
        support, alpha, scores = [], [], []
        for k, rows in enumerate(np.array(s) for s in job.subsets):
            if len(set(y[rows])) == 1:
                scores.append(float(np.mean(test_y == y[rows[0]])))
                continue
            model = machine(c, gamma).fit(x[rows], y[rows])
            scores.append(accuracy(model, test_x, test_y))
            if k == 0:
                order = np.argsort(model.support_)
                support = rows[model.support_[order]].tolist()
                alpha = np.abs(model.dual_coef_).sum(0)[order].tolist()
        print(json.dumps({"version": sklearn.__version__, "c": c, "gamma": gamma, "accuracy": scores, "support": support, "alpha": alpha}), flush=True)


if __name__ == "__main__":
    main()
