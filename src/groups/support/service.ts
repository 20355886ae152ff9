// Serves support requests: each is kept, sent on to who can help, and has its bundle.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Db } from '../../ports/db.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { Mailer } from '../../ports/mail.ts';
import { shown } from '../../ports/shown.ts';
import type { Inbox } from '../messages/inbox.ts';
import { type BundleDeps, bundle, referenceOf } from './bundle.ts';
import { support } from './contract.ts';
import { SupportRequestDto } from './dto.ts';
import { bundleParts, type SupportRequestDoc } from './record.ts';

export interface SupportDeps extends BundleDeps {
  db: Db;
  requests: Keeper<SupportRequestDoc>;
  log: Logger;
  mailer: Pick<Mailer, 'send'>;
  /** Who gets requests by mail; null: nobody. */
  mailTo: string | null;
  inbox: Pick<Inbox, 'send'>;
  /** The identities of the tenant's administrators. */
  administrators(tenantId: number): Promise<IdentityDoc[]>;
  publicUrl(): string;
}

/** Bytes of a part of a bundle, as it is stored. */
const partBytes = 192 * 1024;
/** Requests that one caller may file in an hour: each gathers a bundle. */
const mostAnHour = 20;
const hourMs = 3_600_000;

export const supportService = implement(support, (deps: SupportDeps) => {
  const { requests, clock } = deps;
  const show = (doc: SupportRequestDoc): SupportRequestDto =>
    shown(SupportRequestDto, doc, {
      reference: referenceOf(doc._id),
      diagnosticsPath: doc.hasDiagnostics ? pathOf(doc) : null,
    });
  const isOwn = (doc: SupportRequestDoc, { userId, identityId }: Caller) =>
    doc.createdByUserId === null ? doc.createdByIdentityId === identityId : doc.createdByUserId === userId;

  return {
    create: async ({ caller, body }) => {
      const { userId: createdByUserId, identityId: createdByIdentityId } = caller;
      const createdAt = { $gt: new Date(clock.now() - hourMs) };
      const lately = { createdAt, createdByUserId, createdByIdentityId };
      if ((await requests.of(caller.tenantId).countDocuments(lately)) >= mostAnHour)
        throw new Fault('RATE_LIMITED', `You have filed ${mostAnHour} support requests within an hour.`, {
          hint: 'Try again in an hour.',
          retryAfterSeconds: hourMs / 1000,
        });
      const made = await requests.insert(caller, {
        ...{ subject: body.subject, description: body.description, category: body.category ?? 'Question' },
        ...{ priority: body.priority ?? 'Normal', runId: body.runId ?? null, requestId: body.requestId ?? null },
        ...{ contactEmail: body.contactEmail ?? null, createdByUserId, createdByIdentityId },
        ...{ status: 'Recorded', hasDiagnostics: false, forwardedVia: null },
      });
      const hasDiagnostics = body.includeDiagnostics !== false;
      if (hasDiagnostics) await keepBundle(deps, caller, made);
      const told = { ...made, hasDiagnostics };
      return show(await requests.change(caller, made._id, { hasDiagnostics, ...(await forward(deps, caller, told)) }));
    },
    diagnostics: async ({ caller, params }) => {
      const doc = await requests.get(caller, params.id);
      if (!isOwn(doc, caller) && !caller.permissions.has('SystemRead'))
        throw new Fault('NOT_FOUND', `There is no support request ${params.id}.`, {
          hint: 'File one with POST /api/support/requests.',
        });
      const parts = deps.db.collection(bundleParts);
      const of = { tenantId: caller.tenantId, supportRequestId: doc._id };
      if (!(await parts.findOne({ ...of, place: 0 })))
        throw new Fault('NOT_FOUND', 'This request has no bundle, or not any more.', {
          hint: 'File another one with includeDiagnostics.',
        });
      async function* body() {
        for (let place = 0; ; place++) {
          const part = await parts.findOne({ ...of, place });
          if (!part) return;
          yield Buffer.from(part.body, 'base64');
        }
      }
      const fileName = `${referenceOf(doc._id)}-diagnostics.zip`;
      return { kind: 'file' as const, mediaType: 'application/zip', fileName, body: body() };
    },
  };
});

const pathOf = ({ _id }: SupportRequestDoc) => `/api/support/requests/${_id}/diagnostics`;

/** Stores a bundle part by part, as it is made. */
async function keepBundle(deps: SupportDeps, caller: Caller, request: SupportRequestDoc) {
  const { _id, tenantId } = request;
  const parts = deps.db.collection(bundleParts);
  let waiting: Uint8Array[] = [];
  let [bytes, place] = [0, 0];
  const store = async () => {
    const body = Buffer.concat(waiting).toString('base64');
    const createdAt = new Date(deps.clock.now());
    const part = { _id: `${_id}:${place}`, tenantId, supportRequestId: _id, place, body, createdAt };
    await parts.replaceOne({ _id: part._id }, part, { upsert: true });
    [waiting, bytes] = [[], 0];
    place++;
  };
  for await (const chunk of bundle(deps, caller, request)) {
    waiting.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= partBytes) await store();
  }
  if (bytes > 0) await store();
}

/** Sends a request on: by mail where there is an address for that, else to the other administrators of the tenant. */
async function forward(
  deps: SupportDeps,
  caller: Caller,
  request: SupportRequestDoc,
): Promise<Pick<SupportRequestDoc, 'status' | 'forwardedVia'>> {
  const { mailTo, mailer, inbox } = deps;
  const subject = `[${referenceOf(request._id)}] ${request.subject}`;
  const text = textOf(deps, caller, request);
  const via = mailTo === null ? 'inbox' : 'mail';
  try {
    if (mailTo !== null) {
      await mailer.send({ to: mailTo, subject, text });
      return { status: 'Forwarded', forwardedVia: via };
    }
    const all = await deps.administrators(caller.tenantId);
    const others = all.filter(({ _id, userId }) => _id !== caller.identityId && userId !== caller.userId);
    for (const { _id } of others)
      await inbox.send({
        ...{ tenantId: caller.tenantId, senderId: caller.identityId ?? _id, recipientIds: [_id], anyway: true },
        ...{ content: `${subject}\n\n${text}`, priority: request.priority, type: 'Request' },
        key: `support:${request._id}:${_id}`,
      });
    return others.length > 0 ? { status: 'Forwarded', forwardedVia: via } : { status: 'Recorded', forwardedVia: null };
  } catch (error) {
    deps.log.warn(
      { err: error, tenant: caller.tenantId, supportRequest: request._id },
      'a support request was not sent on',
    );
    return { status: 'ForwardFailed', forwardedVia: via };
  }
}

function textOf({ publicUrl }: SupportDeps, { name }: Caller, request: SupportRequestDoc): string {
  const { category, priority, description, runId, requestId, contactEmail, hasDiagnostics } = request;
  const facts = [
    `From ${name}${contactEmail ? ` (${contactEmail})` : ''}. Category ${category}, priority ${priority}.`,
    runId === null ? null : `Run ${runId}.`,
    requestId === null ? null : `Request ${requestId}.`,
    hasDiagnostics ? `Diagnostics: ${publicUrl()}${pathOf(request)}` : null,
  ];
  return [description, facts.filter((one) => one !== null).join('\n')].join('\n\n');
}
