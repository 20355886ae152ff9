// What databases say when something goes wrong, as faults.
import { Fault } from '../kernel/fault.ts';

/** Codes by which MySQL and MariaDB say that a statement took too long. */
const tooLong = new Set([
  '57014',
  'ER_QUERY_TIMEOUT',
  'ER_STATEMENT_TIMEOUT',
  'ETIMEDOUT',
  'PROTOCOL_SEQUENCE_TIMEOUT',
]);

export function databaseFault(error: unknown, timeoutMs: number): Fault {
  if (error instanceof Fault) return error;
  const { code, message = 'no connection' } = error as { code?: string; message?: string };
  if (tooLong.has(code ?? '') || /timeout|max_statement_time/i.test(message))
    return new Fault('CONNECTOR_TIMEOUT', `The database gave no whole answer within ${timeoutMs} ms.`, {
      cause: error,
    });
  // Class 28: the database knows neither user nor password.
  const isLogin = code?.startsWith('28') === true || code === 'ER_ACCESS_DENIED_ERROR';
  return new Fault('CONNECTOR_ERROR', `The database says: ${message.slice(0, 500)}`, {
    cause: error,
    ...(isLogin && { field: 'credentials' }),
  });
}

export const misconfigured = (what: string, hint: string) =>
  new Fault('NOT_CONFIGURED', `${what}.`, { hint, isFinal: true });

/** The `sslmode` of a connection string, the only parameter that is taken. @throws Fault NOT_CONFIGURED */
export function tlsModeOf(url: URL): 'disable' | 'require' | 'verify-full' {
  const mode = url.searchParams.get('sslmode') ?? 'disable';
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'sslmode');
  if (unknown === undefined && (mode === 'disable' || mode === 'require' || mode === 'verify-full')) return mode;
  throw misconfigured(
    'The connection string says what is not taken',
    'Of its parameters only sslmode is: disable, require or verify-full.',
  );
}
