"""Boosting of other libraries on the splits of the papers' experiments; classifiers.go starts it.

Each line of standard input is JSON: a folder with train.x, train.y, test.x and test.y as peers.py reads them, their shape,
a protocol and a method. The answer is a line of JSON: version, setting and seconds (tuning included), and the
classes predicted for the test rows; or an error.

Settings are compared on the training rows by the error of stratified five-fold cross-validation. Of equals the one with the fewest
rounds, and then the first, is taken. A job may know the setting, as it is written.

sporf:
XGB   eta 0.01, 100 or 1000 rounds, subsample 0.75, colsample_bytree 0.4 or 1, max_depth 4 or 10. The paper also has
      subsample 0.5 and 1, colsample_bytree 0.6 and 0.8, max_depth 6, 8 and 100000, and eta 0.001. Settings are
      compared with a tenth of the rounds at eta 0.1; that is ten times as fast.

fd, sets of GRAF's table D.1. The paper tunes 100 to 2000 rounds, and for GB also log2 p and p/2 features and the smallest node
that is split (2 or 5; here 2).
XGB   what XGBClassifier's defaults were when the paper was written (eta 0.1, max_depth 3), 100, 200 or 500 rounds.
      Cuts are exact, which then was the default on small data.
GB    sqrt p or p features of a node, and 100 or 200 rounds.
ADA   SAMME.R, scikit-learn's default then and no longer in it, written here; learning rate 0.01, 0.1 or 1, 100, 200
      or 500 rounds. The paper doesn't mention the rate, but with 1 alone glass and zoo are far below its results.

cube, GRAF's hypercubes: the defaults of then, but for 100 rounds.

hrf: 100 rounds, otherwise the libraries' defaults and the grids of the paper's table 4.
XGB   max_depth 4, 6 or 8, min_child_weight 1 or 2.
CAT   CatBoost with its defaults, not tuned.
GB    max_depth 2, 3 or 4, subsample 0.9 or 1, min_samples_split 2 or 4.
      The paper doesn't say whether a method is tuned once a set or in each division. XGB and GB are tuned on the training rows of the
      first division, and have its setting in all 50.

taotuned, taoxgb, taoxgb25: the number in a method's name is that of its rounds. The papers tune learning rates and don't say them.
ADA   SAMME.R, the default then, with trees of depth 20 and rate 0.1, 0.5 or 1. (SAMME, today's default, has 2.8 % on Letter with
      100 trees.)
XGB   max_depth 30, or 25 (taoxgb25), eta 0.1, 0.3 or 1: the best on the last fifth of the training rows after 20 rounds, as for ADA.
      Otherwise XGBClassifier's defaults.
"""
import json
import math
import re
import sys
import time
import types
import warnings

import catboost
import numpy as np
import sklearn
import xgboost
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from peers import read


# A path trains once, and returns the classes of test rows after each of some numbers of rounds.


def xgb_path(x, y, test, rounds, classes, **settings):
    objective = {"objective": "binary:logistic"} if classes == 2 else {"objective": "multi:softprob", "num_class": classes}
    model = xgboost.train({**objective, "tree_method": "exact", "nthread": 1, "seed": 1, **settings}, xgboost.DMatrix(x, y), rounds[-1])
    test = xgboost.DMatrix(test)
    for r in rounds:
        p = model.predict(test, iteration_range=(0, r))
        yield p > 0.5 if classes == 2 else p.argmax(1)


def today_path(x, y, test, rounds, **settings):
    """XGBClassifier's defaults, but for settings."""
    known, y = np.unique(y, return_inverse=True)  # it refuses numbers of classes without rows
    model = xgboost.XGBClassifier(n_estimators=rounds[-1], n_jobs=1, **settings).fit(x, y)
    return [known[model.predict(test, iteration_range=(0, r))] for r in rounds]


def gb_path(x, y, test, rounds, **settings):
    model = GradientBoostingClassifier(n_estimators=rounds[-1], random_state=1, **settings).fit(x, y)
    staged = list(model.staged_predict(test))
    return [staged[r - 1] for r in rounds]


class Stumps:
    """Finds the stump of lowest weighted Gini impurity, as a DecisionTreeClassifier of depth 1 does, in a fifth of its time on
    small data: rows are sorted once."""

    def __init__(self, x, coded):
        self.order = np.argsort(x, 0).T
        self.sorted = np.take_along_axis(x.T, self.order, 1)
        self.cuts = self.sorted[:, 1:] > self.sorted[:, :-1]
        self.coded = coded[self.order]

    def best(self, weights):
        """The feature, its threshold, and the shares of classes on either side."""
        left = np.cumsum(self.coded * weights[self.order][:, :, None], 1)
        whole = left[0, -1]
        left = left[:, :-1]
        right = np.maximum(whole - left, 0)
        with np.errstate(all="ignore"):
            score = (left**2).sum(2) / left.sum(2) + (right**2).sum(2) / right.sum(2)
        possible = self.cuts & np.isfinite(score)
        j, i = np.unravel_index(np.where(possible, score, -1).argmax(), score.shape)
        if not possible[j, i]:
            return 0, np.inf, [whole / whole.sum()] * 2
        threshold = (self.sorted[j, i] + self.sorted[j, i + 1]) / 2
        return j, threshold, [side[j, i] / side[j, i].sum() for side in (left, right)]


def samme_r_path(x, y, test, rounds, rate):
    """Zhu and others (2009), algorithm 4. It ends after a stump without errors."""
    present, y = np.unique(y, return_inverse=True)
    k = len(present)
    one_hot = y[:, None] == np.arange(k)
    coding = np.where(one_hot, 1, -1 / (k - 1))
    x, test = x.astype(float), test.astype(float)
    stumps = Stumps(x, one_hot.astype(float))
    weights = np.full(len(y), 1 / len(y))
    votes = np.zeros((len(test), k))
    for r in range(1, rounds[-1] + 1):
        j, threshold, shares = stumps.best(weights)
        logs = np.log(np.clip(shares, 1e-15, None))
        votes += (logs - logs.mean(1, keepdims=True))[(test[:, j] > threshold).astype(int)]
        side = (x[:, j] > threshold).astype(int)
        if (logs.argmax(1)[side] == y).all():
            break
        weights = weights * np.exp(-rate * (k - 1) / k * (coding * logs[side]).sum(1))
        weights /= weights.sum()
        if r in rounds:
            yield present[votes.argmax(1)]
    else:
        return
    for _ in range(sum(number >= r for number in rounds)):
        yield present[votes.argmax(1)]


def samme_r_trees(x, y, test, rounds, rate, depth, seed):
    """samme_r_path with trees of a depth, for the last of rounds. Every class must have rows."""
    k = y.max() + 1
    coding = np.where(y[:, None] == np.arange(k), 1, -1 / (k - 1))
    weights, votes = np.full(len(y), 1 / len(y)), np.zeros((len(test), k))
    for r in range(rounds[-1]):
        tree = DecisionTreeClassifier(max_depth=depth, random_state=1000 * seed + r).fit(x, y, weights)
        logs, guess = (np.log(np.clip(tree.predict_proba(rows), np.finfo(float).eps, None)) for rows in (x, test))
        votes += guess - guess.mean(1, keepdims=True)
        weights = weights * np.exp(-rate * (k - 1) / k * (coding * logs).sum(1))
        weights /= weights.sum()
    return [votes.argmax(1)]


def choose(x, y, path, settings, rounds):
    """The best setting and number of rounds by cross-validation."""
    shuffled = {"n_splits": 5, "shuffle": True, "random_state": 1}
    splitter = StratifiedKFold(**shuffled) if np.bincount(y).max() >= 5 else KFold(**shuffled)
    labels = np.empty((len(rounds), len(settings), len(y)), int)
    for train, test in splitter.split(x, y):
        for s, setting in enumerate(settings):
            if (y[train] == y[train[0]]).all():
                labels[:, s, test] = y[train[0]]
                continue
            for r, guess in enumerate(path(x[train], y[train], x[test], rounds, **setting)):
                labels[r, s, test] = guess
    best = int((labels == y).sum(2).argmax())
    return settings[best % len(settings)], rounds[best // len(settings)]


def tuned(job, path, settings, rounds):
    known = [(setting, r) for setting in settings for r in rounds if written(setting, r) == job.setting]
    setting, best = known[0] if known else choose(job.x, job.y, path, settings, rounds)
    return list(path(job.x, job.y, job.test, [best], **setting))[0], written(setting, best)


def held_out(job, path, settings):
    """fitted with the setting that is best on the last fifth of the training rows, after 20 rounds at most."""
    rows = len(job.y) * 4 // 5
    x, y, test = job.x[:rows], job.y[:rows], job.x[rows:]
    right = [(path(x, y, test, [min(20, job.rounds)], **s)[0] == job.y[rows:]).sum() for s in settings]
    return fitted(job, path, settings[int(np.argmax(right))])


def fitted(job, path, setting):
    """What a setting predicts, and its words. The job's other measures get the error on the training rows."""
    guess = path(job.x, job.y, np.concatenate([job.x, job.test]), [job.rounds], **setting)[0]
    job.more = {"train error": float((guess[: len(job.y)] != job.y).mean())}
    return guess[len(job.y) :], written(setting, job.rounds)


def written(setting, rounds=None):
    words = [f"{name}={value:g}" for name, value in setting.items() if name != "classes"]
    return " ".join(words + ([f"rounds={rounds}"] if rounds else []))


def xgb(job):
    k = {"classes": job.classes}
    if job.protocol == "hrf":
        return tuned(job, today_path, [{"max_depth": d, "min_child_weight": w} for d in [4, 6, 8] for w in [1, 2]], [100])
    if job.protocol in ("taoxgb", "taoxgb25"):
        depth = 25 if job.protocol == "taoxgb25" else 30
        return held_out(job, today_path, [{"max_depth": depth, "learning_rate": rate} for rate in [0.1, 0.3, 1]])
    if job.protocol == "cube":
        return list(xgb_path(job.x, job.y, job.test, [100], **k))[0], "defaults rounds=100"
    if job.protocol == "fd":
        return tuned(job, xgb_path, [{**k, "eta": 0.1, "max_depth": 3}], [100, 200, 500])
    settings = [{**k, "eta": 0.1, "max_depth": depth, "colsample_bytree": columns, "subsample": 0.75}
                for depth in [4, 10] for columns in [0.4, 1]]
    setting, rounds = choose(job.x, job.y, xgb_path, settings, [10, 100])
    setting, rounds = {**setting, "eta": 0.01}, 10 * rounds
    return list(xgb_path(job.x, job.y, job.test, [rounds], **setting))[0], written(setting, rounds)


def cat(job):
    known, y = np.unique(job.y, return_inverse=True)
    model = catboost.CatBoostClassifier(iterations=100, thread_count=1, random_seed=1, verbose=False, allow_writing_files=False)
    return known[model.fit(job.x, y).predict(job.test).astype(int).ravel()], "defaults rounds=100"


def gb(job):
    if job.protocol == "hrf":
        settings = [{"max_depth": d, "subsample": s, "min_samples_split": m} for d in [2, 3, 4] for s in [0.9, 1] for m in [2, 4]]
        return tuned(job, gb_path, settings, [100])
    if job.protocol != "fd":
        return gb_path(job.x, job.y, job.test, [100])[0], "defaults rounds=100"
    p = job.features
    return tuned(job, gb_path, [{"max_features": max(1, round(math.sqrt(p)))}, {"max_features": p}], [100, 200])


def ada(job):
    if job.protocol == "fd":
        return tuned(job, samme_r_path, [{"rate": 0.01}, {"rate": 0.1}, {"rate": 1}], [100, 200, 500])
    if job.protocol == "taotuned":
        return held_out(job, samme_r_trees, [{"depth": 20, "rate": rate, "seed": job.split} for rate in [0.1, 0.5, 1]])
    return list(samme_r_path(job.x, job.y, job.test, [100], 1))[0], "SAMME.R rate=1 rounds=100"


METHODS = {"XGB": xgb, "CAT": cat, "GB": gb, "ADA": ada}


def answer(line):
    job = types.SimpleNamespace(**json.loads(line))
    job.x, job.y = read(job, "train", job.rows)
    job.test, _ = read(job, "test", job.test_rows)
    method, rounds = re.fullmatch("([A-Z]+)([0-9]*)", job.method).groups()
    job.rounds, job.more = int(rounds or 0), {}
    start = time.perf_counter()
    if (job.y == job.y[0]).all():
        guess, setting = np.full(job.test_rows, job.y[0]), "one class"
    else:
        guess, setting = METHODS[method](job)
    library = {"XGB": xgboost, "CAT": catboost}.get(method, sklearn)
    name = "scikit-learn" if library is sklearn else library.__name__
    return {"version": f"{name} {library.__version__}", "setting": setting, "seconds": time.perf_counter() - start,
            "more": job.more, "labels": [int(v) for v in guess]}


def main():
    warnings.simplefilter("ignore")
    sklearn.set_config(skip_parameter_validation=True)
    for line in sys.stdin:
        try:
            reply = answer(line)
        except (ValueError, np.linalg.LinAlgError, xgboost.core.XGBoostError) as err:
            reply = {"error": f"{type(err).__name__}: {err}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
