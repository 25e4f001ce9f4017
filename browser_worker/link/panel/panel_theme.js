// @ts-check
/**
 * The panel's colours: light or dark as the page's own `color-scheme` says. An app changes them by the
 * `--bascule-…` properties, on the element or above it; all else by `::part()`s.
 */

export const PANEL_THEME = `
:host {
  --_paper: var(--bascule-paper, #ffffff);
  --_field: var(--bascule-field, #fbfaf8);
  --_ink: var(--bascule-ink, #1d2126);
  --_quiet: var(--bascule-quiet, #59616b);
  --_line: var(--bascule-line, #d5d8dc);
  --_accent: var(--bascule-accent, #0b5cad);
  --_accent-ink: var(--bascule-accent-ink, #ffffff);
  --_good: var(--bascule-good, #18794e);
  --_wait: var(--bascule-wait, #8a5200);
  --_bad: var(--bascule-bad, #b3261e);
}

@supports (color: light-dark(red, red)) {
  :host {
    --_paper: var(--bascule-paper, light-dark(#ffffff, #1d2125));
    --_field: var(--bascule-field, light-dark(#fbfaf8, #15181b));
    --_ink: var(--bascule-ink, light-dark(#1d2126, #e8eaed));
    --_quiet: var(--bascule-quiet, light-dark(#59616b, #a4acb5));
    --_line: var(--bascule-line, light-dark(#d5d8dc, #3b424a));
    --_accent: var(--bascule-accent, light-dark(#0b5cad, #7ab7ff));
    --_accent-ink: var(--bascule-accent-ink, light-dark(#ffffff, #0c1a2b));
    --_good: var(--bascule-good, light-dark(#18794e, #5fd39b));
    --_wait: var(--bascule-wait, light-dark(#8a5200, #f0b35a));
    --_bad: var(--bascule-bad, light-dark(#b3261e, #ff8f87));
  }
}
`;
