// Writes requests to the audit log: each write that was carried out, and each attempt that was denied or failed.
import type { AnyOperation } from '../contract/operation.ts';
import { isFileReply, isStreamReply } from '../contract/replies.ts';
import type { Fault } from '../kernel/fault.ts';
import type { Logger } from '../kernel/logger.ts';
import {
  type About,
  type Audit,
  type AuditedOperation,
  type KeptAs,
  type SubjectOf,
  type Write,
  watchWrites,
  writesBetween,
} from '../ports/audit.ts';
import type { Exchange } from './adapter.ts';
import type { Match } from './router.ts';

/** The audited facts of one request. */
interface Audited {
  exchange: Pick<Exchange, 'ip' | 'header'>;
  requestId: string;
  match: Match<unknown> | null;
  caller: AuditedOperation['caller'];
  /** Null before its operation is carried out. */
  work: Work | null;
}

/** What an operation has written, what it was sent, and whom it was about where nobody was signed in. */
export interface Work {
  writes: Write[];
  body: unknown;
  account: AuditedOperation['account'];
}

export interface Audits {
  /** Carries an operation out as a caller whose writes are noted, then writes its audit entry. */
  carryOut<R>(
    request: Audited,
    sent: { body: unknown; query: unknown },
    work: (caller: Audited['caller']) => R | Promise<R>,
  ): R | Promise<R>;
  /** Writes the audit entry of an operation that was refused or failed. */
  failed(request: Audited, fault: Fault): void | Promise<void>;
}

/** Whether an operation is audited when it succeeds; a denied one always is. */
const isAudited = ({ audit, method }: AnyOperation): boolean => audit ?? method !== 'GET';

const isDenied = ({ status }: Fault): boolean => status === 401 || status === 403;

/** Whether a failed operation may have written something: a request that is refused for what it says has not. */
const mayHaveWritten = ({ match, work }: Audited, { status }: Fault): boolean =>
  match !== null && isAudited(match.route.operation) && (status >= 500 || (work?.writes.length ?? 0) > 0);

interface Options {
  audit?: Audit | undefined;
  auditSubjectOf?: SubjectOf | undefined;
  log: Logger;
}

/** Without an audit log nothing is noted. */
export function createAudits({ audit, auditSubjectOf, log }: Options): Audits {
  if (!audit) return { carryOut: (request, _, work) => work(request.caller), failed: () => {} };
  const tell = async (request: Audited, fault: Fault | null) => {
    if (!request.match) return;
    const { route, params } = request.match;
    try {
      await audit({
        id: route.id,
        group: route.group.id,
        caller: request.caller,
        outcome: fault && isDenied(fault) ? 'Denied' : fault ? 'Failed' : 'Success',
        fault: fault && { code: fault.code, message: fault.message },
        params: params as AuditedOperation['params'],
        body: request.work?.body,
        writes: request.work?.writes ?? [],
        account: request.work?.account ?? null,
        requestId: request.requestId,
        ip: request.exchange.ip,
        userAgent: request.exchange.header('user-agent') ?? null,
      });
    } catch (error) {
      // A failure of the audit log does not change the answer: the work is done, or refused.
      log.error({ err: error, route: route.id, requestId: request.requestId }, 'the audit log was not told');
    }
  };
  return {
    carryOut(request, { body, query }, work) {
      if (!request.match || !isAudited(request.match.route.operation)) return work(request.caller);
      const { route, params } = request.match;
      const { caller, writes } = watchWrites(request.caller);
      const done: Work = { writes, body, account: null };
      request.work = done;
      const subject = auditSubjectOf?.(route.id);
      const about: About = {
        params: params as About['params'],
        query: query as About['query'],
        body,
        caller,
        result: null,
      };
      return (async () => {
        const before = subject ? await subject.find(about) : [];
        const result = await work(caller);
        if (subject) {
          const after = await subject.find({ ...about, result });
          writes.push(...writesBetween(subject.kind, before, after));
          if (caller === null) done.account = accountOf([...after, ...before]);
        }
        // A stream does not wait for its audit entry: its first event would wait for the disk.
        const told = tell(request, faultIn(result));
        if (!isStreamReply(result)) await told;
        return result;
      })();
    },
    failed: (request, fault) => (isDenied(fault) || mayHaveWritten(request, fault) ? tell(request, fault) : undefined),
  };
}

/** What went wrong where the client is answered all the same. */
const faultIn = (result: unknown): Fault | null =>
  isFileReply(result) && result.fault !== undefined ? result.fault : null;

/** Whose documents these are: a user, or what a user has. */
function accountOf(docs: readonly (KeptAs & { userId?: number })[]): AuditedOperation['account'] {
  const [first] = docs;
  if (first?.tenantId === undefined) return null;
  const userId = first.userId ?? first._id;
  return typeof userId === 'number' ? { tenantId: first.tenantId, userId } : null;
}
