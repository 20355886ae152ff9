// Receivers of push notifications: addresses that clients name for a task, with what they want to be shown there.
import { randomUUID } from 'node:crypto';
import type {
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { RequestMalformedError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { A2aBook } from './book.ts';
import type { A2aReceiverDoc } from './record.ts';
import type { Standing } from './tasks.ts';

const mostOfTask = 10;
const mostCharacters = 8000;
/** What may stand in a header. */
const plain = /^[\x20-\x7e]*$/;

export type Receivers = ReturnType<typeof createReceivers>;

export function createReceivers({ book, clock }: { book: A2aBook; clock: Pick<Clock, 'now'> }) {
  const { receivers, vault, ready } = book;
  const idOf = ({ task }: Standing, name: string) => `${task._id}/${name}`;

  /** @throws A2AError for one that nothing could be sent to */
  function check({ id, url, token, authentication }: TaskPushNotificationConfig): void {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol) || url.length > 2000)
      throw new RequestMalformedError('url: an address such as https://example.com/a2a.');
    const { scheme = '', credentials = '' } = authentication ?? {};
    for (const [field, value] of Object.entries({ id, token, scheme, credentials }))
      if (!plain.test(value) || value.length > mostCharacters)
        throw new RequestMalformedError(`${field}: at most ${mostCharacters} plain characters.`);
    if (credentials !== '' && !/^[\w!#$%&'*+.^`|~-]+$/.test(scheme))
      throw new RequestMalformedError('authentication.scheme: one such as Bearer.');
  }

  return {
    check,
    /** Adds a receiver, or replaces the one of its name. */
    async add(caller: Caller, standing: Standing, config: TaskPushNotificationConfig) {
      permitToSteer(caller);
      check(config);
      const { task, run } = standing;
      const name = config.id || randomUUID();
      const _id = idOf(standing, name);
      const { tenantId } = task;
      const seal = (text: string | undefined) => (text ? vault.seal(tenantId, text) : null);
      const doc: A2aReceiverDoc = {
        ...{ _id, tenantId, taskId: task._id, runId: run.id, name, url: config.url },
        ...{ sealedToken: seal(config.token), sealedCredentials: seal(config.authentication?.credentials) },
        scheme: config.authentication?.scheme || null,
        ...{ createdByUserId: caller.userId, createdByIdentityId: caller.identityId, createdAt: new Date(clock.now()) },
      };
      const others = await receivers.countDocuments({ tenantId, taskId: task._id, _id: { $ne: _id } });
      if (others >= mostOfTask) throw new RequestMalformedError(`A task has at most ${mostOfTask} receivers.`);
      await receivers.replaceOne({ _id, tenantId }, doc, { upsert: true });
      ready.changed(tenantId, run.id);
      return shown(doc);
    },
    async get(standing: Standing, name: string): Promise<TaskPushNotificationConfig> {
      const doc = await receivers.findOne({ _id: idOf(standing, name), tenantId: standing.task.tenantId });
      if (doc) return shown(doc);
      throw new TaskNotFoundError(`The task has no receiver ${name.slice(0, 100)}.`);
    },
    async list(
      { task }: Standing,
      { pageSize, pageToken }: Pick<ListTaskPushNotificationConfigsRequest, 'pageSize' | 'pageToken'>,
    ): Promise<ListTaskPushNotificationConfigsResponse> {
      const { tenantId, _id: taskId } = task;
      const all = await receivers.find({ tenantId, taskId }, { sort: { _id: 1 } }).toArray();
      const rest = all.filter(({ name }) => name > pageToken);
      const page = pageSize > 0 ? rest.slice(0, pageSize) : rest;
      const last = page.at(-1);
      return { configs: page.map(shown), nextPageToken: last && page.length < rest.length ? last.name : '' };
    },
    async remove(caller: Caller, standing: Standing, name: string): Promise<void> {
      permitToSteer(caller);
      const { tenantId } = standing.task;
      await receivers.deleteOne({ _id: idOf(standing, name), tenantId });
      ready.changed(tenantId, standing.run.id);
    },
  };
}

/** @throws Fault FORBIDDEN for who may only read runs */
function permitToSteer({ permissions, name }: Caller): void {
  if (permissions.has('RunsWrite')) return;
  throw new Fault('FORBIDDEN', `${name} may not change what is sent of runs.`, {
    hint: 'It needs the permission RunsWrite.',
  });
}

/** Secrets stay here. */
const shown = ({ name, taskId, url, scheme }: A2aReceiverDoc): TaskPushNotificationConfig => ({
  ...{ tenant: '', id: name, taskId, url, token: '' },
  authentication: scheme === null ? undefined : { scheme, credentials: '' },
});
