"""What Python's safetensors finds in model files, as JSON: for each file its metadata and, for each tensor, dtype, shape,
first value and sum."""

import json
import sys

import numpy as np
from safetensors import safe_open


def contents(path):
    with safe_open(path, framework="numpy") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}
        return {"metadata": file.metadata(), "tensors": {name: facts(value) for name, value in tensors.items()}}


def facts(value):
    return {
        "dtype": str(value.dtype),
        "shape": list(value.shape),
        "first": float(value.flat[0]),
        "sum": float(value.sum(dtype=np.float64)),
    }


json.dump([contents(path) for path in sys.argv[1:]], sys.stdout)
