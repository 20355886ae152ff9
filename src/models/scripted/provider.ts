// The provider behind `scripted:NAME`: finds scenarios, built in or in a folder, and plays them.
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { createLru } from '../../kernel/lru.ts';
import type { OpenCall } from '../providers/target.ts';
import { builtInScenarios } from './built-in.ts';
import { play } from './player.ts';
import { Scenario, type ScenarioInput } from './scenario.ts';

export interface ScriptedDeps {
  clock: Clock;
  /** Folder of `NAME.yaml`, `NAME.yml` and `NAME.json`; read when a name is first asked for. */
  directory?: string | null | undefined;
  /** Further scenarios by name, for tests and benchmarks. */
  scenarios?: Record<string, ScenarioInput> | undefined;
}

/**
 * Opens scripted calls. A name that nobody wrote is NOT_CONFIGURED, a scenario that does not parse VALIDATION_FAILED with
 * the place of the mistake.
 */
export function createScriptedProvider({ clock, directory, scenarios = {} }: ScriptedDeps): OpenCall {
  const known: Record<string, ScenarioInput> = { ...builtInScenarios, ...scenarios };
  const parsed = new Map<string, Promise<Scenario>>();
  // Errors that are meant to pass after some tries need a count; it may be lost with the process.
  const tries = createLru<string, number>(10_000);

  const load = async (name: string): Promise<Scenario> => {
    const own = directory ? await readScenario(directory, name) : undefined;
    const input = own ?? (Object.hasOwn(known, name) ? known[name] : undefined);
    if (input !== undefined) return check(name, input);
    const names = [...Object.keys(known), ...(directory ? await namesIn(directory) : [])].sort();
    throw new Fault('NOT_CONFIGURED', `There is no scenario named "${name.slice(0, 100)}".`, {
      hint: `Use one of scripted:${names.join(', scripted:')}, or put ${name.slice(0, 100)}.yaml into the scenario folder.`,
    });
  };

  return async (target, request, signal) => {
    const { name, speed } = atSpeed(target.modelName);
    let scenario = parsed.get(name);
    if (!scenario) {
      scenario = load(name);
      parsed.set(name, scenario);
      scenario.catch(() => parsed.delete(name));
    }
    const conversation = request.runId ?? request.cacheKey ?? request.messages[0]?.content.length ?? 0;
    const key = `${request.tenantId}/${name}/${conversation}/${request.messages.length}`;
    const earlierTries = tries.get(key) ?? 0;
    tries.set(key, earlierTries + 1);
    return play(await scenario, request, { clock, modelId: target.modelId, signal, earlierTries, speed });
  };
}

/** Slowest and fastest that a scenario is played at. */
const speeds = { least: 0.1, most: 100 } as const;

/**
 * A name as a run gives it: `demo-tree@4` is played four times as fast as it is written. It is whole in itself, so that
 * what is taken up after a restart keeps its speed.
 */
function atSpeed(modelName: string): { name: string; speed: number } {
  const found = /^(.+)@(\d{1,3}(?:\.\d{1,3})?)$/.exec(modelName);
  const speed = Number(found?.[2]);
  if (!found?.[1] || !(speed >= speeds.least && speed <= speeds.most)) return { name: modelName, speed: 1 };
  return { name: found[1], speed };
}

function check(name: string, input: unknown): Scenario {
  const result = Scenario.safeParse(input);
  if (result.success) return result.data;
  throw new Fault('VALIDATION_FAILED', `The scenario "${name}" is not right: ${z.prettifyError(result.error)}`, {
    hint: 'See the guide to scripted scenarios.',
  });
}

const extensions = ['.yaml', '.yml', '.json'];

async function readScenario(directory: string, name: string): Promise<unknown> {
  // Names become file names: nothing that could leave the folder.
  if (!/^[\w-][\w.-]*$/.test(name)) return undefined;
  for (const extension of extensions) {
    const text = await readFile(join(directory, name + extension), 'utf8').catch(() => null);
    if (text === null) continue;
    try {
      return parse(text);
    } catch (cause) {
      throw new Fault('VALIDATION_FAILED', `The scenario file ${name}${extension} is not valid: ${String(cause)}`, {
        cause,
      });
    }
  }
  return undefined;
}

async function namesIn(directory: string): Promise<string[]> {
  const files = await readdir(directory).catch(() => []);
  return files.filter((file) => extensions.includes(extname(file))).map((file) => file.slice(0, -extname(file).length));
}
