"""Apps that mean harm to the page itself: its time and its memory."""

from __future__ import annotations

from tests.e2e.support.bus_shell import APP, RAW, BusShell

NOTES = "app:notes:background"

BOMB = """() => {
  const $defs = {d0: {type: "object"}};
  for (let n = 1; n < 60; n++) {
    $defs[`d${n}`] = {allOf: [{$ref: `#/$defs/d${n - 1}`}, {$ref: `#/$defs/d${n - 1}`}]};
  }
  const large = {};
  for (let n = 0; n < 80_000; n++) large[`k${n}`] = 1;
  const tool = (name, outputSchema) => (
    {name, description: name, version: 1, inputSchema: {type: "object"}, outputSchema});
  const tools = {
    large: tool("large", {type: "object"}),
    bomb: tool("bomb", {$defs, $ref: "#/$defs/d59"}),
  };
  raw.answers["tools.describe"] = ({name}) => ({ok: {tools: [tools[name]]}});
  raw.answers["tools.invoke"] = () => ({ok: {result: large}});
}"""


def test_a_schema_that_would_take_for_ever_leaves_the_page_to_its_person(shell: BusShell) -> None:
    shell.frame(shell.mount(RAW, app="notes", kind="background")).evaluate(BOMB)
    assert len(shell.call(NOTES, "large")["ok"]) == 80_000
    done = shell.call(NOTES, "bomb")
    assert done["code"] == "INVALID_OUTPUT"
    assert "too much work" in done["data"]["errors"][0]["message"]
    shell.press()


def test_a_flood_of_questions_to_the_page_itself_costs_its_source_the_port(shell: BusShell) -> None:
    shell.mount(APP, app="notes", kind="background")
    key = shell.mount(RAW, app="board")
    flooder = shell.frame(key)
    flooder.evaluate("""() => raw.call(1, "kernel", "endpoints.list")""")
    flooder.wait_for_function("() => raw.response(1)?.ok")
    flooder.evaluate(
        """() => void setTimeout(() => {
          for (let each = 2; each < 100_000; each++) raw.call(each, "kernel", "endpoints.list");
        })"""
    )
    shell.wait_for_state(key, "gone")
    shell.press()
    assert shell.call(NOTES, "echo", {"a": 1})["ok"] == {"a": 1}


def test_a_thousand_calls_with_attachments_leave_nothing_under_way(shell: BusShell) -> None:
    background = shell.frame(shell.mount(APP, app="notes", kind="background"))
    tile = shell.frame(shell.mount(APP, app="notes"))
    for frame in (background, tile):
        frame.wait_for_function("() => globalThis.bus !== undefined")
    background.evaluate(
        """() => bus.exposeTool("copy", {
          description: "Gives back what it is given, and fails at each third.",
          inputSchema: {type: "object"},
          annotations: {"bascule:attachments": {api: 1}},
        }, ({n}, context) => {
          if (n % 3 === 0) throw new Error("at a third");
          context.replyAttachment(context.attachment);
          return {};
        })"""
    )
    ended = tile.evaluate(
        """async () => {
          const bus = globalThis.bus.createMsgBusClient();
          const ended = {given: 0, failed: 0};
          for (let n = 0; n < 1_000; n++) {
            const call = {target: "app:notes:background", name: "copy", arguments: {n},
              attachment: new ArrayBuffer(1 << 20)};
            try {
              const {attachment} = await bus.callToolWithAttachment(call);
              if (attachment.byteLength === 1 << 20) ended.given += 1;
            } catch ({code}) { if (code === "TOOL_FAILED") ended.failed += 1; }
          }
          return ended;
        }"""
    )
    assert ended == {"given": 666, "failed": 334}
    assert shell.run("() => [shell.kernel.attachmentBytes, shell.kernel.callsInFlight]") == [0, 0]
