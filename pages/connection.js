// Say that the connection to the server is lost, and that the state on the screen may be out of date.
// Streamlit writes the states of its connection and of its script to the app's element.

const GRACE_MS = 700; // a reconnection within it is not worth a word
const SETTLED_MS = 4000; // a screen that is not drawn anew by then was up to date
let banner = null;
let timer = null;
let isDrawing = false; // the script ran after the reconnection

export default function ({ data }) {
  const app = document.querySelector('[data-testid="stApp"]');
  if (!app || app.assayConnection) return;
  app.assayConnection = new MutationObserver(() => look(app, data));
  const attributeFilter = ["data-test-connection-state", "data-test-script-state"];
  app.assayConnection.observe(app, { attributeFilter });
  look(app, data);
}

function look(app, data) {
  const isLost = app.dataset.testConnectionState !== "CONNECTED";
  if (isLost && !banner) {
    timer ??= setTimeout(() => begin(data), GRACE_MS);
  } else if (isLost) {
    isDrawing = false;
    stop();
  } else if (!banner) {
    stop();
  } else if (app.dataset.testScriptState === "running") {
    isDrawing = true;
  } else if (isDrawing) {
    end();
  } else {
    timer ??= setTimeout(end, SETTLED_MS);
  }
}

function stop() {
  clearTimeout(timer);
  timer = null;
}

function begin(data) {
  timer = null;
  isDrawing = false;
  document.body.dataset.offline = "";
  banner = document.createElement("div");
  banner.className = "connection-lost";
  banner.setAttribute("role", "status");
  banner.dataset.title = document.title;
  document.body.append(banner);
  banner.textContent = data.text; // after it was added, so that screen readers read it
  document.title = `${data.text} · Assay`;
}

function end() {
  stop();
  if (!banner) return;
  if (document.title.startsWith(banner.textContent)) document.title = banner.dataset.title;
  banner.remove();
  banner = null;
  delete document.body.dataset.offline;
}
