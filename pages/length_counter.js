// Counts as the core does, with white space folded. Without the script, the count that the server draws is right after each submitted change.
export default function ({ data }) {
  const box = document.querySelector(".st-key-question textarea");
  const said = document.querySelector("[data-count]");
  if (!box || !said) return;
  const button = document.querySelector(".st-key-go button");
  const count = () => {
    const length = [...box.value.split(/\s+/).filter(Boolean).join(" ")].length;
    const over = length > data.high;
    said.textContent = over ? data.text.replace("{length}", length).replace("{excess}", length - data.high) : "";
    if (button) button.disabled = length === 0 || over;
    said.classList.toggle("over", over);
  };
  box.removeEventListener("input", box.assayCount);
  box.assayCount = count;
  box.addEventListener("input", count);
  for (const delay of [50, 500]) setTimeout(count, delay); // the box may be filled after this
}
