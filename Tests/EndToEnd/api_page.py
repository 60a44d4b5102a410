"""Makes docs/api.md from the description that a desk gives of itself (`GET /openapi.json`). Run by scripts/api-docs.

usage: api_page.py > docs/api.md"""

import re
import sys

HEAD = """# API

Made by `scripts/api-docs` from the description that the desk gives of itself at `GET /openapi.json` (OpenAPI 3.1). A test checks that it is current,
and another asks the running desk property by property whether the description is true (`scripts/http-properties`).

Times are milliseconds since the epoch, UTC; ids are strings; money is thousandths of the currency's unit. Where a token is needed, send
`Authorization: Bearer TOKEN`; `refund-desk token create` makes one. `read` sees, `write` acts too, `admin` as well.

Errors are `application/problem+json` (RFC 9457) with a stable `code`, a `detail` that says what to do and, where one member is at fault, its `field`.
Besides what is listed, any request may be answered with the problems of the HTTP server: 400 `malformed`, 408 `timeout`, 413 `too-large`, 414
`target-too-long`, 431 `headers-too-large`, and 503 `unavailable` with `Retry-After`.
"""
ANYWHERE = {("400", "malformed"), ("408", "timeout"), ("413", "too-large"), ("414", "target-too-long"), ("431", "headers-too-large"),
            ("503", "unavailable")}


def current_page(description: dict) -> str:
    parts = [HEAD]
    for path, methods in description["paths"].items():
        parts += [operation(method, path, each) for method, each in methods.items()]
    parts.append("# Schemas\n")
    parts += [component(title, schema) for title, schema in description["components"]["schemas"].items()]
    return "\n".join(parts).rstrip("\n") + "\n"


def operation(method: str, path: str, it: dict) -> str:
    lines = [f"## `{method.upper()} {path}`", "", f"{it['summary']} {scope(it)}", ""]
    query = [each for each in it["parameters"] if each["in"] == "query"]
    if query:
        lines += table(("query", "", ""), [(f"`{each['name']}`", shape(each["schema"]), each["description"]) for each in query])
    if "requestBody" in it:
        lines += ["Body:", ""] + content(it["requestBody"]["content"])
    for status, answer in it["responses"].items():
        if status.startswith("2"):
            lines += [f"{status}:", ""] + content(answer.get("content", {}))
    refusals = problems(it)
    return "\n".join(lines + ([f"Problems: {refusals}.", ""] if refusals else []))


def scope(it: dict) -> str:
    return f"Token: `{it['security'][0]['token'][0]}`." if it["security"] else "No token."


def problems(it: dict) -> str:
    found = []
    for status, answer in it["responses"].items():
        if not status.startswith("2"):
            codes = re.findall(r"`([\w-]+)`", answer["description"])
            found += [f"{status} `{code}`" for code in codes if (status, code) not in ANYWHERE]
    return ", ".join(found)


def content(it: dict) -> list[str]:
    for kind, each in it.items():
        if kind == "text/plain":
            return ["Text.", ""]
        schema = each["schema"]
        if "properties" in schema:
            return members(schema)
        return [shape(schema), ""]
    return []


def component(title: str, schema: dict) -> str:
    lines = [f"## {title}", ""]
    if schema.get("description"):
        lines += [schema["description"], ""]
    return "\n".join(lines + (members(schema) if "properties" in schema else [shape(schema), ""]))


def members(schema: dict) -> list[str]:
    needed = set(schema.get("required", []))
    rows = []
    for member, each in schema["properties"].items():
        rows.append((f"`{member}`", shape(each) + ("" if member in needed else ", optional"), describe(each)))
    return table(("member", "", ""), rows)


def describe(schema: dict) -> str:
    if "$ref" in schema:
        return ""
    own = schema.get("description", "")
    for each in schema.get("anyOf", []):
        own = own or each.get("description", "")
    if not own and schema.get("type") == "array":
        own = describe(schema["items"])
    return own


def shape(schema: dict) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        title = schema["$ref"].rsplit("/", 1)[1]
        return f"[{title}](#{title.lower()})"
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " or ".join(dict.fromkeys(shape(each) for each in schema[word]))
    if "enum" in schema:
        return " \\| ".join(f"`{each}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    return by_type(schema)


def by_type(schema: dict) -> str:
    kind = schema.get("type", "any")
    if kind == "array":
        most = f", at most {schema['maxItems']:,}" if "maxItems" in schema else ""
        return f"list of {shape(schema['items'])}{most}"
    if kind == "object" and "properties" in schema:
        needed = set(schema.get("required", []))
        inside = ", ".join(f"`{each}`{'' if each in needed else '?'}: {shape(it)}" for each, it in schema["properties"].items())
        return f"{{{inside}}}"
    limits = f", at most {schema['maxLength']} characters" if "maxLength" in schema else ""
    return {"integer": "integer", "number": "number", "boolean": "boolean", "string": "text", "object": "object", "null": "null"}.get(kind, kind) + limits


def table(head: tuple, rows: list[tuple]) -> list[str]:
    return ["| " + " | ".join(head) + " |", "|---" * len(head) + "|", *("| " + " | ".join(row) + " |" for row in rows), ""]


if __name__ == "__main__":
    from desk import Desk

    with Desk() as running:
        sys.stdout.write(current_page(running.http("GET", "/openapi.json", token=False)[1]))
