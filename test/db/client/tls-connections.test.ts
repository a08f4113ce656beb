import { readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { isDatabaseUnavailable, openDatabase } from '#db/client/connection.ts'
import { openQueueDatabase } from '#db/client/queue-database.ts'
import { migrateDatabase } from '#db/migrate.ts'
import { databaseCaFile, otherCaFile, startTlsDatabase } from '#test/support/tls-database.ts'

const ca = readFileSync(databaseCaFile, 'utf8')
const otherCa = readFileSync(otherCaFile, 'utf8')

/** The code of the innermost error. */
const codeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined
    ? codeOf(error.cause)
    : (error as { code?: string }).code

interface Target {
  readonly url: string
  readonly ca?: string
}

const connectToDatabase = async ({ url, ca: trusted }: Target) => {
  const database = openDatabase(url, { connections: 1, ca: trusted })
  try {
    const [row] = await database.db.execute(sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`)
    return row?.ssl ? 'encrypted' : 'plain'
  } catch (error) {
    expect(isDatabaseUnavailable(error)).toBe(true)
    return codeOf(error)
  } finally {
    await database.close()
  }
}

const connectToQueues = async ({ url, ca: trusted }: Target) => {
  const queues = openQueueDatabase(url, { ca: trusted, connections: 1, prepare: true })
  try {
    const { rows } = await queues.executeSql('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
    return (rows[0] as { ssl: boolean }).ssl ? 'encrypted' : 'plain'
  } catch (error) {
    return codeOf(error)
  } finally {
    await queues.close()
  }
}

const pools = [
  ['the gateway', connectToDatabase],
  ['the job queues', connectToQueues],
] as const

let server: Awaited<ReturnType<typeof startTlsDatabase>>
beforeAll(async () => {
  server = await startTlsDatabase()
  await migrateDatabase(server.url)
})
afterAll(() => server.close())

// The server's certificate is for `db.example.test` and 0.0.0.0. The latter reaches this machine but is not a loopback
// address.
describe.each(pools)('a connection from %s to a server with TLS', (_, connect) => {
  const at = (host: string, query = '') => server.url.replace('127.0.0.1', host) + query

  it('verifies the certificate of a host that is not loopback', async () => {
    expect(await connect({ url: at('0.0.0.0'), ca })).toBe('encrypted')
    expect(await connect({ url: at('0.0.0.0') })).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
    expect(await connect({ url: at('0.0.0.0'), ca: otherCa })).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
  })

  it('is unencrypted to loopback without an sslmode, and to any host with sslmode=disable', async () => {
    expect(await connect({ url: at('127.0.0.1'), ca })).toBe('plain')
    expect(await connect({ url: at('0.0.0.0', '?sslmode=disable'), ca })).toBe('plain')
  })

  it('verifies the host name with sslmode=verify-full, even if it is an IP address', async () => {
    const mode = '?sslmode=verify-full'
    expect(await connect({ url: at('0.0.0.0', mode), ca })).toBe('encrypted')
    for (const host of ['127.0.0.1', 'localhost'])
      expect(await connect({ url: at(host, mode), ca })).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  it('verifies only the CA with sslmode=verify-ca, and with sslmode=require if there is a CA', async () => {
    for (const mode of ['?sslmode=verify-ca', '?sslmode=require']) {
      expect(await connect({ url: at('127.0.0.1', mode), ca })).toBe('encrypted')
      expect(await connect({ url: at('127.0.0.1', mode), ca: otherCa })).toBe(
        'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      )
    }
  })

  it('accepts any certificate with sslmode=require without a CA, and with sslmode=prefer', async () => {
    for (const mode of ['?sslmode=require', '?sslmode=prefer', '?sslmode=allow', '?ssl=true'])
      expect(await connect({ url: at('0.0.0.0', mode) })).toBe('encrypted')
  })
})

describe('a connection to a server without TLS', () => {
  const at = (host: string, query = '') => inject('databaseServer').url.replace('127.0.0.1', host) + query

  it('fails unless TLS is disabled or optional', async () => {
    expect(await connectToDatabase({ url: at('0.0.0.0') })).toBe('ECONNRESET')
    expect(await connectToDatabase({ url: at('127.0.0.1', '?sslmode=require') })).toBe('ECONNRESET')
    for (const mode of ['disable', 'prefer', 'allow'])
      expect(await connectToDatabase({ url: at('0.0.0.0', `?sslmode=${mode}`) })).toBe('plain')
  })
})
