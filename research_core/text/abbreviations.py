"""Abbreviations, months and numbered days of each language, for `sentences`.

The tables are our own. Keys are in lower case, without the last point and without spaces: "z. B."
and "z.B." are "z.b".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Abbreviations:
    """The abbreviations of a language, by what a point after them means.

    inside: never the end of a sentence. open: the end only if a function word follows.
    before_number: not the end if a number follows. beginnings: the first parts of abbreviations
    that have several.
    """

    inside: frozenset[str] = frozenset()
    open: frozenset[str] = frozenset()
    before_number: frozenset[str] = frozenset()
    beginnings: frozenset[str] = frozenset()


#: For each language: inside, open, before_number.
_ROWS: dict[str, tuple[str, str, str]] = {
    "de": (
        "z.b d.h d.i i.d.r i.d.f i.e.s i.s.v i.v.m i.a i.allg m.e s.o s.u o.g u.u u.u.u sog bzw"
        " vgl ggf evtl ca rd zzgl inkl exkl einschl lt gem hrsg begr ehem eigtl bspw insb"
        " insbes urspr vorm hl st dipl ing dr.med prof priv.doz abschn u.zw zw u.z v.a",
        "usw u.a u.v.m u.a.m u.ä u.dgl o.ä etc ff f jh jhd jhdt v.chr n.chr mio mrd tsd str nr co"
        " a.d i.r e.v dgl std min sek jan feb mrz apr jun jul aug sept okt nov dez stck stk",
        "abs art bd bde kap nr s sp ziff tab abb rn rdnr lit anm bl hs anl aufl jg h anh",
    ),
    "fr": (
        "m mm mme mlle me mgr dr pr st ste cf c.-à-d c.à.d p.ex env apr av t.v.a n.b réf dép tél"
        " éd s.a.r mlles mmes mgrs boul inst univ hôp",
        "etc av.j.-c apr.j.-c j.-c al suiv s.a hab min sec janv févr avr juil juill sept oct nov déc",
        "art al p pp vol chap n no nos fig tabl t ch par § réf l d r rem inc",
    ),
    "es": (
        "sr sra srta sres sras d dª dn dña dr dra lic ing prof profa p.ej p.e v.g ej gral"
        " cnel tte avda av c.f cfr aprox excmo excma ilmo fdo depto dpto inst univ ayto hosp mons s.m ud uds vd vds",
        "etc ee.uu a.c d.c a.m p.m cía s.a s.l min seg ss.mm rr.hh ff.aa núms ene feb abr ago sept oct"
        " nov dic hab",
        "art arts pág págs p pp vol cap núm núms n nº fig tel párr inc lám ed t",
    ),
    "pt": (
        "sr sra srs sras dr dra drs prof profa eng exmo exma d p.ex i.e av r trav lda gov gen cel"
        " cap ten dep aprox cf obs",
        "etc a.c d.c s.a ltda cia min seg e.u.a eua jan fev abr mai ago set nov dez hab",
        "art arts pág págs p pp vol cap n nº núm fig tel inc al par ed t",
    ),
    "it": (
        "sig sigg sig.ra sig.na dott dott.ssa prof prof.ssa ing avv arch geom on sen mons p.es ad"
        " es a.es cfr ca c.ca s.p.q.r gent egr spett ss n.b c.d cd cosid v.le p.za p.zza st",
        "ecc a.c d.c s.p.a s.r.l s.n.c sec min nn gen febb apr giu lug ag sett ott nov dic ab",
        "art artt pag pagg p pp vol cap n nr fig tel tav par co all lett ed",
    ),
    "nl": (
        "dhr mevr mw dr drs ing ir mr prof ds bijv bv d.w.z dwz m.a.w nl o.a o.l.v i.p.v t.o.v"
        " t.a.v m.b.t m.b.v i.v.m t.g.v d.m.v ca evt resp incl excl zgn zg vgl a.h.w"
        " n.a.v t.w i.h.b m.n o.i.d st",
        "enz e.d etc e.a v.chr n.chr a.s jl mln mld min sec jan feb mrt apr jun jul aug sept okt"
        " nov dec",
        "art blz p pp nr nrs dl hfst par lid afb fig tel afl jrg",
    ),
    "pl": (
        "np m.in tzn tzw tj dr mgr inż prof doc hab lek płk gen ppłk kpt św ks o ul al pl os"
        " woj pow gm zob por ok j.w wg red tłum tel dot pt ds t.j płd płn zach wsch pn",
        "im itd itp p.n.e n.e r w rr ww tys mln mld zł gr sp godz min sek in wyd",
        "art ust pkt s str nr t rozdz poz rys tab par lit zob",
    ),
    "cs": (
        "např tj tzn tzv mj mimo.jiné ing mgr mudr judr phdr rndr bc doc prof dr sv p pí sl ul nám"
        " tř gen plk kpt mjr por srov viz cca č.j čj tel event resp popř zn zvl t.č hl m.j arch",
        "atd apod aj př.n.l n.l stol r tis mil mld kč min hod sek s.r.o a.s spol roč o.p.s",
        "č čl odst písm str s sv kap obr tab r par bod",
    ),
    "sv": (
        "t.ex bl.a d.v.s dvs s.k m.a.o fr.o.m t.o.m p.g.a f.d fd ca kl dr prof doc s:t s:ta jfr"
        " ev resp inkl exkl enl tel u.a ang bl t ex o.d d",
        "osv m.m m.fl o.s.v etc f.kr e.kr st mkt milj mdr kr min sek jan febr apr aug sept okt"
        " nov dec o.dyl",
        "s sid nr kap st art bd fig tab p mom",
    ),
    "da": (
        "f.eks bl.a d.v.s dvs s.k ca kl dr prof sml jf jfr evt ekskl inkl hhv hr fr frk pga m.h.t"
        " mht vedr iht ift t.o.m t.eks fx ang henh kst st tlf såk",
        "osv m.m m.v mv m.fl etc o.l o.a f.kr e.kr mio mia mill mrd kr min sek jan feb apr"
        " aug sept okt nov des dec årh",
        "s nr kap stk art pkt bd fig tab p",
    ),
    "tr": (
        "dr prof doç yrd av op alb org gn müh öğr gör uzm bkz örn çev yay hz sn mah cad"
        " sok bul apt yy krş ing alm fr lat ar t.c",
        "vb vs vd m.ö m.s ltd şti a.ş dk sn tl km şub haz tem ağu eyl eki ",
        "s ss no md c böl f şek tab",
    ),
    "ru": (
        "т.е т.к т.н т.ч т.о т.наз тов проф акад доц канд ул пр-т просп пер пл наб бул д кв"
        " корп стр пос дер с.-х св преп см ср напр англ нем фр лат греч ит исп букв сокр"
        " ум ок г-н г-жа инж ген полк кап о оз обл р-н гос ред сост изд м в.т.ч и.о",
        "им гор т.д т.п др пр проч г гг в вв н.э до.н.э тыс млн млрд трлн руб коп долл чел экз мин сек"
        " кг км ч мм см р янв февр апр авг сент окт нояб дек",
        "с стр п пп ст гл рис табл т тт № вып разд ч илл",
    ),
    "uk": (
        "т.з т.зв т.к ім вул просп пр-т пл бул наб буд кв корп м с смт обл р-н проф акад доц"
        " канд св див пор напр англ нім фр лат грец о оз п пп ред упоряд нар ін-т ген"
        " зокр",
        "год тов т.д т.п т.ін ін р рр ст в вв н.е до.н.е тис млн млрд трлн грн коп дол ос чол хв сек "
        " січ лют берез квіт черв верес жовт листоп груд",
        "с стор ст гл п пп рис табл т № вип розд ч",
    ),
    "el": (
        "π.χ δηλ κ κα κκ δρ καθ βλ πρβλ λ.χ σ.σ τηλ οδ λεωφ αρ αριθ αγ στρ γεν τ.μ μ.χ.μ ό.π ο.π"
        " ι.χ.θ χιλ",
        "κ.λπ κ.ά κ.ο.κ κτλ κλπ κ.τ.λ π.μ μ.μ μ.χ εκ εκατ δισ ευρ α.ε ε.π.ε η.π.α ",
        "σ σελ αρ άρθ άρθρ παρ κεφ τ τόμ εικ πίν",
    ),
    "ar": ("د أ.د أ م.د ج.م.ع ص.ب ش.م.م", "ق.م ب.م هـ م", "ص ج ط ع رقم م"),
    "he": ("פרופ ד", "וכו וגו", "עמ מס סע"),
    "fa": ("د م ر.ک ق.م ه.ش ه.ق", "", "ص ج ش"),
    "hi": ("डॉ श्री प्रो पं श्रीमती कु सु मो स्व ई.पू रु कि.मी", "", "सं पृ नं क्र"),
}

_MONTHS = """
    januar februar märz april mai juni juli august september oktober november dezember jänner feber
    marts maj oktober desember december mars januari februari augusti
    ledna února března dubna května června července srpna září října listopadu prosince
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października grudnia
    ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
    január február március április május június július augusztus szeptember október
    tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta
    lokakuuta marraskuuta joulukuuta jan feb mrz apr jun jul aug sep sept okt nov dez
"""
#: Months, and their abbreviations, of the languages that write "4. März".
MONTHS = frozenset(_MONTHS.split())
#: Languages that write a place in a row as a number with a point.
POINTED_NUMBER_LANGUAGES = frozenset("de cs da sv pl tr".split())
#: Words before such a number in German, which writes the noun after it with a capital as well.
GERMAN_DETERMINERS = frozenset(
    """
        der die das dem den des am im vom zum zur beim ein eine einen einem einer eines dieser diese
        dieses diesen diesem jeder jede jedes jeden jedem ihr ihre ihren ihrem ihrer sein seine
        seinen seinem seiner unser unsere unseren mein meine meinen dein deine deren dessen ab bis
        seit und oder pro je montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag
    """.split()
)


@cache
def find_abbreviations(language: str) -> Abbreviations:
    """Return the abbreviations of a language.

    For an unknown language ("") these are all that have several parts, which are words in none.
    """
    if language and language not in _ROWS:
        return Abbreviations()
    rows = [_ROWS[language]] if language else list(_ROWS.values())
    inside, open_words, before_number = (
        frozenset(key for row in rows for key in row[column].split() if language or "." in key)
        for column in range(3)
    )
    beginnings = set()
    for key in inside | open_words:
        parts = key.split(".")
        for count in range(1, len(parts)):
            beginnings.add(".".join(parts[:count]))
    return Abbreviations(inside, open_words, before_number, frozenset(beginnings))
