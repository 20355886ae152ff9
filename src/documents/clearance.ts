// Which documents of a project somebody with a role may see: the table that every way to a document goes by.
import type { DocClassification, ProjectRole } from '../contract/enums.ts';

const cleared: Record<ProjectRole, readonly DocClassification[]> = {
  Viewer: ['Public', 'Internal'],
  Contributor: ['Public', 'Internal', 'Confidential'],
  Maintainer: ['Public', 'Internal', 'Confidential', 'Restricted'],
  Owner: ['Public', 'Internal', 'Confidential', 'Restricted'],
};

export const clearanceOf = (role: ProjectRole): readonly DocClassification[] => cleared[role];

/** Whether everybody who may read a project may see such documents, so that its stream may tell what is in them. */
export const isForAllReaders = (classification: DocClassification): boolean => cleared.Viewer.includes(classification);

/** Only these leave the project. */
export const isForThePublic = (classification: DocClassification): boolean => classification === 'Public';
