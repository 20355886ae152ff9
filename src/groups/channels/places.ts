// Where channels lead: addresses and secrets are checked and sealed, and a channel that could do nothing is refused.
import type { Acting } from '../../auth/acting.ts';
import type { Caller } from '../../contract/caller.ts';
import type { ChannelKind } from '../../contract/enums.ts';
import { Fault } from '../../kernel/fault.ts';
import { namesOutOfReach, type Reach } from '../../kernel/reach.ts';
import type { Vault } from '../../kernel/vault.ts';
import { secretsOf, services } from '../../outside/channels/services.ts';
import { jsonOr, textAt } from '../../outside/channels/verify.ts';
import type { Draft } from '../../ports/record.ts';
import { type ChannelBook, matcherOf } from './book.ts';
import type { ChannelDoc } from './record.ts';
import { settingsOf } from './settings.ts';

export interface PlaceDeps {
  book: ChannelBook;
  vault: Vault;
  acting: Pick<Acting, 'require'>;
  reachOf(tenantId: number): Reach;
}

interface Place {
  url?: string | null | undefined;
  secret?: string | null | undefined;
  targetAddress?: string | null | undefined;
  connectorId?: number | null | undefined;
}

/** Where a channel leads, sealed. @throws Fault VALIDATION_FAILED, which shows no secret */
export async function placed(
  { vault, reachOf }: PlaceDeps,
  { tenantId }: Caller,
  kind: ChannelKind,
  place: Place,
  old?: ChannelDoc,
) {
  if (place.connectorId != null)
    throw new Fault('VALIDATION_FAILED', 'A channel takes no connector: it has an url and a secret of its own.', {
      hint: 'Leave connectorId out.',
      field: 'connectorId',
    });
  const { url, secret, targetAddress } = place;
  if (url != null) requireUrl(new URL(url), reachOf(tenantId));
  if (secret != null) secretsOf(kind, secret);
  const seal = (text: string | null) => (text === null ? null : vault.seal(tenantId, text));
  const target = targetAddress === undefined ? (old?.target ?? null) : targetAddress;
  const address = url === undefined ? (old?.sealedUrl ? vault.open(tenantId, old.sealedUrl) : null) : url;
  return {
    ...(url !== undefined && { sealedUrl: seal(url === null ? null : url.replace(/\/+$/, '')) }),
    ...(secret !== undefined && { sealedSecret: seal(secret) }),
    target,
    targetSummary: [address === null ? null : new URL(address).host, target].filter(Boolean).join(' · ') || null,
  };
}

function requireUrl(url: URL, reach: Reach): void {
  if (url.username || url.password)
    throw new Fault('VALIDATION_FAILED', 'The URL of a channel must not hold credentials.', {
      hint: 'Give them as secret.',
      field: 'url',
    });
  if (namesOutOfReach(url, reach))
    throw new Fault('VALIDATION_FAILED', 'This URL leads to an address that channels may not reach.', {
      hint: 'Use a host on the public internet, or ask the operator to set RIVULET_PRIVATE_PROVIDERS.',
      field: 'url',
    });
}

/** A channel that could do nothing is refused where it is made. @throws Fault VALIDATION_FAILED, NOT_FOUND */
export async function requireWhole(
  { book, acting }: PlaceDeps,
  caller: Caller,
  draft: Draft<ChannelDoc>,
): Promise<void> {
  settingsOf(draft.settingsJson);
  matcherOf(draft);
  if (draft.identityId !== null) await acting.require(caller, draft.identityId);
  const setup = book.setupOf({ ...draft, tenantId: caller.tenantId, _id: 0 } as ChannelDoc);
  const service = services[draft.kind];
  if (draft.kind === 'Ntfy' && draft.direction === 'Inbound')
    throw new Fault('VALIDATION_FAILED', 'ntfy sends nothing to servers but what its buttons do.', {
      hint: 'Use the direction Both, for buttons.',
      field: 'direction',
    });
  const problem =
    (draft.direction === 'Inbound' ? null : service.cannotSend(setup)) ??
    (draft.direction === 'Outbound' ? null : service.cannotReceive(setup));
  if (problem !== null)
    throw new Fault('VALIDATION_FAILED', problem, {
      hint: `The topic Channels of the help (/#/help/channels) says what ${draft.kind} takes.`,
    });
}

/** Threads of services that name their rooms in them are known ones: a message goes nowhere else than the channel leads. */
export async function requireThread(
  { book }: PlaceDeps,
  { _id: channelId, tenantId, kind }: ChannelDoc,
  threadKey: string,
): Promise<void> {
  if (kind === 'Webhook' || kind === 'Ntfy') return;
  const known = { tenantId, channelId, $or: [{ threadKey }, { externalId: threadKey }] };
  if (await book.deliveries.findOne(known)) return;
  throw new Fault('NOT_FOUND', 'This channel has no such thread.', {
    hint: 'Use the threadKey or externalId of a delivery (GET /api/channels/{id}/deliveries).',
    field: 'threadKey',
  });
}

/** Links of attachments as Markdown. @throws Fault VALIDATION_FAILED */
export function linksIn(json: string | null): string | null {
  if (json === null) return null;
  const list = jsonOr(json);
  const links =
    Array.isArray(list) && list.length <= 20
      ? list.map((one) => [textAt(one, 'name'), textAt(one, 'url')] as const)
      : null;
  if (!links || links.some(([, url]) => !URL.canParse(url ?? '') || !/^https?:/i.test(url ?? '')))
    throw new Fault('VALIDATION_FAILED', 'attachmentsJson is no list of links.', {
      hint: 'Send up to 20, e.g. [{"name":"Report","url":"https://…"}].',
      field: 'attachmentsJson',
    });
  return links.map(([name, url]) => `- [${(name ?? url ?? '').replaceAll(/[[\]]/g, '')}](${url})`).join('\n');
}
