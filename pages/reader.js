// The reader's hands on a report: clicks and keys on its citations, jumps and headings, and on narrow screens the sheet with the passage.
// What was chosen is marked here at once and told to Python after, so that no press of a key is lost; Python only draws the passage.
// The words of pages and models are never touched.

const readers = new WeakMap();
const narrow = matchMedia("(max-width: 900px)");
const DIALOG = { role: "dialog", "aria-modal": "true" };
const HEADER = 4.5; // rem, as in report.css
const LEAST_ROOM = 200; // pixels
const one = (selector) => document.querySelector(selector);
const column = () => one(".st-key-evidence")?.closest('[data-testid="stColumn"]');
const beside = (place) => document.body.dataset.passage && !column()?.contains(place); // the open sheet
const link = (cite) => one(`.report a[href="#cite-${cite}"]`);

export default function ({ data, parentElement, setTriggerValue }) {
  const reader = readers.get(parentElement) ?? begin(parentElement);
  // turn: how often something was chosen here. What Python drew for an earlier choice says nothing about the present one.
  reader.tell = () => setTriggerValue("cite", [reader.cite, ++reader.turn]);
  reader.count = data.count;
  label(reader, data.labels);
  if (data.turn >= reader.turn) {
    const elsewhere = reader.cite !== null && reader.cite !== data.cite; // a row of the table, the address
    reader.turn = data.turn;
    mark(reader, data.cite);
    if (elsewhere || (reader.fresh && data.chosen)) bring(data.cite, "center");
    if (elsewhere) sheet(reader, true);
  }
  reader.fresh = false;
  arrived(reader);
  return () => reader.end();
}

// The words of the bar, in the language of the screens.
function label(reader, labels) {
  reader.labels = labels;
  const bar = one(".reader");
  if (!bar) return;
  bar.setAttribute("aria-label", labels.citations);
  bar.querySelector('[data-step="-1"] span').textContent = labels.previous;
  bar.querySelector('[data-step="1"] span').textContent = labels.next;
  bar.querySelector("[data-close] span").textContent = labels.close;
  bar.querySelector("[data-close]").setAttribute("aria-label", labels.closePassage);
}

function begin(root) {
  const ended = new AbortController();
  const reader = { root, cite: null, turn: 0, count: 0, fresh: true, shown: "", tell: () => {} };
  const watcher = new MutationObserver(() => arrived(reader));
  const pane = one(".st-key-evidence");
  if (pane) watcher.observe(pane, { childList: true, subtree: true });
  const sizes = new ResizeObserver(fit); // what is drawn above the pane moves it
  for (const name of ["stMainBlockContainer", "stBottom"]) {
    const place = one(`[data-testid="${name}"]`);
    if (place) sizes.observe(place);
  }
  reader.end = () => {
    ended.abort();
    watcher.disconnect();
    sizes.disconnect();
    readers.delete(root);
    release();
  };
  document.addEventListener("click", (event) => clicked(reader, event), { signal: ended.signal });
  document.addEventListener("keydown", (event) => pressed(reader, event), { signal: ended.signal });
  document.addEventListener("focusin", (event) => beside(event.target) && one(".reader [data-close]")?.focus(), { signal: ended.signal });
  for (const kind of ["pointerover", "focusin"]) {
    document.addEventListener(kind, (event) => event.target.closest?.(".cite") && delete document.body.dataset.quiet, { signal: ended.signal });
  }
  document.addEventListener("scroll", fit, { capture: true, passive: true, signal: ended.signal });
  addEventListener("resize", fit, { signal: ended.signal });
  narrow.addEventListener("change", () => document.body.dataset.passage && sheet(reader, false), { signal: ended.signal });
  readers.set(root, reader);
  return reader;
}

function clicked(reader, event) {
  const on = event.target.closest?.('a[href^="#cite-"], a[href^="#goto-"], a[href^="#section-"], [data-jump], [data-show], [data-step], [data-close]');
  if (!on) {
    if (beside(event.target)) sheet(reader, false);
    return;
  }
  event.preventDefault();
  if (on.dataset.step) step(reader, Number(on.dataset.step));
  else if (on.dataset.jump) jump(reader, on.dataset.jump);
  else if (on.dataset.show) unfold(on.dataset.show);
  else if ("close" in on.dataset) sheet(reader, false);
  else if (on.hash.startsWith("#section-")) look(one(on.hash), "start");
  else {
    choose(reader, Number(on.hash.slice(6))); // #cite-7 in the text, #goto-7 from a list below it
    if (on.hash.startsWith("#goto-")) bring(reader.cite, "center");
    sheet(reader, true);
  }
}

function pressed(reader, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select, [contenteditable=true]")) return;
  if (event.key === "j" || event.key === "k") {
    event.preventDefault();
    step(reader, event.key === "j" ? 1 : -1);
  } else if (event.key === "Escape") {
    document.body.dataset.quiet = ""; // hides the tooltip of a mark, until the pointer or the focus goes to another
    if (document.body.dataset.passage) sheet(reader, false);
  }
}

function step(reader, by) {
  choose(reader, reader.cite + by);
}

function choose(reader, cite) {
  if (!(cite >= 1 && cite <= reader.count)) return;
  const same = cite === reader.cite;
  mark(reader, cite);
  bring(cite, "nearest");
  if (!same || reader.turn === 0) reader.tell();
  arrived(reader);
}

// The next place of this state after the current one, from the top again after the last.
function jump(reader, state) {
  const places = [...document.querySelectorAll(`.report :is([data-state="${state}"], [data-also="${state}"])`)];
  const from = one(".report [data-here]") ?? link(reader.cite);
  const after = places.find((place) => from && from !== place && from.compareDocumentPosition(place) & Node.DOCUMENT_POSITION_FOLLOWING);
  const first = from && !reader.jumped && places.includes(from) ? from : null; // the first press may stay where it is
  const next = first ?? after ?? places[0];
  reader.jumped = true;
  if (!next) return;
  if (next.hash) {
    choose(reader, Number(next.hash.slice(6)));
    bring(reader.cite, "center");
  } else look(next, "center");
  for (const place of document.querySelectorAll(".report [data-here]")) delete place.dataset.here;
  next.dataset.here = "";
}

function mark(reader, cite) {
  for (const place of document.querySelectorAll(".report [aria-current], .report [data-here]")) {
    place.removeAttribute("aria-current");
    delete place.dataset.here;
  }
  link(cite)?.setAttribute("aria-current", "true");
  reader.cite = cite;
  const bar = one(".reader");
  if (!bar) return;
  const place = reader.labels.status.replace("{number}", cite).replace("{count}", reader.count);
  bar.querySelector("[role=status]").textContent = place;
  bar.querySelector('[data-step="-1"]').disabled = cite <= 1;
  bar.querySelector('[data-step="1"]').disabled = cite >= reader.count;
}

function bring(cite, block) {
  link(cite)?.scrollIntoView({ block });
}

// Open a folded list and bring it into sight.
function unfold(name) {
  const list = one(`.st-key-${name} details`);
  const head = list?.querySelector("summary");
  if (!head) return;
  if (!list.open) head.click();
  requestAnimationFrame(() => look(head, "center"));
}

function look(place, block) {
  place?.scrollIntoView({ block });
  place?.focus({ preventScroll: true });
}

// On a narrow screen the passage lies over the text, from the tap on a citation until it is closed; till then all else is out of reach.
function sheet(reader, open) {
  if (!open) {
    release();
    link(reader.cite)?.focus({ preventScroll: true });
  } else if (narrow.matches) {
    document.body.dataset.passage = "open";
    hold(reader);
    one(".reader [data-close]")?.focus({ preventScroll: true });
    bring(reader.cite, "nearest");
    reader.shown = ""; // a passage drawn while the pane was hidden has no place yet
    arrived(reader);
  }
}

function hold(reader) {
  const held = column();
  held?.setAttribute("aria-label", reader.labels.dialog);
  for (const [name, value] of Object.entries(DIALOG)) held?.setAttribute(name, value);
  for (let inside = held; inside && inside !== document.body; inside = inside.parentElement) {
    for (const other of inside.parentElement.children) {
      if (other === inside || other.inert) continue;
      other.inert = true;
      other.dataset.behind = "";
    }
  }
}

function release() {
  delete document.body.dataset.passage;
  for (const name of ["aria-label", ...Object.keys(DIALOG)]) column()?.removeAttribute(name);
  for (const other of document.querySelectorAll("[data-behind]")) {
    other.inert = false;
    delete other.dataset.behind;
  }
}

// The pane ends above the box for a follow-up, wherever the page is scrolled to.
function fit() {
  const pane = column();
  if (!pane) return;
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const top = Math.max(pane.getBoundingClientRect().top, HEADER * rem);
  const end = one('[data-testid="stBottom"]')?.getBoundingClientRect().top ?? innerHeight;
  pane.style.setProperty("--room", `${Math.max(end - top - rem / 2, LEAST_ROOM)}px`);
}

// When the passage of the chosen citation has been drawn: bring its words into sight inside the pane.
function arrived(reader) {
  const card = one(".evidence");
  const pane = card?.closest('[data-testid="stColumn"]');
  if (!pane) return;
  if (document.body.dataset.passage) hold(reader); // what was drawn since
  fit();
  pane.toggleAttribute("data-late", card.dataset.cite !== String(reader.cite));
  const shown = `${card.dataset.cite} ${card.dataset.around}`;
  if (shown === reader.shown) return;
  reader.shown = shown;
  const words = card.querySelector("mark") ?? card.querySelector(".page span");
  pane.scrollTop = 0;
  const box = pane.getBoundingClientRect();
  const place = words?.getBoundingClientRect();
  const top = box.top + covered(card);
  // The links below the passage cover its end.
  const links = narrow.matches ? null : one(".st-key-evidence_ways");
  const ways = links?.parentElement.offsetHeight ?? 0;
  const below = place ? place.bottom + 12 + ways - Math.min(box.bottom, innerHeight) : 0;
  if (below > 0) pane.scrollTop = toWholeLine(card, top, Math.min(below, place.top - top - 4));
}

// How much of the pane its bar and the card's head cover while the passage scrolls.
function covered(card) {
  return (one(".reader")?.offsetHeight ?? 0) + card.querySelector("header").offsetHeight;
}

// As far as `by`, and on to the end of the line or paragraph that would be cut at `top`.
function toWholeLine(card, top, by) {
  const cut = top + by;
  const parts = [...card.children].slice(1);
  const part = parts.find((child) => child.getBoundingClientRect().bottom > cut);
  const box = part?.getBoundingClientRect();
  if (!box || box.top >= cut) return by;
  if (!part.matches("blockquote")) return box.bottom - top;
  const style = getComputedStyle(part);
  const line = parseFloat(style.lineHeight);
  const begins = box.top + parseFloat(style.paddingTop);
  return line ? begins - top + Math.ceil((cut - begins) / line) * line : by;
}
