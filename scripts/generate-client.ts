// Writes the client's table of routes from the groups: `npx tsx scripts/generate-client.ts`.
import { writeFileSync } from 'node:fs';
import { groups } from '../src/groups/index.ts';
import { routeTable } from './route-table.ts';

const file = new URL('../src/client/routes.ts', import.meta.url);
writeFileSync(file, routeTable(groups));
