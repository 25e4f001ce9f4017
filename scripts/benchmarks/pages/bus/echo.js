/** The app that is called: two tools that give back what they are given. */

import { exposeTool } from "../../bascule/app/index.js";

const NUMBER = {
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
  additionalProperties: false,
};

exposeTool(
  "echo",
  { description: "Gives its input back", inputSchema: NUMBER, outputSchema: NUMBER },
  (input) => input,
);
exposeTool(
  "echo_bytes",
  {
    description: "Gives its attachment back",
    inputSchema: { type: "object", additionalProperties: false },
    annotations: { "bascule:attachments": { api: 1, input: { required: true }, output: {} } },
  },
  (_input, { attachment, replyAttachment }) => {
    replyAttachment(attachment);
    return {};
  },
);
