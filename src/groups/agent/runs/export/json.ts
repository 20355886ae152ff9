// A run as one JSON document.
import type { ExportSubject } from './subject.ts';

export async function* jsonExport({ run, councils, events, leftOut }: ExportSubject): AsyncGenerator<string> {
  yield `{"run":${JSON.stringify(run)},"councils":${JSON.stringify(councils)},"eventsLeftOut":${leftOut},"events":[`;
  let between = '\n';
  for await (const event of events) {
    yield between + JSON.stringify(event);
    between = ',\n';
  }
  yield '\n]}\n';
}
