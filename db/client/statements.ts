import type postgres from 'postgres'
import { isLong, mapInSlices } from '#shared/map-in-slices.ts'
import { activeTrace, inSpan, type SpanStart } from '#shared/tracing/trace.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import { findViolation, ReadOnlyViolation } from './read-only.ts'
import type { Session } from './session.ts'
import { convertConnectionError } from './unreachable.ts'

/** Anything that can send a statement: a driver connection, a transaction or a pool. */
export interface Statements {
  unsafe(text: string, parameters?: (string | null)[]): Rows
}

/** A statement that is sent when it is awaited, or when `values` requests its rows as arrays. */
export interface Rows extends PromiseLike<unknown> {
  values(): Promise<unknown>
}

// The driver does not know the type of a row; every caller states the columns that its own query selects.
const asRows = <R>(rows: unknown) => rows as readonly R[]

export const selectRows = async <R>(
  sql: Statements,
  query: string,
  parameters?: (string | null)[],
): Promise<readonly R[]> => asRows<R>(await sql.unsafe(query, parameters))

const maxKnownTexts = 1000
// Longer ones are lists of variable length, whose texts would use memory without being sent again.
const maxKnownLength = 4096

/** Remembers what `describe` returns: the service has few different texts. */
const oncePerText = <T extends string | object | null>(describe: (text: string) => T) => {
  const known = new Map<string, T>()
  return (text: string): T => {
    const before = known.get(text)
    if (before !== undefined) return before
    const description = describe(text)
    if (text.length > maxKnownLength) return description
    if (known.size >= maxKnownTexts) known.clear()
    known.set(text, description)
    return description
  }
}

const violationOf = oncePerText(findViolation)

/** Throws for a statement that changes or locks data, or might do so. */
export const requireRead = (text: string) => {
  const violation = violationOf(text)
  if (violation !== null)
    throw new ReadOnlyViolation(`a read must not contain "${violation}"; use a transaction`)
}

const system = { 'db.system.name': 'postgresql' }
const maxTextLength = 2000

const writtenTable = /(?:\binsert into|\bdelete from|(?<!\b(?:for|do|key) )\bupdate) ("\w+"|\w+)(\."\w+")?/
const readTable = /\bfrom ("\w+"|\w+)(\."\w+")?/g

/** The table that a statement writes, or else the first that it reads; names that the statement gives to its parts are none. */
const findTable = (text: string) => {
  const isPart = (name: string) => text.includes(`${name} as (`)
  const [, first = '', second = ''] =
    writtenTable.exec(text) ?? [...text.matchAll(readTable)].find(([, name = '']) => !isPart(name)) ?? []
  return `${first}${second}`.replaceAll('"', '')
}

const spanOf = oncePerText((text): { readonly name: string; readonly start: SpanStart } => {
  const [operation = ''] = /^\w+/.exec(text.trimStart()) ?? []
  const table = findTable(text)
  const attributes = {
    ...system,
    'db.operation.name': operation || undefined,
    'db.collection.name': table || undefined,
    // Values are parameters, which no span contains.
    'db.query.text': text.slice(0, maxTextLength),
  }
  return {
    name: [operation, table].filter(Boolean).join(' ') || 'statement',
    start: { kind: 'client', attributes },
  }
})

/** Runs a statement in a span of the active trace, which includes the time until a connection is free. */
export const traceStatement = <T>(text: string, send: () => Promise<T>): Promise<T> => {
  if (!activeTrace()?.span) return send()
  const { name, start } = spanOf(text)
  return inSpan(name, send, start)
}

const transactionSpan: SpanStart = { kind: 'client', attributes: system }

/** Likewise a transaction. */
export const traceTransaction = <T>(run: () => Promise<T>): Promise<T> =>
  inSpan('transaction', run, transactionSpan)

// Drizzle only calls `map` on the rows, and returns its result from an async function, so it may be a promise.
const sliceIfLong = (rows: unknown) =>
  Array.isArray(rows) && isLong(rows)
    ? { map: (toRecord: (row: unknown) => unknown) => mapInSlices(rows, toRecord) }
    : rows

export const createRows = (text: string, run: (asArrays: boolean) => Promise<unknown>): Rows => ({
  values: async () => sliceIfLong(await traceStatement(text, () => run(true))),
  // biome-ignore lint/suspicious/noThenProperty: drizzle awaits a statement unless it calls `values()`
  then: (resolve, reject) => traceStatement(text, () => run(false)).then(resolve, reject),
})

/**
 * Sends a statement, if the client allows it as a named prepared statement, which saves a round trip the next time.
 * Cancels it after the timeout of `session`; a statement of a transaction is passed none, because the server ends it.
 */
export const sendStatement = async (
  sql: postgres.ISql,
  text: string,
  parameters: (string | null)[] = [],
  asArrays = false,
  session?: Pick<Session, 'isConnected' | 'limits'>,
) => {
  try {
    const query = sql.unsafe(text, parameters, { prepare: true })
    const sent = asArrays ? query.values() : query
    const limits = session?.limits
    return await (limits ? cancelAfterTimeout(session, limits.statementTimeoutMs, query, sent) : sent)
  } catch (error) {
    throw convertConnectionError(error)
  }
}

/** The members of the driver's query that its type lacks. */
interface SentQuery {
  /** Whether the next response belongs to this query. */
  readonly active?: boolean
  /** Rejects if the connection for the request fails; its public method `cancel` discards this promise. */
  readonly canceller?: ((query: unknown) => Promise<unknown>) | null
}

const sentQueryOf = (query: PromiseLike<unknown>) => query as unknown as SentQuery

const repeatMs = 400
const requestMs = 250

/**
 * The result of a query, which is cancelled by a cancel request after the timeout of the session, as the server would do
 * by itself. The request is repeated while it has no effect. A query that waits behind another one is not cancelled,
 * because the driver would assign the next response to the wrong query: the connection must not be shared.
 *
 * A request that is still on its way when the query ends would cancel the next one on the connection. So the result waits
 * for it, and if that takes too long, the session is not used again.
 */
export const cancelAfterTimeout = async <T>(
  session: Pick<Session, 'isConnected'>,
  timeoutMs: number,
  query: PromiseLike<unknown>,
  result: PromiseLike<T>,
): Promise<T> => {
  let requests: Promise<unknown> | undefined
  const cancel = () => {
    const sent = sentQueryOf(query)
    if (sent.active) requests = Promise.allSettled([requests, sent.canceller?.(query)])
    timer = setTimeout(cancel, repeatMs)
  }
  let timer = setTimeout(cancel, timeoutMs)
  try {
    return await result
  } finally {
    clearTimeout(timer)
    if (requests)
      await withTimeout(requestMs, requests, () => {
        session.isConnected = false
      })
  }
}
