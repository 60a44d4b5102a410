"""Loaded by Schemathesis: puts names that the desk knows into the paths, and counts what was asked and answered.

KNOWN_NAMES is a JSON file, values by parameter; TALLY is the file that the counts are written to at the end."""

import atexit
import collections
import json
import os
import threading
import zlib

import schemathesis
from schemathesis.core.parameters import ParameterLocation

KNOWN = json.load(open(os.environ["KNOWN_NAMES"]))
TALLY = collections.defaultdict(collections.Counter)
LOCK = threading.Lock()


def known(parameter: str, number: int) -> str | None:
    """For seven of eight cases, a name that the desk knows."""
    names = KNOWN.get(parameter)
    return names[number // 8 % len(names)] if names and number % 8 else None


@schemathesis.hook
def before_call(context, case, kwargs):
    # Which name follows from what was drawn, so that the same seed asks the same.
    if case.meta and ParameterLocation.PATH in case.meta.components and case.meta.components[ParameterLocation.PATH].mode.is_negative:
        return  # To be refused as it is.
    drawn = repr((case.operation.label, case.path_parameters, case.query, case.body)).encode()
    for parameter, value in (case.path_parameters or {}).items():
        case.path_parameters[parameter] = known(parameter, zlib.crc32(parameter.encode() + drawn)) or value


@schemathesis.hook
def after_call(context, case, response):
    with LOCK:
        TALLY[case.operation.label][response.status_code] += 1


# What no schema can say of sound data, by the problem's code, or by the end of its field's name: whether a JWS verifies, whether a cursor is
# one that a list gave out, whether a day exists and which of two comes first, what Apple allows as a source, what the case at hand allows.
BEYOND_SCHEMAS = {"malformed", "consent-source", "illegal-preference"}
BEYOND_SCHEMAS_IN = (".cursor", ".from", ".to", ".delivery")


@schemathesis.hook
def filter_failure(context, failure, case, response):
    if type(failure).__name__ != "RejectedPositiveData":
        return True
    problem = response.json()
    return problem["code"] not in BEYOND_SCHEMAS and not ("." + problem.get("field", "")).endswith(BEYOND_SCHEMAS_IN)


@atexit.register
def write():
    with open(os.environ["TALLY"], "w") as file:
        json.dump(TALLY, file)
