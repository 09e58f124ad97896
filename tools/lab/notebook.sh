#!/usr/bin/env bash
# notebook.sh NOTEBOOK FOLDER PYTHON... executes a notebook by PYTHON... (nbconvert) into a folder of FOLDER, and
# compares its outputs with those that it has. It prints what went wrong only at the end, so that several can run at a time.
set -euo pipefail
notebook=$1 folder=$2/$(dirname "$1")
shift 2
mkdir -p "$folder"
name=$(basename "$notebook" .ipynb)
"$@" --output-dir "$folder" "$notebook" 2>"$folder/$name.log" || { tail -n 40 "$folder/$name.log"; exit 1; }
"$1" tools/lab/check.py "$notebook" "$folder/$name.ipynb"
