// Which runs need a sandbox, and how they fail where there is none.
import type { Briefings, ToolDefinition, ToolPolicy } from '../../runtime/ports.ts';
import type { RunRecord } from '../../runtime/records.ts';
import type { DriverChoice } from '../../sandbox/drivers/choose-driver.ts';
import { parseDestination } from '../../sandbox/workspace/deliverable.ts';
import { requireGit } from '../../sandbox/workspace/git.ts';
import { Fault } from '../kernel/fault.ts';

const commandTool = 'shell_exec';

/** A policy needs commands when a list names them for themselves: `*` and `shell_*` only allow them. */
function needsCommands(policy: ToolPolicy | undefined): boolean {
  if (!policy || [policy, ...(policy.within ?? [])].some(({ blocked }) => blocked.includes(commandTool))) return false;
  return policy.safe.includes(commandTool) || (policy.sandboxed ?? []).includes(commandTool);
}

function needsFiles({ contractDestination }: RunRecord): boolean {
  if (!contractDestination) return false;
  const { kind } = parseDestination(contractDestination);
  return kind === 'file' || kind === 'branch';
}

/** A run's failure reason is one text, so the cure goes into the message. */
async function withCure(need: () => unknown): Promise<void> {
  try {
    await need();
  } catch (error) {
    if (!(error instanceof Fault) || error.hint === null) throw error;
    throw new Fault(error.code, `${error.message} ${error.hint}`, { hint: error.hint, cause: error });
  }
}

/** Briefings that end a run before its first model call when it needs what this server lacks. */
export function requireSandbox(briefings: Briefings, driver: DriverChoice): Briefings {
  return {
    prepare: async (run, signal) => {
      const briefing = await briefings.prepare(run, signal);
      if (needsCommands(briefing.policy)) await withCure(() => driver.require());
      if (needsFiles(run)) await withCure(() => requireGit());
      return briefing;
    },
  };
}

/**
 * Tools as they are shown to models. Without a driver no model shall plan with commands; one that calls them
 * nevertheless ends its run with the cause and the cure.
 */
export const shownTools = (tools: readonly ToolDefinition[], driver: DriverChoice): readonly ToolDefinition[] =>
  driver.driver ? tools : tools.map((tool) => (tool.sandboxed ? { ...tool, shown: false } : tool));
