#!/usr/bin/env bash
# Keeps the English of documents, comments, errors and help plain: fails on the words and phrases below. Looks at the prose
# of *.md; at all comments of Rust, kernels, C, C++, Fortran, Python, TypeScript and shells; at string literals of Rust,
# Python and TypeScript outside tests; and at docstrings of Python. Not at code in backticks, fenced or indented blocks. A line that must keep
# such a word is in ALLOWED.
#
#     scripts/words.sh            all files
#     scripts/words.sh FILE...    these files
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 - "$@" <<'PYTHON'
import ast
import re
import subprocess
import sys

# Regular expression (whole words, any case) and what to write instead.
BANNED = [
    (r"wanted", "must be, required, expected"),
    (r"tell|tells|told|telling", "report, print, show, distinguish, know"),
    (r"(held|hold|holds|holding) (\w+ )?(\w+ )?against", "compare with, check against"),
    (r"nobody|somebody|anybody", "no one; name who or what, or use the passive"),
    (r"anew", "again"),
    (r"reckon\w*", "assume, expect, compute"),
    (r"(take|takes|taken|took|taking) up", "resume"),
    (r"on the way", "during the run, meanwhile"),
    (r"in the way", "exists already, blocks"),
    (r"out of the way", "aside"),
    (r"none", "no ..., not any; `None` in backticks; \"none\" as a value"),
    (r"(is|are|be|was|were) no numbers?", "is NaN"),
    (r"(is|are|be|was|were|can be|cannot be) had", "is available"),
    (r"how right|as right as", "how accurate"),
    (r"knows? nothing of", "does not depend on"),
    (r"says? nothing", "prints nothing, does not state"),
    (r"what is (said|asked)", "name it: the option, the request"),
    (r"as ever", "as before"),
    (r"whence|thereof|whereof|hither|thither|lest", "plain words"),
]

# (end of the path, part of the line): places where the word is the right one.
ALLOWED = [
    ("docs/running.md", "| none |"),
    ("manybody-serve/src/door.rs", "'none'"),
]

# Paths that are not looked at yet.
EXCLUDED = []

PATTERN = re.compile(r"\b(?:" + "|".join(f"(?P<w{k}>{words})" for k, (words, _) in enumerate(BANNED)) + r")\b", re.I)
LITERAL = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      |(?P<raw>b?r(?P<hashes>\#*)".*?"(?P=hashes))
      |(?P<text>"(?:[^"\\]|\\.)*")
      |(?P<char>b?'(?:[^'\\\n]|\\[^\n]{1,8}?)')""",
    re.X | re.S,
)
LITERAL_OF_TS = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      |(?P<raw>`(?:[^`\\]|\\.)*`)
      |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""",
    re.X | re.S,
)


def without_code(line):
    """The prose of a line: code in backticks and addresses of links become a space."""
    line = re.sub(r"`[^`]*`", " ` ", line)
    return re.sub(r"\]\([^)]*\)", "] ", line)


def document(text):
    """Lines of prose of a Markdown text: numbers and texts."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, without_code(line)


# How comments of a line begin, by the end of the path; those of Rust may be documentation.
COMMENTS = {
    (".rs", ".cu", ".cuh", ".wgsl", ".h", ".hpp", ".c", ".cpp", ".ts"): r"(?:.*[\s;{}),])?//[/!]* ?(.*)",
    (".py", ".pyi", ".sh", ".toml"): r"(?:.*\s)?# ?(.*)",
    (".f90",): r"(?:.*\s)?! ?(.*)",
}


def comments(path, text):
    """Comments of a source, as one document with empty lines between."""
    ends, pattern = next(item for item in COMMENTS.items() if path.endswith(item[0]))
    found, block = [], False
    for line in text.split("\n"):
        comment = re.fullmatch(r"\s*\*? ?(.*)" if block else pattern, line)
        if not block and not comment and ".c" in ends:
            comment = re.fullmatch(r"(?:.*?[\s;{}),])?/\*[*!]? ?(.*)", line)
            block = comment is not None
        found.append(comment[1] if comment else "")
        if block and "*/" in found[-1]:
            block = False
            found[-1] = found[-1].partition("*/")[0]
    return document("\n".join(found))


def docstrings(text):
    """Docstrings of a Python source: line numbers and prose."""
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for number in range(node.lineno, node.end_lineno + 1):
                line = lines[number - 1]
                if not line.strip().startswith((">>>", "...")):
                    yield number, without_code(line)


def lines_of(literal, start):
    """Lines of a string that begins in line `start`: their numbers and contents, without placeholders and escapes."""
    if literal.strip("\"'`") == "none":  # a value, not prose
        return
    for k, line in enumerate(literal.split("\n")):
        line = re.sub(r"\$?\{[^{}]*\}", " x ", line)
        yield start + k, without_code(re.sub(r"\\.", " ", line))


def messages(text, literals=LITERAL):
    """String literals of a Rust source, or of one whose literals are these: line numbers and contents."""
    for found in literals.finditer(text):
        literal = found["text"] or found["raw"]
        if literal and len(literal) > 2:
            yield from lines_of(literal.strip("`"), text.count("\n", 0, found.start()) + 1)


def strings(text):
    """String constants of a Python source, but for docstrings: line numbers and contents."""
    tree = ast.parse(text)
    whole = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in whole:
            yield from lines_of(node.value, node.lineno)


def is_test(path):
    return "/tests/" in path or path.startswith("tests/") or path.endswith(("/tests.rs", "_tests.rs", ".test.ts"))


def prose(path, text):
    if path.endswith(".md"):
        return document(text)
    found = list(comments(path, text))
    if path.endswith((".py", ".pyi")):
        found += docstrings(text)
        # programs of scripts/ hold texts of programs
        found += strings(text) if path.startswith("crates/") else []
    if path.endswith(".ts") and not is_test(path):
        found += messages(text, LITERAL_OF_TS)
    if path.endswith(".rs") and not is_test(path):
        # unit tests stand at the end of a file
        found += messages(re.split(r"\n#\[cfg\((?:all\()?test[^\n]*\]\n(?:#\[[^\n]*\]\n)*mod \w+ \{", text)[0])
    return found


def looked_at(path):
    return path.endswith((".md", *(end for ends in COMMENTS for end in ends))) and path != "scripts/words.sh"


files = sys.argv[1:] or subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                                       check=True, capture_output=True, text=True).stdout.splitlines()
found = 0
for path in files:
    if not looked_at(path) or any(path.startswith(start) for start in EXCLUDED):
        continue
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:  # removed, not yet committed
        continue
    lines = text.split("\n")
    for number, line in prose(path, text):
        if any(path.endswith(end) and part in lines[number - 1] for end, part in ALLOWED):
            continue
        for match in PATTERN.finditer(line):
            _, instead = BANNED[int(match.lastgroup[1:])]
            print(f"{path}:{number}: '{match.group()}': write instead: {instead}\n    {lines[number - 1].strip()}")
            found += 1
if found:
    sys.exit(f"{found} words that scripts/words.sh does not allow")
PYTHON
