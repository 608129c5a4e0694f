"""Define published lists of expert ratings that can be imported by name.

None of them comes with Assay: `assay ratings add NAME` fetches it from its authors' repository, at
the edition and checksum given here.
"""

from __future__ import annotations

from typing import NamedTuple


class Preset(NamedTuple):
    """A published list.

    `url`: the file at one edition. `sha256`: of its bytes. `host`, `value`: its columns. `terms`:
    what its authors say of reuse.
    """

    title: str
    url: str
    sha256: str
    host: str
    value: str
    terms: str


PRESETS = {
    "lin2023": Preset(
        "Lin et al. 2023, quality of 11,520 news domains (combines six expert ratings)",
        "https://raw.githubusercontent.com/hauselin/domain-quality-ratings/"
        "5671d57e545e48225ef2cbf559a6ab7f8f77a9de/data/domain_pc1.csv",
        "18221d8c4ce30e25ceab4ce3d1c9a7babaf9e935bd42ed2c89e3c52fc19d5e1a",
        "domain",
        "pc1",
        "PNAS Nexus 2(9), doi 10.1093/pnasnexus/pgad286. The authors: “Feel free to reuse the"
        " data”; please cite the paper.",
    ),
    "mbfc2026": Preset(
        "Media Bias/Fact Check, factual reporting of 9,000 outlets (edition of 19 August 2026)",
        "https://raw.githubusercontent.com/drmikecrowe/mbfcext/"
        "bbb763770fbaa14b181ff4be55b13c80311636d4/docs/v5/data/sources.json",
        "5d173d6540ae4463e7f866f427eb70c7cca87de75d911be385d3aa5a3abe7f09",
        "domain",
        "reporting",
        "The ratings are Media Bias/Fact Check's; the collection is that of the browser extension"
        " mbfcext. For your own use.",
    ),
}
