// Failed model calls: the cost is written off, then the run stops, retries or fails.
import { type Fault, toFault } from '../../../src/kernel/fault.ts';
import type { Settlement } from '../../records.ts';
import { fail } from '../life/endings.ts';
import { commitOwned } from '../records/commits.ts';
import { type Core, type LiveRun, Stop } from '../records/core.ts';
import { settleLater, settleNow } from '../trees/escrow.ts';
import { compactIfFull } from './compaction.ts';
import { type Call, CutCall, type Step } from './model-call.ts';
import { buildPrompt, plainBriefing, shownModel } from './prompt.ts';

/** Writes off the cost of a call without an answer, then stops, retries or fails the run. */
export async function cutShort(core: Core, live: LiveRun, call: Call, error: unknown): Promise<Step> {
  const cut = error instanceof CutCall ? error : new CutCall(error, 0);
  const cause = live.abort.signal.aborted ? live.abort.signal.reason : cut.cause;
  if (cause instanceof Stop && cause.why === 'lost') throw cause;
  const held = call.promptTokens + (call.request.maxOutputTokens ?? 0);
  const writtenOff = Math.min(held, cut.tokens);
  const settlement: Settlement = { callId: call.id, tokens: 0, costUsd: 0, writtenOff, countIteration: false };
  const fault = cause instanceof Stop ? null : toFault(cause);
  await commitOwned(core, live, (now) => ({
    set: {
      modelCall: null,
      writtenOffTokens: now.writtenOffTokens + writtenOff,
      modelFailures: now.modelFailures + (fault && !neverSent(fault) ? 1 : 0),
      ...(fault ? { crashes: 0 } : {}),
      settlements: [...now.settlements, settlement],
    },
    events: [
      {
        type: 'ModelCallFailed',
        level: fault ? 'Warning' : 'Information',
        title: fault ? fault.code : 'Stopped',
        message: fault ? fault.message : (cause as Stop).message,
        modelId: shownModel(core, call.request.modelId),
        payload: { writtenOffTokens: writtenOff },
      },
    ],
  }));
  settleLater(core, live, settlement);
  await settleNow(core, live);
  if (!fault) throw cause;
  return afterFailure(core, live, call, fault);
}

const worthRetrying = new Set([
  'RATE_LIMITED',
  'PROVIDER_ERROR',
  'PROVIDER_TIMEOUT',
  'NO_ROUTE_AVAILABLE',
  'INTERNAL_ERROR',
]);

/** True when the circuit of the provider is open: no call was made, so it does not count against this run. */
const neverSent = (fault: Fault) => fault.code === 'NO_ROUTE_AVAILABLE' && fault.retryAfterSeconds !== null;

async function afterFailure(core: Core, live: LiveRun, call: Call, fault: Fault): Promise<Step> {
  if (fault.code === 'CONTEXT_TOO_LARGE' && live.run.modelFailures < core.options.maxModelFailures) {
    const { tokens } = buildPrompt(live, plainBriefing, call.request.tools ?? []);
    const forced = await compactIfFull(core, live, tokens, call.request.modelId, true);
    if (forced !== 'unchanged') return forced === 'rest' ? 'rest' : 'go-on';
  }
  const isFinal = fault.isFinal || !worthRetrying.has(fault.code);
  if (isFinal || live.run.modelFailures >= core.options.maxModelFailures) {
    if (fault.code === 'INTERNAL_ERROR') core.log.error({ err: fault.cause, runId: live.run.id }, 'model call failed');
    const cure = isFinal && fault.hint ? `${/[.!?…]$/.test(fault.message) ? '' : '.'} ${fault.hint}` : '';
    return fail(core, live, `${fault.code}: ${fault.message}${cure}`);
  }
  const jitter = 0.75 + core.random() / 2;
  const backoff = Math.min(30_000, 500 * 2 ** Math.max(0, live.run.modelFailures - 1)) * jitter;
  const delay = fault.retryAfterSeconds === null ? backoff : fault.retryAfterSeconds * 1000;
  if (fault.code === 'RATE_LIMITED' || neverSent(fault)) {
    const until = core.clock.steady() + delay;
    core.throttled.set(call.request.modelId, Math.max(core.throttled.get(call.request.modelId) ?? 0, until));
  } else await core.clock.sleep(delay, live.abort.signal);
  return 'go-on';
}
