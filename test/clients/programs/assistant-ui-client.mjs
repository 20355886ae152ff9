// assistant-ui's runtime for useChat, drawn by React into a page without a browser.
import { JSDOM } from 'jsdom';
import { API_KEY, api, BASE_URL, fetchWithin, newChat, say, serve, until, WEATHER } from './flows.mjs';

const { window } = new JSDOM('<div id="root"></div>', { url: BASE_URL, pretendToBeVisual: true });
const { document, HTMLElement, Node, MutationObserver, requestAnimationFrame, cancelAnimationFrame } = window;
Object.assign(globalThis, {
  window,
  document,
  HTMLElement,
  Node,
  MutationObserver,
  requestAnimationFrame,
  cancelAnimationFrame,
});
// React looks for a page when it is loaded.
const { createElement } = await import('react');
const { createRoot } = await import('react-dom/client');
const { AssistantRuntimeProvider, useAssistantTool } = await import('@assistant-ui/react');
const { AssistantChatTransport, createResumableSessionStorage, useChatRuntime } = await import(
  '@assistant-ui/react-ai-sdk'
);
const { lastAssistantMessageIsCompleteWithApprovalResponses: isApproved, lastAssistantMessageIsCompleteWithToolCalls } =
  await import('ai');

const called = [];
function Weather() {
  useAssistantTool({
    toolName: WEATHER.name,
    type: 'frontend',
    description: WEATHER.description,
    parameters: WEATHER.parameters,
    execute: async (given) => {
      called.push(given);
      return 'rain';
    },
  });
  return null;
}

/** What `page` holds: its runtime, and how it failed. */
function Page({ page, transport, tool }) {
  page.runtime = useChatRuntime({
    transport,
    onError: (error) => {
      page.failed = error;
    },
    sendAutomaticallyWhen: (state) => lastAssistantMessageIsCompleteWithToolCalls(state) || isApproved(state),
  });
  return createElement(AssistantRuntimeProvider, { runtime: page.runtime }, tool ? createElement(Weather) : null);
}

/**
 * Draws a page with a runtime in it. A session is the server's; without one, the thread's own name begins one.
 * The window is a new one, unless its page is loaded again.
 */
async function open({ key = API_KEY, body, tool = false, session, fetch, again = false } = {}) {
  if (!again) window.sessionStorage.clear();
  const page = { runtime: null, failed: null };
  const transport = new AssistantChatTransport({
    api: `${BASE_URL}/api/chat/ui`,
    headers: { authorization: `Bearer ${key}` },
    body,
    fetch,
    // What was left is kept by the window, as after a reload.
    resumable: {
      storage: createResumableSessionStorage(),
      resumeApi: (id) => `${BASE_URL}/api/chat/ui/${id}/stream`,
    },
    ...(session && {
      prepareSendMessagesRequest: ({ body, ...given }) => ({ body: { ...body, ...given, id: session } }),
    }),
  });
  createRoot(document.createElement('div')).render(createElement(Page, { page, transport, tool }));
  await until(() => page.runtime);
  return page;
}

/** What the newest reply says; nothing while the question is the last message. */
function textOf({ runtime }) {
  const last = runtime.thread.getState().messages.at(-1);
  const parts = last?.role === 'assistant' ? last.content : [];
  return parts.map(({ type, text }) => (type === 'text' ? text : '')).join('');
}
const isOver = ({ runtime, failed }) => {
  const { isRunning, messages } = runtime.thread.getState();
  return failed || (!isRunning && messages.at(-1)?.role === 'assistant');
};
const ask = ({ runtime }) => runtime.thread.append({ role: 'user', content: [{ type: 'text', text: 'Hello?' }] });

await serve({
  async stream() {
    const page = await open();
    ask(page);
    await until(() => isOver(page));
    if (page.failed) throw page.failed;
    return { text: textOf(page) };
  },
  async tools() {
    const page = await open({ tool: true });
    await until(() => page.runtime.thread.getModelContext().tools?.weather);
    ask(page);
    await until(() => page.failed || (isOver(page) && textOf(page)));
    if (page.failed) throw page.failed;
    return { name: 'weather', arguments: called[0], text: textOf(page) };
  },
  /** Leaving stops the reading; the reply is stopped by its session. */
  async leave() {
    const session = await newChat();
    const page = await open({ session });
    ask(page);
    await until(() => textOf(page));
    page.runtime.thread.cancelRun();
    await api('POST', `/api/chat/sessions/${session}/stop`);
    return { left: true };
  },
  /** As `leave`, after the time of the application's fetch. */
  async timeout() {
    const session = await newChat();
    const page = await open({ session, fetch: fetchWithin(500) });
    ask(page);
    await until(() => page.failed);
    await api('POST', `/api/chat/sessions/${session}/stop`);
    throw page.failed;
  },
  /** The next page goes on with what the first one was reading, by itself. */
  async resume() {
    const page = await open();
    ask(page);
    await until(() => textOf(page) === 'One two');
    page.runtime.thread.cancelRun();
    await until(() => !page.runtime.thread.getState().isRunning);
    const next = await open({ again: true });
    // Nothing is shown of a reply that has ended before.
    await until(() => next.failed || textOf(next) === 'One two');
    say({ cut: true });
    await until(() => next.failed || (isOver(next) && textOf(next)));
    if (next.failed) throw next.failed;
    return { text: textOf(next) };
  },
  /** A tool of an agent that somebody has to approve. */
  async approve({ id, approved }) {
    const page = await open({ session: id });
    ask(page);
    const message = () => page.runtime.thread.getState().messages.at(-1);
    const call = () => message()?.content.find(({ type }) => type === 'tool-call');
    await until(() => call()?.approval);
    const { toolCallId } = call();
    const part = page.runtime.thread.getMessageById(message().id).getMessagePartByToolCallId(toolCallId);
    await part.respondToToolApproval({ approved, reason: 'so' });
    await until(() => page.failed || (isOver(page) && textOf(page)));
    if (page.failed) throw page.failed;
    return { text: textOf(page), approved: call().approval.approved };
  },
  async fail({ key, model }) {
    const page = await open({ key, body: model && { modelId: model } });
    ask(page);
    await until(() => page.failed);
    throw page.failed;
  },
});
