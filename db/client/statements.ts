import type postgres from 'postgres'
import { isLong, mapInSlices } from '#shared/map-in-slices.ts'
import { activeTrace, inSpan, type SpanStart } from '#shared/tracing/trace.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import { findViolation, ReadOnlyViolation } from './read-only.ts'
import type { Session } from './session.ts'
import { convertConnectionError } from './unreachable.ts'

export interface Statements {
  unsafe(text: string, parameters?: (string | null)[]): Rows
}

export interface Rows extends PromiseLike<unknown> {
  values(): Promise<unknown>
}

// Cast, because the driver does not know a row's type. Every caller states the columns that its query selects.
const asRows = <R>(rows: unknown) => rows as readonly R[]

export const selectRows = async <R>(
  sql: Statements,
  query: string,
  parameters?: (string | null)[],
): Promise<readonly R[]> => asRows<R>(await sql.unsafe(query, parameters))

const maxKnownTexts = 1000
// Longer texts contain lists of varying length, so the same text is hardly ever sent again. Remembering it would waste
// memory.
const maxKnownLength = 4096

/** Remembers what `describe` returns for each statement's text, because the service uses few different texts. */
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

export const requireRead = (text: string) => {
  const violation = violationOf(text)
  if (violation !== null)
    throw new ReadOnlyViolation(`a read must not contain "${violation}"; use a transaction`)
}

const system = { 'db.system.name': 'postgresql' }
const maxTextLength = 2000

const writtenTable = /(?:\binsert into|\bdelete from|(?<!\b(?:for|do|key) )\bupdate) ("\w+"|\w+)(\."\w+")?/
const readTable = /\bfrom ("\w+"|\w+)(\."\w+")?/g

/**
 * Returns the table that a statement writes to or, if it writes to none, the first table that it reads. Names defined
 * in its WITH clause do not count as tables.
 */
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
    // Contains no values, because they are sent as parameters.
    'db.query.text': text.slice(0, maxTextLength),
  }
  return {
    name: [operation, table].filter(Boolean).join(' ') || 'statement',
    start: { kind: 'client', attributes },
  }
})

export const traceStatement = <T>(text: string, send: () => Promise<T>): Promise<T> => {
  if (!activeTrace()?.span) return send()
  const { name, start } = spanOf(text)
  return inSpan(name, send, start)
}

const transactionSpan: SpanStart = { kind: 'client', attributes: system }

export const traceTransaction = <T>(run: () => Promise<T>): Promise<T> =>
  inSpan('transaction', run, transactionSpan)

// Drizzle only calls `map` on the rows, and returns the result from an async function, so `map` may return a promise.
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
 * Sends a statement. If the client allows it, sends it as a named prepared statement, which saves a round trip the next
 * time. Cancels it after the session's timeout, except in a transaction, where the server ends it.
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

/** Members of the driver's query that are missing from its type. */
interface SentQuery {
  /** Whether the next response belongs to this query. */
  readonly active?: boolean
  /**
   * Sends a cancel request. Its promise, which the public method `cancel` discards, rejects if the request's connection
   * fails.
   */
  readonly canceller?: ((query: unknown) => Promise<unknown>) | null
}

const sentQueryOf = (query: PromiseLike<unknown>) => query as unknown as SentQuery

const repeatMs = 400
const requestMs = 250

/**
 * Returns a query's result. Once the session's timeout has passed, sends cancel requests until one works. A late
 * request would cancel the next query, so the result is held back until all requests have finished. If they take too
 * long, the session is not used again. Not for shared connections: if a query were cancelled before its turn, the
 * driver would assign the cancellation to a different query.
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
