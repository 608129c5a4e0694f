"""List the suffixes that registries give to institutions alone, country by country.

A label means nothing by itself: "mi" is Milan under .it and an army under .th, "ac" a county under
.se, "mus" is for musicians under .br. So each suffix is listed with its country, and one that
anybody can register under is left out. Suffixes that are only intended for institutions, which
nobody checks, are listed apart.
"""

from __future__ import annotations

from collections.abc import Mapping


def _suffixes_under(label: str, countries: str, kind: str) -> dict[str, str]:
    """Map the label under each of the countries to the kind."""
    return {f"{label}.{country}": kind for country in countries.split()}


#: Suffixes that a registry gives to one kind of institution only.
CLOSED_SUFFIXES: Mapping[str, str] = {
    **_suffixes_under(
        "ac",
        """
        ae at bd be bw cn cr cy eg fj gn id il in ir jp ke kr lk ls ma me mu mw mz ni pa
        pk pr rs rw sz th tz ug uk vn za zm zw
        """,
        "university",
    ),
    **_suffixes_under(
        "edu",
        """
        af al ao ar au az ba bb bd bh bi bm bn bo br bs bt bz cn co cu cv do dz ec ee eg
        es et fj ge gh gr gt gy hk hn ht iq jm jo kg kh ki kw ky kz lb lc lk lr lv ly mg
        mk ml mm mn mo mt mv mx my mz ng ni np om pa pe pg ph pk pr ps pt py qa rs sa sb
        sc sd sg sl so sv sy tj to tr tt tw ua ug uy ve vn ws ye zm
        """,
        "university",
    ),
    **_suffixes_under(
        "gov",
        """
        ac ae af al ao ar as au az ba bb bd bf bh bm bn br bs bt bw by bz cd cl cm cn co
        cx cy cz dm do dz ec ee eg et fj gd ge gh gi gn gr gu gy hk ie il in iq ir it jm
        jo kg kh ki km kn kp kw kz la lb lc lk lr ls lt lv ly ma me mg mk ml mm mn mo mr
        ms mu mv mw my mz na ng np nr om pg ph pk pl pn pr ps pt py qa rs rw sa sb sc sd
        sg sh sl so ss sx sy tj tl tm tn to tr tt tw ua ug uk vc ve vn ws ye za zm zw
        """,
        "government",
    ),
    **_suffixes_under("gob", "ar bo cl cu do ec es gt hn mx ni pa pe pk sv ve", "government"),
    **_suffixes_under("gouv", "ci fr ht km ml sn", "government"),
    **_suffixes_under("go", "cr id jp ke kr th tz ug", "government"),
    **_suffixes_under(
        "mil",
        """
        ae al ar az ba bd bo br by cl cn co cy do ec eg fj gh gt hn id in iq jo kg km kr
        kz lv mg mv my mz ng ni no nz pe ph pl py qa rw st sy tr tt tw tz ug uy vc ve ye
        za zm zw
        """,
        "government",
    ),
    **dict.fromkeys(
        """
        govt.nz gub.uy gv.at gv.ao gop.pk gok.pk gos.pk mi.th gc.ca nic.in dep.no
        stat.no jus.br leg.br mp.br parliament.nz police.uk gov mil nsn.us eu.int
        """.split(),
        "government",
    ),
    **dict.fromkeys("lg.jp kommune.no herad.no".split(), "local_government"),
    **dict.fromkeys("edu univ.sn".split(), "university"),
    **_suffixes_under("sch", "ae id ir jo lk ly ng qa sa ss uk zm", "school"),
    **_suffixes_under("k12", "ec il tr vi", "school"),
    **dict.fromkeys(
        """
        edu.it ed.jp ed.cr ed.ao school.za es.kr ms.kr hs.kr sc.kr kg.kr vgs.no fhs.no
        """.split(),
        "school",
    ),
    **dict.fromkeys("re.kr res.in cri.nz".split(), "research_institute"),
    **dict.fromkeys("museum.no lib.ee folkebibl.no fylkesbibl.no".split(), "library_or_museum"),
    **dict.fromkeys("asn.au".split(), "ngo"),
    **dict.fromkeys("nhs.uk health.nz".split(), "health_authority"),
    **dict.fromkeys("int".split(), "intergovernmental"),
}
#: Suffixes intended for an institution that a registry gives to anybody.
INTENDED_SUFFIXES: Mapping[str, str] = {
    "ac.nz": "university", "edu.pl": "university", "school.nz": "school",
    "museum": "library_or_museum",
}  # fmt: skip
#: Domains of one institution, which gives the names under them to its own bodies.
OWNED_DOMAINS: Mapping[str, str] = {
    **_suffixes_under(
        "gov", "am bg hr hu kr ky md mt ru scot si sk sz tf tv uz vu wales", "government"
    ),
    **_suffixes_under("gouv", "bj cd cg ga mc nc ne td tg", "government"),
    **dict.fromkeys(
        """
        europa.eu admin.ch bund.de fgov.be fed.us public.lu etat.lu llyw.cymru mod.uk
        parliament.uk gov.nl.ca gov.bc.ca gov.on.ca gov.mb.ca gov.sk.ca gov.ab.ca
        gov.ns.ca gov.pe.ca gov.nt.ca gov.nu.ca gov.yk.ca gouv.qc.ca
        """.split(),
        "government",
    ),
    **dict.fromkeys(
        """
        csiro.au cnrs.fr inserm.fr max-planck.de mpg.de fraunhofer.de acad.bg
        """.split(),
        "research_institute",
    ),
    **dict.fromkeys("sch.gr".split(), "school"),
}
STATES = (
    "al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm"
    " ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy dc pr"
)
#: Labels before a state of the United States under which only such bodies get names:
#: "bellingham.k12.wa.us". Other names under a state, "well.sf.ca.us", are open to residents.
STATE_BODIES: Mapping[str, str] = {
    **dict.fromkeys("state dst".split(), "local_government"),
    **dict.fromkeys("k12".split(), "school"),
    **dict.fromkeys("cc tec".split(), "university"),
    **dict.fromkeys("lib mus".split(), "library_or_museum"),
}
#: Labels before the name of a place under a state: "ci.redding.ca.us", "co.darke.oh.us".
PLACE_LABELS = frozenset(
    "co ci city town twp village vil boro borough county parish township".split()
)
