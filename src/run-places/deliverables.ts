// Whether a run delivered what its contract asks for: files and branches are checked, the rest is read from its log.
import type { RunStore } from '../../runtime/ports.ts';
import type { AgentEvent, AgentEventType, RunRecord } from '../../runtime/records.ts';
import type { RunSandboxes } from '../../sandbox/runs/run-sandboxes.ts';
import { checkDeliverable, type DeliverableHook } from '../../sandbox/workspace/deliverable.ts';

interface Deps {
  sandboxes: RunSandboxes;
  eventsOf: RunStore['runs']['events'];
  /** Whether a run wrote a document of its project by this name; null where it has no project to keep one in. */
  documentBy(run: RunRecord, target: string): Promise<{ met: boolean; detail: string } | null>;
}

/** Events that show that something of a kind was made. */
const traces: Record<Parameters<DeliverableHook>[0], AgentEventType[]> = {
  message: ['MessageSent'],
  task: ['TaskCreated', 'TaskUpdated'],
  fact: ['MemoryWritten'],
  doc: ['MemoryWritten'],
};
/** Facts, and documents of runs without a project, may be kept elsewhere: then the run's own statement counts. */
const isTold = (kind: string) => kind === 'fact' || kind === 'doc';

/** Checks a run's contract as it stands; `deliverable` is what the run itself says that it delivered. */
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

/** A target is an id or part of a name; without one anything of the kind will do. */
function isAbout({ title, payloadJson }: AgentEvent, target: string): boolean {
  const { taskId, messageId } = JSON.parse(payloadJson ?? '{}') as { taskId?: number; messageId?: number };
  if (/^\d+$/.test(target)) return target === String(taskId ?? messageId);
  return title.toLowerCase().includes(target.toLowerCase());
}
