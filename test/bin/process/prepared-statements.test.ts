import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { supportsPreparedStatements } from '#db/client/prepared-statement-check.ts'
import { DatabaseUnreachable } from '#db/client/unreachable.ts'
import { startDatabaseRelay } from '#test/support/database-relay.ts'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { startPgBouncer } from '#test/support/pgbouncer.ts'
import { createPlainDatabase } from '#test/support/plain-database.ts'
import { recordOutput } from '#test/support/record-output.ts'
import { unreachableStorage } from '#test/support/storage.ts'

const isInstalled = isInstalledOrSkipped('pgbouncer', 'the tests of prepared statements through a pooler')
const server = new URL(import.meta.resolve('#bin/server.ts'))
const jobs = new URL(import.meta.resolve('#bin/jobs.ts'))

describe.skipIf(!isInstalled)('the check for prepared statements', () => {
  const startPooler = async (options: Record<string, string | number> = {}) => {
    const pooler = await startPgBouncer(inject('databaseServer').url, options)
    onTestFinished(() => pooler.stop())
    return pooler
  }

  it.each(['pg_prepared_statements', 'pg_backend_pid'])(
    'reports the database as unreachable if the connection is lost while it reads %s',
    async (name) => {
      const relay = await startDatabaseRelay((await startPooler()).url)
      onTestFinished(() => relay.close())
      relay.onStatement = (_, sent) => (sent.includes(name) ? 'cut-before' : null)
      await expect(supportsPreparedStatements(relay.url, undefined)).rejects.toThrow(DatabaseUnreachable)
    },
  )

  it('works through a pooler with one connection', async () => {
    const { url } = await startPooler({ default_pool_size: 1 })
    expect(await supportsPreparedStatements(url, undefined)).toBe(false)
  })

  it('works through a pooler if the database itself sets the timeouts that the gateway sets', async () => {
    const { name, sql } = await createPlainDatabase()
    for (const setting of ['statement_timeout', 'idle_in_transaction_session_timeout'])
      await sql.unsafe(`alter database ${name} set ${setting} = '5s'`)
    for (const ignored of ['extra_float_digits', 'statement_timeout, idle_in_transaction_session_timeout']) {
      const url = new URL((await startPooler({ ignore_startup_parameters: ignored })).url)
      url.pathname = name
      expect(await supportsPreparedStatements(url.href, undefined), ignored).toBe(false)
    }
  })

  it('stops waiting if the pooler does not respond', async () => {
    const relay = await startDatabaseRelay((await startPooler()).url)
    onTestFinished(() => relay.close())
    relay.onStatement = (_, sent) => (sent.includes('pg_prepared_statements') ? 'stall' : null)
    expect(await supportsPreparedStatements(relay.url, undefined, { responseTimeoutMs: 100 })).toBe(null)
  })

  it('prevents the process from starting if it throws', async () => {
    const { url, name, sql } = await createPlainDatabase({ migrated: true })
    await sql`create schema broken`
    await sql`create view broken.pg_prepared_statements as select (1 / 0)::text as name`
    await sql`alter database ${sql(name)} set search_path = broken, pg_catalog, public`
    const pooler = new URL((await startPooler()).url)
    pooler.pathname = name
    for (const module of [server, jobs]) {
      const { code, stderr } = await recordOutput(module, {
        ...environment,
        DATABASE_URL: pooler.href,
        DATABASE_DIRECT_URL: url,
      })
      expect(code).toBe(1)
      expect(stderr).toMatch(/^could not find out whether .*: set DATABASE_PREPARE=off, .*22012.*\n$/)
    }
  })
})

const environment = {
  ...unreachableStorage,
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_PORT: '0',
  JOBS_ADMIN_PORT: '0',
  CORE_BASE_URL: 'none',
  PUBLIC_BASE_URL: 'https://api.example',
  AUTH_ISSUER: 'https://auth.example',
  AUTH_AUDIENCE: 'crossfade',
  AUTH_JWKS_URL: 'http://127.0.0.1:9/jwks',
  GATEWAY_SECRET: 'gateway-secret-of-the-test',
}
