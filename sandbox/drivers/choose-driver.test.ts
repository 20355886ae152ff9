import { expect, test } from 'vitest';
import { chooseDriver } from './choose-driver.ts';
import type { DriverName, ProbeReport, SandboxDriver } from './driver.ts';
import { emptyReport } from './probe-report.ts';

function driver(name: DriverName, causes: string[] = []): SandboxDriver {
  const report: ProbeReport = {
    ...emptyReport(name),
    available: causes.length === 0,
    causes,
    cures: causes.map((cause) => `Cure of ${cause}`),
  };
  return {
    name,
    probe: async () => report,
    create: () => Promise.reject(new Error('unused')),
    reconcile: async () => [],
  };
}

test('the first driver that works is taken and the rest is not tried', async () => {
  const choice = await chooseDriver('auto', [driver('docker'), driver('bwrap')]);
  expect(choice.require().name).toBe('docker');
  expect(choice.reports).toHaveLength(1);
});

test('auto falls back; a named driver does not', async () => {
  const drivers = [driver('docker', ['no socket']), driver('bwrap')];
  expect((await chooseDriver('auto', drivers)).driver?.name).toBe('bwrap');
  expect((await chooseDriver('docker', drivers)).driver).toBeNull();
});

test('without any driver the refusal names every cause and cure', async () => {
  const choice = await chooseDriver('auto', [driver('docker', ['no socket']), driver('bwrap', ['no bwrap'])]);
  expect(choice.require).toThrow(
    expect.objectContaining({
      code: 'NOT_CONFIGURED',
      message: expect.stringMatching(/docker: no socket.*bwrap: no bwrap/),
      hint: expect.stringMatching(/Cure of no socket.*Cure of no bwrap/),
    }),
  );
});

test('off means off, even where a driver would work', async () => {
  const choice = await chooseDriver('off', [driver('docker'), driver('bwrap')]);
  expect(choice.reports).toEqual([]);
  expect(choice.require).toThrow(
    expect.objectContaining({ code: 'NOT_CONFIGURED', hint: expect.stringContaining('RIVULET_SANDBOX') }),
  );
});
