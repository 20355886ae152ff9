// Qdrant's failures as Faults.
import { Fault } from '../../../kernel/fault.ts';

/** Runs a request; a failure of Qdrant, or its refusal, is thrown as a Fault. */
export async function answered<R>(url: string, ask: () => Promise<R>): Promise<R> {
  try {
    return await ask();
  } catch (cause) {
    const refused = statusOf(cause) === 401 || statusOf(cause) === 403;
    throw new Fault('STORE_UNAVAILABLE', `Qdrant at ${new URL(url).host} ${refused ? 'refused the key' : 'failed'}.`, {
      hint: refused ? 'Check QDRANT_API_KEY.' : 'Check QDRANT_URL and that the server is up; it will be asked again.',
      retryAfterSeconds: 5,
      cause,
    });
  }
}

export const isMissing = (error: unknown) => statusOf(error) === 404;

function statusOf(error: unknown): number | null {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : null;
  return typeof status === 'number' ? status : null;
}
