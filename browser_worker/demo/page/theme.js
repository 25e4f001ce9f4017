// @ts-check
/** Light, dark, or as the system has it. Remembered in this browser, where it can be. */

/** @typedef {"auto" | "light" | "dark"} Theme */

const KEY = "bascule-write.theme";
/** In their order, each way. @type {Readonly<Record<"light" | "dark", readonly Theme[]>>} */
const THEMES = { light: ["auto", "dark", "light"], dark: ["auto", "light", "dark"] };
/** @type {Readonly<Record<Theme, string>>} */
const LABELS = { auto: "Colours: as the system", light: "Colours: light", dark: "Colours: dark" };

/**
 * @param {HTMLButtonElement} button Switches to the next: first to what the system does not have, since
 *   a press that changes nothing seems to be broken.
 */
export function bindTheme(button) {
  let theme = remembered();
  const show = () => {
    if (theme === "auto") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    button.dataset["theme"] = theme;
    button.setAttribute("aria-label", LABELS[theme]);
    button.title = LABELS[theme];
  };
  button.addEventListener("click", () => {
    const themes = THEMES[matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"];
    theme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // It holds until the page is left.
    }
    show();
  });
  show();
}

/** @returns {Theme} */
function remembered() {
  try {
    const saved = localStorage.getItem(KEY);
    return THEMES.light.find((theme) => theme === saved) ?? "auto";
  } catch {
    return "auto";
  }
}
