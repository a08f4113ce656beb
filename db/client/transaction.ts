import postgres from 'postgres'
import { withTimeout } from '#shared/with-timeout.ts'
import { rows, type Statements, send } from './driver-client.ts'
import { toUnreachable } from './unreachable.ts'

/** The part of the driver's client that drizzle runs a transaction with. */
export interface Transaction extends Statements {
  savepoint<T>(work: (nested: Transaction) => Promise<T>): Promise<T>
}

const closeFollowsWithinMs = 250

/**
 * Runs a transaction so that nothing is sent on its connection once that is lost. The driver would go on: it sends
 * the ROLLBACK, or a later statement of `work`, down a connection that is closed, which ends the process, or that
 * meanwhile belongs to somebody else, where the statement takes effect outside any transaction.
 */
export const runTransaction = async <T>(
  sql: postgres.Sql,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> => {
  let doubt: unknown
  let over = false
  const end = Promise.withResolvers<void>()

  const watched = async (
    tx: postgres.TransactionSql,
    text: string,
    parameters: never[] | undefined,
    asArrays: boolean,
  ) => {
    if (over) throw new Error('the transaction of this statement has ended')
    if (doubt !== undefined) throw doubt
    try {
      return await send(tx, text, parameters, asArrays)
    } catch (error) {
      // What the server did not say was said by the connection, which may be closing.
      if (!(error instanceof postgres.PostgresError)) doubt = error
      throw error
    }
  }

  const guarded = async <R>(attempt: () => Promise<R>): Promise<R> => {
    const [outcome] = await Promise.allSettled([attempt()])
    if (doubt !== undefined) await withTimeout(closeFollowsWithinMs, end.promise, () => undefined)
    // The caller has been told by then. To settle would make the driver send COMMIT or ROLLBACK.
    if (over) return new Promise<never>(() => undefined)
    if (outcome.status === 'rejected') throw outcome.reason
    if (doubt !== undefined) throw doubt
    return outcome.value
  }

  const fence = (tx: postgres.TransactionSql): Transaction => ({
    unsafe: (text, parameters) => rows((asArrays) => watched(tx, text, parameters, asArrays)),
    savepoint: (nested) => unwrapped(tx.savepoint((inner) => guarded(() => nested(fence(inner))))),
  })

  let refusal: unknown
  try {
    return await unwrapped<T>(
      sql.begin((tx) =>
        guarded(async () => {
          try {
            return await work(fence(tx))
          } catch (error) {
            refusal = error
            throw error
          }
        }),
      ),
    )
  } catch (error) {
    throw error === refusal ? error : toUnreachable(error)
  } finally {
    over = true
    end.resolve()
  }
}

// The driver's type also foresees a callback that returns an array of promises, which these never do.
const unwrapped = <T>(outcome: Promise<unknown>) => outcome as Promise<T>
