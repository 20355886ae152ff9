// Check of a run's deliverable contract: files and branches are inspected, other kinds are read from its log.
import type { RunStore } from '../../runtime/ports.ts';
import type { AgentEvent, AgentEventType, RunRecord } from '../../runtime/records.ts';
import type { RunSandboxes } from '../../sandbox/runs/run-sandboxes.ts';
import { checkDeliverable, type DeliverableHook } from '../../sandbox/workspace/deliverable.ts';

interface Deps {
  sandboxes: RunSandboxes;
  eventsOf: RunStore['runs']['events'];
  /** Whether a run wrote a document of this name in its project; null for a run without a project. */
  documentBy(run: RunRecord, target: string): Promise<{ met: boolean; detail: string } | null>;
}

/** Event types that show a deliverable of a kind. */
const traces: Record<Parameters<DeliverableHook>[0], AgentEventType[]> = {
  message: ['MessageSent'],
  task: ['TaskCreated', 'TaskUpdated'],
  fact: ['MemoryWritten'],
  doc: ['MemoryWritten'],
};
/** Whether the run's own statement counts, for kinds that may be stored elsewhere. */
const isTold = (kind: string) => kind === 'fact' || kind === 'doc';

/** Checks a run's contract; `deliverable` is the run's own statement. */
export function createDeliverableCheck({ sandboxes, eventsOf, documentBy }: Deps) {
  return async (run: RunRecord, deliverable: string | null = run.result?.deliverable ?? null) => {
    const contract = { deliverable: run.contractDeliverable, destination: run.contractDestination };
    const workspace = run.reviewWorktreePath === null ? null : await sandboxes.workspace(run);
    return checkDeliverable(contract, workspace, async (kind, target) => {
      const document = kind === 'doc' ? await documentBy(run, target) : null;
      if (document) return document;
      const events = await eventsOf(run.id, { types: traces[kind], limit: 1000 });
      const found = events.find((event) => isAbout(event, target));
      if (found) return { met: true, detail: `${found.type}: ${found.title}` };
      if (!isTold(kind)) return { met: false, detail: `The log of the run shows no ${kind} ${target}.`.trim() };
      if (deliverable?.trim()) return { met: true, detail: `The run names ${deliverable.slice(0, 200)}.` };
      return { met: false, detail: `The run must name the ${kind} that it delivered.` };
    });
  };
}

/** Whether an event names the target, an id or part of a name; any event of the kind without one. */
function isAbout({ title, payloadJson }: AgentEvent, target: string): boolean {
  const { taskId, messageId } = JSON.parse(payloadJson ?? '{}') as { taskId?: number; messageId?: number };
  if (/^\d+$/.test(target)) return target === String(taskId ?? messageId);
  return title.toLowerCase().includes(target.toLowerCase());
}
