// Before the first paint: a theme chosen earlier, so that the page never flashes in the other one.
// A classic script on purpose: modules run after the first paint.
try {
  const theme = localStorage.getItem("synthattn.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the system's preference holds.
}
