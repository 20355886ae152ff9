// A council as a debate: words side by side while they are spoken, positions over rounds, votes, dissent, and the same in a replay.
import { afterAll, describe, expect, it } from 'vitest';
import { chromiumPath, expectWellMade, screens, useStage } from '../support/browser.ts';
import { environmentOf, type FakeServer, startFakeServer } from '../support/openai-server.ts';
import { toReply } from '../support/stage.ts';

const convening: [string, object] = [
  'council_convene',
  {
    question: 'Bridge or ferry?',
    rounds: 1,
    participants: [
      { name: 'Ada', role: 'the mason' },
      { name: 'Bo', role: 'the night watch' },
      { name: 'Cy', role: 'the skipper' },
    ],
  },
];

/** A model that convenes a council, whose Bo changes his mind; everybody stops in the middle of the first round. */
async function model(): Promise<FakeServer> {
  const fake = await startFakeServer();
  fake.otherwise = ({ body }) => {
    const texts: string[] = body.messages.map((one: { content: unknown }) => String(one.content));
    const name = /^You are (\w+), .* in a council of/.exec(texts[0] ?? '')?.[1];
    if (name === undefined) {
      const isFirst = !body.messages.some((one: { role: string }) => one.role === 'tool');
      return toReply(isFirst ? { calls: [convening] } : { text: ['So be it.'] }, 0);
    }
    const votes = texts.at(-1)?.includes('Vote now') ?? false;
    const position = name === 'Ada' || (name === 'Bo' && votes) ? 'Bridge' : 'Ferry';
    const text = [`${name} has the floor.`, ` ${name} is sure.\n`, `Position: ${position}`];
    return { text, ...(votes ? {} : { stallAfter: 2 }) };
  };
  return fake;
}

describe.skipIf(chromiumPath === null)('a council', () => {
  let fake: FakeServer;
  const stage = useStage(async () => {
    fake = await model();
    return environmentOf(fake);
  });
  afterAll(() => fake.close());

  it.each(screens)('is a debate to watch, to come back to, and to replay: $colorScheme', async (screen) => {
    const run = await stage.api().agentRuns.create({ body: { goal: 'Cross the river', autoStart: true } });
    const { page, complaints, close } = await stage.open(`/runs/${run.id}?tab=councils`, screen);
    await page.getByRole('link', { name: 'Open the debate' }).click();
    await page.getByRole('heading', { name: 'Bridge or ferry?' }).waitFor();
    const voice = (name: string) => page.getByRole('article', { name });
    for (const name of ['Ada', 'Bo', 'Cy']) {
      await voice(name).getByText('Speaking').waitFor();
      await voice(name).getByText('has the floor').waitFor();
    }
    expect(await page.getByText('Position:').count()).toBe(0);
    await expectWellMade(page);
    fake.release();

    const all = async () => {
      const votes = page.getByRole('list', { name: 'Votes' });
      await votes.getByRole('listitem').filter({ hasText: 'Bridge' }).getByText('2 · Ada, Bo').waitFor();
      await votes.getByRole('listitem').filter({ hasText: 'Ferry' }).getByText('1 · Cy').waitFor();
      const row = page.getByRole('row', { name: /^Bo/ });
      await row.getByText('was Ferry').waitFor();
      await page.getByRole('region', { name: 'Dissent' }).getByText('Cy votes for Ferry').waitFor();
      await page.getByText('1 change of mind').waitFor();
    };
    await all();
    await page.reload();
    await all();
    await expectWellMade(page);
    const [first, second] = [await voice('Ada').boundingBox(), await voice('Bo').boundingBox()];
    expect(second?.y).toBe(first?.y);

    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.locator('.voice:focus').and(voice('Bo')).waitFor();
    await page.keyboard.press('k');
    await page.locator('.voice:focus').and(voice('Ada')).waitFor();

    // The replay: before the votes there is neither a change of mind nor an outcome.
    const [council] = (await stage.api().agentCouncils.list({ params: { runId: run.id } })).items;
    const { phases } = await stage.api().agentCouncils.debate({ params: { id: council?.id ?? 0 } });
    const voting = Date.parse(phases.find((one) => one.status === 'Voting')?.atUtc ?? '');
    await page.goto(`${stage.server.baseUrl}/#/runs/${run.id}?tab=councils&moment=${voting - 1}`);
    const card = page.getByRole('region', { name: 'Bridge or ferry?' });
    await card.getByText('Deliberating').waitFor();
    await card.getByText('0 changes of mind').waitFor();
    expect(await card.getByRole('region', { name: 'Dissent' }).count()).toBe(0);
    await page.goto(`${stage.server.baseUrl}/#/runs/${run.id}?tab=councils&moment=${Date.now()}`);
    await all();
    await expectWellMade(page);
    expect(complaints).toEqual([]);
    await close();
  });
});
