"""Predicts what a test wrote: in each folder given, model.onnx for the columns that inputs.json describes.

A number of a column is a little-endian float64 in x.f64, column after column; a text is in inputs.json. Class
probabilities or values go to y.f32, labels to labels.json.
"""

import json
import sys

import numpy
import onnxruntime

BATCH = 1000  # rows; a slanted split needs 4 bytes a row

for folder in sys.argv[1:]:
    with open(f"{folder}/inputs.json") as file:
        columns = json.load(file)
    numbers = numpy.fromfile(f"{folder}/x.f64", "<f8")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(f"{folder}/model.onnx", options, providers=["CPUExecutionProvider"])
    types = {"tensor(float)": "f4", "tensor(double)": "f8", "tensor(string)": object}
    wanted = {i.name: types[i.type] for i in session.get_inputs()}
    inputs, begin = {}, 0
    for c in columns:
        if c["texts"] is None:
            inputs[c["name"]] = numbers[begin:begin + c["rows"]].reshape(-1, 1)
            begin += c["rows"]
        else:
            inputs[c["name"]] = numpy.array(c["texts"], dtype=object).reshape(-1, 1)
    if list(wanted) == ["X"]:
        inputs = {"X": numpy.ascontiguousarray(numpy.hstack([inputs[c["name"]] for c in columns]))}
    rows = columns[0]["rows"]
    names = [o.name for o in session.get_outputs()]
    results = []
    for i in range(0, rows, BATCH):
        results.append(session.run(names, {name: x[i:i + BATCH].astype(wanted[name]) for name, x in inputs.items()}))
    whole = {name: numpy.concatenate([r[k] for r in results]) for k, name in enumerate(names)}
    labels = whole.pop("output_label", numpy.array([]))
    with open(f"{folder}/labels.json", "w") as file:
        json.dump([str(name) for name in labels], file)
    (y,) = whole.values()
    y.astype("<f4").tofile(f"{folder}/y.f32")
