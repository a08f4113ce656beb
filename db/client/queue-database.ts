import type postgres from 'postgres'
import { createPool, type PoolUsage } from './pool.ts'
import type { Session } from './session.ts'
import { createSessionOpener } from './session-opener.ts'
import { isolation } from './session-settings.ts'
import { selectRows, sendStatement } from './statements.ts'
import { runTransaction } from './transaction.ts'

export interface QueueDatabase {
  /** If there are no values, the text may contain several statements. */
  executeSql(text: string, values?: readonly unknown[]): Promise<{ rows: unknown[] }>
  usage(): PoolUsage
  /** Waits up to five seconds for statements in flight. */
  close(): Promise<void>
}

interface QueueDatabaseOptions {
  readonly ca: string | undefined
  readonly connections: number
  readonly prepare: boolean
}

const connectTimeoutMs = 10_000
// Long, because pg-boss waits up to 30 seconds for its locks.
const statementTimeoutMs = 60_000
const graceMs = 1000

const quote = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`

const formatArray = (elements: readonly (string | null)[]): string =>
  `{${elements.map((element) => (element === null ? 'NULL' : quote(element))).join(',')}}`

// An element of an array literal, quoted or unquoted. An unquoted NULL stands for null.
const element = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/gs

const parseArray = (text: string): (string | null)[] =>
  [...text.matchAll(element)].map(([, quoted, plain]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1')
    return plain === undefined || /^null$/i.test(plain) ? null : plain
  })

const textArray = { int4: 1007, text: 1009, uuid: 2951 }

// Converts values as `pg` does, because pg-boss relies on that: it serializes JSON itself, and expects arrays to be
// parsed.
const configure = ({ options: { parsers, serializers } }: postgres.Sql) => {
  for (const type of Object.keys(serializers)) serializers[Number(type)] = (value: unknown) => value
  for (const type of [textArray.text, textArray.uuid]) parsers[type] = parseArray
  parsers[textArray.int4] = (text: string) =>
    parseArray(text).map((element) => (element === null ? null : Number(element)))
}

const toText = (value: unknown): string | null => {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return formatArray(value.map(toText))
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const rowsOf = (result: readonly unknown[]) =>
  result.flatMap((rowOrRows) => (Array.isArray(rowOrRows) ? [...rowOrRows] : [rowOrRows]))

const runStatement = async (session: Session, text: string, values: readonly unknown[]) => {
  const parameters = values.map(toText)
  if (!session.needsTransactions) return sendStatement(session.sql, text, parameters, false, session)
  return runTransaction(session, (tx) => selectRows<unknown>(tx, text, parameters))
}

// The server rejects CONCURRENTLY in a transaction, even in the implicit one around several statements.
const isOwnTransaction = /\bconcurrently\b/i

// Adding BEGIN and COMMIT is safe: the server runs several statements as one transaction anyway, and if the text has
// its own BEGIN or COMMIT, the second one has no effect.
const withSettings = ({ limits, needsTransactions }: Session, text: string) =>
  limits && needsTransactions && !isOwnTransaction.test(text)
    ? `begin ${isolation}; ${limits.setLocal}; ${text}; commit`
    : text

const runStatements = async (session: Session, text: string) => {
  try {
    return await sendStatement(session.sql, withSettings(session, text), [], false, session)
  } catch (error) {
    // The statements may have begun a transaction.
    await session.sql.unsafe('rollback').catch(() => undefined)
    throw error
  }
}

const execute = async (session: Session, text: string, values: readonly unknown[]) =>
  rowsOf(await (values.length === 0 ? runStatements(session, text) : runStatement(session, text, values)))

/** Opens a pool for the job queues. It is separate because pg-boss needs values to be converted differently. */
export const openQueueDatabase = (databaseUrl: string, options: QueueDatabaseOptions): QueueDatabase => {
  const { ca, prepare, connections } = options
  const open = createSessionOpener(databaseUrl, {
    ca,
    prepare,
    applicationName: 'crossfade-jobs',
    statementTimeoutMs,
    connectTimeoutMs,
    configure,
  })
  const pool = createPool({ open, size: connections, acquireTimeoutMs: connectTimeoutMs })
  return {
    executeSql: async (text, values = []) => ({
      rows: await pool.use(statementTimeoutMs + graceMs, (session) => execute(session, text, values)),
    }),
    usage: pool.usage,
    close: () => pool.close(),
  }
}
