// Facts and their versions as they are answered.
import type { FactDoc } from '../../memory/facts/records.ts';
import { type FactVersion, type Statement, statementOf } from '../../memory/facts/version.ts';
import { shown } from '../../ports/shown.ts';
import { FactDto, FactWriteDto } from './dto.ts';

/** The version that a fact shows: the one that holds now. */
export const toCurrentDto = (fact: FactDoc): FactDto =>
  shown(
    FactDto,
    { ...fact, createdAt: fact.writtenAt, retractedAt: null },
    { id: fact.versionId, guid: fact.versionGuid },
  );

export const toVersionDto = (version: FactVersion, isCurrent: boolean): FactDto =>
  shown(FactDto, version, { isCurrent: isCurrent && version.retractedAt === null });

export const toWriteDto = (version: FactVersion, isCurrent: boolean): FactWriteDto =>
  shown(FactWriteDto, version, { isCurrent, valueLength: version.value.length });

/** Whether a version is the one that its fact shows as holding now. */
export const isCurrentOf = (fact: FactDoc, { _id }: FactVersion) => fact.isCurrent && fact.versionId === _id;

/** A version with what it said before it was corrected, the oldest first. */
export function toHistory(version: FactVersion, isCurrent: boolean): FactDto[] {
  const said = [...version.earlier, statementOf(version)];
  const replaced = said.slice(0, -1).flatMap((one, at) => {
    const next = said[at + 1] as Statement;
    // What people think of its weight is no part of what is so.
    if (isSame(one, next)) return [];
    const was = { ...version, ...one, validUntil: one.statedUntil, updatedAt: one.recordedAt };
    return shown(FactDto, { ...was, retractedAt: next.recordedAt }, { isCurrent: false });
  });
  return [...replaced, toVersionDto(version, isCurrent)];
}

/** An end that became known, or that it was taken back, is no correction of what was said. */
const isSame = (one: Statement, next: Statement) =>
  one.value === next.value && one.validFrom.getTime() === next.validFrom.getTime();
