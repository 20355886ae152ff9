// The environment variables of a run's commands, from the JSON text that its creator gave.
import { Fault } from '../../src/kernel/fault.ts';
import { jsonObject } from '../../src/kernel/json-object.ts';

export type Environment = Record<string, string>;

const nameForm = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** Variables that the sandbox sets itself, or that would let a program into the launcher that sets its limits. */
const reserved = /^(PATH|HOME|LD_.*|GLIBC_TUNABLES|([a-z]+_)*proxy|NODE_USE_ENV_PROXY)$/i;
const mostVariables = 200;
/** Limit in bytes of one variable; Linux allows 128 KiB (MAX_ARG_STRLEN), name included. */
const mostBytes = 32 * 1024;

/** Problem of one variable, told without its value, which may be a secret. */
function problemOf(name: string, value: unknown): string | null {
  if (!nameForm.test(name)) return `${JSON.stringify(name.slice(0, 128))} is no name of an environment variable`;
  if (reserved.test(name)) return `${name} is set by the sandbox alone`;
  if (!['string', 'number', 'boolean'].includes(typeof value)) return `${name} is neither text, number nor boolean`;
  const text = String(value);
  if (text.includes('\0') || Buffer.byteLength(text) > mostBytes)
    return `${name} holds a NUL or more than ${mostBytes} bytes`;
  return null;
}

/** Checks a run's environment: Fault VALIDATION_FAILED names variables and no values. */
export function requireEnvironment(json: string | null | undefined): void {
  if (json == null) return;
  const variables = jsonObject(json);
  const problem = !variables
    ? 'it is not a JSON object'
    : Object.keys(variables).length > mostVariables
      ? `it has more than ${mostVariables} variables`
      : Object.entries(variables)
          .map(([name, value]) => problemOf(name, value))
          .find((one) => one !== null);
  if (problem)
    throw new Fault('VALIDATION_FAILED', `environmentJson cannot be used: ${problem}.`, {
      hint: 'Send environment variables of the run’s commands as JSON text, e.g. {"NODE_ENV":"test","RETRIES":3}.',
    });
}

/** Environment of a run's commands. Variables that an older server accepted and no sandbox takes are left out. */
export function environmentOf(json: string | null): Environment {
  const variables = Object.entries((json && jsonObject(json)) || {}).filter(
    ([name, value]) => problemOf(name, value) === null,
  );
  return Object.fromEntries(variables.slice(0, mostVariables).map(([name, value]) => [name, String(value)]));
}
