// Mend Streamlit's menu. On phones it puts a section's heading and links into a <div> inside the
// <ul>, where only items may be: the section becomes one item, and its <li> plain boxes. A screen
// chosen there closes the menu, which covers it. On wide screens a section that holds the current
// screen is marked like a link to it. And a theme chosen on one screen holds for all: Streamlit
// keeps it for the address that the browser loaded. A screen that is left keeps its address, so that
// Back returns to its settings.

const SECTIONS = '[data-testid="stSidebarNavItems"] > div:not([role])';
const CLOSE =
  '[data-testid="stSidebar"]:not([data-collapsed="true"])' +
  ' [data-testid="stSidebarCollapseButton"] button';

let current = ""; // heading of the section that holds the current screen

const LOADED = new URL(performance.getEntriesByType("navigation")[0]?.name ?? location.href);
const getThemeKey = (path) => `stActiveTheme-${path}-v2`;
const SHARED_THEME = "assayTheme"; // the theme that all screens were last given

export default function ({ data }) {
  current = data.section;
  followTheme(data.screens);
  const app = document.querySelector('[data-testid="stApp"]');
  if (!app) return;
  mend(app);
  if (app.assayMenu) return;
  app.assayMenu = new MutationObserver(() => mend(app));
  app.assayMenu.observe(app, { childList: true, subtree: true });
  keepAddress();
  document.addEventListener("click", close);
  // Another screen than the one that was loaded: it was chosen before this script could listen.
  if (location.pathname !== LOADED.pathname) closeMenu();
}

function mend(app) {
  for (const section of app.querySelectorAll(SECTIONS)) {
    section.setAttribute("role", "listitem");
    for (const line of section.querySelectorAll("li")) line.setAttribute("role", "none");
  }
  for (const section of app.querySelectorAll('[data-testid="stTopNavSection"]')) {
    const isCurrent = current && section.textContent.trim() === current;
    if (isCurrent) section.setAttribute("aria-current", "true");
    else section.removeAttribute("aria-current");
  }
}

// The theme may have been chosen before this script arrived, so what was shared last is stored too.
function followTheme(screens) {
  const folder = LOADED.pathname.replace(/[^/]*$/, "");
  const share = () => {
    const chosen = localStorage.getItem(getThemeKey(LOADED.pathname));
    if (!chosen || chosen === localStorage.getItem(SHARED_THEME)) return;
    localStorage.setItem(SHARED_THEME, chosen);
    for (const screen of screens) localStorage.setItem(getThemeKey(folder + screen), chosen);
  };
  removeEventListener("pagehide", window.assayTheme);
  window.assayTheme = share;
  addEventListener("pagehide", share);
  share();
}

// Streamlit first takes the settings of the screen that is left from its address, and then goes on
// to the next screen. The address as it was when the user pressed is put back in between, unless
// the present one has all its settings, maybe with newer values.
function keepAddress() {
  let pressed = location.href;
  for (const kind of ["click", "keydown"])
    document.addEventListener(kind, () => (pressed = location.href), true);
  const push = history.pushState.bind(history);
  history.pushState = (state, title, address) => {
    const next = new URL(address ?? location.href, location.href);
    const isLeft = next.pathname !== location.pathname;
    if (isLeft && lacksSettings(new URL(pressed)))
      history.replaceState(history.state, "", pressed);
    push(state, title, address);
  };
}

// Whether the present address is of the same screen as this one, without some of its settings.
function lacksSettings(earlier) {
  if (earlier.pathname !== location.pathname) return false;
  const present = new URLSearchParams(location.search);
  return [...earlier.searchParams.keys()].some((name) => !present.has(name));
}

// Streamlit follows the link itself, unless it opens elsewhere: in a new tab, for instance.
function close(event) {
  const link = event.target.closest?.('[data-testid="stSidebarNavLink"]');
  if (link && event.defaultPrevented) closeMenu();
}

// The keyboard's focus moves from the closed menu to the button that opens it.
function closeMenu() {
  const button = document.querySelector(CLOSE);
  if (!button) return;
  const menu = button.closest("section");
  button.click();
  requestAnimationFrame(() => {
    const focused = document.activeElement;
    if (focused !== document.body && !menu.contains(focused)) return;
    const opener = document.querySelector('[data-testid="stExpandSidebarButton"]');
    opener?.focus({ preventScroll: true });
  });
}
