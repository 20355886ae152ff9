import { describe, expect, it, test } from 'vitest';
import { environmentOf, requireEnvironment } from './environment.ts';

describe('the environment of a run', () => {
  it('is a JSON object of plain values', () => {
    const json = '{"NODE_ENV":"test","RETRIES":3,"CI":true,"_x":""}';
    requireEnvironment(json);
    requireEnvironment(null);
    expect(environmentOf(json)).toEqual({ NODE_ENV: 'test', RETRIES: '3', CI: 'true', _x: '' });
    expect(environmentOf(null)).toEqual({});
  });

  test.each([
    ['no JSON', 'A=1'],
    ['no object', '["A"]'],
    ['no name', '{"A B":"1"}'],
    ['a name that would be a second variable', '{"A=B":"1"}'],
    ['an object as value', '{"A":{}}'],
    ['null as value', '{"A":null}'],
    ['a NUL', '{"A":"s3cret\\u0000"}'],
    ['a value too long', JSON.stringify({ A: 's3cret'.repeat(10_000) })],
    ['too many', JSON.stringify(Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`A${at}`, 's3cret'])))],
    ...['PATH', 'HOME', 'LD_PRELOAD', 'https_proxy', 'ALL_PROXY', 'npm_config_https_proxy'].map((name) => [
      name,
      JSON.stringify({ [name]: 's3cret' }),
    ]),
  ])('refuses %s and tells no value', (_, json) => {
    let refusal: unknown;
    try {
      requireEnvironment(json);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(String(refusal)).not.toContain('s3cret');
  });

  it('that an older server took is used as far as it can be', () => {
    expect(environmentOf('{"os":"plan9","PATH":"/evil","nested":{"a":1}}')).toEqual({ os: 'plan9' });
    expect(environmentOf('plain words')).toEqual({});
  });
});
