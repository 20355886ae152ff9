// A trainer elsewhere: the dataset is posted to it, signed as webhooks are, and it reports with the token that it gets.
import { createHash } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import type { Send } from '../../../kernel/http-send.ts';
import type { Signer } from '../../../kernel/signer.ts';
import { attemptDelivery } from '../../../outside/deliveries/attempt.ts';
import { waitAfter } from '../../../outside/deliveries/retries.ts';
import { signedHeaders } from '../../../outside/deliveries/signing.ts';
import type { Collection } from '../../../ports/db.ts';
import type { Trained, Trainer, TrainingJob } from '../../../ports/trainer.ts';
import type { TrainingRunDoc } from './record.ts';
import { tokenOf } from './token.ts';

interface Deps {
  url: string;
  /** `whsec_…`; the trainer verifies by it. */
  secret: string;
  sendOf(tenantId: number): Send;
  signer: Signer;
  every: Collection<TrainingRunDoc>;
  /** Where the trainer reaches this server. */
  publicUrl(): string;
  clock: Clock;
}

const timeoutMs = 60_000;
/** Bytes of a dataset that is posted; larger ones are for a command. */
const mostBytes = 64 * 1024 * 1024;

export function createWebhookTrainer(deps: Deps): Trainer {
  const post = async (job: Pick<TrainingJob, 'key' | 'tenantId'>, type: string, data: object, stop: AbortSignal) => {
    const { url, secret, sendOf, clock } = deps;
    const at = clock.now();
    const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
    const id = `msg_${createHash('sha256').update(`${type}/${job.key}`).digest('hex').slice(0, 32)}`;
    const headers = { 'user-agent': 'Rivulet', ...signedHeaders({ id, at, body, secrets: [secret] }) };
    return attemptDelivery({ send: sendOf(job.tenantId), clock, url, headers, body, timeoutMs, stop });
  };
  const outcomeOf = ({ kind, error, askedWait }: Awaited<ReturnType<typeof post>>, attempt: number): Trained => {
    if (kind === 'delivered') return { kind: 'handed' };
    if (kind === 'gone') return { kind: 'failed', error: 'The trainer answered 410: it trains no more.' };
    const told = `The trainer could not be reached: ${error ?? 'the server stopped'}`;
    return { kind: 'later', error: told, waitMs: kind === 'stopped' ? 0 : waitAfter(attempt, askedWait) };
  };

  return {
    isLocal: false,
    async train(job, signal) {
      const run = await deps.every.findOne({ _id: job.runId });
      if (!run) return { kind: 'failed', error: 'The run is gone.' };
      const parts: Uint8Array[] = [];
      let size = 0;
      for await (const part of job.lines()) {
        size += part.length;
        if (size > mostBytes)
          return { kind: 'failed', error: `The dataset has more than ${mostBytes} bytes: train on it with a command.` };
        parts.push(part);
      }
      const report = {
        url: `${deps.publicUrl().replace(/\/$/, '')}/api/training-runs/${job.runId}/report`,
        token: tokenOf(deps.signer, run),
      };
      const dataset = { ...job.dataset, content: Buffer.concat(parts).toString('utf8') };
      const sent = await post(job, 'training.run.queued', { run: job.run, dataset, report }, signal);
      return outcomeOf(sent, run.attempts);
    },
    async cancel(job, signal) {
      return outcomeOf(await post(job, 'training.run.cancelled', { run: job.run }, signal), 1);
    },
  };
}
