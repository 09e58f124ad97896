"""Fits scikit-learn's random forest once for every line on standard input.

usage: sklearn_forest.py FOLDER FEATURES TREES MAX_FEATURES THREADS; FOLDER holds train and test as tools/peers writes
them. Prints the version of scikit-learn, then a JSON object of seconds and test error for every fit.
"""
import json
import os
import sys
import time

import numpy as np
import sklearn
from sklearn.ensemble import RandomForestClassifier


def read(path, features):
    n = os.path.getsize(path) // 4 // (features + 1)
    x = np.fromfile(path, "<f4", n * features).reshape(features, n)
    y = np.fromfile(path, "<i4", n, offset=4 * n * features)
    return np.ascontiguousarray(x.T), y


def main(folder, features, trees, max_features, threads):
    train_x, train_y = read(os.path.join(folder, "train"), features)
    test_x, test_y = read(os.path.join(folder, "test"), features)
    print(json.dumps(sklearn.__version__), flush=True)
    for seed, _ in enumerate(sys.stdin):
        forest = RandomForestClassifier(trees, max_features=max_features, n_jobs=threads, random_state=seed)
        start = time.perf_counter()
        forest.fit(train_x, train_y)
        fitted = time.perf_counter()
        labels = forest.predict(test_x)
        done = time.perf_counter()
        print(json.dumps({"Fit": fitted - start, "Predict": done - fitted, "Error": float(np.mean(labels != test_y))}),
              flush=True)


main(sys.argv[1], *map(int, sys.argv[2:]))
