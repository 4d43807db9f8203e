// Runs before anything is drawn: the theme that was chosen last time, if one was.
try {
  const chosen = localStorage.getItem("holdfast.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be forbidden; the system's own preference then decides.
}
