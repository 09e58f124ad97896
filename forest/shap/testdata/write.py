"""Writes treeshap.json: trees of scikit-learn's forests and the values that the package shap
computes for them (path-dependent TreeSHAP), for TestShapPackage. Run it with shap 0.51.0,
scikit-learn 1.9.1 and numpy; needs no network."""

import json
import sys

import numpy as np
import shap
import sklearn
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

rng = np.random.default_rng(1)
# Whole numbers, so that every threshold is exact in float32.
x = rng.integers(0, 12, (120, 5)).astype(np.float32)
classes = ((x[:, 0] + x[:, 1] > 11).astype(int) + (x[:, 2] > 6)).astype(int)
values = x[:, 0] * 0.5 + np.where(x[:, 1] > 5, x[:, 2], -x[:, 3]) + rng.normal(size=120)
rows = x[:10]


def tree(t):
    s = t.tree_
    return {
        "left": s.children_left.tolist(), "right": s.children_right.tolist(),
        "feature": s.feature.tolist(), "threshold": s.threshold.tolist(),
        "weight": s.weighted_n_node_samples.tolist(),
        "value": s.value[:, 0, :].tolist(),
    }


def record(model):
    explainer = shap.TreeExplainer(model, feature_perturbation="tree_path_dependent")
    v = np.asarray(explainer.shap_values(rows))
    if v.ndim == 2:
        v = v[:, :, None]
    return {
        "trees": [tree(t) for t in model.estimators_],
        "base": np.atleast_1d(explainer.expected_value).tolist(),
        "values": v.transpose(2, 0, 1).tolist(),  # by output, row and feature
    }


out = {
    "versions": {"shap": shap.__version__, "scikit-learn": sklearn.__version__, "numpy": np.__version__},
    "rows": rows.tolist(),
    "classes": record(RandomForestClassifier(3, max_depth=6, random_state=1).fit(x, classes)),
    "regression": record(RandomForestRegressor(3, max_depth=6, random_state=1).fit(x, values)),
}
json.dump(out, open(sys.argv[1], "w"), separators=(",", ":"))
