import postgres from 'postgres'
import { withTimeout } from '#shared/with-timeout.ts'
import type { Session } from './session.ts'
import { isolation } from './session-settings.ts'
import { createRows, type Statements, sendStatement } from './statements.ts'
import { convertConnectionError } from './unreachable.ts'

export interface Transaction extends Statements {
  savepoint<T>(work: (nested: Transaction) => Promise<T>): Promise<T>
}

type TransactionSession = Pick<Session, 'sql' | 'limits'> & Partial<Pick<Session, 'isReadOnly'>>

const closeTimeoutMs = 250

/**
 * Runs a transaction that sends nothing after its connection is lost. The driver by itself would keep sending
 * statements. On a closed connection, that would crash the process. On a connection that another caller has since been
 * given, the statement would take effect outside any transaction. Calls `recordProgress` before each statement and
 * before the final COMMIT or ROLLBACK.
 */
export const runTransaction = async <T>(
  { sql, limits, isReadOnly = false }: TransactionSession,
  work: (tx: Transaction) => Promise<T>,
  recordProgress: () => void = () => {},
): Promise<T> => {
  let connectionError: unknown
  let ended = false
  const end = Promise.withResolvers<void>()

  const sendGuarded = async (
    tx: postgres.TransactionSql,
    text: string,
    parameters: (string | null)[] | undefined,
    asArrays: boolean,
  ) => {
    if (ended)
      throw new Error(
        'statement sent after its transaction ended: await every statement inside the transaction',
      )
    if (connectionError !== undefined) throw connectionError
    recordProgress()
    try {
      return await sendStatement(tx, text, parameters, asArrays)
    } catch (error) {
      // Any error that is not from the server is from the connection, which may be closing.
      if (!(error instanceof postgres.PostgresError)) connectionError = error
      throw error
    }
  }

  const awaitOutcome = async <R>(attempt: () => Promise<R>): Promise<R> => {
    const [outcome] = await Promise.allSettled([attempt()])
    recordProgress()
    if (connectionError !== undefined) await withTimeout(closeTimeoutMs, end.promise, () => undefined)
    // The caller already has its error. If this promise settled, the driver would send COMMIT or ROLLBACK.
    if (ended) return new Promise<never>(() => undefined)
    if (outcome.status === 'rejected') throw outcome.reason
    if (connectionError !== undefined) throw connectionError
    return outcome.value
  }

  const createTransaction = (tx: postgres.TransactionSql): Transaction => ({
    unsafe: (text, parameters) => createRows(text, (asArrays) => sendGuarded(tx, text, parameters, asArrays)),
    savepoint: (nested) =>
      unwrapped(tx.savepoint((inner) => awaitOutcome(() => nested(createTransaction(inner))))),
  })

  let workError: unknown
  try {
    return await unwrapped<T>(
      sql.begin([limits ? isolation : '', isReadOnly ? 'read only' : ''].join(' ').trim(), (tx) =>
        awaitOutcome(async () => {
          // Goes out in one packet with the first statement. If the connection is lost, that statement reports it.
          if (limits) tx.unsafe(limits.setLocal).catch(() => undefined)
          try {
            return await work(createTransaction(tx))
          } catch (error) {
            workError = error
            throw error
          }
        }),
      ),
    )
  } catch (error) {
    throw error === workError ? error : convertConnectionError(error)
  } finally {
    ended = true
    end.resolve()
  }
}

// Cast, because the driver's type also allows callbacks that return an array of promises. These never do.
const unwrapped = <T>(outcome: Promise<unknown>) => outcome as Promise<T>
