// The chat pages of published bots: small, for anybody, and in the frames of those sites alone that each bot names.

import { escapeHtml, renderMarkdown } from '../../markdown/render.ts';
import type { Exchange, HeaderList } from '../adapter.ts';
import { keptText } from '../compressed.ts';
import { botScript, botStyle } from './bot-chat.ts';

export interface ShownBots {
  /** The published bot of this name; null where none is. */
  byName(name: string): Promise<ShownBot | null>;
}

interface ShownBot {
  displayName: string;
  avatarUrl: string | null;
  tagline: string | null;
  greeting: string | null;
  suggestedPrompts: readonly string[];
  /** Origins whose pages may show it in a frame. */
  frameOrigins: readonly string[];
}

const name = /^\/bots\/([0-9a-f-]{36})\/?$/;
const plain: HeaderList = [
  ['cache-control', 'no-cache'],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
];

/** Answers GET and HEAD below `/bots/`; false for anything else. */
export function createBotPages({ byName }: ShownBots): (exchange: Exchange) => false | true | Promise<true> {
  const script = keptText(() => botScript);
  const style = keptText(() => botStyle);
  return (exchange) => {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return false;
    if (exchange.path === '/bots/chat.js')
      return script(exchange, [['content-type', 'text/javascript; charset=utf-8'], ...plain]);
    if (exchange.path === '/bots/chat.css')
      return style(exchange, [['content-type', 'text/css; charset=utf-8'], ...plain]);
    const found = name.exec(exchange.path)?.[1];
    return found === undefined ? false : serve(exchange, found, byName);
  };
}

async function serve(exchange: Exchange, guid: string, byName: ShownBots['byName']): Promise<true> {
  const bot = await byName(guid);
  const headers: HeaderList = [...plain, ['content-security-policy', policyOf(bot)]];
  const type = bot ? 'text/html' : 'text/plain';
  const body = bot ? pageOf(guid, bot) : 'There is no such bot.\n';
  const all: HeaderList = [['content-type', `${type}; charset=utf-8`], ...headers];
  exchange.send(bot ? 200 : 404, all, exchange.method === 'HEAD' ? '' : body);
  return true;
}

/** Nothing but its own script, style and requests, and the one picture, which is its icon, too. */
function policyOf(bot: ShownBot | null): string {
  const picture = bot?.avatarUrl ? new URL(bot.avatarUrl).origin : 'data:';
  const frames = bot && bot.frameOrigins.length > 0 ? bot.frameOrigins.join(' ') : "'none'";
  return `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src ${picture}; base-uri 'none'; form-action 'none'; frame-ancestors ${frames}`;
}

const pageOf = (guid: string, bot: ShownBot): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(bot.displayName)}</title>
<link rel="icon" href="${escapeHtml(bot.avatarUrl ?? 'data:,')}">
<link rel="stylesheet" href="/bots/chat.css">
<script src="/bots/chat.js" defer></script>
<header>${bot.avatarUrl ? `<img src="${escapeHtml(bot.avatarUrl)}" alt="" width="40" height="40">` : ''}<div><h1>${escapeHtml(bot.displayName)}</h1>${bot.tagline ? `<p>${escapeHtml(bot.tagline)}</p>` : ''}</div><button type="button" id="again">New conversation</button></header>
<main>
<div id="said" data-bot="${guid}" role="log" aria-label="Conversation" tabindex="0">${bot.greeting ? `<div class="assistant formatted" data-greeting>${renderMarkdown(bot.greeting)}</div>` : ''}</div>
<div id="prompts">${bot.suggestedPrompts.map((prompt) => `<button type="button">${escapeHtml(prompt)}</button>`).join('')}</div>
<p id="note" role="status"></p>
<form id="form"><label for="text">Your message</label><textarea id="text" rows="2" maxlength="4000" required></textarea><button type="submit">Send</button></form>
</main>
<footer>You talk to a program. Do not tell it secrets.</footer>
</html>
`;
