// @ts-check
import assert from "node:assert/strict";
import { test } from "node:test";

import * as bascule from "../../../browser_worker/index.js";

test("an app imports these names and no others", () => {
  assert.deepEqual(Object.keys(bascule).sort(), [
    "ActionSpec",
    "AgentEndpoint",
    "AppError",
    "AttachLinkError",
    "AttachPanel",
    "Dispatcher",
    "JsonNumber",
    "RpcSession",
    "TaskTable",
    "attach",
    "browserRuntime",
    "offerModelContextTools",
    "readAttachLink",
    "recallAttachment",
    "registerWithModelContext",
  ]);
});
