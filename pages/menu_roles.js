// Mend the list of Streamlit's menu on phones: it puts a section's heading and links into a <div>
// inside the <ul>, where only items may be. The section becomes one item, and its <li> plain boxes.

const SECTIONS = '[data-testid="stSidebarNavItems"] > div:not([role])';

export default function () {
  const app = document.querySelector('[data-testid="stApp"]');
  if (!app || app.assayMenu) return;
  app.assayMenu = new MutationObserver(() => mend(app));
  app.assayMenu.observe(app, { childList: true, subtree: true });
  mend(app);
}

function mend(app) {
  for (const section of app.querySelectorAll(SECTIONS)) {
    section.setAttribute("role", "listitem");
    for (const line of section.querySelectorAll("li")) line.setAttribute("role", "none");
  }
}
