// Times as ISO 8601 text. The same as `Date.toISOString`, for answers with many times: the date part is computed once a
// day.

const dayMs = 86_400_000;
let day = Number.NaN;
let date = '';

const two = (value: number) => (value < 10 ? `0${value}` : `${value}`);

export function isoTime(at: number): string {
  const ofDay = Math.floor(at / dayMs);
  if (ofDay !== day) {
    date = new Date(ofDay * dayMs).toISOString().slice(0, -'00:00:00.000Z'.length);
    day = ofDay;
  }
  const ms = Math.trunc(at - ofDay * dayMs);
  const seconds = Math.floor(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const rest = `${1000 + (ms % 1000)}`.slice(1);
  return `${date}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}.${rest}Z`;
}
