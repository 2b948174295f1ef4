"""Creates the parts of an Apple SDK that type-checking needs, on Linux and from open sources.

Darwin's C headers come from a pinned wheel of PyPI's ziglang. The standard library's modules are the toolchain's own
textual interfaces, which carry Apple's availability, compiled for an Apple triple. swift-foundation's binary module
FoundationEssentials is copied under another name with its triple replaced. Tests/AppleCheck/Stubs declares the rest.
"""
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import zipfile

WHEEL = "ziglang==0.17.1"
TOOLCHAIN = pathlib.Path(shutil.which("swiftc") or sys.exit("swiftc is not installed")).resolve().parent.parent
LIBRARIES = TOOLCHAIN / "lib/swift"
HOST = f"{platform.machine()}-unknown-linux-gnu"

MODULES = ["Swift", "SwiftOnoneSupport", "_Builtin_float", "Darwin", "_Concurrency", "Synchronization",
           "_RegexParser", "_StringProcessing", "Observation"]

# Declarations of Apple's standard library that the Linux interface lacks.
APPLE_ONLY = {
    "Swift": """
@frozen public struct AutoreleasingUnsafeMutablePointer<Pointee> : Swift._Pointer {
  public let _rawValue: Builtin.RawPointer
  @_transparent public init(_ _rawValue: Builtin.RawPointer) { self._rawValue = _rawValue }
  public var pointee: Pointee { get nonmutating set }
  public typealias Distance = Swift.Int
}
@usableFromInline internal func _noLongDouble<A>(_ a: A) -> A
@usableFromInline internal func _noLongDouble<A>(_ a: A, _ b: A) -> A
public func _getErrorEmbeddedNSError<T>(_ x: __shared T) -> Swift.AnyObject? where T : Swift.Error
""",
    "Synchronization": "@usableFromInline internal func _swift_stdlib_gettid() -> Swift.UInt32\n",
    "Darwin": """
@available(*, unavailable, message: "Please use threads or posix_spawn*()")
public func fork() -> Swift.Int32
public var TIOCGWINSZ: Swift.UInt { 0x40087468 }
public var TIOCSWINSZ: Swift.UInt { 0x80087467 }
public var stderr: UnsafeMutablePointer<Darwin.FILE> { get set }
public var stdin: UnsafeMutablePointer<Darwin.FILE> { get set }
public var stdout: UnsafeMutablePointer<Darwin.FILE> { get set }
""",
}

# Headers of other modules than Darwin, and headers that can't be included alone.
NOT_DARWIN = re.compile(
    r"^(dispatch|os|objc|xpc|i386|arm|machine|device|simd|hfs|mach_debug|_types|sys/_|pthread/|architecture|xlocale/"
    r"|CommonCrypto|bsm|secure|net/|netinet6/|libkern/(i386|arm)|mach/(i386|arm|machine/|vm_attr)"
    r"|(launch|gethostuuid|zconf|zlib|libproc|tgmath|AvailabilityInternal.*|AssertMacros|fts_compat|ucontext|stddef"
    r"|float|fmtmsg|ndbm|db|Block|setjmp|iso646|sys/(constrained_ctypes|lock|vm|proc_info|ucred|kauth|kern_control))\.h)")
FIRST_HEADERS = ["sys/types.h", "sys/socket.h", "netinet/in.h", "mach/mach.h"]
CLOCKS = "REALTIME MONOTONIC MONOTONIC_RAW UPTIME_RAW PROCESS_CPUTIME_ID THREAD_CPUTIME_ID".split()


class System:
    """An Apple system, with its names in the manifest and in the compiler."""

    def __init__(self, name, floor, triple, folder, interface="UIKit"):
        self.name, self.floor, self.triple, self.folder = name, floor, triple, folder
        architecture, system, self.version, environment = re.fullmatch(
            r"(\w+-apple)-([a-z]+)([\d.]+)(-macabi)?", triple).groups()
        self.version += "" if "." in self.version else ".0"
        self.module = f"{architecture}-{system.replace('macosx', 'macos')}{environment or ''}"
        self.stubs = ["ObjectiveC", "Dispatch", "CoreFoundation", "Glibd", "Foundation", "Security", "Network", "os", "CoreText",
                      "ImageIO", "UniformTypeIdentifiers", "CoreTransferable", interface, "SwiftUI"]

    @property
    def padded_triple(self):
        """The triple, as long as the host's, because it replaces the host's triple in a binary file."""
        head, environment = re.fullmatch("(.*?)(-macabi)?", self.triple).groups()
        environment = environment or ""
        width = len(HOST) - len(environment)
        if "." not in head and len(head) < width:
            head += "."
        return head.ljust(width, "0") + environment


# visionOS is missing: the compiler reads its availability from the settings of an Apple SDK.
SYSTEMS = {system.name: system for system in [
    System("macos", "macos", "arm64-apple-macosx15.0", "macosx", "AppKit"),
    System("ios", "ios", "arm64-apple-ios18.0", "iphoneos"),
    System("tvos", "tvos", "arm64-apple-tvos18.0", "appletvos"),
    System("watchos", "watchos", "arm64-apple-watchos11.0", "watchos"),
    System("catalyst", "ios", "arm64-apple-ios18-macabi", "maccatalyst"),
]}

# Every triple for which Xcode compiles a C target of a package with these platforms.
C_TRIPLES = [
    "arm64-apple-macosx15.0", "x86_64-apple-macosx15.0",
    "arm64-apple-ios18.0", "arm64-apple-ios18.0-simulator", "x86_64-apple-ios18.0-simulator",
    "arm64-apple-ios18.0-macabi", "x86_64-apple-ios18.0-macabi",
    "arm64-apple-tvos18.0", "arm64-apple-tvos18.0-simulator", "x86_64-apple-tvos18.0-simulator",
    "arm64-apple-watchos11.0", "arm64_32-apple-watchos11.0", "arm64-apple-watchos11.0-simulator",
    "x86_64-apple-watchos11.0-simulator",
    "arm64-apple-xros2.0", "arm64-apple-xros2.0-simulator",
]


def fetch_headers(folder):
    """Installs the pinned wheel's Darwin headers into `folder`; returns whether PyPI had them."""
    if (folder / "pinned.txt").exists() and (folder / "pinned.txt").read_text() == WHEEL:
        return True
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    answer = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "--retries", "1",
         "--timeout", "15", "--only-binary=:all:", "--dest", str(folder), WHEEL], capture_output=True, text=True)
    wheels = list(folder.glob("*.whl"))
    if answer.returncode or not wheels:
        return False
    darwin = "ziglang/lib/libc/include/any-darwin-any/"
    with zipfile.ZipFile(wheels[0]) as wheel:
        wheel.extractall(folder, [name for name in wheel.namelist() if name.startswith(darwin)])
    (folder / darwin).rename(folder / "include")
    shutil.rmtree(folder / "ziglang")
    wheels[0].unlink()
    (folder / "pinned.txt").write_text(WHEEL)
    return True


def write_sdk(headers, folder, system):
    """Creates `sdk`, `resources` and `modules` in a folder, without the modules that must be compiled."""
    write_headers(headers, folder / "sdk/usr/include")
    resources, modules = folder / "resources", folder / "modules"
    resources.mkdir(exist_ok=True)
    for shared in ["shims", "clang", "apinotes"]:
        (resources / shared).unlink(missing_ok=True)
        (resources / shared).symlink_to(LIBRARIES / shared)
    write_foundation_essentials(system, modules)
    return []


def write_headers(headers, include):
    """Copies Darwin's headers and adds the module maps that Apple's SDK has."""
    shutil.rmtree(include, ignore_errors=True)
    shutil.copytree(headers, include)
    types = include / "MacTypes.h"  # Its `Duration` hides Swift's.
    text = re.sub(r"^typedef\s+SInt32\s+Duration;.*$", "", types.read_text(errors="replace"), flags=re.M)
    types.write_text(text)
    # Darwin's open headers have no extended attributes.
    attributes = "const char *, const void *, size_t, uint32_t, int);\n"
    (include / "sys/xattr.h").write_text(
        "#include <stdint.h>\n#include <sys/types.h>\n"
        f"int setxattr(const char *, {attributes}int fsetxattr(int, {attributes}")
    found = sorted(str(path.relative_to(include)) for path in include.rglob("*.h"))
    public = [name for name in found if not NOT_DARWIN.match(name) and not pathlib.Path(name).name.startswith("_")]
    names = FIRST_HEADERS + public + ["os/lock.h"]
    (include / "Darwin_umbrella.h").write_text("".join(f"#include <{name}>\n" for name in names))
    notes = "".join(f"- Name: _CLOCK_{clock}\n  SwiftName: CLOCK_{clock}\n" for clock in CLOCKS)
    (include / "Darwin.apinotes").write_text("Name: Darwin\nEnumerators:\n" + notes)
    objective_c = " ".join(f'header "objc/{name}.h"' for name in ["objc-api", "objc", "NSObject", "NSObjCRuntime"])
    (include / "module.modulemap").write_text(
        'module Darwin [system] [extern_c] { umbrella header "Darwin_umbrella.h" export * }\n'
        f"module ObjectiveC [system] {{ {objective_c} export * }}\n")


def interface(module, system):
    """The toolchain's textual interface of a standard library module, rewritten for an Apple triple."""
    source = "Glibc" if module == "Darwin" else module
    text = (LIBRARIES / f"linux/{source}.swiftmodule/{HOST}.swiftinterface").read_text()
    text = text.replace("-target-min-inlining-version min", "-target-min-inlining-version target")
    text = text.replace(f"-target {HOST}", f"-target {system.triple}").replace("-disable-objc-interop", "")
    text = re.sub(r"^ *@backDeployed\(before: [^)]*\)\n", "", text, flags=re.M)
    text = text.replace("_diagnoseUnavailableCodeReached() -> Swift.Never\n",
                        "_diagnoseUnavailableCodeReached() -> Swift.Never { Builtin.int_trap() }\n")
    # `long double` is `double` on arm64.
    text = re.sub(r"\b_stdlib_(remainder|squareRoot)l\(", "_noLongDouble(", text)
    text = text.replace("typealias CLongDouble = Swift.Float80", "typealias CLongDouble = Swift.Double")
    if module == "Darwin":
        text = text.replace("-module-name Glibc", "-module-name Darwin").replace("swiftGlibc", "swiftDarwin")
        text = text.replace("@_exported import SwiftGlibc", "@_exported import Darwin")
        text = text.replace("import SwiftOverlayShims\n", "")
        text = re.sub(r"\b(SwiftGlibc|SwiftOverlayShims|Glibc)\.", "Darwin.", text)
        text = re.sub(r"^public typealias sighandler_t.*\n", "", text, flags=re.M).replace("sighandler_t", "sig_t")
        text = text[:text.index("@available(swift, deprecated: 3.0, message: \"Please use 'T.radix'")]
        text = re.sub(r"^@_transparent public func [^\n]*Float80.*?^}\n", "", text, flags=re.M | re.S)
    else:
        text = re.sub(r"^(@_exported )?import Glibc$", r"\1import Darwin", text, flags=re.M)
    return text + APPLE_ONLY.get(module, "")


def write_foundation_essentials(system, modules):
    """Copies swift-foundation's binary modules for `system`.

    They get other names, so that `canImport(FoundationEssentials)` is false, as with Apple's SDK.
    """
    for name in ["FoundationEssentials", "_FoundationCollections"]:
        data = (LIBRARIES / f"linux/{name}.swiftmodule/{HOST}.swiftmodule").read_bytes()
        for old, new in [(HOST, system.padded_triple), ("FoundationEssentials", "FoundationEssentialz"),
                         ("Glibc", "Glibd")]:
            data = data.replace(old.encode(), new.encode())
        folder = modules / f"{name.replace('Essentials', 'Essentialz')}.swiftmodule"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{system.module}.swiftmodule").write_bytes(data)
    shutil.copytree(LIBRARIES / "_FoundationCShims", modules / "_FoundationCShims", dirs_exist_ok=True)
