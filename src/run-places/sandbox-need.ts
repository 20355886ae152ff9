// Runs that need a sandbox, and their failure where there is none.
import type { Briefings, ToolDefinition, ToolPolicy } from '../../runtime/ports.ts';
import type { RunRecord } from '../../runtime/records.ts';
import type { DriverChoice } from '../../sandbox/drivers/choose-driver.ts';
import { parseDestination } from '../../sandbox/workspace/deliverable.ts';
import { requireGit } from '../../sandbox/workspace/git.ts';
import { Fault } from '../kernel/fault.ts';

const commandTool = 'shell_exec';

/** Whether a policy names commands explicitly: `*` and `shell_*` only allow them. */
function needsCommands(policy: ToolPolicy | undefined): boolean {
  if (!policy || [policy, ...(policy.within ?? [])].some(({ blocked }) => blocked.includes(commandTool))) return false;
  return policy.safe.includes(commandTool) || (policy.sandboxed ?? []).includes(commandTool);
}

function needsFiles({ contractDestination }: RunRecord): boolean {
  if (!contractDestination) return false;
  const { kind } = parseDestination(contractDestination);
  return kind === 'file' || kind === 'branch';
}

/** Adds the cure to the message, since a run's failure reason is one text. */
async function withCure(need: () => unknown): Promise<void> {
  try {
    await need();
  } catch (error) {
    if (!(error instanceof Fault) || error.hint === null) throw error;
    throw new Fault(error.code, error.text, { hint: error.hint, cause: error });
  }
}

/** Briefings that fail a run before its first model call when it needs a sandbox that this server lacks. */
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
 * Tools offered to models. Without a driver, commands are hidden; a run that calls one
 * nevertheless fails with the cause and the cure.
 */
export const shownTools = (tools: readonly ToolDefinition[], driver: DriverChoice): readonly ToolDefinition[] =>
  driver.driver ? tools : tools.map((tool) => (tool.sandboxed ? { ...tool, shown: false } : tool));
