"""Writes weka_randomrbf.csv: statistics of Weka's RandomRBF, for sim to compare its own with.

Run with Weka 3.6.14, numpy 2.4.6 and scipy 1.17.1:
    python weka_randomrbf.py weka.jar > weka_randomrbf.csv

Weka 3.8.6 writes the same rows. Its generator starts neighbouring seeds almost
alike, so seeds are drawn at random, other ones for each command.
"""

import csv
import random
import subprocess
import sys

import numpy
from scipy.spatial.distance import cdist

# Numbers of classes and centroids: those of GRAF, appendix A, and a class for nearly every centroid.
COMMANDS = [(2, 10), (5, 10), (2, 20), (5, 20), (2, 50), (5, 50), (1000, 10)]
SEEDS = 30


def sample(jar, seed, classes, centroids):
    generator = "weka.datagenerators.classifiers.classification.RandomRBF"
    command = f"java -cp {jar} {generator} -S {seed} -n 10000 -a 10 -c {classes} -C {centroids}"
    arff = subprocess.run(command.split(), check=True, capture_output=True, text=True).stdout
    rows = [line.split(",") for line in arff.split("@data")[1].split()]
    return numpy.array([row[:-1] for row in rows], float), numpy.array([int(row[-1][1:]) for row in rows])


def statistics(x, y):
    """What does not depend on the order of centroids. Lengths and directions are those of rows
    from the mean of their class, over classes of 10 rows or more."""
    stdevs, lengths, fourth = [], [], []
    for label in numpy.unique(y):
        rows = x[y == label]
        if len(rows) < 10:
            continue
        offset = rows - rows.mean(0)
        square = (offset**2).sum(1)
        stdev = square.mean() ** 0.5
        stdevs.append(stdev)
        lengths.extend(square**0.5 / stdev)
        fourth.extend((offset**4).sum(1) / square**2)
    distances = cdist(x[:1000], x[:1000])
    numpy.fill_diagonal(distances, numpy.inf)
    nearest = distances.argmin(1)
    return {
        "shares_squared": ((numpy.bincount(y) / len(y)) ** 2).sum(),
        "mean": x.mean(),
        "variance": x.var(0).mean(),
        "stdev_mean": numpy.mean(stdevs),
        "stdev_spread": numpy.std(stdevs),
        "length": numpy.mean(lengths),
        "fourth_powers": numpy.mean(fourth),
        "nearest_median": numpy.median(distances.min(1)),
        "nearest_error": (y[nearest] != y[:1000]).mean(),
    }


def main():
    draw = random.Random(1)
    table = []
    for classes, centroids in COMMANDS:
        for _ in range(SEEDS):
            seed = draw.randrange(1, 2**31)
            found = statistics(*sample(sys.argv[1], seed, classes, centroids))
            found = {name: f"{value:.4g}" for name, value in found.items()}
            table.append({"classes": classes, "centroids": centroids, "seed": seed, **found})
    out = csv.DictWriter(sys.stdout, table[0], lineterminator="\n")
    out.writeheader()
    out.writerows(table)


main()
