// The AI SDK's useChat, without the React around it: its Chat and its transport against `/api/chat/ui`.
import { Chat } from '@ai-sdk/react';
import * as ai from 'ai';
import { API_KEY, api, BASE_URL, fetchWithin, newChat, say, serve, until, WEATHER } from './flows.mjs';

const { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls: hasResults } = ai;
// Version 5 knows no approvals, and says that it is one.
const hasApprovals = ai.lastAssistantMessageIsCompleteWithApprovalResponses;
const path = hasApprovals ? '/api/chat/ui' : '/api/chat/ui?sdk=5';

function open(id, { key = API_KEY, body, messages = [], fetch } = {}) {
  const headers = { authorization: `Bearer ${key}` };
  let failed = null;
  const chat = new Chat({
    id,
    messages,
    transport: new DefaultChatTransport({
      api: BASE_URL + path,
      headers,
      body,
      fetch,
      prepareReconnectToStreamRequest: ({ id }) => ({ api: `${BASE_URL}/api/chat/ui/${id}/stream${path.slice(12)}` }),
    }),
    sendAutomaticallyWhen: (state) => hasResults(state) || (hasApprovals?.(state) ?? false),
    onError: (error) => {
      failed = error;
    },
  });
  const settled = async () => {
    await until(() => failed || chat.status === 'ready');
    if (failed) throw failed;
  };
  return { chat, settled };
}

const partsOf = ({ lastMessage }) => (lastMessage?.role === 'assistant' ? lastMessage.parts : []);
const textOf = (chat) =>
  partsOf(chat)
    .map(({ type, text }) => (type === 'text' ? text : ''))
    .join('');
const toolOf = (chat) => partsOf(chat).find(({ type }) => type === 'dynamic-tool' || type.startsWith('tool-'));

await serve({
  async stream() {
    const { chat, settled } = open(await newChat());
    await chat.sendMessage({ text: 'Hello?' });
    await settled();
    return { text: textOf(chat) };
  },
  /** A tool of the front end. */
  async tools() {
    const { description, parameters } = WEATHER;
    const { chat, settled } = open(await newChat(), { body: { tools: { weather: { description, parameters } } } });
    await chat.sendMessage({ text: 'Hello?' });
    await until(() => toolOf(chat)?.state === 'input-available');
    const { toolCallId, input } = toolOf(chat);
    await chat.addToolOutput({ tool: 'weather', toolCallId, output: 'rain' });
    await until(() => textOf(chat));
    await settled();
    return { name: 'weather', arguments: input, text: textOf(chat) };
  },
  async fail({ key, model }) {
    const { chat, settled } = open(key ? 'nobodys' : await newChat(), { key, body: model && { modelId: model } });
    await chat.sendMessage({ text: 'Hello?' });
    await settled();
  },
  /** Leaving stops the reading; the reply is stopped by its session. */
  async leave() {
    const id = await newChat();
    const { chat } = open(id);
    const sending = chat.sendMessage({ text: 'Hello?' });
    await until(() => textOf(chat));
    await chat.stop();
    await sending;
    await api('POST', `/api/chat/sessions/${id}/stop`);
    return { left: true };
  },
  /** The client has no time limit of its own: that of the application's fetch, which then stops the reply. */
  async timeout() {
    const id = await newChat();
    const { chat, settled } = open(id, { fetch: fetchWithin(500) });
    await chat.sendMessage({ text: 'Hello?' });
    await settled().finally(() => api('POST', `/api/chat/sessions/${id}/stop`));
  },
  async resume() {
    const id = await newChat();
    const { chat } = open(id);
    const sending = chat.sendMessage({ text: 'Count' });
    await until(() => textOf(chat) === 'One two');
    await chat.stop();
    await sending;
    const again = open(id, { messages: chat.messages.slice(0, 1) });
    const resumed = again.chat.resumeStream();
    // The reply ends after that: one that has ended is no stream any more, but a message of the chat.
    await until(() => textOf(again.chat) === 'One two');
    say({ cut: true });
    await resumed;
    await again.settled();
    return { text: textOf(again.chat), messages: again.chat.messages.length };
  },
  /** A tool of an agent that somebody has to approve. */
  async approve({ id, approved }) {
    const { chat, settled } = open(id);
    await chat.sendMessage({ text: 'Weather?' });
    if (hasApprovals) {
      await until(() => toolOf(chat)?.state === 'approval-requested');
      await chat.addToolApprovalResponse({ id: toolOf(chat).approval.id, approved, reason: 'so' });
    } else {
      await until(() => partsOf(chat).some(({ type }) => type === 'data-approval'));
      await settled();
      const asked = partsOf(chat).find(({ type }) => type === 'data-approval');
      Object.assign(asked.data, { approved, reason: 'so' });
      await chat.sendMessage();
    }
    await until(() => textOf(chat));
    await settled();
    return { text: textOf(chat), state: toolOf(chat).state, messages: chat.messages.length };
  },
});
