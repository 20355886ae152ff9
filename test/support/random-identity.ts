// What happens around an identity at random: mail, chats with files and ratings, words about tasks, versions of documents.
import { expect } from 'vitest';
import { request } from './test-server.ts';

interface Where {
  url: string;
  key: string;
}

type Data = (method: string, path: string, body?: unknown) => Promise<Made>;
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
type Made = any;

const dataOf =
  ({ url, key }: Where): Data =>
  async (method, path, body) => {
    const { body: said } = await request(url, method, `/api${path}`, body, { authorization: `Bearer ${key}` });
    expect([path, said.error ?? null]).toEqual([path, null]);
    return said.data;
  };

/** Numbers, picks and texts that follow from random numbers; no text comes twice. */
function chanceOf(next: () => number) {
  let drawn = 0;
  const upTo = (most: number) => 1 + Math.floor(next() * most);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)] as T;
  const letters = [
    'anchor',
    'bütte',
    'Ω-meter',
    '港',
    '"quoted"',
    'a\\b',
    'line\nbreak',
    '🚤',
    '<b>',
    '{{x}}',
    'ropes',
  ];
  return {
    upTo,
    pick,
    maybe: () => next() < 0.5,
    text: () => `${++drawn}. ${Array.from({ length: upTo(6) }, () => pick(letters)).join(' ')}`,
  };
}
type Chance = ReturnType<typeof chanceOf>;

/** Lets things of every kind happen around an identity that `fillRichly` has made. */
export async function liveRandomly(server: Where, id: number, next: () => number): Promise<void> {
  const data = dataOf(server);
  const chance = chanceOf(next);
  const keyOf = async (identityId: number) => {
    const { rawKey } = await data('POST', `/identities/${identityId}/api-keys`, { name: `key ${identityId}` });
    return dataOf({ url: server.url, key: rawKey });
  };
  const { identity: otto } = await data('POST', '/identities/provision', {
    name: 'otto',
    displayName: 'Otto',
    type: 'AI',
  });
  const [iris, other] = [await keyOf(id), await keyOf(otto.id)];
  const { items: projects } = await data('GET', '/projects');
  const projectId = projects.find((one: Made) => one.key === 'BOATS').id;
  await data('PUT', `/projects/${projectId}/members`, { members: [{ identityId: otto.id, role: 'Contributor' }] });
  await writeMail(chance, { iris, other, id, otherId: otto.id, projectId });
  await talkOfTasks(chance, { data, iris, other, id, projectId });
  await rewrite(chance, data, projectId);
  await chat(chance, data, id);
  await work(chance, data, id, projectId);
}

async function writeMail(
  { upTo, pick, maybe, text }: Chance,
  { iris, other, id, otherId, projectId }: { iris: Data; other: Data; id: number; otherId: number; projectId: number },
): Promise<void> {
  for (let thread = upTo(3); thread >= 0; thread--) {
    const about = { ...(maybe() && { threadTitle: text() }), ...(maybe() && { projectId }) };
    let last: Made = null;
    for (let said = upTo(5); said >= 0; said--) {
      const [from, to] = last && maybe() ? [iris, otherId] : [other, id];
      const type = pick(['Text', 'Question', 'Request', 'Report']);
      const priority = pick(['Low', 'Normal', 'High', 'Urgent']);
      const message = { content: text(), type, priority, requiresReply: maybe(), recipientIds: [to] };
      last = await from('POST', '/messages', last ? { ...message, threadId: last.threadId } : { ...message, ...about });
      const reader = to === id ? iris : other;
      if (maybe()) await reader('POST', `/messages/${last.id}/read`);
      if (maybe()) last = await reader('POST', `/messages/${last.id}/reply`, { content: text() });
    }
    if (maybe()) await iris('POST', `/messages/threads/${last.threadId}/archive`, { archived: true });
  }
  const { items } = await iris('GET', '/messages/inbox?includeArchived=true');
  await iris('DELETE', `/messages/${items[0].id}`);
}

async function talkOfTasks(
  { upTo, pick, maybe, text }: Chance,
  { data, iris, other, id, projectId }: { data: Data; iris: Data; other: Data; id: number; projectId: number },
): Promise<void> {
  const made: number[] = [];
  for (let task = 1 + upTo(3); task > 0; task--) {
    const more = { priority: upTo(100), ...(maybe() && { assigneeIdentityId: id }) };
    made.push((await data('POST', `/projects/${projectId}/tasks`, { title: text(), status: 'Todo', ...more })).id);
  }
  for (const task of made)
    for (let said = upTo(3); said > 0; said--)
      await pick([data, iris, other])('POST', `/tasks/${task}/comments`, {
        content: text(),
        ...(maybe() && { mentionIdentityIds: [id] }),
      });
  await data('POST', `/tasks/${made[0]}/dependencies`, {
    dependsOnTaskId: made[1],
    kind: pick(['Blocks', 'RelatesTo']),
  });
}

async function rewrite({ upTo, maybe, text }: Chance, data: Data, projectId: number): Promise<void> {
  for (let doc = upTo(2); doc > 0; doc--) {
    const { id } = await data('POST', `/projects/${projectId}/docs`, { title: text(), content: text() });
    for (let version = upTo(4); version > 0; version--)
      await data('PATCH', `/docs/${id}`, {
        content: text(),
        ...(maybe() && { title: text() }),
        ...(maybe() && { changeSummary: text() }),
      });
  }
}

async function chat({ upTo, pick, maybe, text }: Chance, data: Data, id: number): Promise<void> {
  const session = await data('POST', '/chat/sessions', { title: text(), identityId: id, modelId: 'scripted:echo' });
  const files = [
    { kind: 'Text', name: 'log.txt', mimeType: 'text/plain', text: text() },
    { kind: 'Image', name: 'gate.png', mimeType: 'image/png', base64: Buffer.from(text()).toString('base64') },
    { kind: 'Url', url: 'https://example.org/tides' },
  ];
  for (let said = upTo(3); said > 0; said--) {
    const attachments = files.slice(0, upTo(files.length));
    const { messages } = await data('POST', `/chat/sessions/${session.id}/chat`, { message: text(), attachments }).then(
      () => data('GET', `/chat/sessions/${session.id}`),
    );
    await data('PATCH', `/chat/messages/${messages.at(-1).id}/feedback`, {
      feedback: pick(['up', 'down']),
      feedbackScore: upTo(5),
      feedbackTags: [text()],
      feedbackComment: text(),
      ...((said === 1 || maybe()) && { feedbackCorrection: text(), createTrainingPair: true }),
    });
  }
}

/** A root with a child, and others: all have ended, each in a way of its own. */
async function work({ upTo, maybe, text }: Chance, data: Data, id: number, projectId: number): Promise<void> {
  const runs = '/agent/runs';
  const about = () => ({ goal: text(), identityId: id, ...(maybe() && { projectId }) });
  const begin = (more: object) => data('POST', runs, { ...about(), modelId: 'scripted:hello', ...more });
  const end = (run: number) => data('GET', `${runs}/${run}/wait?timeoutMs=30000`);
  const root = await begin({ autoStart: false });
  const child = await data('POST', `${runs}/${root.id}/children`, { goal: text(), tags: [text()] });
  await end(child.id);
  await data('POST', `${runs}/${root.id}/start`);
  await end(root.id);
  for (let more = upTo(2); more > 0; more--) {
    const run = await begin({ autoStart: maybe() });
    await data('POST', `${runs}/${run.id}/notes`, { content: text(), type: 'Finding' });
    await data('POST', `${runs}/${run.id}/messages`, { content: text() });
    if (maybe()) await data('POST', `${runs}/${run.id}/cancel`, { reason: text() });
    else if (run.status === 'Pending') await data('POST', `${runs}/${run.id}/start`);
    await end(run.id);
  }
}
