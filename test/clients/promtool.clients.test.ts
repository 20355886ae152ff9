// promtool, Prometheus' own check of what its server would scrape.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startServerWithModel } from '../support/server-with-model.ts';
import { describeInstalled } from './suite.ts';

describeInstalled({ name: 'promtool', set: 'debian', package: 'prometheus' }, (folder) => {
  it('finds nothing to say of the metrics', async () => {
    const { server, close } = await startServerWithModel();
    await server.call('POST', '/v1/chat/completions', { model: 'auto', messages: [{ role: 'user', content: 'Hi' }] });
    const { body: input } = await server.call('GET', '/metrics');
    await close();
    const promtool = join(folder, 'root/usr/bin/promtool');
    const { stdout, stderr, status } = spawnSync(promtool, ['check', 'metrics'], { input, encoding: 'utf8' });
    expect({ said: stdout + stderr, status }).toEqual({ said: '', status: 0 });
  });
});
