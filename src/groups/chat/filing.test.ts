import { describe, expect, it } from 'vitest';
import { folder, tag, tags } from './contract.ts';
import { filedAs, movedFolder } from './filing.ts';

describe('folders and tags of chats', () => {
  it.each([
    [' Work //  Boats\n& ropes / ', 'Work/Boats & ropes'],
    ['/', ''],
    [`${'a'.repeat(200)} `, 'a'.repeat(200)],
  ])('the folder %j is %j', (written, kept) => expect(folder.parse(written)).toBe(kept));

  it('are refused where they are too long, too many or say nothing', () => {
    for (const wrong of [folder.safeParse('a'.repeat(201)), tag.safeParse(' ,# '), tag.safeParse('a'.repeat(51))])
      expect(wrong.success).toBe(false);
    const many = Array.from({ length: 21 }, (_, n) => `t${n}`);
    expect(tags.safeParse(many).success).toBe(false);
    expect(tags.parse([...many.slice(1), ' T1 '])).toHaveLength(20);
  });

  it('tags have one spelling, once', () => {
    expect(tags.parse(['#Low  Water', 'low water', 'Cafe\u0301', 'CAFÉ'])).toEqual(['low water', 'café']);
  });

  it('what another server says is taken as far as it fits', () => {
    expect(filedAs({ folder: 'a'.repeat(300), tags: ['', 'Tide', 'TIDE'] })).toEqual({
      folder: null,
      tagText: '\ntide\n',
    });
  });

  it.each([
    ['Work', 'Work', 'Job', 'Job'],
    ['Work/Boats', 'Work', 'Job/Old', 'Job/Old/Boats'],
    ['Workshop', 'Work', 'Job', 'Workshop'],
    ['Work/Boats', 'Work', '', null],
  ])('%s, when %s becomes %j, is %j', (path, from, to, after) => expect(movedFolder(path, from, to)).toBe(after));
});
