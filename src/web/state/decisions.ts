// Decisions on their way: each can be taken back for a few seconds before it is sent.
import type { AgentEscalationDto } from '../../client/index.ts';
import { serverNow } from '../base/clock.ts';
import { t } from '../base/i18n.ts';
import { createStore } from '../base/store.ts';
import { say, sayError } from '../ui/toast.tsx';
import { client } from './app.ts';
import { putEscalation } from './escalations.ts';

export interface Decision {
  decision: string;
  decisionNotes?: string;
  requestRevision?: boolean;
  rememberAsRule?: boolean;
  argumentsJson?: string;
}

export interface Pending {
  /** What was decided, in the words of the page. */
  label: string;
  decision: Decision;
  /** When it is sent, server time in ms. */
  sentAt: number;
  /** Called when it was sent and taken. */
  onDone: () => void;
  timer: ReturnType<typeof setTimeout>;
}

/** How long one may think again, and how long before the question times out it is sent at the latest, ms. */
const graceMs = 5000;
const marginMs = 1500;

/** By escalation; they outlive the page that shows them. */
export const pendingDecisions = createStore<ReadonlyMap<number, Pending>>(new Map());

const forget = (id: number) =>
  pendingDecisions.set((all) => new Map([...all].filter(([escalationId]) => escalationId !== id)));

/** Leaving the site asks while something is still to be sent. */
window.addEventListener('beforeunload', (event) => {
  if (pendingDecisions.get().size > 0) event.preventDefault();
});

export function decideSoon(
  { id, timeoutAtUtc }: AgentEscalationDto,
  { label, decision, onDone }: Pick<Pending, 'label' | 'decision' | 'onDone'>,
) {
  const left = timeoutAtUtc === null ? graceMs : Date.parse(timeoutAtUtc) - serverNow() - marginMs;
  const grace = Math.max(0, Math.min(graceMs, left));
  const timer = setTimeout(() => void send(id), grace);
  pendingDecisions.set((all) => new Map(all).set(id, { label, decision, onDone, timer, sentAt: serverNow() + grace }));
}

export function takeBack(id: number) {
  clearTimeout(pendingDecisions.get().get(id)?.timer);
  forget(id);
}

/** Sends it now. */
export async function send(id: number) {
  const pending = pendingDecisions.get().get(id);
  if (!pending) return;
  clearTimeout(pending.timer);
  try {
    putEscalation(await client.agentEscalations.resolve({ params: { id }, body: pending.decision }));
    say(pending.decision.requestRevision ? t('Revision requested') : t('Decided: {what}', { what: pending.label }));
    pending.onDone();
  } catch (error) {
    sayError(error);
  }
  forget(id);
}
