"""Wrote the models and the predictions here, with LightGBM 4.7.0 and XGBoost 3.2.0."""

import json

import lightgbm
import numpy
import xgboost

random = numpy.random.default_rng(0)
X = random.normal(size=(200, 4)).astype(numpy.float32)
X[:, 3] = numpy.round(X[:, 3])  # many cells are at a threshold of XGBoost, which compares by <
score = X[:, 0] + X[:, 1] * X[:, 2] + X[:, 3] + 0.3 * random.normal(size=len(X))
targets = {"values": score, "two": score > 0, "three": numpy.digitize(score, [-0.7, 0.7]),
           "counts": random.poisson(numpy.exp(score / 2))}
missing = random.random(X.shape) < 0.1
X[missing] = numpy.nan
objectives = {"values": ("regression", "reg:squarederror", {}), "two": ("binary", "binary:logistic", {}),
              "three": ("multiclass", "multi:softprob", {"num_class": 3}),
              "counts": ("poisson", "count:poisson", {}),
              "forest": ("regression", None, {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6})}
whole = numpy.nan_to_num(X)  # LightGBM takes what is missing for 0 if nothing was in training
objectives["whole"] = ("regression", None, {})
predictions = {"x": [[None if v != v else v for v in row] for row in X[:40].tolist()]}
for name, (light, xg, more) in objectives.items():
    y = targets.get(name, score)
    model = lightgbm.train({"objective": light, "num_leaves": 5, "verbosity": -1, "num_threads": 1, **more},
                           lightgbm.Dataset(whole if name == "whole" else X, y), 3)
    model.save_model(f"lightgbm-{name}.txt")
    predictions[f"lightgbm-{name}.txt"] = model.predict(X[:40]).tolist()
    if xg:
        model = xgboost.train({"objective": xg, "max_depth": 3, "nthread": 1, **more}, xgboost.DMatrix(X, y), 2)
        model.save_model(f"xgboost-{name}.json")
        predictions[f"xgboost-{name}.json"] = model.predict(xgboost.DMatrix(X[:40])).tolist()
with open("predictions.json", "w") as file:
    json.dump(predictions, file)
