"""Reads the public declarations of the modules from the compiler's symbol graphs."""
import json
import pathlib
import platform
import subprocess
import tempfile

FIVE = ["Logging", "Customization", "AppConfig", "Networking", "EventBus"]
EXTRAS = sorted(path.name for path in (pathlib.Path(__file__).resolve().parent.parent / "Sources/Extras").iterdir())
MODULES = FIVE + EXTRAS
TYPE_KINDS = {"swift.struct", "swift.class", "swift.enum", "swift.protocol", "swift.typealias", "swift.actor", "swift.macro"}


def target():
    info = json.loads(subprocess.check_output(["swift", "-print-target-info"]))
    return info["target"]["triple"]


def graphs(module_name, search_path, extra_search_paths=()):
    """Returns the symbol graphs of a built module, including those of its extensions of other modules' types."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "swift-symbolgraph-extract", "-module-name", module_name, "-target", target(),
            "-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", folder,
            "-I", str(search_path)]
        for path in extra_search_paths:
            command += ["-I", str(path)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        return [json.loads(file.read_text()) for file in sorted(pathlib.Path(folder).glob("*.symbols.json"))]


def c_module_paths(root):
    """Returns the folders with the C helper targets' module maps, which a module's interface may import."""
    return sorted(path.parent for path in (root / ".build/debug").glob("*.build/module.modulemap")
                  if not path.parent.name.endswith("-tool.build")) + sorted(
        (root / "Sources/C").glob("*/include"))


def public_symbols(root, module):
    """Returns the public symbols of a module. The package must have been built for debugging."""
    found = []
    for graph in graphs(f"Ashlar{module}", root / ".build/debug/Modules", c_module_paths(root)):
        found += graph["symbols"]
    return found


def place(symbol):
    location = symbol.get("location")
    if not location:
        return "(no place)"
    path = location["uri"].removeprefix("file://")
    return f"{path}:{location['position']['line'] + 1}"


def name(symbol):
    return ".".join(symbol["pathComponents"])
