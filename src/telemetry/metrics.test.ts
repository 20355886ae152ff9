import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

it('histograms have cumulative buckets, a sum and a count for each set of labels', async () => {
  const metrics = createMetrics();
  const seconds = metrics.histogram('seconds', 'How long.', ['route', 'status'], [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 7]) seconds({ route: '/a"b', status: '200' }, value);
  seconds({ status: '500', route: '/a"b' }, 1);
  const { body } = await metrics.text('Prometheus');
  const lines = body.split('\n').filter((line) => line.includes('rivulet_seconds'));
  expect(lines).toEqual([
    '# HELP rivulet_seconds How long.',
    '# TYPE rivulet_seconds histogram',
    'rivulet_seconds_bucket{le="0.1",route="/a\\"b",status="200"} 2',
    'rivulet_seconds_bucket{le="1",route="/a\\"b",status="200"} 3',
    'rivulet_seconds_bucket{le="+Inf",route="/a\\"b",status="200"} 4',
    'rivulet_seconds_sum{route="/a\\"b",status="200"} 7.65',
    'rivulet_seconds_count{route="/a\\"b",status="200"} 4',
    'rivulet_seconds_bucket{le="0.1",status="500",route="/a\\"b"} 0',
    'rivulet_seconds_bucket{le="1",status="500",route="/a\\"b"} 1',
    'rivulet_seconds_bucket{le="+Inf",status="500",route="/a\\"b"} 1',
    'rivulet_seconds_sum{status="500",route="/a\\"b"} 1',
    'rivulet_seconds_count{status="500",route="/a\\"b"} 1',
  ]);
  expect((await metrics.text('OpenMetrics')).body).toContain('rivulet_seconds_bucket{le="0.1",route="/a\\"b"');
});

it('counters and gauges are told as they are when they are asked for', async () => {
  const metrics = createMetrics();
  const count = metrics.counter('things_total', 'Things.', ['kind']);
  count({ kind: 'a' });
  count({ kind: 'a' }, 2);
  metrics.gauge('open', 'Open ones.', () => ({ x: 1, y: 2 }), 'which');
  const { body, mediaType } = await metrics.text('Prometheus');
  expect(body).toContain('rivulet_things_total{kind="a"} 3');
  expect(body).toContain('rivulet_open{which="y"} 2');
  expect(mediaType).toMatch(/^text\/plain/);
});

it('only counters are named like counters', async () => {
  const { body } = await createMetrics().text('Prometheus');
  const gauges = [...body.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name]) => name);
  expect(gauges).toContain('rivulet_nodejs_active_handles');
  expect(gauges.filter((name) => name?.endsWith('_total'))).toEqual([]);
});
