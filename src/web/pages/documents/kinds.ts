// What documents may be, in the order in which people choose.
import type { DocClassification, DocType } from '../../../client/index.ts';

export const docTypes: readonly DocType[] = [
  'Page',
  'Guide',
  'Reference',
  'Blog',
  'Note',
  'Specification',
  'Decision',
  'Runbook',
  'Changelog',
  'Help',
];
export const classifications: readonly DocClassification[] = ['Public', 'Internal', 'Confidential', 'Restricted'];
