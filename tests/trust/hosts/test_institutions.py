"""Institutions told by an address alone: what a suffix or our table proves, what a name only says,
and what it leaves open.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from publicsuffixlist import PublicSuffixList

from research_core.policy import CredibilityPolicy
from research_core.trust.credibility import find_deciding_part
from research_core.trust.hosts import suffixes
from research_core.trust.hosts.institutions import (
    assess_predatory_name,
    find_institution,
    find_named_institution,
    find_publisher,
    load_institutions,
)
from research_core.trust.hosts.kinds import HOST_KINDS
from research_core.trust.hosts.outlets import load_outlets as outlets


@pytest.mark.parametrize(
    ("host", "label"),
    [
        ("unla.edu.ar", "university"),
        ("leuphana.de", "university"),
        ("portal.kuleuven.be", "university"),
        ("data.gov.uk", "government"),
        ("jma.go.jp", "government"),
        ("economie.gouv.fr", "government"),
        ("canada.ca", "government"),
        ("stats.govt.nz", "government"),
        ("co.darke.oh.us", "local government"),
        ("town.broadway.va.us", "local government"),
        ("bellingham.k12.wa.us", "school"),
        ("www.destatis.de", "statistics office"),
        ("iso.org", "standards body"),
        ("link.springer.com", "academic publisher"),
        ("arxiv.org", "preprint server"),
        ("www.bundesbank.de", "central bank"),
        ("cern.ch", "intergovernmental body"),
        # true suffixes, and what stands by itself
        ("gob.mx", "government"),
        ("www.gob.mx", "government"),
        ("gov.uk", "government"),
        ("gouv.fr", "government"),
        ("kremlin.ru", "government"),
        ("en.kremlin.ru", "government"),
        ("duma.gov.ru", "government"),
        ("policja.gov.pl", "government"),
        ("www.gov.scot", "government"),
        ("www.gov.bc.ca", "government"),
        ("legisquebec.gouv.qc.ca", "government"),
        ("en.gouv.mc", "government"),
        ("rta.mi.th", "government"),
        ("stf.jus.br", "government"),
        ("city.kobe.lg.jp", "local government"),
        ("oslo.kommune.no", "local government"),
        ("state.oh.us", "local government"),
        ("www.ci.redding.ca.us", "local government"),
        ("niwa.cri.nz", "research institute"),
        ("kist.re.kr", "research institute"),
        ("galilei.edu.it", "school"),
        ("eton.sch.uk", "school"),
        ("1lyk-athin.att.sch.gr", "school"),
        ("folk.museum.no", "library or museum"),
        ("guys.nhs.uk", "health authority"),
    ],
)
def test_what_an_address_proves(host: str, label: str) -> None:
    found = find_institution(host)
    assert found is not None
    assert found.label == label
    assert found.value == next(kind.value for kind in HOST_KINDS.values() if kind.label == label)
    assert found.why


@pytest.mark.parametrize(
    "host",
    [
        "gov.com",
        "ac.com",
        "edu.example.com",
        "nato.internal.example",
        "uk",
        "",
        "go.com",
        "notiso.org",
        "xac.uk",
        "ac.uk",
        "sch.uk",
    ],
)
def test_what_an_address_does_not_prove(host: str) -> None:
    assert find_institution(host) is None


@pytest.mark.parametrize(
    "host",
    [
        "shop.mi.it",  # Milan
        "blog.go.it",  # Gorizia
        "foo.id.au",  # for individuals
        "acme.on.ca",
        "shop.qc.ca",
        "band.mus.br",  # for musicians
        "firma.ac.se",  # a county
        "tribe.iwi.nz",
        "cars.school.in",
        "foo.ac.de",  # no suffix: somebody's domain
        "uni.school.de",
        "foo.museum.com",
        "foo.lib.de",
        "x.court.ch",
        "well.sf.ca.us",  # whoever lives there
        "acme.gen.ny.us",
        "acme.waw.pl",
        "shop.nsw.au",
        "shop.tokyo.jp",
        "firma.msk.ru",
        "mi.us",
    ],
)
def test_a_suffix_that_anybody_can_register_under_proves_nothing(host: str) -> None:
    assert find_institution(host) is None


@pytest.mark.parametrize(
    ("host", "label", "least"),
    [
        ("www.otago.ac.nz", "university", 0.75),
        ("agh.edu.pl", "university", 0.75),
        ("kings.school.nz", "school", 0.5),
    ],
)
def test_a_suffix_that_is_only_meant_for_it_counts_less_and_says_so(
    host: str, label: str, least: float
) -> None:
    found = find_institution(host)
    assert found is not None
    assert found.label == f"{label} by its suffix"
    assert (
        least
        < found.value
        < next(kind.value for kind in HOST_KINDS.values() if kind.label == label)
    )
    assert "nobody checks" in found.why


def test_closed_suffixes_are_public_ones_owned_domains_are_not_and_every_kind_is_known() -> None:
    official = PublicSuffixList(only_icann=True)
    for suffix in (*suffixes.CLOSED_SUFFIXES, *suffixes.INTENDED_SUFFIXES):
        assert official.is_public(suffix) or official.is_public(f"any.{suffix}"), suffix
    assert not [domain for domain in suffixes.OWNED_DOMAINS if official.is_public(domain)]
    assert {
        *suffixes.CLOSED_SUFFIXES.values(),
        *suffixes.INTENDED_SUFFIXES.values(),
        *suffixes.OWNED_DOMAINS.values(),
    } <= set(HOST_KINDS)
    assert not set(suffixes.CLOSED_SUFFIXES) & set(suffixes.INTENDED_SUFFIXES) | set(
        suffixes.CLOSED_SUFFIXES
    ) & set(suffixes.OWNED_DOMAINS)


@pytest.mark.parametrize(
    ("host", "label"),
    [
        ("uni-hamburg.de", "university by its name"),
        ("hochschule-bonn.de", "university by its name"),
        ("cityofhemet.org", "local government by its name"),
        ("madisoncountync.org", "local government by its name"),
        ("boonville-mo.org", "local government by its name"),
        ("kingsheriff.org", "local government by its name"),
        ("ijarem.org", "name of a doubtful journal"),
        ("europeanjournalofeconomics.com", "name of a doubtful journal"),
    ],
)
def test_a_name_says_what_it_says_and_that_anybody_can_register_it(host: str, label: str) -> None:
    found = find_named_institution(host)
    assert found is not None
    assert found.label == label
    assert "anybody can register" in found.why or "not proved" in found.why
    assert find_institution(host) is None


@pytest.mark.parametrize(
    "host",
    ["university-press.com", "unicredit.it", "universal.com", "obama.org", "cinema.com", "fire.com", "schools.com", "educationweek.com",
     "research.com", "sciencenewsforkids.com", "gazette.org", "a.example.org", "journal.example.com", "ikea.com", "visitflorida.com"],
)  # fmt: skip
def test_what_only_sounds_alike_is_left_open(host: str) -> None:
    assert find_named_institution(host) is None


@pytest.mark.parametrize(
    "host",
    ["irs-gov.com", "cdc-gov.org", "nih-gov.us", "fda-gov.net", "usgov.info", "gov-uk.com", "nasa-gov.co", "cdcgov.us", "irs-gov.de",
     "governmentgrants.org", "who-int.net", "mit-edu.com", "oxford-ac-uk.com"],
)  # fmt: skip
def test_no_gov_in_a_name_lifts_a_host(host: str) -> None:
    tier, decides = find_deciding_part(host, CredibilityPolicy())
    assert find_institution(host) is None
    assert (decides.value if decides else tier.value) <= tier.value


@pytest.mark.parametrize(
    ("host", "below_a_school"),
    [
        ("uni-hamburg.de", False),
        ("unixy.it", False),
        ("university-of-x.com", True),
        ("university-of-x.org", True),
        ("stanforduni.info", True),
        ("university-of-x.ai", True),
    ],
)
def test_a_universitys_name_is_worth_less_under_no_country(host: str, below_a_school: bool) -> None:
    found = find_named_institution(host)
    assert found is not None
    assert found.value < HOST_KINDS["university"].value
    assert (found.value < HOST_KINDS["school"].value) is below_a_school


def test_an_institution_of_proof_is_never_doubted_for_its_name() -> None:
    assert (
        assess_predatory_name("journals.univ-lille.fr") is None
        or find_institution("journals.univ-lille.fr") is None
    )
    assert assess_predatory_name("ijhs.qu.edu.sa") is None


def test_the_table_is_sorted_and_says_nothing_twice() -> None:
    rows = load_institutions()
    assert list(rows) == sorted(rows)
    assert len(rows) > 1_200
    assert {kind for kind, _ in rows.values()} <= set(HOST_KINDS)
    assert not set(rows) & set(outlets())


@given(st.from_regex(r"[a-z0-9-]{1,20}(\.[a-z0-9-]{1,12}){0,3}", fullmatch=True))
def test_any_host_is_valued_between_0_and_1_or_left_open(host: str) -> None:
    for found in (
        find_institution(host),
        find_named_institution(host),
        assess_predatory_name(host),
    ):
        assert found is None or (0.0 < found.value < 1.0 and found.label and found.why)


@pytest.mark.parametrize(("doi", "name"), [("10.1016/j.x.2020.1", "Elsevier"), ("10.1371/journal.pone.1", "Public Library of Science"),
                                           ("10.99999/x", ""), ("", "")])  # fmt: skip
def test_a_publisher_is_known_by_the_prefix_it_registers(doi: str, name: str) -> None:
    assert find_publisher(doi) == name


@pytest.mark.parametrize(
    "host",
    [
        "jbl.com",
        "jvc.com",
        "publix.com",
        "pubpeer.com",
        "oaktree.com",
        "smartwater.com",
        "webportal.com",
        "uefa.ch",
        "unia.ch",
        "uno.it",
    ],
)
def test_a_name_that_only_begins_or_ends_like_one_says_nothing(host: str) -> None:
    assert find_named_institution(host) is None


def test_one_sign_of_a_journal_is_held_against_nobody() -> None:
    found = find_named_institution("rapidcityjournal.com")
    assert found is not None
    assert found.label == "name like a journal's"
    assert "paid" not in found.why


@pytest.mark.parametrize(
    "host",
    [
        "uem.es",
        "www.uji.es",
        "ugto.mx",
        "bsu.by",
        "kgmu.kz",
        "ipg.pt",
        "insa-toulouse.fr",
        "phzh.ch",
        "vsvu.sk",
        "uefs.br",
        "wsiz.rzeszow.pl",
        "kfh-mainz.de",
    ],
)
def test_a_university_is_known_by_the_short_names_of_its_country(host: str) -> None:
    found = find_institution(host) or find_named_institution(host)
    assert found is not None
    assert found.label.startswith("university")
    assert found.value > 0.7


@pytest.mark.parametrize(
    "host", ["uber.es", "ups.mx", "menu.ru", "elite.hu", "ufo.pt", "uem.com", "insa.fr.com"]
)
def test_a_short_name_is_no_university_by_itself(host: str) -> None:
    assert find_named_institution(host) is None


@pytest.mark.parametrize(
    "host",
    [
        "techsoft.com.mx",
        "ulmo.com.ua",
        "usu.com.ua",
        "ubisoft.com.ro",
        "uploady.ro",
        "ustvari.ro",
        "tecnocasa.es",
        "techgear.mx",
        "unicaja.es",
        "ugt.es",
        "este.hu",
        "wspolna.pl",
        "registro.br",
        "temu.ru",
    ],
)
def test_a_company_with_a_name_like_a_short_one_is_no_university(host: str) -> None:
    assert find_named_institution(host) is None


@pytest.mark.parametrize(
    "host",
    ["okanagan.bc.ca", "www.langara.bc.ca", "mohawkc.on.ca", "vaniercollege.qc.ca", "ufv.ca"],
)
def test_a_canadian_college_is_known_by_its_row(host: str) -> None:
    found = find_institution(host)
    assert found is not None
    assert found.label == "university"


@pytest.mark.parametrize(
    "host",
    [
        "margate-nj.com",
        "omro-wi.com",
        "brownwoodtx.com",
        "jacksonvilleil.com",
        "kaysvillecity.com",
        "newhartfordtown.net",
        "springfieldohio.com",
        "townofshelby.net",
    ],
)
def test_a_town_of_the_united_states_is_known_by_its_name_under_any_suffix(host: str) -> None:
    found = find_named_institution(host)
    assert found is not None
    assert found.label == "local government by its name"


@pytest.mark.parametrize(
    "host",
    [
        "globalresearchinstitute.org",
        "instituteofwellness.net",
        "heartinstitute.com",
        "instituto-belleza.es",
        "institut-minceur.fr",
        "skininstitute.de",
        "institutetech.com",
    ],
)
def test_institute_in_a_name_lifts_nobody(host: str) -> None:
    found = find_named_institution(host)
    assert found is None or found.value < 0.4


@pytest.mark.parametrize(
    "host", ["smarttown.com", "websitevt.net.com", "knock-la.com", "log-in.com"]
)
def test_a_product_name_under_com_is_no_town(host: str) -> None:
    assert find_named_institution(host) is None
