// @ts-check
/** The document that a newcomer finds in a workspace: who keeps it, and how a terminal reaches it. */

import { fromMarkdown } from "../../../document/markdown_reader.js";

const WELCOME = `# The bridge that waits

A bascule is a bridge that stays up until somebody lowers it.

This is a word processor in a workspace, and you can write here at once: **bold**, *italic* and \`code\`, headings, lists and quotes. What you write is kept by the workspace while this page is open: locking it or reloading the page ends that, so export what you need.

## Two ways in

- Type here, as in any other page.
- Or call the app’s tools from a terminal, once you have attached the workspace. Their names begin with \`app.writer\`.

> Both ways go through the same actions, so one Undo takes back either.

## Try it

\`\`\`
bascule actions bascule-workspace --query app.writer
bascule call bascule-workspace app.writer.document_outline
\`\`\`
`;

/** @returns {import("../../../document/text_document.js").DocumentState} */
export const workspaceWelcome = () => fromMarkdown(WELCOME);
