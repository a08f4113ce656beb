import postgres from 'postgres'
import { formatCommand } from '#shared/format-command.ts'

/** Says what prevents a migration, in a sentence for the operator. Contains no secrets or row values. */
export class MigrationError extends Error {
  override name = 'MigrationError'
  /** Whether the same migration may succeed later, because only other sessions are preventing it. */
  readonly isTransient: boolean

  constructor(message: string, isTransient = false) {
    super(message)
    this.isTransient = isTransient
  }
}

export interface Identity {
  readonly user: string
  readonly database: string
}

export const quoteName = (name: string) => `"${name.replaceAll('"', '""')}"`

const adoptTables = `if its tables were created without these migrations, run ${formatCommand('migrate', '--baseline')} to adopt them`

const grantRights = ({ user, database }: Identity) =>
  `run ${formatCommand('migrate')} as the owner of the tables, or let this role create new ones: GRANT CREATE ON DATABASE ${quoteName(database)} TO ${quoteName(user)}; GRANT CREATE ON SCHEMA public TO ${quoteName(user)}`

const remedies: Readonly<Record<string, (identity: Identity) => string>> = {
  '42P07': () => adoptTables,
  '42701': () => adoptTables,
  '42710': () => adoptTables,
  '42723': () => adoptTables,
  '42501': grantRights,
  '25006': () => 'the database is read-only: set DATABASE_URL to the primary',
  '53100': () => "the database's disk is full: free space on it and start again",
  '40P01': () => 'other sessions lock the same tables in a different order: start again',
  '55P03': () => 'another session is using the table: end its transaction and start again',
  '57014': () => 'the statement was cancelled: start again',
}

const transientCodes = new Set(['40P01', '55P03'])

// In these SQLSTATE classes, messages name a table, column or role at most. Other messages may contain a row's values.
const isAboutDefinitions = (code: string) => /^(40|42|25|3D|3F|53|55|57)/.test(code)

const changedTable =
  /\b(?:table|on|into|update)\s+(?:if (?:not )?exists\s+|only\s+)*((?:"?\w+"?\.)?"?\w+"?)\s/gi

// Returns null if there are several statements, because it is not known which of them failed.
const findTable = (statement: string): string | null => {
  if (/;\s*\S/.test(statement.trim())) return null
  const [, name] = changedTable.exec(statement) ?? []
  changedTable.lastIndex = 0
  return name?.replaceAll('"', '') ?? null
}

const describeTable = (error: postgres.PostgresError, statement: string) => {
  const table = error.table_name ?? findTable(statement)
  const column = error.column_name ? `, column ${error.column_name}` : ''
  const constraint = error.constraint_name ? `, constraint ${error.constraint_name}` : ''
  return table ? ` at the table ${table}${column}${constraint}` : ''
}

export const describeStatementError = (
  error: unknown,
  migration: string,
  statement: string,
  identity: Identity,
): unknown => {
  if (!(error instanceof postgres.PostgresError)) return error
  const { code } = error
  const reason = isAboutDefinitions(code) ? `: ${error.message}` : ''
  const remedy = remedies[code]?.(identity) ?? 'correct the data or the migration and start again'
  return new MigrationError(
    `db/migrations/${migration}.sql failed${describeTable(error, statement)}${reason} (${code}); nothing was changed; ${remedy}`,
    transientCodes.has(code),
  )
}
