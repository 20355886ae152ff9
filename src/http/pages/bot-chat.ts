// The script and the style of the chat pages of bots: no framework, text alone, and nothing kept but the conversation's name.

/** Sent as a file of its own: the page's policy allows no script within it. */
export const botScript = `'use strict';
const said = document.getElementById('said');
const form = document.getElementById('form');
const box = document.getElementById('text');
const note = document.getElementById('note');
const prompts = document.getElementById('prompts');
const send = form.querySelector('button');
const base = '/api/public/bots/' + said.dataset.bot;
const slot = 'bot ' + said.dataset.bot;
let conversation = kept();

/** Where a page in a frame may keep nothing, a conversation ends with the page. */
function kept(value) {
  try {
    if (value === undefined) return sessionStorage.getItem(slot);
    if (value === null) sessionStorage.removeItem(slot);
    else sessionStorage.setItem(slot, value);
  } catch {}
  return value ?? null;
}

function add(role, text) {
  const line = document.createElement('p');
  line.className = role;
  line.textContent = text;
  said.append(line);
  said.scrollTop = said.scrollHeight;
  prompts.hidden = true;
  return line;
}

const post = (path, body) =>
  fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    credentials: 'omit',
  });

async function* eventsOf(response) {
  let rest = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split('\\n\\n');
    rest = blocks.pop();
    for (const block of blocks)
      for (const line of block.split('\\n')) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6));
  }
}

async function ask(message) {
  send.disabled = true;
  note.textContent = 'Writing …';
  add('user', message);
  let line = null;
  let ended = false;
  try {
    const response = await post('/messages', { message, conversation });
    if (!response.ok) {
      const failure = await response.json().catch(() => ({}));
      throw new Error([failure.error, failure.hint].filter(Boolean).join(' '));
    }
    for await (const event of eventsOf(response)) {
      if (event.type === 'Started') conversation = kept(event.conversation);
      if (event.type === 'Text') {
        line ??= add('assistant', '');
        line.textContent += event.text;
        said.scrollTop = said.scrollHeight;
      }
      if (event.type === 'Failed') throw new Error(event.error);
      if (event.type === 'Ended') ended = true;
    }
    if (!ended) throw new Error('The connection was lost. Load the page again to read the answer.');
    note.textContent = '';
  } catch (error) {
    note.textContent = error.message || 'The message could not be sent.';
    if (line === null && box.value === '') box.value = message;
  }
  send.disabled = false;
  box.focus();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const message = box.value.trim();
  if (message === '' || send.disabled) return;
  box.value = '';
  ask(message);
});
box.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  form.requestSubmit();
});
prompts.addEventListener('click', (event) => {
  if (event.target.tagName === 'BUTTON' && !send.disabled) ask(event.target.textContent);
});
document.getElementById('again').addEventListener('click', () => {
  conversation = kept(null);
  for (const line of [...said.querySelectorAll('p:not([data-greeting])')]) line.remove();
  prompts.hidden = false;
  note.textContent = '';
  box.focus();
});

(async () => {
  if (conversation === null) return;
  const response = await post('/conversation', { conversation });
  if (!response.ok) return void kept((conversation = null));
  for (const { role, text } of (await response.json()).data) add(role, text);
})();
`;

export const botStyle = `:root { color-scheme: light dark; --line: light-dark(#d8d6cf, #3a4144); --teal: light-dark(#0f766e, #5eead4); --muted: light-dark(#566064, #a3adb0) }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 46rem; height: 100dvh; display: flex; flex-direction: column; gap: .6rem; padding: .8rem; font: 16px/1.5 system-ui, sans-serif; background: light-dark(#fbfaf7, #16191b); color: light-dark(#1f2426, #e6e8e8) }
header { display: flex; gap: .7rem; align-items: center; border-bottom: 1px solid var(--line); padding-bottom: .6rem }
header div { flex: 1; min-width: 0 } header img { border-radius: 50%; object-fit: cover }
h1 { font-size: 1.05rem; margin: 0; overflow-wrap: anywhere } header p { margin: 0; color: var(--muted); font-size: .9rem; overflow-wrap: anywhere }
main { flex: 1; min-height: 0; display: flex; flex-direction: column; gap: .6rem }
#said { flex: 1; overflow: auto; display: flex; flex-direction: column; gap: .5rem }
#said p { margin: 0; padding: .5rem .8rem; border-radius: 10px; max-width: 88%; white-space: pre-wrap; overflow-wrap: anywhere }
.user { align-self: flex-end; background: light-dark(#d9efec, #143f3b) } .assistant { align-self: flex-start; background: light-dark(#efede6, #23282b) }
#prompts { display: flex; flex-wrap: wrap; gap: .4rem } #prompts[hidden] { display: none }
button { font: inherit; padding: .4rem .8rem; border: 1px solid light-dark(#7d868a, #6f7a7e); border-radius: 8px; background: light-dark(#fff, #1d2124); color: inherit; cursor: pointer }
button[type=submit] { background: light-dark(#0f766e, #5eead4); color: light-dark(#fff, #0b2b28); border-color: transparent } button:disabled { opacity: .6; cursor: default }
header button, #prompts button { font-size: .9rem }
form { display: grid; grid-template-columns: 1fr auto; gap: .3rem .5rem; align-items: end } label { grid-column: 1 / -1; font-size: .85rem; color: var(--muted) }
textarea { font: inherit; width: 100%; resize: none; padding: .5rem .7rem; border: 1px solid light-dark(#7d868a, #6f7a7e); border-radius: 8px; background: light-dark(#fff, #1d2124); color: inherit }
:focus-visible { outline: 2px solid var(--teal); outline-offset: 1px }
#note { margin: 0; min-height: 1.5em; color: var(--muted); font-size: .9rem } footer { color: var(--muted); font-size: .8rem; text-align: center }
`;
