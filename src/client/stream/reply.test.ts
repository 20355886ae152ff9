import { expect, it } from 'vitest';
import { ApiError } from '../api-error.ts';
import { readReply } from './reply.ts';

type Step = { events: [type: string, id: string][]; breaks?: boolean } | Error;

/** Reads a reply whose connections end as they are told; answers what was taken and which cursors were asked for. */
async function read(steps: Step[], take?: () => void) {
  const [taken, asked, tries]: [string[], (string | null)[], boolean[]] = [[], [], []];
  const next = (cursor: string | null) => {
    asked.push(cursor);
    const step = steps.shift();
    if (!step || step instanceof Error) return Promise.reject(step ?? new Error('no step is left'));
    const text = step.events.map(([type, id]) => `id: ${id}\ndata: {"type":"${type}"}\n\n`).join('');
    const body = new ReadableStream({
      start(stream) {
        stream.enqueue(new TextEncoder().encode(text));
        if (!step.breaks) stream.close();
      },
      pull(stream) {
        if (step.breaks) stream.error(new TypeError('terminated'));
      },
    });
    return Promise.resolve(new Response(body));
  };
  const isOver = await readReply({
    open: () => next('opened'),
    rejoin: next,
    take: ({ type }) => {
      taken.push(type);
      take?.();
    },
    again: async (isAnswered) => tries.push(isAnswered) < 5,
  });
  return { isOver, taken, asked, tries };
}

const gone = new ApiError('The server could not be reached.', { code: 'NETWORK', status: 0 });
const behindProxy = new ApiError('The server does not answer.', { code: 'UNAVAILABLE', status: 502 });
const leaving = new ApiError('The server is shutting down.', { code: 'SHUTTING_DOWN', status: 503 });
const refused = new ApiError('There is no chat 7.', { code: 'NOT_FOUND', status: 404 });

it('goes on after the last event, whatever breaks meanwhile', async () => {
  const steps: Step[] = [
    gone,
    { events: [['Started', '1']], breaks: true },
    gone,
    { events: [['ContentDelta', '2']] },
    { events: [['Completed', '3']], breaks: true },
  ];
  expect(await read(steps)).toEqual({
    isOver: true,
    taken: ['Started', 'ContentDelta', 'Completed'],
    asked: ['opened', 'opened', '1', '1', '2'],
    tries: [false, true, true, true],
  });
});

it('goes on after a restart of a server behind a proxy, which answers meanwhile', async () => {
  const begun: Step = { events: [['Started', '1']], breaks: true };
  const steps: Step[] = [behindProxy, begun, leaving, behindProxy, { events: [['Completed', '2']] }];
  expect(await read(steps)).toEqual({
    isOver: true,
    taken: ['Started', 'Completed'],
    asked: ['opened', 'opened', '1', '1', '1'],
    tries: [false, true, true, true],
  });
});

it('says that the reply ended meanwhile', async () => {
  for (const later of [{ events: [] }, refused])
    expect(await read([{ events: [['Started', '1']], breaks: true }, later])).toMatchObject({ isOver: false });
});

it('passes on a refusal of the message, and what its taker throws', async () => {
  await expect(read([refused])).rejects.toBe(refused);
  const failed = new Error('The reply failed.');
  const failing = () => {
    throw failed;
  };
  await expect(read([{ events: [['Error', '1']], breaks: true }], failing)).rejects.toBe(failed);
});

it('ends where no other connection shall be tried', async () => {
  expect(await read([gone, gone, gone, gone, gone])).toMatchObject({ isOver: false, asked: Array(5).fill('opened') });
});
