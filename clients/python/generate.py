"""Writes what the package takes from the service's OpenAPI document, which comes on standard input.

`models.py` has the answers (pydantic), `requests.py` the bodies (TypedDict), `_async_operations.py` a method for each
operation. The sync files are the async ones without `async` and `await`, so both behave alike.

Run it by `npm run generate:client:python`, which brings the tools and the document.
"""

from __future__ import annotations

import json
import keyword
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent / "src" / "fleet_decisions"
JSON = "application/json"
CSV = "text/csv"
NOTE = '"""{}\n\nGenerated from the OpenAPI document by generate.py: do not edit.\n"""\n\n'
SCHEMAS = "#/components/schemas/"
# Bounds are checked by the service, which says more about a fault than a schema can.
BOUNDS = {
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "uniqueItems"),
    *("pattern", "propertyNames", "default"),
}
# Strings of these formats may be given as objects of Python, too.
MOMENTS = {"date-time": "Moment", "date-time-or-now": "Moment", "date": "Day"}
Schema = dict[str, Any]


def main() -> None:
    """Reads the document and writes all generated files."""
    document = json.load(sys.stdin)
    operations = [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    schemas = document["components"]["schemas"]
    answered = [content[JSON]["schema"] for content in contents_of_answers(operations) if JSON in content]
    sent = [schema for *_, operation in operations if (schema := body_schema(operation)[1])]
    as_arguments = {schema["$ref"].removeprefix(SCHEMAS) for schema in sent}
    write("models.py", models(schemas, [*answered, {"$ref": SCHEMAS + "JobResult"}]))
    write("requests.py", requests(schemas, sent, as_arguments))
    source = Operations(schemas, operations).source()
    write("_async_operations.py", source)
    write("_operations.py", without_async(source))
    for name in ("client", "jobs"):
        text = (PACKAGE / f"_async_{name}.py").read_text("utf-8")
        write(f"_{name}.py", without_async(text))
    for arguments in (["check", "--fix", "--exit-zero", "--silent"], ["format", "--quiet"]):
        subprocess.run(["ruff", *arguments, str(PACKAGE)], check=True, cwd=Path(__file__).parent)


def write(name: str, text: str) -> None:
    """Writes a file of the package."""
    (PACKAGE / name).write_text(text, "utf-8")


def contents_of_answers(operations: list[tuple[str, str, Schema]]) -> list[Schema]:
    """The media types of all answers that are no errors."""
    return [
        answer.get("content", {})
        for *_, operation in operations
        for status, answer in operation["responses"].items()
        if status.startswith("2")
    ]


def body_schema(operation: Schema) -> tuple[str, Schema | None]:
    """The media type of an operation's JSON body and its schema, or none."""
    content = operation.get("requestBody", {}).get("content", {})
    for media_type, value in content.items():
        if media_type.endswith("json"):
            return media_type, value["schema"]
    return "", None


# ---------------------------------------------------------------------------------------------------------------------
# Models


def models(schemas: Schema, roots: list[Schema]) -> str:
    """Source of the answers. It accepts words and keys that a later service adds: clients are updated last."""
    reached = {name: open_answer(schemas[name]) for name in reachable(schemas, roots)}
    source = generate(reached, "pydantic_v2.BaseModel", "--base-class", "fleet_decisions._base.Model")
    return NOTE.format("What the service answers.") + source


def requests(schemas: Schema, roots: list[Schema], as_arguments: set[str]) -> str:
    """Source of the bodies: dictionaries, so that a request is written as the documentation of the service shows it.

    Keys of `as_arguments` are arguments of methods: `from` is `from_` there, and sent as `from`.
    """
    reached = {name: request_shape(schemas[name]) for name in reachable(schemas, roots)}
    for name in as_arguments:
        properties = reached[name]["properties"]
        reached[name]["properties"] = {identifier(key): value for key, value in properties.items()}
        reached[name]["required"] = [identifier(key) for key in reached[name].get("required", [])]
    reached |= {name: {"type": "string"} for name in MOMENTS.values()}
    source = generate(reached, "typing.TypedDict")
    source = re.sub(r"^Moment.* = str$", "Moment: TypeAlias = str | datetime", source, flags=re.M)
    source = re.sub(r"^Day.* = str$", "Day: TypeAlias = str | date", source, flags=re.M)
    for alias in ("Moment: TypeAlias = str | datetime\n", "Day: TypeAlias = str | date\n"):
        assert alias in source, f"the generator writes no {alias}"
    head = "from datetime import date, datetime\n"
    return NOTE.format("What the service is asked.") + source.replace("from typing", head + "from typing", 1)


def reachable(schemas: Schema, roots: list[Schema]) -> list[str]:
    """Names of the schemas behind some schemas, in the document's order."""
    seen: set[str] = set()

    def visit(value: Any) -> None:
        if isinstance(value, dict):
            name = str(value.get("$ref", "")).removeprefix(SCHEMAS)
            if name and name not in seen:
                seen.add(name)
                visit(schemas[name])
            for inner in value.values():
                visit(inner)
        elif isinstance(value, list):
            for inner in value:
                visit(inner)

    visit(roots)
    return [name for name in schemas if name in seen]


def unbound(value: Schema) -> Schema:
    """A schema without bounds. What may have any keys is a dictionary, also if the document names some of them."""
    is_map = isinstance(value.get("additionalProperties"), dict)
    left_out = BOUNDS | {"properties"} if is_map else BOUNDS
    return {key: inner for key, inner in value.items() if key not in left_out}


def walk(value: Any, change: Any) -> Any:
    """A copy of a schema in which `change` has been applied to every schema, the inner ones first."""
    if isinstance(value, list):
        return [walk(inner, change) for inner in value]
    if not isinstance(value, dict):
        return value
    shown = {}
    for key, inner in value.items():
        if key in ("properties", "patternProperties"):
            shown[key] = {name: walk(schema, change) for name, schema in inner.items()}
        elif key in ("enum", "required", "const", "description"):
            shown[key] = inner
        else:
            shown[key] = walk(inner, change)
    return change(shown)


def open_answer(schema: Schema) -> Schema:
    """An answer's schema without bounds, whose objects may have more keys and whose enumerations more words."""

    def change(value: Schema) -> Schema:
        value = unbound(value)
        if value.get("additionalProperties") is False:
            del value["additionalProperties"]
        if value.get("format") not in MOMENTS:
            value.pop("format", None)
        if "enum" in value:
            text = value.pop("description", None)
            kind = value.get("type", "string")
            return {"anyOf": [value, {"type": kind}], **({"description": text} if text else {})}
        return value

    return dict(walk(schema, change))


def request_shape(schema: Schema) -> Schema:
    """A body's schema without bounds; times are named."""

    def change(value: Schema) -> Schema:
        value = unbound(value)
        if value.get("additionalProperties") is False:
            del value["additionalProperties"]
        known = MOMENTS.get(value.pop("format", ""))
        if known is None:
            return value
        text = value.get("description")
        return {"$ref": SCHEMAS + known, **({"description": text} if text else {})}

    return dict(walk(schema, change))


def generate(schemas: Schema, kind: str, *options: str) -> str:
    """Source of all schemas."""
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Fleet Decision Service", "version": "0"},
        "paths": {},
        "components": {"schemas": schemas},
    }
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "openapi.json"), Path(folder, "models.py")
        source.write_text(json.dumps(document), "utf-8")
        command = [
            "datamodel-codegen",
            *("--input", str(source), "--input-file-type", "openapi", "--output", str(target)),
            *("--output-model-type", kind, "--target-python-version", "3.10", "--disable-timestamp"),
            *("--enum-field-as-literal", "all", "--use-standard-collections", "--use-union-operator"),
            *("--use-schema-description", "--use-field-description", "--use-annotated", "--use-single-line-docstring"),
            *("--keep-model-order", "--use-type-alias", "--output-datetime-class", "datetime", "--no-formatters"),
            *options,
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        text = target.read_text("utf-8")
    return re.sub(r"\A#.*\n(#.*\n)*\n*", "", text)


# ---------------------------------------------------------------------------------------------------------------------
# Operations


class Operations:
    """Source of a method for each operation of the document."""

    def __init__(self, schemas: Schema, operations: list[tuple[str, str, Schema]]) -> None:
        self.schemas = schemas
        self.operations = operations

    def source(self) -> str:
        """The module of the async methods."""
        head = (
            NOTE.format("A method for each operation of the service.")
            + "from __future__ import annotations\n\n"
            + "from collections.abc import AsyncIterator\n"
            + "from typing import Any, Literal, TypeVar, overload\n\n"
            + "from typing_extensions import Unpack\n\n"
            + "from . import models, requests\n"
            + "from ._async_jobs import AsyncPendingJob\n"
            + "from ._base import Model\n"
            + "from ._csv import Csv\n\n"
            + 'A = TypeVar("A", bound=Model)\n\n\n'
            + "class AsyncOperations:\n"
            + '    """The operations; `AsyncFleet` adds how they are sent."""\n\n'
            + "    async def _call(self, method: str, path: str, answer: type[A], **options: Any) -> A:\n"
            + "        raise NotImplementedError\n\n"
            + "    async def _call_text(self, method: str, path: str, **options: Any) -> str:\n"
            + "        raise NotImplementedError\n\n"
            + "    async def _start(\n"
            + "        self, path: str, answer: type[A], *, wait: bool, idempotency_key: str | None, body: Any\n"
            + "    ) -> A | AsyncPendingJob[A]:\n"
            + "        raise NotImplementedError\n"
        )
        methods = [text for operation in self.operations for text in self.methods(*operation)]
        return head + "".join(f"\n{method}" for method in methods)

    def methods(self, path: str, method: str, operation: Schema) -> list[str]:
        """The methods of one operation: JSON, CSV in, CSV out, all pages."""
        name = operation["operationId"]
        media_type, schema = body_schema(operation)
        parameters = operation.get("parameters", [])
        in_path = [p for p in parameters if p["in"] == "path"]
        in_query = [p for p in parameters if p["in"] == "query"]
        answers = {s: a for s, a in operation["responses"].items() if s.startswith("2")}
        content = answers[min(answers)]["content"]
        answer = self.name_of(content[JSON]["schema"])
        call = f'"{method.upper()}", "{path}"'
        parts = parts_of(in_path)
        if "202" in answers and any(p["name"] == "idempotency-key" for p in parameters):
            return [job_method(name, operation, path, answer, self.name_of(schema or {}))]

        csv_only = [p for p in in_query if p["name"] in ("part", "spreadsheet")]
        json_query = [p for p in in_query if p not in csv_only]
        body = f"**body: Unpack[requests.{self.name_of(schema)}]" if schema else ""
        options = [query_of(json_query), "body=body" if schema else ""]
        if schema and media_type != JSON:
            options.append(f'media_type="{media_type}"')
        arguments = signature(in_path, json_query, body)
        found = [
            f"    async def {name}({arguments}) -> models.{answer}:\n"
            + docstring(operation)
            + f"        return await self._call({join(call, f'models.{answer}', parts, *options)})\n"
        ]
        if any(p["name"] == "cursor" for p in in_query):
            found.append(self.pages_method(name, answer, in_path, json_query))
        if CSV in operation.get("requestBody", {}).get("content", {}):
            given = join(call, f"models.{answer}", parts, query_of(in_query), "csv=csv")
            found.append(
                f"    async def {name}_csv({signature(in_path, in_query, '', 'csv: Csv')}) -> models.{answer}:\n"
                + docstring(operation, "From CSV: a text, bytes, the path of a file, or a data frame.")
                + f"        return await self._call({given})\n"
            )
        if CSV in content:
            found.append(
                f"    async def {name}_csv({signature(in_path, in_query, '')}) -> str:\n"
                + docstring(operation, "As CSV.")
                + f"        return await self._call_text({join(call, parts, query_of(in_query))})\n"
            )
        return found

    def pages_method(self, name: str, answer: str, in_path: list[Schema], query: list[Schema]) -> str:
        """A method that goes through all pages of a list."""
        data = self.schemas[self.name_of(self.schemas[answer]["properties"]["data"])]
        lists = {
            key: self.name_of(value["items"])
            for key, value in data["properties"].items()
            if value.get("type") == "array" and "$ref" in value.get("items", {})
        }
        rows, row = next(item for item in lists.items() if len(lists) == 1 or item[0] in PAGED_ROWS)
        filters = [p for p in query if p["name"] != "cursor"]
        given = ", ".join(f"{identifier(p['name'])}={identifier(p['name'])}" for p in filters)
        own = ", ".join([*(identifier(p["name"]) for p in in_path), given, "cursor=cursor"])
        return (
            f"    async def iter_{name.removeprefix('list_')}({signature(in_path, filters, '')})"
            + f" -> AsyncIterator[models.{row}]:\n"
            + f'        """Every row of `{name}`, page after page; `limit` is the size of a page."""\n'
            + "        cursor: str | None = None\n"
            + "        while True:\n"
            + f"            page = (await self.{name}({own})).data\n"
            + f"            for row in page.{rows}:\n"
            + "                yield row\n"
            + "            cursor = page.next_cursor\n"
            + "            if cursor is None:\n"
            + "                return\n"
        )

    def name_of(self, schema: Schema) -> str:
        """The name of the schema that a schema refers to."""
        return str(schema["$ref"]).removeprefix(SCHEMAS)


# The list that pages go through, where an answer has several.
PAGED_ROWS = ("differences",)


def job_method(name: str, operation: Schema, path: str, answer: str, body: str) -> str:
    """A method that waits for the job, or with `wait=False` returns it."""

    def head(wait: str, result: str) -> str:
        return (
            f"    async def {name}(self, *, {wait}, idempotency_key: str | None = None, "
            f"**body: Unpack[requests.{body}]) -> {result}:"
        )

    done, pending = f"models.{answer}", f"AsyncPendingJob[models.{answer}]"
    return (
        f"    @overload\n{head('wait: Literal[True] = True', done)} ...\n\n"
        f"    @overload\n{head('wait: Literal[False]', pending)} ...\n\n"
        f"{head('wait: bool = True', f'{done} | {pending}')}\n"
        + docstring(operation, "With `wait=False` it returns the job at once.")
        + f'        return await self._start("{path}", {done}, '
        + "wait=wait, idempotency_key=idempotency_key, body=body)\n"
    )


def signature(in_path: list[Schema], in_query: list[Schema], body: str, first: str = "") -> str:
    """The arguments of a method: parts of the path by position, the rest by name."""
    positional = [f"{identifier(p['name'])}: {type_of(p['schema'])}" for p in in_path]
    named = [
        f"{identifier(p['name'])}: {type_of(p['schema'])}" + ("" if p.get("required") else " | None = None")
        for p in in_query
    ]
    return join("self", *positional, first, "*" if named else "", *named, body)


def query_of(parameters: list[Schema]) -> str:
    """The argument with the query, if an operation has one."""
    inner = ", ".join(f'"{p["name"]}": {identifier(p["name"])}' for p in parameters)
    return f"query={{{inner}}}" if inner else ""


def parts_of(in_path: list[Schema]) -> str:
    """The argument with the parts of the path, if it has any."""
    inner = ", ".join(f'"{p["name"]}": {identifier(p["name"])}' for p in in_path)
    return f"parts={{{inner}}}" if inner else ""


def type_of(schema: Schema) -> str:
    """The type of a parameter."""
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(value) for value in schema['enum'])}]"
    names = {"integer": "int", "number": "float", "boolean": "bool", "string": "str"}
    kinds = schema.get("anyOf") or [schema]
    return " | ".join(dict.fromkeys(names.get(kind.get("type", ""), "str") for kind in kinds))


def identifier(name: str) -> str:
    """A name as Python allows it."""
    plain = name.replace("-", "_")
    return f"{plain}_" if keyword.iskeyword(plain) else plain


def join(*parts: str) -> str:
    """The parts that are not empty. Arguments by position come before those by name."""
    flat = [part for part in parts if part]
    return ", ".join(flat)


def docstring(operation: Schema, further: str = "") -> str:
    """The documentation of a method."""
    texts = [operation.get("summary", ""), operation.get("description", ""), further]
    text = "\n\n".join(text.strip() for text in texts if text).replace("\\", "\\\\").replace('"""', "'''")
    lines = [line for paragraph in text.split("\n") for line in wrap(paragraph)]
    if len(lines) == 1:
        return f'        """{lines[0]}"""\n'
    return '        """' + "\n".join(f"        {line}".rstrip() for line in lines).strip() + '\n        """\n'


def wrap(text: str) -> list[str]:
    """A paragraph in lines of at most 100 columns."""
    return textwrap.wrap(text, 100) or [""]


# ---------------------------------------------------------------------------------------------------------------------
# Sync from async

WITHOUT_ASYNC = (
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bAsync(Iterator|Generator)\b", r"\1"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b_async_", "_"),
    (r"_async\b", "_sync"),
    (r"\b__a(enter|exit)__\b", r"__\1__"),
    (r"\baclose\b", "close"),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"^import asyncio$", "import time"),
    (r"\baclosing\b", "closing"),
)


def without_async(source: str) -> str:
    """The sync form of a module."""
    for pattern, replacement in WITHOUT_ASYNC:
        source = re.sub(pattern, replacement, source, flags=re.M)
    return source


if __name__ == "__main__":
    main()
