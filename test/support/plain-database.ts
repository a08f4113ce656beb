import { randomUUID } from 'node:crypto'
import postgres from 'postgres'
import { inject, onTestFinished } from 'vitest'
import { createRecord, recordMigration } from '#db/migrate/migration-record.ts'
import { readMigrations } from '#db/migrate/migrations.ts'

interface PlainDatabase {
  readonly url: string
  readonly name: string
  readonly sql: postgres.Sql
  /** Creates a role that can only log in; returns its name and URL. */
  createRole(): Promise<{ readonly role: string; readonly roleUrl: string }>
}

export const createPlainDatabase = async ({ migrated = false } = {}): Promise<PlainDatabase> => {
  const server = inject('databaseServer')
  const suffix = randomUUID().replaceAll('-', '')
  const name = `plain_${suffix}`
  const url = new URL(`/${name}`, server.url).href
  const admin = postgres(server.url, { max: 1, onnotice: () => undefined })
  const sql = postgres(url, { max: 4, onnotice: () => undefined })
  const roles: string[] = []
  onTestFinished(async () => {
    await sql.end({ timeout: 1 })
    await admin`drop database if exists ${admin(name)} with (force)`
    for (const role of roles) await admin`drop role ${admin(role)}`
    await admin.end()
  })
  await admin`create database ${admin(name)} template ${admin(migrated ? server.template : 'template0')}
    strategy file_copy`
  return {
    url,
    name,
    sql,
    async createRole() {
      const role = `role_${randomUUID().replaceAll('-', '')}`
      await admin`create role ${admin(role)} login password 'se-kr-et'`
      roles.push(role)
      const roleUrl = new URL(url)
      roleUrl.username = role
      roleUrl.password = 'se-kr-et'
      return { role, roleUrl: roleUrl.href }
    },
  }
}

export const applyFirst = async (sql: postgres.Sql, count: number): Promise<void> => {
  const migrations = readMigrations().slice(0, count)
  await sql.begin(async (tx) => {
    for (const statement of migrations.flatMap(({ statements }) => statements)) await tx.unsafe(statement)
  })
}

export const recordFirst = async (sql: postgres.Sql, count: number): Promise<void> => {
  await createRecord(sql)
  for (const migration of readMigrations().slice(0, count)) await recordMigration(sql, migration)
}
