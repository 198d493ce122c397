// Who spent what: each budget with a bar of what is spent of it on the day on which that is most.

import type { VNode } from 'preact';
import type { ReleaseTable } from '../api/shown.ts';

type Budget = ReleaseTable['budgets'][number];

const SIGNS = { epsilon: 'ε', rho: 'ρ' } as const;

/** The value of a decimal or a fraction, for the length of a bar. */
function sizeOf(text: string): number {
  const [above = 0, below = 1] = text.split('/').map(Number);
  return above / below;
}

const textOf = (limit: Budget['limit']): string => (limit === null ? 'none' : `${SIGNS[limit.unit]} ${limit.amount}`);

function Row({ analyst, limit, spent, colluders }: Budget & { colluders: ReleaseTable['colluders'] }): VNode {
  const who = analyst ?? (colluders === 'all' ? 'all analysts together' : `any ${colluders} analysts together`);
  return (
    <tr>
      <th scope="row">{who}</th>
      <td>
        <progress value={sizeOf(spent.amount)} max={limit === null ? 1 : sizeOf(limit.amount)} aria-label={`Spent by ${who}`} />
      </td>
      <td>
        {textOf(spent)} of {textOf(limit)}
      </td>
    </tr>
  );
}

export function Budgets({ tables }: { tables: readonly ReleaseTable[] }): VNode {
  return (
    <section class="app" aria-labelledby="budgets">
      <h2 id="budgets">Who spent what</h2>
      {tables.map(({ app, budgets, colluders, bound }) => (
        <div key={app} class="panel release-panel">
          <h3>{app}</h3>
          <table>
            <tbody>
              {budgets.map((budget) => (
                <Row key={budget.analyst} {...budget} colluders={colluders} />
              ))}
            </tbody>
          </table>
          <p class="quiet">
            A budget holds for each day of the table; this is the day on which most was spent. One device adds at most {bound}{' '}
            {bound === 1 ? 'report' : 'reports'} to a day.
          </p>
        </div>
      ))}
    </section>
  );
}
