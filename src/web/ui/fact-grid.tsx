// Facts of one thing beside each other, each under the word for it.
import '../styles/fact-grid.css';

export const FactGrid = ({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) => (
  <dl className="fact-grid">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
