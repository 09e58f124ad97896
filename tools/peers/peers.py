"""A Python contender of tools/peers; main.go describes the lines it answers.

Every contender gets its data in the form it is fastest with, made before anything is timed: YDF its own table (a little
faster to predict from than a dictionary of columns or of one array), the others rows of float32.
"""
import argparse
import ctypes
import gc
import importlib.metadata
import json
import os
import pickle
import statistics
import sys
import time

import numpy as np


def read(args, name, rows):
    x = np.fromfile(os.path.join(args.folder, name + ".x"), "<f4").reshape(args.features, rows)
    y = np.fromfile(os.path.join(args.folder, name + ".y"), "<i4" if args.classes else "<f8")
    return np.ascontiguousarray(x.T), y


class Estimator:
    """Anything with scikit-learn's fit and predict."""

    def __init__(self, args, package, make, size=lambda model: len(pickle.dumps(model))):
        self.x, self.y = read(args, "train", args.rows)
        self.test_x, self.test_y = read(args, "test", args.test_rows)
        self.package, self.make, self.bytes = package, make, size

    def fit(self, trees, seed):
        self.model = self.make(trees, seed).fit(self.x, self.y)

    def predict(self):
        return self.model.predict(self.test_x)


class YDF:
    package = "ydf"

    def __init__(self, args, **settings):
        import absl.logging
        import ydf

        ydf.verbose(0)
        absl.logging.set_verbosity(absl.logging.ERROR)
        self.threads, self.features, self.values = args.threads, args.features, args.classes == 0
        self.oblique = settings["split_axis"] == "SPARSE_OBLIQUE"
        x, y = read(args, "train", args.rows)
        test_x, self.test_y = read(args, "test", args.test_rows)
        label = ydf.Column("y", ydf.Semantic.CATEGORICAL, min_vocab_frequency=1, max_vocab_count=-1)
        if self.values:
            label = ydf.Column("y", ydf.Semantic.NUMERICAL)
        task = ydf.Task.REGRESSION if self.values else ydf.Task.CLASSIFICATION
        columns = dict(columns=[label], include_all_columns=True, max_num_scanned_rows_to_infer_semantic=-1)
        self.train = ydf.create_vertical_dataset({"x": x, "y": y}, **columns)
        self.test = ydf.create_vertical_dataset({"x": test_x, "y": self.test_y}, data_spec=self.train.data_spec())
        self.make = lambda trees, seed: ydf.RandomForestLearner(
            label="y", task=task, num_trees=trees, random_seed=seed, num_threads=args.threads, max_depth=-1, min_examples=1,
            winner_take_all=False, compute_oob_performances=False, **settings)

    def fit(self, trees, seed):
        self.model = self.make(trees, seed).train(self.train)
        if not self.values:
            self.classes = np.array([int(c) for c in self.model.label_classes()])

    def predict(self):
        slow = self.oblique and self.features > 32767  # YDF 0.16.1's other engines end the process
        try:
            p = self.model.predict(self.test, num_threads=self.threads, use_slow_engine=slow)
        except ValueError:  # some trees are too large for the fastest engine
            self.model.force_engine("RandomForestGeneric")
            p = self.model.predict(self.test, num_threads=self.threads)
        if self.values:
            return p
        return self.classes[(p > 0.5).astype(int) if p.ndim == 1 else p.argmax(axis=1)]

    def bytes(self, model):
        return len(model.serialize())


def ydf(args):
    return YDF(args, split_axis="AXIS_ALIGNED", num_candidate_attributes=args.directions), "num_candidate_attributes d"


def ydf_oblique(args):
    """Tests min(⌈p^exponent⌉, max_num_projections) = d projections a node."""
    forest = YDF(args, split_axis="SPARSE_OBLIQUE", sparse_oblique_num_projections_exponent=1.0,
                 sparse_oblique_max_num_projections=args.directions, sparse_oblique_projection_density_factor=3.0,
                 sparse_oblique_weights="BINARY")
    return forest, "SPARSE_OBLIQUE, d projections, density factor 3, weights BINARY"


def treeple(args):
    from treeple import ObliqueRandomForestClassifier

    make = lambda trees, seed: ObliqueRandomForestClassifier(
        trees, max_features=args.directions, feature_combinations=3, n_jobs=args.threads, random_state=seed)
    return Estimator(args, "treeple", make), "max_features d, feature_combinations 3"


def scikit_learn(args):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    forest = RandomForestClassifier if args.classes else RandomForestRegressor
    make = lambda trees, seed: forest(
        trees, max_features=args.directions, n_jobs=args.threads, random_state=seed)
    return Estimator(args, "scikit-learn", make), "max_features d"


def lightgbm(args):
    from lightgbm import LGBMClassifier

    make = lambda trees, seed: LGBMClassifier(n_estimators=trees, n_jobs=args.threads, random_state=seed, verbosity=-1)
    size = lambda model: len(model.booster_.model_to_string())
    return Estimator(args, "lightgbm", make, size), "boosting, defaults"


def xgboost(args):
    from xgboost import XGBClassifier

    make = lambda trees, seed: XGBClassifier(n_estimators=trees, n_jobs=args.threads, random_state=seed)
    size = lambda model: len(model.get_booster().save_raw("ubj"))
    return Estimator(args, "xgboost", make, size), "boosting, defaults"


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def error(guess, truth):
    if truth.dtype.kind == "f":
        return float(np.mean((guess - truth) ** 2))
    return float(np.mean(guess != truth))


def predict(contender):
    calls = int(min(15, max(1, 0.25 / timed(contender.predict)[0])))
    runs = [timed(contender.predict) for _ in range(calls)]
    return {"seconds": statistics.median(seconds for seconds, _ in runs),
            "error": error(runs[0][1], contender.test_y),
            "bytes": contender.bytes(contender.model)}


def rest(contender):
    contender.model = None
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    return {}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-contender")
    parser.add_argument("-folder")
    for name in "rows", "test-rows", "features", "classes", "directions", "threads":
        parser.add_argument("-" + name, type=int)
    args = parser.parse_args()
    makers = {"ydf": ydf, "ydf-oblique": ydf_oblique, "treeple": treeple, "scikit-learn": scikit_learn,
              "lightgbm": lightgbm, "xgboost": xgboost}
    contender, settings = makers[args.contender](args)
    answer = lambda reply: print(json.dumps(reply), flush=True)
    answer({"version": importlib.metadata.version(contender.package), "settings": settings})
    for line in sys.stdin:
        command, *numbers = line.split()
        if command == "rest":
            answer(rest(contender))
        elif command == "predict":
            answer(predict(contender))
        else:
            answer({"seconds": timed(lambda: contender.fit(*map(int, numbers)))[0]})


if __name__ == "__main__":
    main()
