import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { group, op } from '../contract/operation.ts';
import { createRouter } from './router.ts';

const spec = { doc: 'x', needs: 'public', data: z.null() } as const;

function routerOf(paths: Record<string, [method: keyof typeof op, path: string]>) {
  const operations = Object.fromEntries(
    Object.entries(paths).map(([key, [method, path]]) => [key, op[method](path, spec)]),
  );
  const handlers = Object.fromEntries(Object.keys(paths).map((key) => [key, () => null]));
  const service = { group: group('G', { base: '/g', doc: 'x' }, operations), handlers };
  return createRouter([service], () => null);
}

describe('router', () => {
  it('takes the other branch when the better one leads nowhere', () => {
    const router = routerOf({ a: ['get', '/by-key/latest/x'], b: ['get', '/by-key/{key}/y'] });
    expect(router.find('GET', '/g/by-key/latest/y')).toMatchObject({ route: { id: 'G_b' }, params: { key: 'latest' } });
    expect(router.find('GET', '/g/by-key/latest/x').route.id).toBe('G_a');
  });

  it('tells integers from text by their digits, also between methods', () => {
    const router = routerOf({ byRole: ['get', '/{role}'], replace: ['put', '/{id}'] });
    expect(router.find('GET', '/g/7').params).toEqual({ role: '7' });
    expect(router.find('PUT', '/g/7').params).toEqual({ id: 7 });
    expect(() => router.find('PUT', '/g/seven')).toThrow(expect.objectContaining({ code: 'METHOD_NOT_ALLOWED' }));
    expect(router.methods('/g/7').sort()).toEqual(['GET', 'PUT']);
    expect(router.methods('/g/seven')).toEqual(['GET']);
  });

  it('knows neither empty segments nor names of the prototype', () => {
    const router = routerOf({ a: ['get', '/{name}'], b: ['get', '/{name}/x'] });
    for (const path of ['/g', '/g/', '/g//x', '//g/a', '/', '', '/constructor'])
      expect(() => router.find('GET', path)).toThrow(expect.objectContaining({ code: 'ROUTE_NOT_FOUND' }));
    expect(router.find('GET', '/g/__proto__').params).toEqual({ name: '__proto__' });
    expect(() => router.find('constructor', '/g/a')).toThrow(expect.objectContaining({ code: 'METHOD_NOT_ALLOWED' }));
  });

  it('refuses two operations that match the same requests, whatever their parameters are called', () => {
    expect(() => routerOf({ a: ['get', '/{id}'], b: ['get', '/{runId}'] })).toThrow(/G_b and G_a/);
    expect(() => routerOf({ a: ['get', '/{id}'], b: ['get', '/{key}'] })).not.toThrow();
  });
});
