// Optimized: see "GET of a library by its id" in bench/README.md.
import { drizzle } from 'drizzle-orm/postgres-js'
import type { Queryable, Reader } from './connection.ts'
import { castToDriver, type Statements } from './driver-client.ts'

/** The client that the query being started is sent to. */
let destination: Statements | null = null

const template = drizzle({
  client: castToDriver({
    options: { parsers: {}, serializers: {} },
    unsafe(text, parameters) {
      if (!destination) throw new Error('a prepared query was not sent synchronously')
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
      // Drizzle calls its driver synchronously.
      destination = statementsOf(db)
      try {
        return query.execute(values)
      } finally {
        destination = null
      }
    },
  })
}

/** A select that is built once and sent to any database or transaction: building it takes longer than sending it. */
export const preparedRead = <R>(build: (db: Reader) => Query<R>) => prepare<Reader, R>(build)

/** The same for a statement that changes or locks rows; a reader rejects it. */
export const preparedWrite = <R>(build: (db: Queryable) => Query<R>) => prepare<Queryable, R>(build)

// Drizzle's session for this driver, whose general type lacks the client.
const statementsOf = (db: Reader) => (db._.session as unknown as { readonly client: Statements }).client
