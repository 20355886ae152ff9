// Writes the client's tables from the groups: `npx tsx scripts/generate-client.ts`.
import { writeFileSync } from 'node:fs';
import { eventTypes } from '../src/groups/events.ts';
import { groups } from '../src/groups/index.ts';
import { nullableTable, routeTable } from './route-table.ts';

const write = (name: string, text: string) => writeFileSync(new URL(`../src/client/${name}`, import.meta.url), text);
write('routes.ts', routeTable(groups));
write('stream/nullable.ts', nullableTable(eventTypes));
