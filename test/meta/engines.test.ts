// Every package that is installed runs on the oldest Node that is supported, so that npm has nothing to warn of.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const oldest = [20, 19, 0] as const;

interface Lock {
  packages: Record<string, { version?: string; engines?: { node?: string } }>;
}

const compare = (version: readonly number[]) =>
  oldest.map((part, index) => part - (version[index] ?? 0)).find((difference) => difference !== 0) ?? 0;

/** One part of a range, such as `>=18.17`, `^20.0.0`, `20.x` or `*`. */
function admits(part: string): boolean {
  const [, operator = '', text = ''] = /^(\D*?)\s*(\d[\d.x]*)?$/.exec(part.trim()) ?? [];
  if (text === '') return true;
  const version = text.split('.').map(Number).filter(Number.isFinite);
  if (operator.startsWith('>')) return compare(version) >= 0;
  if (operator.startsWith('<')) return compare(version) < 0;
  return version[0] === oldest[0] && compare(version) >= 0;
}

it('admits Node 20.19', () => {
  const { packages } = JSON.parse(readFileSync(resolve('package-lock.json'), 'utf8')) as Lock;
  const refusing = Object.entries(packages).filter(([, { engines }]) => {
    const ranges = (engines?.node ?? '*').split('||');
    return !ranges.some((range) =>
      range
        .trim()
        .replace(/([<>=^~])\s+/g, '$1')
        .split(/\s+/)
        .every(admits),
    );
  });
  expect(refusing.map(([path, { version, engines }]) => `${path} ${version} wants ${engines?.node}`)).toEqual([]);
});
