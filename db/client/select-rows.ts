import type { Statements } from './driver-client.ts'

// The driver does not know the type of a row; every caller states the columns that its own query selects.
const asRows = <R>(rows: unknown) => rows as readonly R[]

export const selectRows = async <R>(
  sql: Statements,
  query: string,
  parameters?: (string | null)[],
): Promise<readonly R[]> => asRows<R>(await sql.unsafe(query, parameters))
