// OpenTelemetry's collector, by the packages that its receiver reads with: traces and metrics of a run.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { type Program, startProgram, type Told } from './program.ts';
import { describeInstalled } from './suite.ts';

const client = { name: 'OTLP (collector/pdata)', set: 'go-otlp', package: 'go.opentelemetry.io/collector/pdata' };
describeInstalled(client, (folder) => {
  let program: Program;
  let world: ServerWithModel;
  beforeAll(async () => {
    program = await startProgram(join(folder, 'client'), [], {});
    const { url } = await program.do('address');
    world = await startServerWithModel({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
  });
  afterAll(() => program?.stop());

  it('reads the spans and metrics of a run', async () => {
    const { server } = world;
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01` };
    const { body } = await server.call('POST', '/api/agent/runs', { goal: 'Hi.', autoStart: true }, headers);
    await server.call('GET', `/api/agent/runs/${body.data.id}/wait`);
    // What has not been sent leaves when it stops.
    await world.close();
    const { spans, metrics, services, broken } = await program.do('seen');
    expect(broken).toBeNull();
    expect(new Set(services)).toEqual(new Set(['rivulet']));
    const ours = spans.filter((span: Told) => span.trace === trace);
    const byName = (start: string) => ours.find(({ name }: Told) => name.startsWith(start));
    expect(byName('invoke_agent')).toBeDefined();
    const chat = byName('chat');
    expect(chat.attributes).toMatchObject({ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai' });
    expect(ours.map(({ id }: Told) => id)).toContain(chat.parent);
    expect(metrics.length).toBeGreaterThan(0);
  });
});
