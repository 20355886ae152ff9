// What is generated for clients from the contracts is up to date.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nullableTable, routeTable } from '../../scripts/route-table.ts';
import { eventTypes } from '../../src/groups/events.ts';
import { groups } from '../../src/groups/index.ts';

const read = (name: string) => readFileSync(new URL(`../../src/client/${name}`, import.meta.url), 'utf8');
const how = 'run: npx tsx scripts/generate-client.ts';

it('a client has the routes of all operations', () => expect(read('routes.ts'), how).toBe(routeTable(groups)));
it('a client knows what of an event may be null', () =>
  expect(read('stream/nullable.ts'), how).toBe(nullableTable(eventTypes)));
