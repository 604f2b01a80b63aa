"""The house holds: floors, what an import costs, what lies where, and that every one of these checks can fail."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP_OF_THE_TREE = {
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "binder",
    "gradlab",
    "notebooks",
    "pyproject.toml",
    "tests",
}
LONGEST_FILE = 350  # lines; past it there is a second idea in the file
# written in pieces, so that this file does not find itself
MACHINE_PATHS = re.compile("(/" + "/|/".join(("work", "tmp", "root", "opt", "home", "Users")) + r"/)[A-Za-z]")


def tracked(repository: Path, *patterns: str) -> list[Path]:
    if not (repository / ".git").exists():
        pytest.skip("not a git checkout, so there is no list of files")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns], cwd=repository, capture_output=True, text=True, check=True
    )
    return [repository / name for name in listed.stdout.split("\0") if name and (repository / name).exists()]


def python(code: str, *, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = os.environ | {"PYTHONPATH": str(cwd)} | environment
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, env=variables, cwd=cwd
    )


def modules_after(code: str, repository: Path) -> set[str]:
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    finished = python(script, cwd=repository)
    assert finished.returncode == 0, finished.stderr
    return {name.split(".")[0] for name in finished.stdout.split()}


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    # in a process of its own, and with this folder first: another gradlab may be installed
    code = "from importlinter.cli import lint_imports_command; lint_imports_command(['--no-cache'])"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(folder)},
    )


def test_imports_go_down_the_floors_only(repository):
    finished = lint_imports(repository)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert "KEPT" in finished.stdout


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("gradlab/op.py", "import gradlab.graph.node"),
        ("gradlab/errors.py", "def late():\n    from gradlab import viz"),
        ("gradlab/newcomer.py", "import gradlab.errors"),
    ],
    ids=["upward", "upward-inside-a-function", "module-on-no-floor"],
)
def test_a_planted_wrong_import_is_found(repository, tmp_path, module, line):
    shutil.copytree(
        repository / "gradlab", tmp_path / "gradlab", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(repository / "pyproject.toml", tmp_path)
    with (tmp_path / module).open("a", encoding="utf-8") as file:
        file.write(f"\n\n{line}\n")
    finished = lint_imports(tmp_path)
    assert finished.returncode == 1, finished.stdout + finished.stderr
    assert "BROKEN" in finished.stdout or "newcomer" in finished.stdout


def test_import_loads_neither_pictures_nor_widgets_nor_a_device(repository):
    loaded = modules_after("import gradlab", repository)
    assert not loaded & {
        "matplotlib",
        "ipywidgets",
        "anywidget",
        "graphviz",
        "pygraphviz",
        "IPython",
        "cupy",
        "scipy",
    }


def test_a_scalar_needs_nothing_but_the_standard_library(repository):
    code = (
        "import gradlab\na = gradlab.Value(2.0)\nb = (a * a + 1.0).tanh()\nb.backward()\nassert a.grad != 0.0"
    )
    loaded = modules_after(code, repository)
    foreign = loaded - set(sys.stdlib_module_names) - {"gradlab", "__main__"}
    before = modules_after("", repository)
    assert not foreign - before


def test_the_command_line_starts_without_numpy_and_pictures(repository):
    loaded = modules_after("import gradlab.cli\ngradlab.cli.parser()", repository)
    assert not loaded & {
        "numpy",
        "matplotlib",
        "ipywidgets",
        "graphviz",
        "IPython",
        "jupyterlab",
        "jupyter_core",
    }


def test_top_of_the_tree_holds_the_agreed_names_only(repository):
    names = {path.relative_to(repository).parts[0] for path in tracked(repository)}
    assert {name for name in names if not name.startswith(".")} <= TOP_OF_THE_TREE


def test_no_source_file_hides_a_second_idea(repository):
    lengths = {
        str(path.relative_to(repository)): len(path.read_text(encoding="utf-8").splitlines())
        for path in tracked(repository, "gradlab/*.py", "gradlab/*.js", "gradlab/*.css", "tests/*.py")
    }
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_no_path_of_one_machine_is_tracked(repository):
    found = []
    for path in tracked(repository):
        if path.suffix in (".png", ".gz", ".npz", ".safetensors"):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found += [f"{path.relative_to(repository)}: {match[0]}…" for match in MACHINE_PATHS.finditer(text)]
    assert found == []


def test_every_public_name_exists_and_is_documented():
    gradlab = importlib.import_module("gradlab")
    assert len(set(gradlab.__all__)) == len(gradlab.__all__)
    bare = [name for name in gradlab.__all__ if not _documented(getattr(gradlab, name))]
    assert bare == []


def _documented(thing: object) -> bool:
    """Dtypes and versions are plain values; all that can be called or entered must say what it is."""
    explains_itself = callable(thing) or inspect.ismodule(thing)
    return bool(inspect.getdoc(thing)) if explains_itself else True


def test_every_module_says_what_it_is_for(repository):
    sources = tracked(repository, "gradlab/*.py")
    silent = [
        path.name for path in sources if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == []


def test_star_imports_and_cupy_at_the_top_do_not_occur(repository):
    found = []
    for path in tracked(repository, "gradlab/*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
                found.append(f"{path.name}:{node.lineno} imports *")
        for node in tree.body:
            if isinstance(node, ast.Import) and any(
                alias.name.split(".")[0] == "cupy" for alias in node.names
            ):
                found.append(f"{path.name}:{node.lineno} imports cupy at the top")
    assert found == []


def test_a_forbidden_skip_fails_and_an_allowed_one_does_not(repository, tmp_path):
    shutil.copy(repository / "tests/conftest.py", tmp_path / "conftest.py")
    (tmp_path / "test_skips.py").write_text(
        "import pytest\n"
        "@pytest.mark.needs('cuda')\ndef test_allowed(): pytest.skip('no chip here')\n"
        "@pytest.mark.needs('environments')\ndef test_forbidden(): pytest.skip('no time')\n"
        "def test_without_a_mark(): pytest.skip('not today')\n"
        "def test_runs(): pass\n"
    )
    outcomes = {}
    for required in ("", "environments"):
        finished = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir=.", "-p", "no:cacheprovider"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env=os.environ | {"GRADLAB_REQUIRE": required, "PYTEST_ADDOPTS": ""},
        )
        outcomes[required] = finished.stdout.splitlines()[-1].split(" in ")[0]
    assert outcomes == {"": "1 passed, 3 skipped", "environments": "2 failed, 1 passed, 1 skipped"}


def test_the_workflow_runs_the_gate_on_every_promised_python(repository):
    workflow = (repository / ".github/workflows/ci.yml").read_text()
    project = (repository / "pyproject.toml").read_text()
    promised = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', project)
    assert json.loads(re.search(r"python: (\[.*\])", workflow)[1]) == promised
    assert "bash .ci/run" in workflow
