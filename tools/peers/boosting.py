"""Boosting of other libraries on the rows of our experiment "boost"; boosting.go starts it.

Each line of standard input is JSON: a folder with train.x, train.y, test.x and test.y as peers.py reads them, their
shape, a method and a seed. The answer is a line of JSON, a figures.BoostReply. Seconds are processor time; there is
one thread.

CatBoost, LightGBM, XGBoost, HistGradientBoosting and YDF have their defaults. For CatBoost these are 1000 rounds and
a rate of its own choice, for YDF 300 rounds that end early by a tenth of the rows. "YDF oblique" is YDF's template of
the settings that did best in its authors' benchmark, which are sparse oblique splits.

"stopped" is boosting that ends when the loss on an inner fifth of the rows, stratified, hasn't fallen for 50 rounds,
with the rounds up to the best. "refit" is then trained on all rows for as many rounds, at the same rate, and its
seconds include those of "stopped". CatBoost keeps its defaults there, the others have at most 3000 rounds at a rate
of 0.05.
"""
import json
import os
import sys
import time
import types
import warnings
import zlib

import absl.logging
import catboost
import lightgbm
import numpy as np
import sklearn
import xgboost
import ydf
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import train_test_split

from peers import read

PATIENCE = 50
MANY = {"n_estimators": 3000, "learning_rate": 0.05}


def catboosted(job, **settings):
    learner = catboost.CatBoostClassifier if job.classes else catboost.CatBoostRegressor
    return learner(thread_count=1, random_seed=job.seed, verbose=0, allow_writing_files=False, **settings)


def catboost_stopped(job, x, y, validation):
    model = catboosted(job, early_stopping_rounds=PATIENCE).fit(x, y, eval_set=validation)
    return model, model.get_best_iteration() + 1, {"learning_rate": model.learning_rate_}


def lightgbm_made(job, **settings):
    learner = lightgbm.LGBMClassifier if job.classes else lightgbm.LGBMRegressor
    return learner(n_jobs=1, random_state=job.seed, verbose=-1, **settings)


def lightgbm_stopped(job, x, y, validation):
    stop = lightgbm.early_stopping(PATIENCE, verbose=False)
    model = lightgbm_made(job, **MANY).fit(x, y, eval_set=[validation], callbacks=[stop])
    return model, model.best_iteration_, {"learning_rate": MANY["learning_rate"]}


def xgboost_made(job, **settings):
    learner = xgboost.XGBClassifier if job.classes else xgboost.XGBRegressor
    return learner(n_jobs=1, random_state=job.seed, **settings)


def xgboost_stopped(job, x, y, validation):
    model = xgboost_made(job, early_stopping_rounds=PATIENCE, **MANY).fit(x, y, eval_set=[validation], verbose=False)
    return model, model.best_iteration + 1, {"learning_rate": MANY["learning_rate"]}


def histogram(job, **settings):
    learner = HistGradientBoostingClassifier if job.classes else HistGradientBoostingRegressor
    return learner(random_state=job.seed, **settings)


def histogram_stopped(job, x, y, validation):
    model = histogram(job, early_stopping=True, n_iter_no_change=PATIENCE, max_iter=MANY["n_estimators"],
                      learning_rate=MANY["learning_rate"])
    model.fit(x, y, X_val=validation[0], y_val=validation[1])
    return model, model.n_iter_, None


class YDF:
    """YDF's learner with scikit-learn's fit and predict."""

    def __init__(self, job, **settings):
        self.values = not job.classes
        task = ydf.Task.REGRESSION if self.values else ydf.Task.CLASSIFICATION
        self.learner = ydf.GradientBoostedTreesLearner(
            label="y", task=task, num_threads=1, random_seed=job.seed, **settings)

    def fit(self, x, y):
        label = ydf.Column("y", ydf.Semantic.NUMERICAL)
        if not self.values:
            label = ydf.Column("y", ydf.Semantic.CATEGORICAL, min_vocab_frequency=1, max_vocab_count=-1)
        rows = ydf.create_vertical_dataset({"x": x, "y": y}, columns=[label], include_all_columns=True)
        self.model = self.learner.train(rows)
        self.n_iter_ = self.model.num_trees() // (1 if self.values or len(set(y)) == 2 else len(set(y)))
        return self

    def predict(self, x):
        return self.model.predict({"x": x}, num_threads=1)

    def predict_proba(self, x):
        p = self.predict(x)
        if p.ndim == 1:
            p = np.stack([1 - p, p], axis=1)
        return p[:, np.argsort([int(c) for c in self.model.label_classes()])]


def ydf_oblique(job):
    return YDF(job, **ydf.GradientBoostedTreesLearner.hyperparameter_templates()["benchmark_rank1v1"])


DEFAULTS = {"CatBoost": catboosted, "LightGBM": lightgbm_made, "XGBoost": xgboost_made,
            "HistGradientBoosting": histogram, "YDF": YDF, "YDF oblique": ydf_oblique}
STOPPED = {"CatBoost": catboost_stopped, "LightGBM": lightgbm_stopped, "XGBoost": xgboost_stopped,
           "HistGradientBoosting": histogram_stopped}
LIBRARIES = {"CatBoost": catboost, "LightGBM": lightgbm, "XGBoost": xgboost, "HistGradientBoosting": sklearn,
             "YDF": ydf}


def inner(job):
    """Four fifths of the rows and the others. A class of one row is in the first."""
    common = np.arange(len(job.y))
    if job.classes:
        common = common[np.bincount(job.y)[job.y] > 1]
    strata = job.y[common] if job.classes else None
    _, left = train_test_split(common, test_size=0.2, random_state=job.seed, stratify=strata)
    kept = np.setdiff1d(np.arange(len(job.y)), left)
    return job.x[kept], job.y[kept], (job.x[left], job.y[left])


def trained(job, library, kind):
    """A model, its number of rounds and the seconds of training."""
    start = time.process_time()
    if kind not in ("stopped", "refit"):
        model = DEFAULTS[job.method](job).fit(job.x, job.y)
        seconds = time.process_time() - start
        return model, rounds_of(model), seconds
    if library not in job.stopped:
        found = STOPPED[library](job, *inner(job))
        job.stopped[library] = found, time.process_time() - start
    (model, rounds, rate), seconds = job.stopped[library]
    if kind == "refit":
        start = time.process_time()
        model = DEFAULTS[library](job, n_estimators=rounds, **rate).fit(job.x, job.y)
        seconds += time.process_time() - start
    return model, rounds, seconds


def rounds_of(model):
    if isinstance(model, catboost.CatBoost):
        return model.tree_count_
    if isinstance(model, xgboost.XGBModel):
        return model.get_booster().num_boosted_rounds()
    return model.n_iter_


def answer(line, last):
    job = types.SimpleNamespace(**json.loads(line))
    check = 0
    for name in ["train.x", "train.y", "test.x", "test.y"]:
        with open(os.path.join(job.folder, name), "rb") as file:
            check = zlib.crc32(file.read(), check)
    job.check = check % 10**6
    job.stopped = last.stopped if last and (last.check, last.seed) == (job.check, job.seed) else {}
    job.x, y = read(job, "train", job.rows)
    job.test, _ = read(job, "test", job.test_rows)
    known, job.y = np.unique(y, return_inverse=True) if job.classes else (None, y)  # some refuse classes without rows
    library, _, kind = job.method.partition(" ")
    model, rounds, seconds = trained(job, library, kind)
    trained_at = time.process_time()
    threads = {"thread_count": 1} if library == "CatBoost" else {}
    reply = {"rows": job.check, "fit": seconds}
    if job.classes:
        proba = np.zeros((job.test_rows, job.classes))
        proba[:, known] = model.predict_proba(job.test, **threads)
        reply["proba"] = proba.tolist()
    else:
        reply["values"] = [float(v) for v in model.predict(job.test, **threads)]
    reply["predict"] = time.process_time() - trained_at
    package = LIBRARIES[library]
    name = "scikit-learn" if package is sklearn else package.__name__
    reply["setting"] = f"{name} {package.__version__}, {rounds} rounds"
    return job, reply


def main():
    warnings.simplefilter("ignore")
    ydf.verbose(0)
    absl.logging.set_verbosity(absl.logging.ERROR)
    last = None
    for line in sys.stdin:
        last, reply = answer(line, last)
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
