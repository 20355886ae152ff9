// Bar charts as SVG: a row a contender, a column a figure, so that one look compares all of them.

export interface PlotRow {
  name: string;
  /** Drawn in the colour of what is ours. */
  ours: boolean;
  /** One value a column; null where there is none. */
  values: readonly (number | null)[];
}

export interface Plot {
  title: string;
  columns: readonly { title: string; note: string; digits: number }[];
  groups: readonly { title: string; rows: readonly PlotRow[] }[];
}

const nameWidth = 190;
const columnWidth = 150;
const barWidth = 88;
const rowHeight = 22;
const groupHeight = 34;
const headHeight = 84;
const colours = { ours: '#4f46e5', peer: '#a8b0bf', text: '#1f2937', faint: '#6b7280' };

const plain = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

const text = (x: number, y: number, words: string, style = ''): string =>
  `<text x="${x}" y="${y}" fill="${colours.text}" ${style}>${plain(words)}</text>`;

interface Bar {
  x: number;
  y: number;
  value: number | null;
  /** What the whole width stands for. */
  largest: number;
}

function drawBar({ x, y, value, largest }: Bar, colour: string, digits: number): string[] {
  if (value === null) return [text(x, y + 13, '–', `style="fill:${colours.faint}"`)];
  const length = Math.max(1, (value / largest) * barWidth);
  return [
    `<rect x="${x}" y="${y + 2}" width="${length.toFixed(1)}" height="14" rx="2" fill="${colour}"/>`,
    text(x + length + 6, y + 13, value.toFixed(digits)),
  ];
}

/** A whole SVG document with a light ground of its own. */
export function barPlot({ title, columns, groups }: Plot): string {
  const rowCount = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  const width = nameWidth + columns.length * columnWidth + 16;
  const height = headHeight + groups.length * groupHeight + rowCount * rowHeight + 16;
  const parts: string[] = [text(16, 28, title, 'font-size="16" font-weight="600"')];
  columns.forEach((column, index) => {
    const x = nameWidth + index * columnWidth;
    parts.push(text(x, 56, column.title, 'font-weight="600"'));
    parts.push(text(x, 72, column.note, `font-size="11" style="fill:${colours.faint}"`));
  });
  let y = headHeight;
  for (const group of groups) {
    const largest = columns.map((_, index) => Math.max(...group.rows.map(({ values }) => values[index] ?? 0), 1e-9));
    parts.push(text(16, y + 22, group.title, 'font-weight="600"'));
    y += groupHeight;
    for (const row of group.rows) {
      parts.push(text(16, y + 13, row.name, row.ours ? 'font-weight="600"' : ''));
      row.values.forEach((value, index) => {
        const bar = { x: nameWidth + index * columnWidth, y, value, largest: largest[index] ?? 1 };
        parts.push(...drawBar(bar, row.ours ? colours.ours : colours.peer, columns[index]?.digits ?? 0));
      });
      y += rowHeight;
    }
  }
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${plain(title)}">`;
  return `${open}\n<rect width="${width}" height="${height}" rx="8" fill="#ffffff"/>\n${parts.join('\n')}\n</svg>\n`;
}
