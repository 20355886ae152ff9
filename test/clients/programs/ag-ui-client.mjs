// AG-UI's own agent client, which verifies the order and the form of all events; straight, or through CopilotKit.
import { HttpAgent } from '@ag-ui/client';
import { API_KEY, BASE_URL, newChat, say, serve, WEATHER } from './flows.mjs';

/** The server, or a runtime of CopilotKit's before it. */
const copilotKit = process.argv.includes('--copilotkit') && (await import('./copilotkit-runtime.mjs')).copilotKit;
const url = copilotKit ? await copilotKit() : `${BASE_URL}/api/chat/ag-ui`;

const open = (threadId, key = API_KEY) => new HttpAgent({ url, headers: { authorization: `Bearer ${key}` }, threadId });

/** One run; its events, and what it said. */
async function run(agent, input = {}) {
  const seen = [];
  await agent.runAgent(input, { onEvent: ({ event }) => void seen.push(event) });
  const failed = seen.find(({ type }) => type === 'RUN_ERROR');
  if (failed) throw Object.assign(new Error(failed.message), { name: `RUN_ERROR ${failed.code}` });
  return { seen, text: agent.messages.at(-1).content };
}

/** Leaving stops a run; CopilotKit's runtime goes on without its front end, and is asked as its own client asks it. */
async function stop(agent) {
  if (!copilotKit) return agent.abortRun();
  await fetch(url.replace(/run$/, `stop/${agent.threadId}`), { method: 'POST', headers: agent.headers });
}

const ask = (agent, content = 'Hello?') => agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });

await serve({
  async stream() {
    const agent = open(await newChat());
    ask(agent);
    const { text } = await run(agent);
    return { text };
  },
  /** A tool of the front end. */
  async tools() {
    const agent = open(await newChat());
    ask(agent);
    const { seen } = await run(agent, { tools: [WEATHER] });
    const given = seen.filter(({ type }) => type === 'TOOL_CALL_ARGS').map(({ delta }) => delta);
    const { toolCallId, toolCallName } = seen.find(({ type }) => type === 'TOOL_CALL_START');
    agent.addMessage({ id: 't', role: 'tool', toolCallId, content: 'rain' });
    const { text } = await run(agent, { tools: [WEATHER] });
    return { name: toolCallName, arguments: JSON.parse(given.join('')), text };
  },
  async fail({ key, model }) {
    const agent = open(key ? 'nobodys' : await newChat(model && { modelId: model }), key);
    ask(agent);
    await run(agent);
  },
  /** Leaving is how a run is stopped. */
  async leave() {
    const agent = open(await newChat());
    ask(agent);
    await agent.runAgent({}, { onTextMessageContentEvent: () => stop(agent) });
    return { left: true };
  },
  /** The client has no time limit of its own: the application's. */
  async timeout() {
    const agent = open(await newChat());
    ask(agent);
    setTimeout(() => stop(agent), 500);
    await run(agent);
  },
  /** CopilotKit's runtime keeps a run that its front end has left, and shows it from the beginning. */
  async resume() {
    const agent = open(await newChat());
    ask(agent);
    let seen = '';
    const cut = ({ event }) => {
      seen += event.delta;
      if (seen === 'One two') agent.abortRun();
    };
    await agent.runAgent({}, { onTextMessageContentEvent: cut });
    say({ cut: true });
    const { headers, threadId } = agent;
    const { text } = await run(new HttpAgent({ url: url.replace(/run$/, 'connect'), headers, threadId }));
    return { text };
  },
  /** A call that waits for a person interrupts the run, which is resumed with the decision. */
  async approve({ id, approved }) {
    const agent = open(id);
    ask(agent, 'Weather?');
    const { seen } = await run(agent);
    const { type, interrupts } = seen.at(-1).outcome;
    const payload = { approved, reason: 'so' };
    const resume = [{ interruptId: interrupts[0].id, status: 'resolved', payload }];
    const second = await run(agent, { resume });
    return { outcome: type, text: second.text, last: second.seen.at(-1).outcome?.type };
  },
  /** Context, state and instructions of the front end reach the model. */
  async describe() {
    const agent = open(await newChat());
    agent.setMessages([{ id: 's', role: 'system', content: 'Be brief.' }]);
    ask(agent);
    agent.setState({ zoom: 3 });
    const { text } = await run(agent, { context: [{ description: 'Language', value: 'Norwegian' }] });
    return { text };
  },
});
