import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFlatText } from './flat-text.ts';

const change = createFlatText({ renamed: { _id: 'id' }, dropped: ['tenantId', 'hint'], times: { at: 'atUtc' } });

it('changes members as a change of the objects does, whatever their texts say', () => {
  const said = fc.oneof(
    fc.string(),
    fc.constantFrom('"_id":', ',"tenantId":5', '"at":7', '\\', '\\",', '_id', ',', '"', '{"_id":1,"tenantId":2}'),
  );
  const value = fc.oneof(said, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null));
  const record = fc.record(
    { _id: fc.integer(), title: value, tenantId: value, note: value, at: fc.option(fc.nat()), hint: value },
    { requiredKeys: ['_id'] },
  );
  const changed = ({ _id, tenantId: _, hint: _hint, at, ...rest }: Record<string, unknown>) => ({
    id: _id,
    ...rest,
    ...(at === undefined ? {} : { atUtc: at === null ? null : new Date(at as number).toISOString() }),
  });
  fc.assert(
    fc.property(fc.array(record, { maxLength: 3 }), (records) => {
      expect(JSON.parse(change(JSON.stringify(records)))).toEqual(
        records.map((one) => JSON.parse(JSON.stringify(changed(one as Record<string, unknown>)))),
      );
    }),
  );
});
