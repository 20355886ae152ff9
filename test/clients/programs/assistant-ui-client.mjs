// assistant-ui's runtime for useChat, drawn by React into a page without a browser.
import { JSDOM } from 'jsdom';
import { API_KEY, BASE_URL, serve, until, WEATHER } from './flows.mjs';

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
const { AssistantChatTransport, useChatRuntime } = await import('@assistant-ui/react-ai-sdk');
const { lastAssistantMessageIsCompleteWithToolCalls } = await import('ai');

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
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
  });
  return createElement(AssistantRuntimeProvider, { runtime: page.runtime }, tool ? createElement(Weather) : null);
}

/** Draws a page with a runtime in it. */
async function open({ key = API_KEY, body, tool = false } = {}) {
  const page = { runtime: null, failed: null };
  const headers = { authorization: `Bearer ${key}` };
  const transport = new AssistantChatTransport({ api: `${BASE_URL}/api/chat/ui`, headers, body });
  createRoot(document.createElement('div')).render(createElement(Page, { page, transport, tool }));
  await until(() => page.runtime);
  return page;
}

const textOf = ({ runtime }) =>
  (runtime.thread.getState().messages.at(-1)?.content ?? [])
    .map(({ type, text }) => (type === 'text' ? text : ''))
    .join('');
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
  async fail({ key, model }) {
    const page = await open({ key, body: model && { modelId: model } });
    ask(page);
    await until(() => page.failed);
    throw page.failed;
  },
});
