import { describe, expect, it } from 'vitest';
import type { ChatMessageDoc } from '../chat/documents.ts';
import { chatMarkdown, messageMarkdown } from './chat-markdown.ts';

const choice = { includeReasoning: false, includeSecrets: false };
const message = (more: Partial<ChatMessageDoc>) =>
  ({
    ...{ _id: 7, parentId: 6, role: 'assistant', state: 'Complete', content: '', reasoning: null, hidden: false },
    ...{ modelId: 'm', steps: [], attachments: [], toolName: null, createdAt: 0, ...more },
  }) as unknown as ChatMessageDoc;
const write = (more: Partial<ChatMessageDoc>, how = choice, place = false) =>
  messageMarkdown(message(more), how, place);

describe('a message as Markdown', () => {
  it('quotes what was said, so that it cannot pass for another message or leave a fence open', () => {
    const text = write({ content: 'Yes.\r\n## Question\n```html\n</details>' });
    expect(text).toBe(
      '## Answer\n\n1970-01-01T00:00:00.000Z · m\n\n> Yes.\n> ## Question\n> ```html\n> </details>\n\n',
    );
  });

  it('folds tool calls, whose names and results are no markup', () => {
    const toolCall = { id: '1', name: 'a</summary>_b', argumentsJson: '{"x":1}', resultJson: '"````"' };
    const steps = [{ toolCalls: [{ ...toolCall, status: 'Succeeded', durationMs: 1, escalationId: null }] }];
    const text = write({ steps } as never);
    expect(text).toContain('<summary>Tool a&#60;/summary&#62;\\_b: Succeeded</summary>');
    expect(text).toContain('```json\n{"x":1}\n```\n\n`````json\n"````"\n`````\n\n</details>');
  });

  it('lists attachments by name, kind and size', () => {
    const none = { text: null, base64: null, url: null, memoryId: null, docId: null };
    const attachments = [
      { ...none, kind: 'Image', name: 'a_b.png', mimeType: 'image/png', base64: 'AAAA' },
      { ...none, kind: 'Url', name: null, mimeType: null, url: 'https://a.example/x' },
    ];
    expect(write({ role: 'user', content: 'See', attachments } as never)).toMatch(
      /> See\n\nAttachments:\n\n- a\\_b\.png \(Image, image\/png, 3 bytes\)\n- https:\/\/a\.example\/x \(Url\)\n\n$/,
    );
  });

  it('leaves out secrets and reasoning unless they are asked for, and what is hidden always', () => {
    const token = `ghp_${'aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5'}`;
    const said = { content: `Key ${token}`, reasoning: 'Hm.' };
    expect(write(said)).toMatch(/> Key \[GitHub token\]\n\n$/);
    expect(write(said)).not.toContain('Hm.');
    expect(write(said, { includeReasoning: true, includeSecrets: true })).toMatch(/> Hm\.[\s\S]*> Key ghp_/);
    expect(write({ content: 'x', hidden: true })).toBe('');
    expect(write({ content: 'x', role: 'system' })).toBe('');
  });

  it('says where it stands, and how it ended', () => {
    expect(write({ content: 'x', state: 'Stopped' }, choice, true)).toContain(
      '## Answer (message 7)\n\n1970-01-01T00:00:00.000Z · m · Stopped · after message 6\n',
    );
  });

  it('begins with the folder and the tags of the chat, which are no markup', async () => {
    const session = { _id: 7, title: 'Tides', folder: 'Work/*Boats*', tagText: '\nlow water\n<b>\n' };
    const nothing = (async function* () {})();
    let text = '';
    for await (const part of chatMarkdown(session, nothing, { ...choice, allBranches: false, at: 0 })) text += part;
    expect(text).toContain('\n\nFolder: Work/\\*Boats\\* · Tags: low water, \\<b\\>\n\n');
  });
});
