/**
 * The statements of one transaction, in few round trips: the first goes with the BEGIN, and the last with the COMMIT. Each round trip wakes
 * two processes, and a flush of a hundred batches is so short that this was a tenth of its cost.
 */

import type { Connection, PoolClient, QueryResult, Query as Statement } from 'pg';

/** A row as a list of its columns. */
type Row = readonly unknown[];

/** Runs a statement, and resolves to its rows. */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** A statement as the driver takes it. */
interface Config {
  readonly text: string;
  readonly values: unknown[];
  readonly rowMode: 'array';
}

const configOf = (text: string, values: readonly unknown[]): Config => ({ text, values: [...values], rowMode: 'array' });

/** Statements that each stand alone, on a connection. */
export const queryOf =
  (client: Pick<PoolClient, 'query'>): Query =>
  async (text, values = []) => {
    const result: QueryResult<unknown[]> = await client.query(configOf(text, values));
    return result.rows;
  };

/** The messages of the protocol, as the driver writes them. (Its types have those of an earlier version.) */
interface Messages {
  readonly parse: (query: { readonly text: string }) => void;
  readonly bind: (values: object) => void;
  readonly execute: (portal: object) => void;
}

/** Runs a statement behind others, and gets the results of all. */
export type RunBehind = (client: PoolClient, before: readonly string[], config: Config) => Promise<readonly QueryResult<unknown[]>[]>;

/**
 * Makes the function that sends a statement behind others, as one pipeline of the extended protocol. The server leaves a pipeline at its
 * first error, so a statement whose BEGIN has failed never runs, and never commits on its own.
 *
 * @param Query the driver's class of statements
 */
export function createRunBehind(Query: typeof Statement): RunBehind {
  class Behind extends Query {
    before: readonly string[] = [];
  }
  const { submit } = Query.prototype;
  Behind.prototype.submit = function (this: Behind, connection: Connection): void {
    const messages = connection as unknown as Messages;
    connection.stream.cork();
    try {
      for (const text of this.before) {
        messages.parse({ text });
        messages.bind({});
        messages.execute({});
      }
      return submit.call(this, connection);
    } finally {
      connection.stream.uncork();
    }
  };
  return (client, before, config) =>
    new Promise((resolve, reject) => {
      const statement = new Behind(config, undefined, (error, results) =>
        error ? reject(error) : resolve(results as unknown as readonly QueryResult<unknown[]>[]),
      );
      statement.before = before;
      client.query(statement);
    });
}

/** One transaction on a connection. It begins with its first statement. */
export class Transaction {
  readonly #client: PoolClient;
  readonly #runBehind: RunBehind;
  readonly #beginning: readonly string[];
  #isBegun = false;
  #committed: Promise<QueryResult> | undefined;

  /** @param beginning the BEGIN, and statements without rows that follow it */
  constructor(client: PoolClient, runBehind: RunBehind, beginning: readonly string[]) {
    this.#client = client;
    this.#runBehind = runBehind;
    this.#beginning = beginning;
  }

  readonly query: Query = async (text, values = []) => {
    if (this.#committed !== undefined) throw new Error('expected no statement after the last one of a transaction, got one');
    if (this.#isBegun) return queryOf(this.#client)(text, values);
    this.#isBegun = true;
    if (values.length > 0) return (await this.#runBehind(this.#client, this.#beginning, configOf(text, values))).at(-1)?.rows ?? [];
    // One message of the simple protocol, which the server leaves at its first error, too.
    const results: unknown = await this.#client.query({ text: [...this.#beginning, text].join('; '), rowMode: 'array' });
    return (results as readonly QueryResult<unknown[]>[]).at(-1)?.rows ?? [];
  };

  /** Runs the last statement, and commits. Where it fails, the server takes the COMMIT for a ROLLBACK. */
  readonly last: Query = async (text, values = []) => {
    const rows = this.query(text, values);
    this.#committed = this.#client.query('COMMIT');
    this.#committed.catch(() => undefined); // `commit` or `rollback` says it
    return rows;
  };

  /** @throws {Error} when the server has rolled back */
  async commit(): Promise<void> {
    if (!this.#isBegun) return;
    const { command } = await (this.#committed ?? this.#client.query('COMMIT'));
    if (command !== 'COMMIT') throw new Error(`expected a transaction that is committed, got ${command}`);
  }

  async rollback(): Promise<void> {
    if (this.#isBegun) await (this.#committed ?? this.#client.query('ROLLBACK'));
  }
}
