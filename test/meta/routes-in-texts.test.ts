// Hints, comments and pages name routes as text: each must be one that this server serves, or nobody could follow it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { operations } from '../support/operations.ts';
import { filesIn, root } from '../support/sources.ts';

const route = /\b(GET|POST|PUT|PATCH|DELETE) (\/(?:api|v1)\/(?:\$\{[^}]*\}|[\w/{}.-])*)(?!…)/g;

/** A path with a star for what is filled in. */
const shapeOf = (path: string) => path.replaceAll(/\$?\{[^}]*\}/g, '*').replace(/[.:]+$/, '');

function matches(shape: string, template: string): boolean {
  const [asked, served] = [shape.split('/'), template.split('/')];
  return (
    asked.length === served.length && asked.every((part, at) => part === served[at] || served[at]?.startsWith('{'))
  );
}

const isServed = (method: string, shape: string) =>
  operations.some((one) => one.method === method && matches(shape, one.template));

const sources = filesIn(['src', 'runtime', 'sandbox', 'docs', 'examples'], /\.(ts|tsx|mjs|md|sh|py)$/);

it('every route that a text names is served', () => {
  const named = [...sources, 'README.md'].flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(route)].map(([, method = '', route = '']) => ({
      where: `${path}: ${method} ${route}`,
      served: isServed(method, shapeOf(route)),
    })),
  );
  expect(named.length).toBeGreaterThan(150);
  expect(named.filter(({ served }) => !served).map(({ where }) => where)).toEqual([]);
});

/** What follows an ellipsis: `POST …/receipts/{id}/replay` of a resource that the text is about. */
const ending = /\b(GET|POST|PUT|PATCH|DELETE) …((?:\/(?:[\w-]+|\{\w+\}))+)/g;

it('every ending of a route that a text names is one of a route that is served', () => {
  const endsOne = (method: string, shape: string) => {
    const count = shape.split('/').length;
    return operations.some((one) => {
      const parts = one.template.split('/');
      return one.method === method && matches(shape, ['', ...parts.slice(parts.length - count + 1)].join('/'));
    });
  };
  const named = [...sources, 'README.md'].flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(ending)].map(([, method = '', route = '']) => ({
      where: `${path}: ${method} …${route}`,
      served: endsOne(method, shapeOf(route)),
    })),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ served }) => !served).map(({ where }) => where)).toEqual([]);
});
