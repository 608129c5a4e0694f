// A link inside the app waits until the typed text was received: a moment for sending it, and the end of the run that this causes.
const FIELDS = 'input, textarea, [contenteditable="true"]';
const WAYS =
  '[data-testid^="stTopNav"] a, [data-testid^="stSidebarNav"] a, [data-testid="stPageLink"] a';
const SENT_MS = 80, LONGEST_MS = 3000;
let typing = false, going = null;
function hold(event) {
  const way = event.target.closest?.(WAYS);
  if (!way || way === going || !typing) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  typing = false;
  const since = performance.now();
  const taken = () => {
    const app = document.querySelector('[data-testid="stApp"]');
    return app?.dataset.testScriptState !== "running";
  };
  const go = () => {
    if (performance.now() - since < LONGEST_MS && !taken()) return setTimeout(go, 30);
    going = way;
    way.click();
    going = null;
  };
  setTimeout(go, SENT_MS);
}
export default function () {
  if (window.assayLeaves) return;
  window.assayLeaves = true;
  addEventListener("input", (event) => {
    if (event.target.matches?.(FIELDS)) typing = true;
  }, true);
  addEventListener("focusout", () => setTimeout(() => { typing = false; }, 400), true);
  addEventListener("click", hold, true);
}
