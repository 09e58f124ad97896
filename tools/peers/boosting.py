"""Boosting and automatic choice of other libraries on the rows of our experiment "boost"; boosting.go starts it.

Each line of standard input is JSON: a folder with train.x, train.y, test.x and test.y as peers.py reads them, their
shape, a method, a seed and a limit in seconds. The answer is a line of JSON, a trials.Prediction. Seconds are processor
time, those of the limit as well; there is one thread.

CatBoost and OQBoost alone have their defaults. "OQBoost 500" has 500 trees and 64 bins, "OQBoost stopped" at most 3000
trees and 64 bins, and ends when the loss on a tenth of the rows hasn't fallen for 50 rounds; its default, by 0.0001,
ends at once where values are small. It can't divide a class of one row, so such a row is there twice.

"refit" is boosting that ends when the loss on an inner fifth of the rows, stratified, hasn't fallen for 50 rounds, and
then is trained on all rows for the rounds up to the best, at the same rate. CatBoost keeps its defaults, the others
have at most 3000 rounds at a rate of 0.05. "tuned" is that with the best on the inner fifth of 20 settings: those of
"refit" and 19 drawn from SPACES.

AutoGluon has its presets without neural networks. "best" and FLAML have the job's limit. Both choose by the loss.
"""
import importlib
import json
import logging
import os
import sys
import time
import types
import warnings
import zlib

import numpy as np
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.model_selection import train_test_split

from peers import read

PATIENCE = 50
MANY = {"n_estimators": 3000, "learning_rate": 0.05}
PACKAGES = {"CatBoost": "catboost", "LightGBM": "lightgbm", "XGBoost": "xgboost", "OQBoost": "oqboost",
            "AutoGluon": "autogluon.tabular", "FLAML": "flaml"}
OQBOOST = {"": {}, "500": {"n_estimators": 500, "max_bins": 64},
           "stopped": {"n_estimators": 3000, "max_bins": 64, "n_iter_no_change": PATIENCE, "tol": 0}}


def logarithmic(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


SPACES = {
    "CatBoost": lambda rng: {
        "learning_rate": logarithmic(rng, 0.02, 0.3), "depth": int(rng.integers(3, 9)),
        "l2_leaf_reg": logarithmic(rng, 1, 10), "random_strength": logarithmic(rng, 0.1, 10),
        "bagging_temperature": rng.uniform(0, 1)},
    "LightGBM": lambda rng: {
        "learning_rate": logarithmic(rng, 0.02, 0.3), "num_leaves": int(logarithmic(rng, 4, 128)),
        "min_child_samples": int(logarithmic(rng, 2, 50)), "subsample": rng.uniform(0.5, 1), "subsample_freq": 1,
        "colsample_bytree": rng.uniform(0.4, 1), "reg_lambda": logarithmic(rng, 0.001, 10)},
    "XGBoost": lambda rng: {
        "learning_rate": logarithmic(rng, 0.02, 0.3), "max_depth": int(rng.integers(2, 11)),
        "min_child_weight": logarithmic(rng, 0.1, 30), "subsample": rng.uniform(0.5, 1),
        "colsample_bytree": rng.uniform(0.4, 1), "reg_lambda": logarithmic(rng, 0.001, 10)},
}


def boosted(job, **settings):
    """A booster of the job's library that isn't trained."""
    kind = "Classifier" if job.classes else "Regressor"
    if job.library == "CatBoost":
        settings = {"thread_count": 1, "random_seed": job.seed, "verbose": 0, "allow_writing_files": False, **settings}
    elif job.library == "OQBoost":
        settings = {"random_state": job.seed, **settings}
    else:
        quiet = -1 if job.library == "LightGBM" else 0
        settings = {"n_jobs": 1, "random_state": job.seed, "verbosity": quiet, **settings}
    name = {"LightGBM": "LGBM", "XGBoost": "XGB"}.get(job.library, job.library) + kind
    return getattr(job.package, name)(**settings)


def stopped(job, x, y, validation, settings):
    """The loss on the validation rows, the best number of rounds, and the settings with the rate."""
    if job.library == "LightGBM":
        stop = job.package.early_stopping(PATIENCE, verbose=False)
        model = boosted(job, **settings).fit(x, y, eval_set=[validation], callbacks=[stop])
        rounds = model.best_iteration_
    else:
        model = boosted(job, early_stopping_rounds=PATIENCE, **settings)
        model.fit(x, y, eval_set=[validation], verbose=False)
        rounds = (model.best_iteration if job.library == "XGBoost" else model.get_best_iteration()) + 1
    if job.library == "CatBoost":
        settings = {**settings, "learning_rate": model.learning_rate_}
    if job.classes:
        loss = log_loss(validation[1], model.predict_proba(validation[0]), labels=np.arange(job.y.max() + 1))
    else:
        loss = mean_squared_error(validation[1], model.predict(validation[0]))
    return loss, rounds, settings


def inner(job):
    """Four fifths of the rows and the others. A class of one row is in the first."""
    common = np.arange(len(job.y))
    if job.classes:
        common = common[np.bincount(job.y)[job.y] > 1]
    strata = job.y[common] if job.classes else None
    _, left = train_test_split(common, test_size=0.2, random_state=job.seed, stratify=strata)
    kept = np.setdiff1d(np.arange(len(job.y)), left)
    return job.x[kept], job.y[kept], (job.x[left], job.y[left])


def refit(job, tries):
    """The best of some settings, trained on all rows."""
    rng = np.random.default_rng([job.seed, zlib.crc32(job.x)])
    start = {} if job.library == "CatBoost" else MANY
    found = [stopped(job, *inner(job), {**start, **(SPACES[job.library](rng) if i else {})}) for i in range(tries)]
    _, rounds, settings = min(found, key=lambda f: f[0])
    model = boosted(job, **{**settings, "n_estimators": rounds}).fit(job.x, job.y)
    chosen = [f"{name}={value:.3g}" for name, value in settings.items() if tries > 1 and name != "n_estimators"]
    return model, ", ".join([f"{rounds} rounds", *chosen])


def autogluon(job, kind):
    import pandas

    table = lambda x: pandas.DataFrame(x, columns=[f"x{j}" for j in range(x.shape[1])])
    task = "regression" if not job.classes else "binary" if job.y.max() == 1 else "multiclass"
    best = {"time_limit": job.limit, "ag_args_ensemble": {"fold_fitting_strategy": "sequential_local"}}
    model = job.package.TabularPredictor(
        label="y", problem_type=task, eval_metric="log_loss" if job.classes else "root_mean_squared_error",
        path=os.path.join(job.folder, "models"), verbosity=0, learner_kwargs={"random_state": job.seed})
    model.fit(table(job.x).assign(y=job.y), presets=kind + "_quality", num_cpus=1, num_gpus=0,
              excluded_model_types=["NN_TORCH", "FASTAI"], **(best if kind == "best" else {}))
    proba = lambda x: model.predict_proba(table(x))[list(range(job.y.max() + 1))].to_numpy()
    setting = f"{model.model_best} of {len(model.model_names())} models"
    return types.SimpleNamespace(predict=lambda x: model.predict(table(x)), predict_proba=proba), setting


def flaml(job):
    model = job.package.AutoML()
    model.fit(job.x, job.y, task="classification" if job.classes else "regression", time_budget=job.limit, n_jobs=1,
              metric="log_loss" if job.classes else "rmse", seed=job.seed, verbose=0)
    return model, model.best_estimator


def trained(job, kind):
    """A model, and how it was chosen."""
    if kind in ("refit", "tuned"):
        return refit(job, 20 if kind == "tuned" else 1)
    if job.library == "AutoGluon":
        model, setting = autogluon(job, kind)
    elif job.library == "FLAML":
        model, setting = flaml(job)
    else:
        settings, rows = OQBOOST[kind] if job.library == "OQBoost" else {}, np.arange(job.rows)
        if kind == "stopped" and job.classes:
            rows = np.append(rows, rows[np.bincount(job.y)[job.y] == 1])
        return boosted(job, **settings).fit(job.x[rows], job.y[rows]), kind or "defaults"
    return model, f"{setting}, {job.limit:.3g} s" if kind != "medium" else setting


def answer(line):
    job = types.SimpleNamespace(**json.loads(line))
    job.x, y = read(job, "train", job.rows)
    test, _ = read(job, "test", job.test_rows)
    known, job.y = np.unique(y, return_inverse=True) if job.classes else (None, y)  # some refuse classes without rows
    job.library, _, kind = job.method.partition(" ")
    job.package = importlib.import_module(PACKAGES[job.library])
    begun = time.process_time()
    model, setting = trained(job, kind)
    trained_at = time.process_time()
    threads = {"thread_count": 1} if job.library == "CatBoost" else {}
    reply = {"fit": trained_at - begun, "setting": f"{job.package.__name__} {job.package.__version__}, {setting}"}
    if job.classes:
        proba = np.zeros((job.test_rows, job.classes))
        proba[:, known] = model.predict_proba(test, **threads)
        reply["proba"] = proba.tolist()
    else:
        reply["values"] = [float(v) for v in model.predict(test, **threads)]
    reply["predict"] = time.process_time() - trained_at
    return reply


def main():
    warnings.simplefilter("ignore")
    logging.disable()  # AutoGluon looks for torch, again and again
    answers, sys.stdout = sys.stdout, sys.stderr  # libraries print
    begun = time.time()
    time.time = lambda: begun + time.process_time()  # which limits are measured by
    for line in sys.stdin:
        print(json.dumps(answer(line)), file=answers, flush=True)


if __name__ == "__main__":
    main()
