"""Waiting for conditions."""

import time


def eventually(condition, seconds=20.0, what=""):
    """The first true value of a condition that is asked again and again; fails once the time is over."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds:g} s: {what or 'the condition'}; last value: {str(value)[:400]}")
        time.sleep(0.05)
