// What builds of sites tell.
import { type EventTable, event } from '../../contract/event.ts';
import { SiteBuildDto } from './dto.ts';

export const siteBuildEvents = {
  'sitebuild.updated': event.kept(SiteBuildDto, ['project:*'], 'A build of a site was asked for, began or ended.'),
} satisfies EventTable;
