"""Writes sklearn_trees.json: trees of scikit-learn, for forest/rf to grow again.

Run with scikit-learn 1.9.1 and numpy 2.4.6:  python sklearn_tree.py > sklearn_trees.json

A node where two cuts are equally good may be split either way, so every node is
searched by brute force and data with such a node are drawn again.
"""

import json
import sys

import numpy
import sklearn
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

ROWS = 300
CASES = [
    # name, target, criterion, weights by row, weights by class, growth
    ("gini of two classes", 2, "gini", False, None, dict(max_depth=4, min_samples_leaf=15)),
    ("gini of three classes", 3, "gini", False, None, dict(max_depth=4, min_samples_leaf=15)),
    ("entropy of two classes", 2, "entropy", False, None, dict(max_depth=4, min_samples_leaf=15)),
    ("entropy of three classes", 3, "entropy", False, None, dict(max_depth=4, min_samples_leaf=15)),
    ("squared error", 0, "squared_error", False, None, dict(max_depth=5, min_samples_leaf=12)),
    ("gini, to 90 rows", 3, "gini", False, None, dict(min_samples_split=90, min_samples_leaf=4)),
    ("squared error, to 50 rows", 0, "squared_error", False, None, dict(min_samples_split=50, min_samples_leaf=2)),
    ("gini, weighted rows", 2, "gini", True, None, dict(max_depth=4, min_samples_leaf=15)),
    ("entropy, weighted rows", 3, "entropy", True, None, dict(max_depth=4, min_samples_leaf=15)),
    ("squared error, weighted rows", 0, "squared_error", True, None, dict(max_depth=5, min_samples_leaf=12)),
    ("gini, weighted classes", 3, "gini", False, [1.0, 2.5, 0.5], dict(max_depth=4, min_samples_leaf=15)),
    ("entropy, weighted classes and rows", 2, "entropy", True, [3.0, 0.75], dict(max_depth=4, min_samples_leaf=15)),
]


def draw(rng):
    """Three columns with few ties and one with many, on a grid exact in float32."""
    x = numpy.round(rng.normal(size=(ROWS, 4)) * 1024) / 1024
    x[:, 3] = rng.integers(0, 10, ROWS)
    signal = x[:, 0] + x[:, 1] * x[:, 2] + x[:, 3] / 4 + 0.7 * rng.normal(size=ROWS)
    targets = {
        0: numpy.round(signal * 1024) / 1024,
        2: (signal > 1.2).astype(int),
        3: numpy.digitize(signal, [0.6, 2.0]),
    }
    return x, targets, rng.integers(1, 25, ROWS) / 8


def impurity(criterion, y, w):
    """Weight times impurity; entropy in nats."""
    total = w.sum()
    if criterion == "squared_error":
        return (w * (y - (w * y).sum() / total) ** 2).sum()
    p = numpy.array([w[y == c].sum() for c in numpy.unique(y)]) / total
    return total * ((p * (1 - p)).sum() if criterion == "gini" else -(p * numpy.log(p)).sum())


def tied(criterion, x, y, w, leaf):
    """Whether the two best cuts can't be told apart."""
    whole, gains = impurity(criterion, y, w), []
    for column in x.T:
        for v in numpy.unique(column)[:-1]:
            left = column <= v
            if min(left.sum(), (~left).sum()) >= leaf:
                gains.append(whole - impurity(criterion, y[left], w[left]) - impurity(criterion, y[~left], w[~left]))
    gains.sort()
    return len(gains) > 1 and gains[-1] - gains[-2] < 1e-6 * whole


def grow(x, targets, row_weights, case):
    """The nodes in preorder, or None if one is tied."""
    name, target, criterion, weighted, class_weights, growth = case
    y = targets[target]
    w = row_weights if weighted else numpy.ones(ROWS)
    model = DecisionTreeRegressor if target == 0 else DecisionTreeClassifier
    options = dict(growth, criterion=criterion, random_state=0)
    if class_weights:
        options["class_weight"] = dict(enumerate(class_weights))
    tree = model(**options).fit(x, y, sample_weight=w).tree_
    if class_weights:
        w = w * numpy.array(class_weights)[y]
    nodes = []

    def visit(at, rows):
        value = tree.value[at, 0]
        weight = tree.weighted_n_node_samples[at]
        node = {"weight": weight, "value": (value if target == 0 else value * weight).tolist()}
        nodes.append(node)
        left, right = tree.children_left[at], tree.children_right[at]
        if left < 0:
            return True
        if tied(criterion, x[rows], y[rows], w[rows], growth.get("min_samples_leaf", 1)):
            return False
        below = x[:, tree.feature[at]] <= tree.threshold[at]
        scale = numpy.log(2) if criterion == "entropy" else 1  # scikit-learn counts bits
        decrease = scale * (
            weight * tree.impurity[at]
            - tree.weighted_n_node_samples[left] * tree.impurity[left]
            - tree.weighted_n_node_samples[right] * tree.impurity[right]
        )
        node.update(feature=int(tree.feature[at]), threshold=tree.threshold[at], decrease=decrease)
        if not visit(left, rows & below):
            return False
        node["right"] = len(nodes)
        return visit(right, rows & ~below)

    return nodes if visit(0, numpy.ones(ROWS, bool)) else None


def main():
    for seed in range(1000):
        x, targets, weights = draw(numpy.random.default_rng(seed))
        trees = []
        for case in CASES:
            trees.append(grow(x, targets, weights, case))
            if trees[-1] is None:
                print(f"seed {seed}: {case[0]} has a tie", file=sys.stderr)
                break
        else:
            break
    else:
        sys.exit("every draw has ties")
    out = {
        "source": f"scikit-learn {sklearn.__version__}, seed {seed}",
        "columns": x.T.tolist(),
        "values": targets[0].tolist(),
        "labels": {"2": targets[2].tolist(), "3": targets[3].tolist()},
        "weights": weights.tolist(),
        "cases": [
            {"name": n, "classes": k, "criterion": c, "weighted": w, "class_weights": cw, "nodes": nodes, **g}
            for (n, k, c, w, cw, g), nodes in zip(CASES, trees)
        ],
    }
    json.dump(out, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
