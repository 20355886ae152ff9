// The contract of sealed documents, on any store: what is stored is not readable, what is read is what was written.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVault } from '../../../src/kernel/vault.ts';
import { type Collection, type Db, defineCollection } from '../../../src/ports/db.ts';
import type { Tenanted } from '../../../src/ports/tenanted.ts';
import { withSealedDocuments } from '../../../src/stores/sealed-documents.ts';
import { createDocumentWords, wordSpec } from '../../../src/stores/words/documents.ts';
import { withKeyedWords } from '../../../src/stores/words/keyed.ts';

interface NoteDoc extends Tenanted {
  _id: number;
  text: string;
  tags: string[];
  edits?: { text: string; by: number }[];
  count: number;
  sealedBy?: string | null;
}

const notes = defineCollection<NoteDoc>({
  name: 'contract_sealed_notes',
  sealed: { texts: ['text', 'edits.text'], labels: ['tags'] },
});
const vault = createVault({ secret: 'the right one' });
const note = (_id: number, more: Partial<NoteDoc> = {}): NoteDoc => ({
  _id,
  tenantId: 1,
  text: `Zorbel ${_id}`,
  tags: ['quux'],
  edits: [{ text: 'plumifex', by: 3 }],
  count: 0,
  sealedBy: vault.keyId,
  ...more,
});

export function sealedContract({ name, open }: { name: string; open(): Promise<{ db: Db; close(): Promise<void> }> }) {
  describe(`sealed documents: ${name}`, () => {
    let stored: Awaited<ReturnType<typeof open>>;
    let raw: Collection<NoteDoc>;
    let all: Collection<NoteDoc>;
    beforeAll(async () => {
      stored = await open();
      await stored.db.ensureIndexes([notes, wordSpec]);
      raw = stored.db.collection(notes);
      all = withSealedDocuments(stored.db, vault, [notes]).collection(notes);
    });
    afterAll(() => stored?.close());
    const storedText = async (_id: number) => JSON.stringify(await raw.findOne({ _id }));

    it('are read as they were written, by every way, and stored so that nobody can read them', async () => {
      await all.insertOne(note(1));
      await all.insertMany([note(2), note(3, { sealedBy: null })]);
      expect(await storedText(2)).not.toMatch(/Zorbel|quux|plumifex/);
      expect(await storedText(3)).toMatch(/Zorbel.*quux.*plumifex/);
      expect(await all.findOne({ _id: 1 })).toEqual(note(1));
      expect(await all.find({}, { sort: { _id: 1 } }).toArray()).toEqual([
        note(1),
        note(2),
        note(3, { sealedBy: null }),
      ]);
      expect(JSON.parse(await all.find({ _id: 2 }).json())).toMatchObject([{ text: 'Zorbel 2' }]);
      expect(await all.find({ _id: 2 }).made(({ text }) => ({ text }))).toEqual([{ text: 'Zorbel 2' }]);
      const [kept] = await all.find({ _id: 2 }, { projection: { text: 1 } }).toArray();
      expect(kept).toMatchObject({ text: 'Zorbel 2' });
      expect(await all.find({ _id: 2 }).project({ tags: 1 }).toArray()).toMatchObject([{ tags: ['quux'] }]);
      const tags = { $in: ['quux', vault.digest(1, 'quux')] };
      expect((await all.find({ tags }, { sort: { _id: 1 } }).toArray()).map(({ _id }) => _id)).toEqual([1, 2, 3]);
    });

    it('are changed as others are, sealed and opened by a change alone', async () => {
      await all.insertOne(note(4));
      await all.updateOne({ _id: 4, tenantId: 1 }, { $inc: { count: 2 } });
      const change = { $set: { text: 'Vantrel', sealedBy: vault.keyId } };
      const changed = await all.findOneAndUpdate({ _id: 4, tenantId: 1 }, change, { returnDocument: 'after' });
      expect(changed).toEqual(note(4, { text: 'Vantrel', count: 2 }));
      expect(await storedText(4)).not.toMatch(/Zorbel|Vantrel/);
      const { text, tags, edits } = changed as NoteDoc;
      await all.updateOne({ _id: 4, tenantId: 1 }, { $set: { text, tags, edits: edits ?? [], sealedBy: null } });
      expect(await raw.findOne({ _id: 4 })).toMatchObject({ text: 'Vantrel', tags: ['quux'], sealedBy: null });
      expect(await all.findOne({ _id: 4 })).toMatchObject({ text: 'Vantrel', tags: ['quux'] });
      await expect(all.updateOne({ _id: 4, tenantId: 1 }, { $set: { text: 'Untold' } })).rejects.toThrow('sealedBy');
    });

    it('are refused without their key, with a hint, and are there again with it', async () => {
      await all.insertOne(note(5));
      const other = withSealedDocuments(stored.db, createVault({ secret: 'a wrong one' }), [notes]).collection(notes);
      await expect(other.findOne({ _id: 5 })).rejects.toMatchObject({
        code: 'NOT_CONFIGURED',
        hint: expect.stringContaining('RIVULET_SECRET') as string,
      });
      const rotated = createVault({ secret: 'a newer one', previousSecrets: ['the right one'] });
      const newer = withSealedDocuments(stored.db, rotated, [notes]).collection(notes);
      expect(await newer.findOne({ _id: 5 })).toEqual(note(5));
      expect(await all.findOne({ _id: 5 })).toEqual(note(5));
    });

    it('are found by digests of their words, with the scores of plain ones', async () => {
      const plain = createDocumentWords({ db: stored.db });
      const words = withKeyedWords(plain, vault, new Set(['notes']));
      const entry = (id: number, tenantId: number, text: string, isSealed: boolean) => {
        const counts = new Map(
          text.split(' ').map((word, _at, every) => [word, every.filter((one) => one === word).length]),
        );
        return { id, tenantId, scopes: ['a'], counts, isSealed };
      };
      const texts = ['tea green tea', 'green boat', 'tea boat harbour', 'harbour'];
      await words.upsert(
        'notes',
        texts.map((text, at) => entry(11 + at, 1, text, false)),
      );
      // Half of them, so that a word stands as itself and as a digest.
      await words.upsert(
        'notes',
        texts.map((text, at) => entry(21 + at, 2, text, at % 2 === 0)),
      );
      const stand = (await words.scroll('notes', 20, 10)).map(({ counts }) => [...counts.keys()].sort().join(' '));
      expect(stand[1]).toBe('boat green');
      expect(`${stand[0]} ${stand[2]}`).not.toMatch(/tea|green|harbour/);
      for (const wanted of [['tea'], ['green', 'boat'], ['tea', 'harbour', 'none']]) {
        const ask = { scopes: ['a'], words: wanted, limit: 10 };
        const of = async (tenantId: number) =>
          (await words.search('notes', { ...ask, tenantId })).map(({ id, score }) => [id % 10, score]);
        expect(await of(2)).toEqual(await of(1));
      }
    });
  });
}
