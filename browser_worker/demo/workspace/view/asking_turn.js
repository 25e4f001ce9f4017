// @ts-check
/** The agent's turn that a question comes from: whoever is asked may want it stopped, and lies before its bar. */

import { agentSubject } from "../../../kernel/agent/agent_prompts.js";
import { appWords } from "./app_names.js";

/** @import { AgentTurns } from "../../../kernel/agent/agent_turns.js" */
/** @import { Apps } from "./permission_words.js" */

/** @typedef {{ name: string, stop: () => void }} AskingTurn */

/**
 * @param {Pick<AgentTurns, "all" | "stop">} turns
 * @param {() => Apps} apps
 * @returns {(subject: string) => AskingTurn | null} By who asks; null where no turn of theirs runs.
 */
export function askingTurns(turns, apps) {
  return (subject) => {
    const turn = turns.all().find((each) => agentSubject(each.app, each.entrypoint) === subject);
    if (turn === undefined) return null;
    return { name: appWords(turn.app, apps()), stop: () => void turns.stop(turn.id) };
  };
}
