"""A Python contender of tools/peers; main.go describes the lines it answers.

Every contender gets its data in the form it is fastest with, made before anything is timed: YDF its own table (a little
faster to predict from than a dictionary of columns or of one array), mixtures centred rows of float64, the others rows of float32.
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
import warnings

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


def scikit_learn_tree(args):
    from sklearn.tree import DecisionTreeClassifier

    make = lambda trees, seed: DecisionTreeClassifier(random_state=seed)
    return Estimator(args, "scikit-learn", make), "all rows and features; knows one thread only"


class Mixture:
    """A mixture of two Gaussians, fitted as the root of a Gaussian-mixture tree is, which labels rows by the majority class
    of their component.

    Fitting is timed from the first principal axis to the majority classes. Centring and scaling by standard deviations aren't
    timed, nor is tol, which makes EM stop at a change of 1e-6 of the log-likelihood, or 1e-3 with full covariances, as ours
    does. float32 would be no basis for that.
    """

    package = "scikit-learn"

    def __init__(self, args, covariance):
        from sklearn.exceptions import ConvergenceWarning

        warnings.simplefilter("ignore", ConvergenceWarning)  # ours ends after 100 rounds, too
        x, self.y = read(args, "train", args.rows)
        test_x, self.test_y = read(args, "test", args.test_rows)
        x, test_x = x.astype("f8"), test_x.astype("f8")
        deviation = x.std(axis=0)
        varies = deviation > 0
        self.scale = deviation[varies]
        self.x = np.ascontiguousarray((x - x.mean(axis=0))[:, varies])
        self.scaled = self.x / self.scale
        self.test_x = (test_x - x.mean(axis=0))[:, varies] / self.scale
        self.covariance, self.classes, self.tol = covariance, args.classes, 1e-6 if covariance == "tied" else 1e-3
        self.fit(1, 0)
        self.tol *= max(1, abs(self.model[0].lower_bound_))

    def fit(self, trees, seed):
        from scipy.linalg import eigh
        from sklearn.cluster import KMeans
        from sklearn.mixture import GaussianMixture

        covariance = self.x.T @ self.x / len(self.x)
        last = len(covariance) - 1
        _, axis = eigh(covariance, subset_by_index=[last, last])
        along = self.x @ axis[:, 0]
        high = along > np.median(along)
        means = np.stack([self.x[high].mean(axis=0), self.x[~high].mean(axis=0)])
        groups = KMeans(2, init=means, n_init=1, max_iter=100, tol=0).fit(self.x)
        precision = np.linalg.inv(covariance / np.outer(self.scale, self.scale) + 0.01 * np.eye(last + 1))
        mixture = GaussianMixture(
            2, covariance_type=self.covariance, reg_covar=0.01, max_iter=100, tol=self.tol, weights_init=[0.5, 0.5],
            means_init=groups.cluster_centers_ / self.scale,
            precisions_init=precision if self.covariance == "tied" else np.stack([precision, precision]))
        side = mixture.fit_predict(self.scaled)
        self.model = mixture, np.array([np.bincount(self.y[side == c], minlength=self.classes).argmax() for c in (0, 1)])

    def predict(self):
        mixture, majority = self.model
        return majority[mixture.predict(self.test_x)]

    def bytes(self, model):
        return len(pickle.dumps(model))


def scikit_learn_mixture_tied(args):
    return Mixture(args, "tied"), "KMeans from the halves of the first axis, GaussianMixture, tied, reg_covar 0.01"


def scikit_learn_mixture_full(args):
    return Mixture(args, "full"), "KMeans from the halves of the first axis, GaussianMixture, full, reg_covar 0.01"


def gradient_boosting(args):
    from sklearn.ensemble import GradientBoostingClassifier

    make = lambda trees, seed: GradientBoostingClassifier(n_estimators=trees, random_state=seed)
    return Estimator(args, "scikit-learn", make), "boosting, defaults; knows one thread only"


def extra_trees(args, max_features="sqrt"):
    from sklearn.ensemble import ExtraTreesClassifier

    make = lambda trees, seed: ExtraTreesClassifier(
        trees, max_features=max_features, n_jobs=args.threads, random_state=seed)
    return Estimator(args, "scikit-learn", make), f"max_features {max_features}"


def extra_trees_all(args):
    return extra_trees(args, None)


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
              "scikit-learn-tree": scikit_learn_tree, "scikit-learn-mixture-tied": scikit_learn_mixture_tied,
              "scikit-learn-mixture-full": scikit_learn_mixture_full,
              "lightgbm": lightgbm, "xgboost": xgboost, "gradient-boosting": gradient_boosting,
              "extra-trees": extra_trees, "extra-trees-all": extra_trees_all}
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
