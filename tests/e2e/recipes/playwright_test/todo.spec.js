import { test as base, expect } from "@playwright/test";
import { ActionError, basculeFixtures } from "bascule/node";

const test = base.extend(basculeFixtures);

test("what a test arranges by an action is on the page", async ({ page, app }) => {
  await app.call("todo.add", { title: "milk" }, { expectedRevision: "latest" });
  await app.call("todo.add", { title: "bread" }, { expectedRevision: "latest" });
  await expect(page.locator("#todos > li")).toHaveText(["milk", "bread"]);
});

test("what a person does on the page is seen by an action", async ({ page, app }) => {
  await page.getByRole("textbox", { name: "New to-do" }).fill("by hand");
  await page.getByRole("button", { name: "Add" }).click();
  await expect(page.locator("#todos > li")).toHaveText(["by hand"]);
  const { output } = await app.call("todo.list");
  expect(output.todos).toEqual([{ id: 1, title: "by hand", done: false }]);
});

test("an error of the app is typed, and says whether the action may have run", async ({ app }) => {
  const error = await app.call("todo.add", { title: "" }).catch((refused) => refused);
  expect(error).toBeInstanceOf(ActionError);
  expect([error.code, error.outcome]).toEqual(["INVALID_INPUT", null]);
});
