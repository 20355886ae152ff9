// What Takeout has of Gemini besides plain questions and answers, as JSON and as a page, in any language.
import { describe, expect, it } from 'vitest';
import { read, said } from './testing/reading.ts';

const skipped = (reason: string) => ({ kind: 'skipped', reason });

describe('Gemini', () => {
  const one = (title: string, time: string, html: string[], more: object = {}) => ({
    header: 'Gemini Apps',
    title,
    time,
    products: ['Gemini Apps'],
    activityControls: ['Gemini Apps Activity'],
    ...(html.length > 0 && { safeHtmlItem: html.map((text) => ({ html: text })) }),
    ...more,
  });

  it('answers that were made anew are left out until somebody includes them', async () => {
    const file = [
      one('Prompted Why?', '2026-01-01T00:01:00.000Z', ['<p>So.</p>', '<p>Because.</p>', '<p>Well.</p>']),
      one('Prompted Who?', '2026-01-01T00:00:00.000Z', ['<p>Me.</p>']),
    ];
    expect(await read('My Activity.json', file)).toMatchObject([
      { ...said('Who?', 'Me.', 'Why?', 'So.'), wanted: true },
      { wanted: false, messages: [{ content: 'Why?' }, { content: 'Because.' }, { content: 'Well.' }] },
    ]);
  });

  it('what is no question is told apart: feedback, a choice of drafts, what was created', async () => {
    const file = [
      one('Gave feedback: Good response', '2026-01-01T00:04:00.000Z', []),
      one('Selected preferred draft', '2026-01-01T00:03:00.000Z', []),
      one('Used an Assistant feature', '2026-01-01T00:02:00.000Z', []),
      one('Created Boat plan', '2026-01-01T00:01:00.000Z', ['<h1>Boat</h1>']),
      one('Prompted Draw up a plan.', '2026-01-01T00:00:00.000Z', []),
    ];
    expect(await read('MyActivity.json', file)).toMatchObject([
      ...Array.from({ length: 3 }, () => skipped('activities that are no conversation')),
      {
        messages: [
          { role: 'user', content: 'Draw up a plan.' },
          { role: 'assistant', content: 'Created Boat plan\nBoat' },
        ],
      },
    ]);
  });

  it('files are named, though they are missing', async () => {
    const subtitles = [{ name: 'Attached 1 file.' }, { name: '-  boat.png', url: 'boat-1e98.png' }];
    const file = [
      one('Prompted What is it?', '2026-01-01T00:00:00Z', ['A boat.'], { subtitles, imageFile: 'boat-1e98.png' }),
    ];
    expect(await read('x.json', file)).toMatchObject([said('What is it?\n[file boat.png]', 'A boat.')]);
    const plain = [
      one('Prompted And now?', '2026-01-01T00:00:00Z', ['A ship.'], {
        imageFile: 'ship.png',
        attachedFiles: ['ship.png', 'sea.pdf'],
      }),
    ];
    expect(await read('x.json', plain)).toMatchObject([said('And now?\n[file ship.png]\n[file sea.pdf]', 'A ship.')]);
  });

  it('where an activity names its conversation, that is what holds it together', async () => {
    const details = (request: string, response: string) => ({
      details: [
        { name: 'Request', value: request },
        { name: 'Response', value: response },
      ],
    });
    const interactions = (request: string, response: string) => ({
      userInteractions: [{ userInteraction: { request, response } }],
    });
    const file = [
      one('Prompted', '2026-01-03T00:00:00Z', [], {
        titleUrl: 'https://gemini.google.com/c/aa11',
        ...details('Third?', '3'),
      }),
      one('Prompted', '2026-01-02T00:00:00Z', [], {
        titleUrl: 'https://gemini.google.com/c/bb22',
        ...interactions('Other?', 'O'),
      }),
      one('Prompted First?', '2026-01-01T00:00:00Z', ['1'], { titleUrl: 'https://gemini.google.com/app/aa11' }),
    ];
    expect(await read('x.json', file)).toMatchObject([
      { ...said('First?', '1', 'Third?', '3'), sourceId: 'aa11', title: 'First?' },
      { ...said('Other?', 'O'), sourceId: 'bb22' },
    ]);
  });

  it('of other languages', async () => {
    const file = [
      one('Solicitou Onde fica o porto?', '2026-01-03T00:00:00Z', ['Ali.'], { header: 'Apps do Gemini' }),
      one('Gefragt: Wie weit ist es?', '2026-01-02T00:00:00Z', ['Weit.'], { header: 'Gemini-Apps' }),
      one('送信したメッセージ: 港はどこですか', '2026-01-01T00:00:00Z', ['あそこ。'], { header: 'Gemini アプリ' }),
    ];
    expect((await read('x.json', file)).map((found) => 'messages' in found && found.messages[0]?.content)).toEqual([
      'Onde fica o porto?',
      'Wie weit ist es?',
      '送信したメッセージ: 港はどこですか',
    ]);
  });

  it('without a time each is a conversation of its own, and one that is empty is none', async () => {
    const file = [
      one('Prompted A?', '', ['a']),
      one('Prompted B?', 'yesterday', ['b']),
      one('', '2026-01-01T00:00:00Z', []),
    ];
    expect(await read('x.json', file)).toMatchObject([
      said('A?', 'a'),
      skipped('activities that are no conversation'),
      said('B?', 'b'),
    ]);
    expect(await read('x.json', [])).toMatchObject([skipped('empty files')]);
  });

  it('activity of other products is not taken', async () => {
    const file = [{ header: 'YouTube', title: 'Watched x', time: '2026-01-01T00:00:00Z', products: ['YouTube'] }];
    expect(await read('x.json', file)).toMatchObject([skipped('files that hold no conversations')]);
  });
});

describe('Gemini as a page', () => {
  const cell = (content: string, header = 'Gemini Apps') =>
    `<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid"><div class="header-cell mdl-cell mdl-cell--12-col"><p class="mdl-typography--title">${header}<br></p></div><div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">${content}</div><div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1 mdl-typography--text-right"></div><div class="content-cell mdl-cell mdl-cell--12-col mdl-typography--caption"><b>Products:</b><br>&emsp;Gemini Apps<br></div></div></div>`;
  const page = (...cells: string[]) =>
    `<html><head><title>My Activity</title><style>.a{}</style></head><body><div class="mdl-grid">${cells.join('')}</div></body></html>`;
  const at = async (time: string) => {
    const [found] = await read('MyActivity.html', page(cell(`Prompted Q<br>${time}<br><p>A</p>`)));
    return found && 'startedAt' in found ? [found.messages.length, found.startedAt?.toISOString() ?? null] : found;
  };

  it.each([
    ['Jan 2, 2026, 3:04:05\u202fPM UTC', '2026-01-02T15:04:05.000Z'],
    ['Jul 2, 2026, 12:04:05\u202fAM EDT', '2026-07-02T04:04:05.000Z'],
    ['2 Jan 2026, 15:04:05 GMT+01:00', '2026-01-02T14:04:05.000Z'],
    ['02.01.2026, 15:04:05 MEZ', '2026-01-02T14:04:05.000Z'],
    ['2. März 2026, 15:04:05 CET', '2026-03-02T14:04:05.000Z'],
    ['2 févr. 2026, 15:04:05 CET', '2026-02-02T14:04:05.000Z'],
    ['17 de fev. de 2026, 15:08:20 BRT', '2026-02-17T18:08:20.000Z'],
    ['2 ene 2026, 15:04:05 CET', '2026-01-02T14:04:05.000Z'],
    ['2 gen 2026, 15:04:05 CET', '2026-01-02T14:04:05.000Z'],
    ['2 янв. 2026 г., 15:04:05 MSK', '2026-01-02T12:04:05.000Z'],
    ['2026/01/02 15:04:05 JST', '2026-01-02T06:04:05.000Z'],
    ['2026年1月2日 15:04:05 JST', '2026-01-02T06:04:05.000Z'],
    ['2026. 1. 2. 오후 3:04:05 GMT+9', '2026-01-02T06:04:05.000Z'],
    ['2 sty 2026, 15:04:05 CET', '2026-01-02T14:04:05.000Z'],
  ])('the time %s', async (time, expected) => {
    expect(await at(time)).toEqual([2, expected]);
  });

  it('questions of several lines, lists and code in answers, files', async () => {
    const found = await read(
      'MyActivity.html',
      page(
        cell(
          'Prompted Compare:<br>- this &amp; that<br>Met on 2.1.2026 at 10:00 in Lindau.<br>Attached 1 file.<br>-&nbsp; <a href="boat-1.png">boat.png</a><br>Jan 2, 2026, 3:04:05 PM UTC<br><p>Two:</p><ul><li>one</li><li>two</li></ul><pre><code>a\n  b</code></pre>',
        ),
      ),
    );
    expect(found).toMatchObject([
      said(
        'Compare:\n- this & that\nMet on 2.1.2026 at 10:00 in Lindau.\n[file boat.png]',
        'Two:\n- one\n- two\na\n  b',
      ),
    ]);
  });

  it('what is no question, other products, and pages without activity', async () => {
    const found = await read(
      'MyActivity.html',
      page(
        cell('Gave feedback: Good response<br>Jan 2, 2026, 3:04:07 PM UTC<br>'),
        cell('Watched <a href="https://x.test">a film</a><br>Jan 2, 2026, 3:04:06 PM UTC<br>', 'YouTube'),
        cell('Prompted Hello<br>Jan 2, 2026, 3:04:05 PM UTC<br>'),
      ),
    );
    expect(found).toMatchObject([
      skipped('activities that are no conversation'),
      { messages: [{ role: 'user', content: 'Hello' }] },
    ]);
    expect(await read('MyActivity.html', page())).toMatchObject([skipped('files that hold no conversations')]);
  });
});
