"""Every parser of external input returns a result for any text within a time limit."""

import time
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.mutate import mutated
from mcpi.core.auth import endpoint_urls, metadata, token_store
from mcpi.core.flags import canned_answers, pairs, types
from mcpi.core.outcome.result import Failure, Success
from mcpi.core.plans.catalog import Catalog
from mcpi.core.scripts import script
from mcpi.core.secrets import redactor
from mcpi.core.targets import config_file as config
from mcpi.core.targets import config_variables, target
from mcpi.core.wire import challenge
from mcpi.plugins.methods.skills import frontmatter
from mcpi.shell.cli import app
from mcpi.shell.context import process_context
from mcpi.shell.discovery.loader import Plugins

CATALOG: Catalog = Plugins({}).catalog
MAX_SECONDS = 2.0
"""CPU seconds; a parser in quadratic time takes more."""
SERVER = "https://mcp.example/mcp"
STORE = '{"version":1,"tokens":{"a":{"access_token":"b"}},"clients":{}}'
SERVERS = '{"mcpServers":{"a":{"command":"b","env":{"C":"${D:-e}"}}}}'
STEPS = '{"vars":{"a":1},"steps":[{"method":"ping","expect":{"/a":1}}]}'
FILLERS = (" ", "\t", "a", "=", '"', "\\", ",", "{", "[", "'", "0", "%", "/", ":", "-\n", "a:\n")
METADATA = '{"resource":"https://mcp.example/mcp","authorization_servers":["https://as.example"],"issuer":"x"}'


def read_metadata(text: str) -> None:
    """Parse both metadata documents of OAuth discovery."""
    document = metadata.parse(text)
    if document is not None:
        metadata.parse_resource(document, SERVER, SERVER)
        metadata.parse_issuer(document, "x", SERVER)


def url(text: str) -> None:
    """Run every URL function of mcpi."""
    if endpoint_urls.split(text) is not None:
        for function in (
            endpoint_urls.root,
            endpoint_urls.canonical,
            endpoint_urls.resource_metadata_urls,
            endpoint_urls.issuer_metadata_urls,
        ):
            function(text)
        endpoint_urls.covers(text, SERVER)
    endpoint_urls.may_refer_to(SERVER, text)
    made = target.parse_target((text,), None)
    if isinstance(made, Success):
        target.secrets_in_target(made.unwrap())


def command_line(text: str) -> None:
    """Parse the words of a command line."""
    drafted = app.read(tuple(text.split(" ")), process_context().environment, CATALOG)
    assert isinstance(drafted, Success | Failure)


PARSERS: dict[str, tuple[Callable[[str], object], str]] = {
    "challenge": (challenge.parse, 'Bearer realm="x", scope="a b", error=c, Basic YTpi==, DPoP algs="ES256"'),
    "frontmatter": (
        frontmatter.parse_frontmatter,
        "---\nname: a\nb:\n  - 1\n  - 'x'\nc: {\"d\": [1]}\ne: # f\n---\ntext",
    ),
    "sampling": (
        lambda text: canned_answers.parse_sampling("-", text),
        '{"role":"assistant","content":{"type":"text"}}',
    ),
    "elicitation": (lambda text: canned_answers.parse_elicitation("-", text), '{"name":"x"}'),
    "store": (
        lambda text: token_store.parse("x", text),
        '{"version":1,"tokens":{"a":{"access_token":"b"}},"clients":{}}',
    ),
    "metadata": (read_metadata, METADATA),
    "url": (url, "https://me:pass@mcp.example:8443/mcp?apiKey=1234567890&x#f"),
    "config": (
        lambda text: config.parse_servers("x", text),
        '{"mcpServers":{"a":{"command":"b","env":{"C":"${D:-e}"}}}}',
    ),
    "variables": (
        lambda text: config_variables.expand("x", "y", text, {"D": "e"}),
        "a ${D} ${env:D:-x} ${input:y} $ ${",
    ),
    "script": (
        lambda text: script.parse("x", text, CATALOG, {}),
        '{"vars":{"a":1},"steps":[{"method":"ping","expect":{"/a":1}}]}',
    ),
    "command line": (command_line, "--method tools/call --tool-name x --tool-arg a=1 -- node server.js --port 1"),
    "header": (lambda text: pairs.parse_header("-H", text), "Name: value"),
    "pair": (lambda text: pairs.parse_pair("--tool-arg", text), "key:=[1.10]"),
    "expectation": (lambda text: types.parse_expectation("-", text), "/a/0:matches=^(ok)+$"),
    "root": (lambda text: pairs.parse_root("-", text), "file:///a=b"),
    "reference": (lambda text: pairs.parse_ref("-", text), "ref/resource/x:{y}"),
    "secrets": (lambda text: redactor.Redactor([text])(METADATA), "mcp.example"),
}


@pytest.mark.filterwarnings("ignore::FutureWarning")  # the mutated expressions may use syntax that Python will change
@pytest.mark.parametrize("name", PARSERS)
def test_parser_accepts_mutated_examples(name: str) -> None:
    parse, example = PARSERS[name]
    for seed in range(300):
        parse(mutated(Random(seed), example.encode()).decode(errors="replace"))  # noqa: S311 - repeatable


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize(
    "filler", [" ", "\t", "a", "=", '"', "\\", ",", "{", "[", "'", "0", "%", "/", ":", "-\n", "a:\n"]
)
def test_parser_time_is_bounded_for_long_repetitive_input(name: str, filler: str) -> None:
    parse, example = PARSERS[name]
    at = len(example) // 2
    # cyclopts takes about 50 us for each word, twice; the time grows linearly with the number of words.
    long, limit = (filler * 5_000, 2 * MAX_SECONDS) if name == "command line" else (filler * 20_000, MAX_SECONDS)
    started = time.process_time()
    for text in (long, example[:at] + long + example[at:], f"a{long}("):
        parse(text)
    assert time.process_time() - started < limit


@pytest.mark.filterwarnings("ignore::FutureWarning")
@settings(max_examples=50, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(list(PARSERS)), st.text())
def test_parser_accepts_any_text(name: str, text: str) -> None:
    PARSERS[name][0](text)
