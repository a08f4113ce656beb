import type { Statements } from '../client/statements.ts'
import { describeStatementError, type Identity } from './migration-error.ts'
import { createRecord, recordMigration, recordTable } from './migration-record.ts'
import type { Migration } from './migrations.ts'

export const runMigration = async (
  tx: Statements,
  { name, statements }: Migration,
  identity: Identity,
): Promise<void> => {
  for (const statement of statements)
    try {
      await tx.unsafe(statement)
    } catch (error) {
      throw describeStatementError(error, name, statement, identity)
    }
}

export const applyMigrations = async (
  tx: Statements,
  migrations: readonly Migration[],
  identity: Identity,
): Promise<void> => {
  const [first] = migrations
  if (first === undefined) return
  try {
    await createRecord(tx)
  } catch (error) {
    throw describeStatementError(error, first.name, `create table ${recordTable} ()`, identity)
  }
  for (const migration of migrations) {
    await runMigration(tx, migration, identity)
    await recordMigration(tx, migration)
  }
}
