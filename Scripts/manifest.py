"""The targets of a package, read from its manifest."""
import json
import re
import subprocess


class Target:
    """A library or program of a package, with the compiler's flags for its Swift files."""

    def __init__(self, package, description):
        self.name = description["name"]
        # SwiftPM takes the name from the package's folder, not from its manifest.
        self.package = re.sub(r"\W", "_", package.name.lower())
        self.folder = package / (description.get("path") or f"Sources/{self.name}")
        excluded = [self.folder / path for path in description.get("exclude", [])]
        self.sources, self.c_sources = (
            sorted(file for file in self.folder.rglob(pattern) if not any(file.is_relative_to(path) for path in excluded))
            for pattern in ["*.swift", "*.c"])
        self.dependencies = [next(iter(dependency.values()))[0] for dependency in description["dependencies"]]
        self.plugins = [next(iter(usage.values()))[0] for usage in description.get("pluginUsages") or []]
        self.flags = [flag for setting in description["settings"] for flag in swift_flags(setting)]
        if "-swift-version" not in self.flags:
            self.flags += ["-swift-version", "6"]
        self.flags += ["-package-name", self.package]
        if not any(source.name == "main.swift" for source in self.sources):
            self.flags.append("-parse-as-library")

    @property
    def module(self):
        return self.name.replace("-", "_")


def swift_flags(setting):
    """The flags for one of a target's settings; settings with a condition are omitted."""
    if setting["tool"] != "swift" or "condition" in setting:
        return []
    kind, value = next(iter(setting["kind"].items()))
    flag = {"swiftLanguageMode": "-swift-version", "enableUpcomingFeature": "-enable-upcoming-feature",
            "enableExperimentalFeature": "-enable-experimental-feature", "define": "-D",
            "defaultIsolation": "-default-isolation"}[kind]
    return [flag, value.get("_0") or "nonisolated"]


class XcodeApp:
    """The app of an Xcode project, compiled with the settings of new projects."""
    c_sources = plugins = ()

    def __init__(self, folder, dependencies):
        self.name = self.module = folder.name
        self.folder = folder
        self.sources = sorted(folder.rglob("*.swift"))
        self.dependencies = dependencies
        self.flags = ["-swift-version", "6", "-parse-as-library", "-default-isolation", "MainActor"] + [
            part for feature in ["InferIsolatedConformances", "NonisolatedNonsendingByDefault", "MemberImportVisibility"]
            for part in ("-enable-upcoming-feature", feature)]


def load(package):
    """The manifest of the package in a folder."""
    return json.loads(subprocess.check_output(["swift", "package", "dump-package"], cwd=package))


def targets(*packages):
    """The targets of the packages without tests and their libraries, each after its dependencies."""
    found = {}
    for package in packages:
        for description in load(package)["targets"]:
            is_for_tests = description["type"] == "regular" and (description.get("path") or "").startswith("Tests/")
            if description["type"] in ("regular", "executable") and not is_for_tests:
                found[description["name"]] = Target(package, description)
    ordered = {}

    def add(target):
        for name in target.dependencies:
            if name in found and name not in ordered:
                add(found[name])
        ordered[target.name] = target

    for target in found.values():
        add(target)
    return list(ordered.values())
