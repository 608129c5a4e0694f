// Bring the form of a tool into view and the focus to its first field. A new `turn` is a tool that was opened by hand.
// The form may be drawn after this runs. On a touch screen the heading takes the focus: a field would open the keyboard over the form.

const LONGEST_MS = 10000;
let seen = 0;

function place(data, since) {
  const form = document.querySelector(`[class~="st-key-form_of_${data.tool}"]`);
  const heading = document.querySelector("h2.tool");
  if (form?.contains(document.activeElement)) return; // somebody is typing already
  const field = form?.querySelector("input, textarea");
  const isDrawing = document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "running";
  const isComplete = heading && form && (field || !data.fields) && !isDrawing;
  if (!isComplete && performance.now() - since < LONGEST_MS) {
    setTimeout(place, 50, data, since);
    return;
  }
  const isTouched = matchMedia("(pointer: coarse)").matches;
  heading?.scrollIntoView({ block: "start" });
  (isTouched || !field ? heading : field)?.focus({ preventScroll: true });
}

export default function ({ data }) {
  if (data.turn <= seen) return;
  seen = data.turn;
  place(data, performance.now());
}
