"""Put the screens and a list of components into the wheel; hatchling runs this at each build.

In a checkout the screens lie beside the package (`app.py`, `pages/`); in the wheel they lie in
`research_core/screens`, because site-packages is shared with other projects. An editable
installation uses the checkout's. The list is a CycloneDX document of every pinned package that an
installation may bring, with its licence from `docs/licenses.tsv`; it is the same for the same pins.
"""

from __future__ import annotations

import csv
import json
import re
import tempfile
import uuid
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: Files and folders of the checkout by their place in the wheel.
SCREENS = {
    "app.py": "research_core/screens/app.py",
    "pages": "research_core/screens/pages",
    ".streamlit/config.toml": "research_core/screens/.streamlit/config.toml",
    "benchmarks/results.json": "research_core/screens/benchmarks/results.json",
}
PIN = re.compile(r"(?P<name>[\w.-]+)==(?P<version>[\w.+!-]+)(?:\s*;\s*(?P<marker>.+))?")
SBOM_NAME = "assay-research.cdx.json"
#: Any fixed identifier: the serial number of a list is derived from it and the list.
SBOM_NAMESPACE = uuid.UUID("5b1f2f0e-6d0c-4c8e-9a55-0c1d1b0a7e52")


class ScreensBuildHook(BuildHookInterface[Any]):
    """Add the screens and the list of components to a wheel that is not editable."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        build_data["force_include"].update(SCREENS)
        self._folder = tempfile.TemporaryDirectory()
        path = Path(self._folder.name) / SBOM_NAME
        sbom = build_sbom(Path(self.root), self.metadata.version)
        path.write_text(json.dumps(sbom, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        build_data["sbom_files"].append(str(path))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if build_data.get("sbom_files"):
            self._folder.cleanup()


def build_sbom(root: Path, version: str) -> dict[str, Any]:
    """Return the CycloneDX 1.6 document of the pins in this checkout."""
    licenses = read_licenses(root / "docs" / "licenses.tsv")
    pins = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    components = []
    for line in pins:
        pin = PIN.fullmatch(line.strip())
        if pin is not None:
            components.append(describe_component(pin, licenses))
    product = {
        "type": "application",
        "bom-ref": "assay-research",
        "name": "assay-research",
        "version": version,
        "purl": f"pkg:pypi/assay-research@{version}",
    }
    described = json.dumps([product, components], sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid5(SBOM_NAMESPACE, described).urn,
        "version": 1,
        "metadata": {"component": product},
        "components": components,
    }


def describe_component(pin: re.Match[str], licenses: dict[str, str]) -> dict[str, Any]:
    name, version = pin["name"], pin["version"]
    component: dict[str, Any] = {
        "type": "library",
        "bom-ref": name,
        "name": name,
        "version": version,
        "purl": f"pkg:pypi/{name}@{version}",
    }
    if name in licenses:
        component["licenses"] = [{"expression": licenses[name]}]
    if pin["marker"]:
        component["properties"] = [{"name": "assay:marker", "value": pin["marker"]}]
    return component


def read_licenses(path: Path) -> dict[str, str]:
    """Return the SPDX expressions of licences by package."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {row["package"]: row["license"] for row in rows}
