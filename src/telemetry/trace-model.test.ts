import { expect, it } from 'vitest';
import { createScriptedModel } from '../../runtime/testing/scripted-model.ts';
import { gather, modelRequest } from '../../test/support/model-calls.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createMetrics } from './metrics.ts';
import { traceModel } from './trace-model.ts';

it('counts a call for the model that answered, and for what was asked where none did', async () => {
  const clock = new SimulatedClock();
  const metrics = createMetrics();
  const script = ({ modelId }: { modelId: string }) =>
    modelId === 'route:none' ? { error: new Error('nobody is there') } : { text: 'ok' };
  const model = createScriptedModel(clock, script);
  // A route has chosen.
  const chosen = { ...model, stream: model.stream };
  chosen.stream = async function* (request) {
    for await (const event of model.stream(request))
      yield event.type === 'start' || event.type === 'finish' ? { ...event, modelId: 'one:a' } : event;
  };
  const traced = traceModel(chosen, metrics);
  for (const modelId of ['auto', 'route:none']) await gather(traced.stream(modelRequest({ modelId })), clock);
  const { body } = await metrics.text('Prometheus');
  expect(body).toContain('rivulet_model_calls_total{model="one:a",outcome="succeeded"} 1');
  expect(body).toContain('rivulet_model_call_seconds_count{model="one:a"} 1');
  expect(body).toContain('rivulet_model_calls_total{model="route:none",outcome="failed"} 1');
});
