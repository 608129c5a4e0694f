// The table of sources: sort by a click on a heading, open a row by a click or Enter, press its button.
// Python sends the cells and is told what was opened or pressed. Cells are text only; nothing in them is read as HTML.

const tables = new WeakMap();
const CHUNK = 40; // rows drawn at first, and added at each end of scrolling: hundreds would slow every redraw

export default function ({ data, parentElement, setTriggerValue }) {
  const table = tables.get(parentElement) ?? begin(parentElement);
  table.tell = setTriggerValue;
  draw(table, data);
  return () => tables.delete(parentElement);
}

function make(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

function begin(root) {
  const box = make("div", "source_table");
  const grid = make("table");
  const head = make("thead");
  const body = make("tbody");
  grid.setAttribute("role", "grid");
  for (const group of [head, body]) group.setAttribute("role", "rowgroup");
  grid.append(head, body);
  box.append(grid);
  root.replaceChildren(box); // a root that is used again still holds the table of before
  const table = { box, grid, head, body, rows: new Map(), columns: "", sort: null, down: false, at: "", shown: CHUNK, chosen: "" };
  box.addEventListener("scroll", () => {
    if (box.scrollTop + box.clientHeight > box.scrollHeight - 400) more(table, CHUNK);
  });
  // On phones the page scrolls, and not the box.
  const whole = () => {
    if (!box.isConnected) document.removeEventListener("scroll", whole, true);
    else if (box.scrollHeight <= box.clientHeight && box.getBoundingClientRect().bottom < innerHeight + 400) more(table, CHUNK);
  };
  document.addEventListener("scroll", whole, { capture: true, passive: true });
  head.addEventListener("click", (event) => sortBy(table, event.target.closest("button")));
  body.addEventListener("click", (event) => clicked(table, event));
  body.addEventListener("keydown", (event) => pressed(table, event));
  body.addEventListener("focusin", (event) => visit(table, event.target.closest("tr")));
  tables.set(root, table);
  return table;
}

function draw(table, data) {
  table.data = data;
  table.grid.setAttribute("aria-label", data.label);
  table.head.style.setProperty("--sort-label", JSON.stringify(data.sort)); // shown on phones, where rows are blocks without columns
  table.box.dataset.wide = data.columns.length > 9 ? "yes" : "";
  const columns = JSON.stringify(data.columns);
  if (columns !== table.columns) {
    table.columns = columns;
    for (const drawn of table.rows.values()) drawn.text = ""; // the lines stay, and with them the focus
    drawHead(table);
  }
  const known = new Set(data.rows.map((row) => row.id));
  for (const id of [...table.rows.keys()]) if (!known.has(id)) table.rows.delete(id);
  const place = sorted(table).findIndex((row) => row.chosen);
  const chosen = place < 0 ? "" : sorted(table)[place].id;
  const isNew = chosen !== table.chosen;
  if (isNew && place >= table.shown) table.shown = place + CHUNK;
  drawRows(table);
  if (isNew && chosen) requestAnimationFrame(() => turnTo(table));
  table.chosen = chosen;
}

function drawHead(table) {
  const line = make("tr");
  line.setAttribute("role", "row");
  const widths = make("colgroup");
  for (const column of table.data.columns) {
    const width = make("col", `of_${column.name}`);
    if (column.width) width.style.width = `${column.width}px`;
    widths.append(width);
    const cell = make("th", `of_${column.name}`);
    cell.setAttribute("role", "columnheader");
    cell.scope = "col";
    if (column.kind === "action" || column.kind === "link") cell.textContent = column.label;
    else {
      const button = make("button", "", column.label);
      button.type = "button";
      button.dataset.sort = column.name;
      button.title = column.help;
      cell.append(button);
    }
    line.append(cell);
  }
  table.grid.querySelector("colgroup")?.remove();
  table.grid.prepend(widths);
  table.head.replaceChildren(line);
  if (!table.data.columns.some((column) => column.name === table.sort)) table.sort = null;
  markSort(table);
}

function fill(table, line, row) {
  line.dataset.id = row.id;
  line.setAttribute("role", "row");
  line.setAttribute("aria-selected", row.chosen ? "true" : "false");
  line.className = row.tint ? "tinted" : "";
  if (!line.hasAttribute("tabindex")) line.tabIndex = -1;
  const cells = table.data.columns.map((column) => {
    const cell = fillCell(table.data, column, row.cells[column.name], line.tabIndex);
    for (const [text, help] of row.notes[column.name] ?? []) {
      const note = make("small", "", text);
      if (help) note.title = help;
      cell.append(note);
    }
    return cell;
  });
  line.replaceChildren(...cells);
}

function fillCell(data, column, value, tabIndex) {
  const cell = make("td", `of_${column.name} is_${column.kind}`);
  cell.dataset.column = column.label; // shown on phones beside values that do not say what they are
  cell.setAttribute("role", "gridcell");
  if (value === null || value === undefined || value === "") {
    cell.classList.add("blank");
    return cell;
  }
  if (column.kind === "badge") cell.append(make("span", `badge ${data.badges[value][1]}`, data.badges[value][0]));
  else if (column.kind === "bar") cell.append(...fillBar(value));
  else if (column.kind === "source") {
    const title = make("span", "title", value[0]);
    title.dir = "auto";
    cell.append(title, make("span", "about", value[1]));
  } else if (column.kind === "action") {
    const button = make("button", "", value);
    button.type = "button";
    button.title = data.actions[value];
    button.tabIndex = tabIndex;
    cell.append(button);
  } else if (column.kind === "link") {
    const link = make("a", "", column.open);
    link.href = value;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
    link.tabIndex = tabIndex;
    cell.append(link);
  } else if (column.kind === "figure") cell.textContent = value.toFixed(column.places) + column.unit;
  else {
    const text = make("span", "", String(value));
    text.dir = "auto";
    cell.append(text);
  }
  return cell;
}

function fillBar(value) {
  const bar = make("i");
  bar.setAttribute("aria-hidden", "true");
  const share = make("b");
  share.style.width = `${Math.round(100 * Math.min(1, Math.max(0, value)))}%`;
  bar.append(share);
  return [bar, make("span", "", value.toFixed(2))];
}

// ---- sorting

function sortBy(table, button) {
  if (!button) return;
  if (table.sort !== button.dataset.sort) [table.sort, table.down] = [button.dataset.sort, false];
  else if (!table.down) table.down = true;
  else table.sort = null; // the third press brings back the run's order
  markSort(table);
  table.shown = CHUNK;
  drawRows(table);
  table.box.scrollTop = 0;
}

function markSort(table) {
  for (const button of table.head.querySelectorAll("button")) {
    const sorted = button.dataset.sort === table.sort;
    const cell = button.parentElement;
    if (sorted) cell.setAttribute("aria-sort", table.down ? "descending" : "ascending");
    else cell.removeAttribute("aria-sort");
  }
}

// What a row is sorted by: badges by the order of decisions, empty cells last either way.
function rank(data, column, row) {
  const value = row.cells[column.name];
  if (value === null || value === undefined || value === "") return null;
  if (column.kind === "badge") return data.badges[value][2];
  if (column.kind === "source") return value[0].toLocaleLowerCase();
  return typeof value === "string" ? value.toLocaleLowerCase() : value;
}

function compare(one, other) {
  return typeof one === "string" ? one.localeCompare(other) : one - other;
}

function sorted(table) {
  const rows = [...table.data.rows];
  const column = table.data.columns.find((one) => one.name === table.sort);
  if (!column) return rows;
  const turn = table.down ? -1 : 1;
  return rows.sort((one, other) => {
    const [first, second] = [rank(table.data, column, one), rank(table.data, column, other)];
    if (first === null || second === null) return (first === null) - (second === null);
    return turn * compare(first, second);
  });
}

// Draw the first rows of the order; lines that stay are kept, and with them the focus.
function drawRows(table) {
  const rows = sorted(table);
  table.grid.setAttribute("aria-rowcount", rows.length + 1);
  const lines = rows.slice(0, table.shown).map((row, place) => {
    const drawn = table.rows.get(row.id) ?? { line: make("tr"), text: "" };
    const text = JSON.stringify(row);
    if (drawn.text !== text) fill(table, drawn.line, row);
    drawn.text = text;
    drawn.line.setAttribute("aria-rowindex", place + 2);
    table.rows.set(row.id, drawn);
    return drawn.line;
  });
  const now = table.body.children;
  if (lines.length !== now.length || lines.some((line, place) => line !== now[place])) {
    const focused = table.body.contains(document.activeElement) ? document.activeElement : null;
    table.body.replaceChildren(...lines);
    if (focused?.isConnected) focused.focus({ preventScroll: true });
  }
  const here = table.rows.get(table.at)?.line;
  visit(table, here?.isConnected ? here : lines[0]);
}

function more(table, count) {
  if (table.shown >= table.data.rows.length) return;
  table.shown += count;
  drawRows(table);
}

// ---- rows

// One row at a time can be reached with Tab, and with it the button in it.
function visit(table, line) {
  if (!line) return;
  const before = table.rows.get(table.at)?.line;
  if (before && before !== line) reach(before, -1);
  table.at = line.dataset.id;
  reach(line, 0);
}

function reach(line, tabIndex) {
  line.tabIndex = tabIndex;
  for (const one of line.querySelectorAll("button, a")) one.tabIndex = tabIndex;
}

function show(table, line) {
  if (!line) return;
  const top = line.offsetTop - table.head.offsetHeight;
  if (top < table.box.scrollTop || line.offsetTop + line.offsetHeight > table.box.scrollTop + table.box.clientHeight)
    table.box.scrollTop = top;
}

// Opening a source moves the rows: columns go, and lines become longer. Its details begin at their top.
function turnTo(table) {
  show(table, table.body.querySelector("[aria-selected=true]"));
  document.querySelector(".st-key-opened")?.scrollTo(0, 0);
}

function clicked(table, event) {
  const line = event.target.closest("tr");
  if (!line || event.target.closest("a")) return;
  if (event.target.closest("button")) table.tell("act", line.dataset.id);
  else if (!String(getSelection())) open(table, line);
}

function open(table, line) {
  const chosen = line.getAttribute("aria-selected") === "true";
  table.tell("open", chosen ? "" : line.dataset.id);
}

function pressed(table, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const line = event.target.closest("tr");
  if (event.key === "Enter" && event.target === line) open(table, line);
  else if (event.key === "ArrowDown") {
    if (!line.nextElementSibling) more(table, CHUNK);
    line.nextElementSibling?.focus();
  } else if (event.key === "ArrowUp") line.previousElementSibling?.focus();
  else if (event.key === "Home") table.body.firstElementChild.focus();
  else if (event.key === "End") {
    more(table, table.data.rows.length);
    table.body.lastElementChild.focus();
  } else return;
  event.preventDefault();
}
