// Counts as the core does, with white space folded. Without the script, the count that the server draws is right after each submitted change.
const EVERY_MS = 250, MOST_ABSENCES = 40;

export default function ({ data }) {
  const count = () => {
    const box = document.querySelector(".st-key-question textarea");
    const said = document.querySelector("[data-count]");
    if (!box || !said) return false;
    const length = [...box.value.split(/\s+/).filter(Boolean).join(" ")].length;
    const over = length > data.high;
    const text = over ? data.text.replace("{length}", length).replace("{excess}", length - data.high) : "";
    if (said.textContent !== text) said.textContent = text;
    said.classList.toggle("over", over);
    const button = document.querySelector(".st-key-go button");
    if (button) button.disabled = length === 0 || over;
    if (box.assayCount !== count) {
      box.removeEventListener("input", box.assayCount);
      box.assayCount = count;
      box.addEventListener("input", count);
    }
    return true;
  };
  // On the way from another screen, box and button may be drawn after this, or anew.
  let absences = 0;
  clearInterval(window.assayCounter);
  window.assayCounter = setInterval(() => {
    absences = count() ? 0 : absences + 1;
    if (absences > MOST_ABSENCES) clearInterval(window.assayCounter);
  }, EVERY_MS);
  count();
}
