// A row of figures, each under the word for it.
import type { ReactNode } from 'react';

export function Figures({ items }: { items: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="figures">
      {items.map(([name, value]) => (
        <div key={name} className="figure">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
