"""Wrote models.json.gz with LightGBM 4.7.0 and XGBoost 3.2.0: models, and what these libraries predict by them.

A model was saved and loaded again before it predicted.
"""

import gzip
import json
import tempfile

import lightgbm
import numpy
import xgboost

random = numpy.random.default_rng(0)
X = random.normal(size=(200, 4)).astype(numpy.float32)
X[:, 3] = numpy.round(X[:, 3])  # many cells are at a threshold of XGBoost, which compares by <
score = X[:, 0] + X[:, 1] * X[:, 2] + X[:, 3] + 0.3 * random.normal(size=len(X))
five = numpy.digitize(score, [-1.5, -0.5, 0.5, 1.5])
targets = {"values": score, "positive": numpy.exp(score), "share": 1 / (1 + numpy.exp(-score)), "two": score > 0,
           "three": numpy.digitize(score, [-0.7, 0.7]), "five": five, "counts": random.poisson(numpy.exp(score / 2)),
           "marked": score + 5 * (numpy.arange(len(X)) < 60), "none": numpy.zeros(len(X)), "all": numpy.ones(len(X))}
X[random.random(X.shape) < 0.1] = numpy.nan
huge = numpy.finfo(numpy.float32).max
odd = [[numpy.nan] * 4, [0] * 4, [-0.0] * 4, [huge] * 4, [-huge] * 4, [1e-45] * 4, [-1e-45] * 4, [1e30, -1e30, 0, 1],
       [-1e30, numpy.nan, 1e30, -1]]
rows = numpy.concatenate([X[:21], numpy.array(odd)]).astype(numpy.float32)
groups = [20] * 10  # of rankings
learn, stop = slice(0, 100), slice(100, 200)  # rows that train and rows that tell when to stop
models = {}


def add(name, text, predictions):
    short = [[float(f"{v:.9g}") for v in numpy.atleast_1d(row)] for row in predictions]
    models[name] = {"model": text, "predictions": short}


def cells(sentinel):
    """The cells with a number in the first column of the first 60 rows, whose target "marked" is larger."""
    Z = X.astype(numpy.float64)
    Z[:60, 0] = sentinel
    return Z


def light(name, objective, target="values", Z=X, factor=1, rounds=3, early=False, keep=None, names="auto", **more):
    y = targets[target] * factor
    parameters = {"objective": objective, "num_leaves": 5, "verbosity": -1, "num_threads": 1, "max_bin": 63, **more}
    group = groups if "rank" in objective else None
    calls, valid = [], []
    train = lightgbm.Dataset(Z, y, group=group, feature_name=names)
    if early:
        rounds, calls = 40, [lightgbm.early_stopping(2, verbose=False)]
        train = lightgbm.Dataset(Z[learn], y[learn])
        valid = [lightgbm.Dataset(Z[stop], y[stop], reference=train)]
    model = lightgbm.train(parameters, train, rounds, valid_sets=valid, callbacks=calls, keep_training_booster=early)
    text = model.model_to_string(num_iteration=keep)
    add("lightgbm/" + name, text, lightgbm.Booster(model_str=text).predict(rows))


def saved(model):
    with tempfile.TemporaryDirectory() as folder:
        model.save_model(f"{folder}/model.json")
        with open(f"{folder}/model.json") as file:
            return file.read()


def loaded(kind, text):
    model = kind()
    model.load_model(bytearray(text.encode()))
    return model


def of_booster(name, model, softmax=False):
    text = saved(model)
    scores = loaded(xgboost.Booster, text).predict(xgboost.DMatrix(rows), output_margin=softmax)
    if softmax:  # of multi:softmax, which predicts the largest class only
        scores = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        scores /= scores.sum(axis=1, keepdims=True)
    add("xgboost/" + name, text, scores)


def of_estimator(name, kind, target, **more):
    model = kind(n_jobs=1, max_depth=2, **more)
    y = targets[target]
    valid = {"eval_set": [(X[stop], y[stop])], "verbose": False} if "early_stopping_rounds" in more else {}
    model.fit(X[learn], y[learn], **valid)
    text = saved(model)
    again = loaded(kind, text)
    add("xgboost/" + name, text, again.predict_proba(rows) if "Classifier" in kind.__name__ else again.predict(rows))


def xg(name, objective, target="values", Z=X, factor=1, rounds=2, early=False, **more):
    y = targets[target] * factor
    data = xgboost.DMatrix(Z, y)
    if objective == "survival:aft":
        data = xgboost.DMatrix(Z, label_lower_bound=y, label_upper_bound=y)
    if objective.startswith("rank"):
        data.set_group(groups)
    parameters = {"objective": objective, "max_depth": 3, "nthread": 1, **more}
    stopping = {}
    if early:
        rounds = 30
        data, valid = xgboost.DMatrix(Z[learn], y[learn]), xgboost.DMatrix(Z[stop], y[stop])
        stopping = {"evals": [(valid, "stop")], "early_stopping_rounds": 3, "verbose_eval": False}
    of_booster(name, xgboost.train(parameters, data, rounds, **stopping), objective == "multi:softmax")


# What each library trains on its own: objectives.
for objective in ["regression", "regression_l1", "huber", "fair", "quantile", "mape"]:
    light(objective, objective)
for objective, target in [("poisson", "counts"), ("gamma", "positive"), ("tweedie", "counts"), ("binary", "two"),
                          ("cross_entropy", "share"), ("lambdarank", "three"), ("rank_xendcg", "three")]:
    light(objective, objective, target)
for objective in ["squarederror", "absoluteerror", "pseudohubererror"]:
    xg(objective, "reg:" + objective)
xg("squaredlogerror", "reg:squaredlogerror", "positive")
xg("quantileerror", "reg:quantileerror", quantile_alpha=0.7)
for objective, target in [("count:poisson", "counts"), ("reg:gamma", "positive"), ("reg:tweedie", "counts"),
                          ("survival:cox", "positive"), ("survival:aft", "positive"), ("binary:logistic", "two"),
                          ("binary:logitraw", "two"), ("reg:logistic", "share"), ("rank:pairwise", "three"),
                          ("rank:ndcg", "three"), ("rank:map", "two")]:
    xg(objective.replace(":", "-"), objective, target)
# Numbers of classes.
for target, classes in [("two", 2), ("three", 3), ("five", 5)]:
    light(f"multiclass-{target}", "multiclass", target, num_class=classes)
    xg(f"softprob-{target}", "multi:softprob", target, num_class=classes)
    xg(f"softmax-{target}", "multi:softmax", target, num_class=classes)
# Kinds of boosting, and of trees.
tasks = {"values": ("regression", "reg:squarederror", {}), "two": ("binary", "binary:logistic", {}),
         "two-sums": ("multiclass", "multi:softprob", {"num_class": 2}),
         "three": ("multiclass", "multi:softprob", {"num_class": 3}), "counts": ("poisson", "count:poisson", {})}
forest = {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}
for task, (mine, yours, more) in tasks.items():
    target = task.removesuffix("-sums")
    light("dart-" + task, mine, target, boosting="dart", drop_rate=0.5, skip_drop=0, **more)
    light("goss-" + task, mine, target, data_sample_strategy="goss", learning_rate=0.6, **more)
    xg("dart-" + task, yours, target, booster="dart", rate_drop=0.5, one_drop=1, **more)
    xg("parallel-" + task, yours, target, num_parallel_tree=3, subsample=0.6, max_depth=2, **more)
    if task != "counts":
        light("forest-" + task, mine, target, **forest, **more)
    # LightGBM takes what is missing for 0 if nothing was in training.
    light("whole-" + task, mine, target, numpy.nan_to_num(X), **more)
    xg("whole-" + task, yours, target, numpy.nan_to_num(X), **more)
    light("early-" + task, mine, target, early=True, learning_rate=0.6, **more)
    xg("early-" + task, yours, target, early=True, eta=0.8, **more)
light("early-all", "regression", early=True, keep=-1, learning_rate=0.6)
light("sigmoid", "binary", "two", sigmoid=2.5)
light("unbalanced", "binary", "two", is_unbalance=True)
light("extra", "regression", extra_trees=True)
light("stump", "regression", num_leaves=2)
light("leaf", "regression", min_data_in_leaf=150)
light("named", "regression", names=["Column_0", "b", "c", "d"])
xg("exact", "reg:squarederror", tree_method="exact")
xg("approx", "reg:squarederror", tree_method="approx")
xg("lossguide", "binary:logistic", "two", grow_policy="lossguide", max_leaves=5, max_depth=0)
xg("pruned", "reg:squarederror", tree_method="exact", gamma=30)
xg("leaf", "reg:squarederror", min_child_weight=300)
xg("base", "binary:logistic", "two", base_score=0.2)
xg("dart-parallel", "multi:softprob", "three", num_class=3, booster="dart", rate_drop=0.5, one_drop=1,
   num_parallel_tree=2, subsample=0.6, max_depth=2)
of_estimator("estimator", xgboost.XGBClassifier, "three", n_estimators=2)
of_estimator("estimator-forest-two", xgboost.XGBRFClassifier, "two", n_estimators=3)
of_estimator("estimator-forest-three", xgboost.XGBRFClassifier, "three", n_estimators=3)
of_estimator("estimator-forest-values", xgboost.XGBRFRegressor, "values", n_estimators=3)
for name, kind, target, more in [
        ("values", xgboost.XGBRegressor, "values", {}), ("three", xgboost.XGBClassifier, "three", {}),
        ("parallel", xgboost.XGBClassifier, "three", {"num_parallel_tree": 2, "subsample": 0.6}),
        ("dart", xgboost.XGBRegressor, "values", {"booster": "dart", "rate_drop": 0.3})]:
    of_estimator("estimator-early-" + name, kind, target, n_estimators=30, early_stopping_rounds=3, learning_rate=0.8,
                 **more)
# Labels that are all equal.
for target in ["none", "all"]:
    light("equal-two-" + target, "binary", target)
    light("equal-three-" + target, "multiclass", target, num_class=3)
    light("equal-values-" + target, "regression", target)
    for objective in ["binary:logistic", "reg:logistic", "binary:logitraw", "reg:squarederror", "count:poisson"]:
        xg(f"equal-{objective.replace(':', '-')}-{target}", objective, target)
    xg("equal-three-" + target, "multi:softprob", target, num_class=3)
xg("equal-gamma", "reg:gamma", "all")
xg("equal-tweedie", "reg:tweedie", "all")
# Cells that stand for none, and huge values.
for sentinel in [-1e300, 1e300, -numpy.inf, numpy.inf, -3e38, 3e38, -float(huge), float(huge)]:
    Z = cells(sentinel)
    light(f"sentinel{sentinel}", "regression", "marked", Z)
    Z[numpy.isnan(Z)] = 0
    light(f"sentinel{sentinel}-whole", "regression", "marked", Z)
    if abs(sentinel) <= huge:
        xg(f"sentinel{sentinel}", "reg:squarederror", "marked", Z)
        xg(f"sentinel{sentinel}-exact", "reg:squarederror", "marked", cells(sentinel), tree_method="exact")
targets["marked"] = score + 5 * ((numpy.arange(len(X)) < 60) | numpy.isnan(X[:, 0]))
light("sentinel-missing-left", "regression", "marked", cells(-1e300))
for factor in [1e18, 1e19, 1e25]:
    light(f"factor{factor}", "regression", factor=factor)
xg("factor1e18", "reg:squarederror", factor=1e18)

x = [[None if v != v else float(v) for v in row] for row in rows]
with gzip.GzipFile("models.json.gz", "wb", 9, mtime=0) as file:
    file.write(json.dumps({"x": x, "models": models}).encode())
print(len(models))
