// Keeps calls within a provider's limits: calls at once, requests and tokens a minute. One process counts for itself.
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Target } from '../providers/target.ts';
import { createPlaces, type Places } from './places.ts';

export interface Permit {
  /** Ends the call; the tokens it really took replace the estimate. */
  release(tokens: number): void;
}

interface Bucket {
  /** What is left; below zero after calls that took more than they had asked for. */
  level: number;
  at: number;
}

interface Gate {
  places: Places;
  requests: Bucket | null;
  tokens: Bucket | null;
}

export type Limiter = ReturnType<typeof createLimiter>;

/** Limits by key: a provider with its credential, or a target with a limit of its own. */
export function createLimiter(clock: Clock) {
  const gates = new Map<string, Gate>();
  const gateOf = (key: string): Gate => {
    let gate = gates.get(key);
    if (!gate) {
      gate = { places: createPlaces(clock), requests: null, tokens: null };
      gates.set(key, gate);
    }
    return gate;
  };

  return {
    /**
     * Waits until the target may be called, at most `patienceMs`.
     *
     * @throws Fault CONCURRENCY_LIMITED or RATE_LIMITED with the seconds to wait; the signal's reason when aborted
     */
    async acquire(target: Target, tokens: number, patienceMs: number, signal: AbortSignal): Promise<Permit> {
      const { key, keyId, limits = {} } = target.provider;
      const { requestsPerMinute, tokensPerMinute, maxConcurrency } = limits;
      const wanted: [Gate, number][] = [];
      const gate = gateOf(`${key}#${keyId ?? ''}`);
      if (maxConcurrency) wanted.push([gate, maxConcurrency]);
      if (target.maxConcurrency) wanted.push([gateOf(`${key}/${target.modelName}`), target.maxConcurrency]);

      const entered: Places[] = [];
      const leaveAll = () => {
        for (const places of entered.splice(0)) places.leave();
      };
      try {
        for (const [{ places }, most] of wanted) {
          await places.enter(most, patienceMs, signal);
          entered.push(places);
        }
        const now = clock.steady();
        if (requestsPerMinute) gate.requests = refill(gate.requests, requestsPerMinute, now);
        if (tokensPerMinute) gate.tokens = refill(gate.tokens, tokensPerMinute, now);
        const wait = Math.max(
          shortage(gate.requests, 1, requestsPerMinute),
          shortage(gate.tokens, Math.min(tokens, tokensPerMinute ?? 0), tokensPerMinute),
        );
        if (wait > patienceMs) throw tooFast(target, wait);
        // Tokens are reserved before the wait, so that later callers see what is left.
        if (gate.requests) gate.requests.level -= 1;
        if (gate.tokens) gate.tokens.level -= tokens;
        if (wait > 0) await clock.sleep(wait, signal);
      } catch (error) {
        leaveAll();
        throw error;
      }
      return {
        release(used) {
          if (gate.tokens) gate.tokens.level += tokens - used;
          leaveAll();
        },
      };
    },
    /** Calls that wait for a place at a provider. */
    waiting: (key: string, keyId?: number): number => gates.get(`${key}#${keyId ?? ''}`)?.places.waiting() ?? 0,
  };
}

/** A token bucket that holds a minute's worth and fills continuously. */
function refill(bucket: Bucket | null, perMinute: number, now: number): Bucket {
  if (!bucket) return { level: perMinute, at: now };
  const level = Math.min(perMinute, bucket.level + ((now - bucket.at) * perMinute) / 60_000);
  return { level, at: now };
}

const shortage = (bucket: Bucket | null, wanted: number, perMinute: number | undefined): number =>
  bucket && perMinute ? Math.max(0, Math.ceil(((wanted - bucket.level) * 60_000) / perMinute)) : 0;

const tooFast = ({ provider }: Target, waitMs: number) =>
  new Fault('RATE_LIMITED', `The rate limit set for ${provider.name} is reached.`, {
    hint: 'Wait, add a fallback model, or raise the limits of the provider.',
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
