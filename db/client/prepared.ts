// Optimized: see "GET of a library by its id" in bench/README.md.
import { drizzle } from 'drizzle-orm/postgres-js'
import type { Queryable, Reader } from './connection.ts'
import { asDriver, type Statements } from './driver-client.ts'

/** Where the query goes that is being started. */
let destination: Statements | null = null

const template = drizzle({
  client: asDriver({
    options: { parsers: {}, serializers: {} },
    unsafe(text, parameters) {
      if (!destination) throw new Error('a prepared query was not sent as it was started')
      return destination.unsafe(text, parameters)
    },
  }),
  casing: 'snake_case',
})

interface Query<R> {
  execute(values?: Record<string, unknown>): Promise<R>
}

const prepare = <D, R>(build: (db: typeof template) => Query<R>) => {
  let query: Query<R> | undefined
  return (db: D & Reader): Query<R> => ({
    execute(values) {
      query ??= build(template)
      // Drizzle hands a query to its driver before it waits for anything.
      destination = statementsOf(db)
      try {
        return query.execute(values)
      } finally {
        destination = null
      }
    },
  })
}

/**
 * A select that is built once, however many databases and transactions it is then sent to: to build it costs more than
 * to send it.
 */
export const preparedRead = <R>(build: (db: Reader) => Query<R>) => prepare<Reader, R>(build)

/** The same for a statement that changes or locks rows; a reader does not run it. */
export const preparedWrite = <R>(build: (db: Queryable) => Query<R>) => prepare<Queryable, R>(build)

// Drizzle's own session of this driver, which its types name without what is particular to the driver.
const statementsOf = (db: Reader) => (db._.session as unknown as { readonly client: Statements }).client
