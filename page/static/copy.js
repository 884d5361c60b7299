// A button beside each command line that copies it, if there is a clipboard.
const ready = new WeakSet();

export function copies(root) {
  if (!navigator.clipboard) return;
  for (const command of root.querySelectorAll(".command")) {
    if (ready.has(command)) continue;
    ready.add(command);
    const button = command.querySelector("[data-copy]");
    if (!button) continue; // a directory without command.txt
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(command.querySelector("[data-command]").textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not allowed: select it";
      }
      setTimeout(() => {
        button.textContent = "Copy";
      }, 2000);
    });
  }
}
