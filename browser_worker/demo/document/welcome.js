// @ts-check
/** The document that a newcomer finds. */

import { fromMarkdown } from "./markdown_reader.js";

const WELCOME = `# The bridge that waits

A bascule is a bridge that stays up until somebody lowers it.

This page is a word processor, and you can write here at once: **bold**, *italic* and \`code\`, headings, lists and quotes. What you write stays in this browser.

## Two ways in

- Type here, as in any other page.
- Or send the page’s own actions from a terminal, once you have attached it.

> Both ways go through the same actions, so one Undo takes back either.

## Try it

\`\`\`
bascule actions bascule-write
\`\`\`
`;

/** @returns {import("./text_document.js").DocumentState} */
export const welcome = () => fromMarkdown(WELCOME);
