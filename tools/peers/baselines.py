"""Baselines of scikit-learn for the data sets of the thesis on Gaussian-mixture trees; baselines.go starts it.

Each line of standard input is JSON: a folder with train.x, train.y, test.x and test.y as peers.py reads them, their shape,
and how many of the last training rows are for validation. The answer is a line of JSON: version, and for each method its
score on the test rows (accuracy, or mean absolute error of values), setting and seconds of the last fit, and more
measures: macro precision, recall and F1 over the classes of the test rows or of guesses, or the mean squared error.

LDA has the defaults, without features that are constant within classes but for rounding: with them it fails on some
splits of Ecoli (accuracy 24 %; with the solver lsqr it fails on Segmentation). QDA has the defaults. These refuse singular covariances; then it is fitted to standardised features with a
shrinkage of 0.01, and without classes of one row. The SVM chooses kernel and C by the validation rows, the first of equals, and is then fitted
to all training rows, with features, and values, standardised. With more than 20,000 training rows it is LinearSVC or
LinearSVR, since libsvm would take hours.

With "as_run" the methods are those that the thesis seems to have run, on features as they are: for classes an SVM with
a linear kernel, LDA with a diagonal covariance, naive Bayes, and CART and forests of 200 trees with large leaves; for
values the median of the training rows and an SVM with an RBF kernel of scale 1 and MATLAB's default margin, a tenth of
the values' spread. Of libsvm's solver there are at most 100,000 steps.
"""
import json
import sys
import time
import types
import warnings

import numpy as np
import sklearn
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import precision_recall_fscore_support
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR
from sklearn.tree import DecisionTreeClassifier

from peers import read

GRID = [10.0**k for k in range(-3, 4)]
LIBSVM_ROWS = 20000
LIBSVM_STEPS = 100000


class Values:
    """A regression model of standardised values."""

    def __init__(self, model):
        self.model = model

    def fit(self, x, y):
        self.mean, self.sd = y.mean(), y.std()
        self.model.fit(x, (y - self.mean) / self.sd)
        return self

    def predict(self, x):
        return self.model.predict(x) * self.sd + self.mean


def machine(kernel, c, values, rows):
    if rows > LIBSVM_ROWS:
        model = LinearSVR(C=c, epsilon=0.1, random_state=1) if values else LinearSVC(C=c, random_state=1)
    elif values:
        model = SVR(kernel=kernel, C=c, epsilon=0.1, max_iter=LIBSVM_STEPS)
    else:
        model = SVC(kernel=kernel, C=c, max_iter=LIBSVM_STEPS)
    model = make_pipeline(StandardScaler(), model)
    return Values(model) if values else model


def score(model, x, y, values):
    guess = model.predict(x)
    return float(np.mean(np.abs(guess - y))) if values else float(np.mean(guess == y))


def more(model, x, y, values):
    guess = model.predict(x)
    if values:
        return {"mse": float(np.mean((guess - y) ** 2))}
    macro = precision_recall_fscore_support(y, guess, average="macro", zero_division=0)
    return dict(zip(["precision", "recall", "f1"], map(float, macro)))


def chosen(make, kernels, x, y, validation, values):
    """The best kernel and C for the validation rows, the first of equals, of machines that make(kernel, c) returns."""
    cut = len(y) - validation
    best = None
    for kernel in kernels:
        for c in GRID:
            s = score(make(kernel, c).fit(x[:cut], y[:cut]), x[cut:], y[cut:], values)
            gain = -s if values else s
            if best is None or gain > best[0]:
                best = gain, kernel, c
    return best[1:]


def svm(x, y, validation, values):
    def make(kernel, c):
        return machine(kernel, c, values, len(y))

    kernels = ["linear"] if len(y) > LIBSVM_ROWS else ["linear", "rbf"]
    kernel, c = chosen(make, kernels, x, y, validation, values)
    name = "liblinear" if len(y) > LIBSVM_ROWS else "libsvm " + kernel
    return timed(make(kernel, c), x, y), f"{name} C={c:g}"


def unscaled(kernel, c, y, values):
    """An SVM on features and values as they are."""
    if values:
        margin = np.subtract(*np.percentile(y, [75, 25])) / 13.49
        return SVR(kernel=kernel, gamma=1, C=c, epsilon=margin, max_iter=LIBSVM_STEPS)
    if len(y) > LIBSVM_ROWS:
        return LinearSVC(C=c, random_state=1)
    return SVC(kernel=kernel, C=c, max_iter=LIBSVM_STEPS)


def unscaled_svm(kernel, x, y, validation, values):
    def make(kernel, c):
        return unscaled(kernel, c, y, values)

    kernel, c = chosen(make, [kernel], x, y, validation, values)
    return timed(make(kernel, c), x, y), f"C={c:g}"


def timed(model, x, y):
    start = time.perf_counter()
    model.fit(x, y)
    return model, time.perf_counter() - start


class LDA:
    """LDA without features that don't vary within classes."""

    def fit(self, x, y):
        means = np.stack([x[y == c].mean(0) for c in range(y.max() + 1) if (y == c).any()])
        index = np.unique(y, return_inverse=True)[1]
        self.keep = (x - means[index]).std(0) > 1e-6 * np.abs(x).max(0)
        self.model = LinearDiscriminantAnalysis().fit(x[:, self.keep], y)
        return self

    def predict(self, x):
        return self.model.predict(x[:, self.keep])


class DiagonalLDA:
    """LDA whose shared covariance is diagonal, without features that don't vary within classes."""

    def fit(self, x, y):
        self.classes = np.unique(y)
        self.means = np.stack([x[y == c].mean(0) for c in self.classes])
        self.prior = np.log([np.mean(y == c) for c in self.classes])
        within = x - self.means[np.searchsorted(self.classes, y)]
        self.keep = within.std(0) > 1e-6 * np.abs(x).max(0)
        self.variance = (within**2).sum(0) / (len(y) - len(self.classes))
        return self

    def predict(self, x):
        k = self.keep
        far = [(((x - m)[:, k]) ** 2 / self.variance[k]).sum(1) for m in self.means]
        return self.classes[np.argmax(self.prior - np.stack(far, 1) / 2, 1)]


def qda(x, y):
    """A fitted QDA and its setting."""
    try:
        return timed(QuadraticDiscriminantAnalysis(), x, y), "defaults"
    except (np.linalg.LinAlgError, ValueError):
        pass
    many = np.isin(y, np.flatnonzero(np.bincount(y) > 1))
    model = make_pipeline(StandardScaler(), QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.01))
    return timed(model, x[many], y[many]), "eigen shrinkage=0.01" + ("" if many.all() else " without classes of one row")


def as_run(x, y, validation, values):
    if values:
        yield "median", timed(DummyRegressor(strategy="median"), x, y), ""
        yield "SVM, RBF of scale 1", *unscaled_svm("rbf", x, y, validation, values)
        return
    yield "linear SVM, unscaled", *unscaled_svm("linear", x, y, validation, values)
    yield "diagonal LDA", timed(DiagonalLDA(), x, y), ""
    yield "naive Bayes", timed(GaussianNB(), x, y), "defaults"
    for leaf in [10, 20]:
        yield f"CART, leaves of {leaf}", timed(DecisionTreeClassifier(min_samples_leaf=leaf, random_state=1), x, y), ""
    for leaf in [5, 20]:
        forest = RandomForestClassifier(200, min_samples_leaf=leaf, random_state=1)
        yield f"RF, leaves of {leaf}", timed(forest, x, y), ""


def methods(x, y, validation, values):
    yield "svm", *svm(x, y, validation, values)
    if values:
        return
    yield "lda", timed(LDA(), x, y), "defaults"
    yield "qda", *qda(x, y)


def main():
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        job = types.SimpleNamespace(**json.loads(line))
        x, y = read(job, "train", job.rows)
        test_x, test_y = read(job, "test", job.test_rows)
        x, test_x = x.astype(float), test_x.astype(float)
        values = job.classes == 0
        results = []
        for name, (model, seconds), setting in (as_run if job.as_run else methods)(
            x, y, job.validation, values
        ):
            results.append({"method": name, "score": score(model, test_x, test_y, values), "setting": setting, "seconds": seconds,
                            "more": more(model, test_x, test_y, values)})
        print(json.dumps({"version": sklearn.__version__, "results": results}), flush=True)


if __name__ == "__main__":
    main()
