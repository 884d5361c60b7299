// A button beside each command line that copies it. Without a clipboard to write to there is none.
const ready = new WeakSet();

export function copies(root) {
  if (!navigator.clipboard) return;
  for (const command of root.querySelectorAll(".command")) {
    if (ready.has(command)) continue;
    ready.add(command);
    const button = command.querySelector("[data-copy]");
    if (!button) continue; // a directory that does not tell its command
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(command.querySelector("[data-command]").textContent);
        button.textContent = "Copied";
      } catch { button.textContent = "Not allowed: select it"; }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }
}
