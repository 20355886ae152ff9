// Keeps the bots of identities.
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import { Fault } from '../../kernel/fault.ts';
import type { RouteDoc } from '../../ports/ai-router.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Keeper } from '../../ports/keeper.ts';
import type { Perform } from '../../ports/perform.ts';
import { shown } from '../../ports/shown.ts';
import type { Publisher } from '../../ports/stream.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { channels as channelsContract } from '../channels/contract.ts';
import type { ChannelDoc } from '../channels/record.ts';
import { given } from '../fields.ts';
import type { People } from '../identities/people.ts';
import type { OpenBots } from './book.ts';
import { botProfiles } from './contract.ts';
import { BotProfileDto } from './dto.ts';
import type { BotProfileDoc } from './record.ts';

export interface BotProfileDeps {
  profiles: Keeper<BotProfileDoc>;
  bots: OpenBots;
  people: Pick<People, 'get' | 'getToWrite' | 'keeper'>;
  routes: PerTenant<RouteDoc>;
  publisher: Publisher;
  channels: PerTenant<ChannelDoc>;
  /** Binds channels, by the caller's rights to them. */
  perform: Perform;
  /** Where people reach the server. */
  publicUrl: () => string;
}

const plain = {
  ...{ avatarUrl: null, tagline: null, greeting: null, suggestedPrompts: [], defaultModelId: null, routeId: null },
  ...{ temperature: null, reasoningEffort: null, enabledTools: [], systemPromptOverride: null },
  ...{ maxContextMessages: 40, isPublished: false },
  ...{ frameOrigins: [], messagesPerHour: 30, tokensPerDay: 200_000 },
};

export const botProfilesService = implement(botProfiles, (deps: BotProfileDeps) => {
  const { profiles, bots, people, publisher } = deps;

  const show = async (doc: BotProfileDoc): Promise<BotProfileDto> => {
    const { tenantId, identityId, guid } = doc;
    const [identity, tokensToday, channelIds] = await Promise.all([
      people.keeper.of(tenantId).findOne({ _id: identityId }),
      bots.tokensToday(doc),
      boundTo(deps, tenantId, identityId),
    ]);
    const isOpen = doc.isPublished && identity?.isActive === true && identity.deletedAt === null;
    const at = deps.publicUrl().replace(/\/$/, '');
    const urls = { publicUrl: isOpen ? `${at}/bots/${guid}` : null, a2aUrl: isOpen ? `${at}/a2a/${guid}` : null };
    return shown(BotProfileDto, doc, { identityName: identity?.name ?? '', ...urls, tokensToday, channelIds });
  };
  const find = async ({ tenantId }: Caller, identityId: number) => {
    const bot = await bots.of(tenantId, identityId);
    if (bot) return bot;
    throw new Fault('NOT_FOUND', `The identity ${identityId} is no bot.`, {
      hint: `Make it one with PUT /api/bot-profiles/${identityId}.`,
    });
  };

  return {
    list: async ({ caller, query }) => {
      const { items, totalCount } = await profiles.page(caller, query);
      return toPage(await Promise.all(items.map(show)), totalCount, query);
    },
    get: async ({ caller, params }) => {
      await people.get(caller, params.identityId);
      return show(await find(caller, params.identityId));
    },
    replace: async ({ caller, params: { identityId }, body }) => {
      const { identity } = await people.getToWrite(caller, identityId);
      if (identity.type === 'Human') throw noPerson(identity.displayName);
      await check(deps, caller, body);
      const { tenantId } = caller;
      const { channelIds, ...rest } = body;
      // An identity that becomes a bot goes on answering where it does.
      const wanted = channelIds ?? ((await bots.of(tenantId, identityId)) ? [] : null);
      if (wanted !== null) await bind(deps, caller, identityId, wanted);
      const draft = { ...plain, ...given(rest), displayName: body.displayName, identityId };
      const write = async () => {
        const old = await bots.of(tenantId, identityId);
        return old ? profiles.change(caller, old._id, draft) : profiles.insert(caller, draft);
      };
      // Of two that make it a bot at once the later one replaces what the other has made.
      const doc = await write().catch((error: unknown) => {
        if (!isDuplicate(error)) throw error;
        return write();
      });
      const dto = await show(doc);
      await publisher.publish({
        tenantId,
        topics: ['identities', `identity:${identityId}`],
        type: 'bot.updated',
        data: dto,
      });
      return dto;
    },
  };
});

interface Wanted {
  defaultModelId?: string | null | undefined;
  routeId?: number | null | undefined;
}

/** @throws Fault VALIDATION_FAILED for what is not there or contradicts itself */
async function check({ routes }: BotProfileDeps, { tenantId }: Caller, { defaultModelId, routeId }: Wanted) {
  if (defaultModelId != null && routeId != null)
    throw new Fault('VALIDATION_FAILED', 'A bot has a model or a route, not both.', {
      hint: 'Leave out defaultModelId or routeId.',
    });
  if (routeId != null && !(await routes(tenantId).findOne({ _id: routeId })))
    throw new Fault('VALIDATION_FAILED', `There is no route ${routeId}.`, {
      field: 'routeId',
      hint: 'List routes with GET /api/ai-router/routes.',
    });
}

/** Ids of the channels in which an identity answers. */
async function boundTo({ channels }: BotProfileDeps, tenantId: number, identityId: number): Promise<number[]> {
  const found = await channels(tenantId)
    .find({ identityId }, { sort: { _id: 1 } })
    .toArray();
  return found.map(({ _id }) => _id);
}

/**
 * A channel has one identity that answers in it: it is taken from another bot.
 *
 * @throws Fault FORBIDDEN; VALIDATION_FAILED for a channel that the caller does not see
 */
async function bind(deps: BotProfileDeps, caller: Caller, identityId: number, wanted: readonly number[]) {
  const bound = await boundTo(deps, caller.tenantId, identityId);
  const patch = (id: number, to: number | null) =>
    deps.perform(channelsContract, 'patch', caller, { params: { id }, body: { identityId: to } }).catch((error) => {
      if (!(error instanceof Fault) || error.code !== 'NOT_FOUND') throw error;
      throw new Fault('VALIDATION_FAILED', `There is no channel ${id}.`, {
        field: 'channelIds',
        hint: 'List channels with GET /api/channels.',
      });
    });
  for (const id of wanted) if (!bound.includes(id)) await patch(id, identityId);
  for (const id of bound) if (!wanted.includes(id)) await patch(id, null);
}

const noPerson = (name: string) =>
  new Fault('VALIDATION_FAILED', `${name} is a person: nobody speaks in the place of people.`, {
    hint: 'Make an identity for the bot with POST /api/identities.',
  });
