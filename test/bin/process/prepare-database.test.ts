import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prepareDatabase } from '#bin/process/prepare-database.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { type DatabaseRelay, startDatabaseRelay } from '#test/support/database-relay.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

describe.each([
  ['a route in GATEWAY_KILL', ['libraries.*']],
  ['no route in GATEWAY_KILL', []],
] as const)('a gateway with a core and %s', (_, kills) => {
  let database: TestDatabase
  let relay: DatabaseRelay
  let silent: Server
  beforeAll(async () => {
    database = await createTestDatabase()
    relay = await startDatabaseRelay(database.url)
    silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    await relay.close()
    await database.close()
    silent.close()
  })

  const prepareAt = async (databaseUrl: string) => {
    const log = createRecordingLog()
    const settings: Parameters<typeof prepareDatabase>[0] = {
      DATABASE_URL: databaseUrl,
      DATABASE_PREPARE: true,
      MIGRATE_ON_START: true,
      GATEWAY_KILL: [...kills],
      CORE_BASE_URL: ['http://127.0.0.1:1'],
    }
    return { log, remaining: await prepareDatabase(settings, log) }
  }

  it('has nothing left to prepare if the database is already prepared', async () => {
    const { log, remaining } = await prepareAt(database.url)
    expect([remaining, log.lines]).toEqual([undefined, []])
  })

  it('starts even if the database closes connections, and prepares the database later', {
    timeout: 40_000,
  }, async () => {
    relay.setUnavailable(true)
    const { log, remaining } = await prepareAt(relay.url)
    expect(log.lines.map(({ message }) => message)).toEqual([
      'failed to prepare database at start, will try again',
    ])
    relay.setUnavailable(false)
    const attempt = () =>
      remaining?.().then(
        () => 'prepared',
        () => 'failed',
      )
    await expect.poll(attempt, { timeout: 20_000 }).toBe('prepared')
  })

  it('starts within ten seconds even if the database does not respond', { timeout: 30_000 }, async () => {
    const address = silent.address()
    const port = typeof address === 'object' ? address?.port : 0
    const { log, remaining } = await prepareAt(`postgres://u:p@127.0.0.1:${port}/d`)
    expect(log.lines.map(({ message }) => message)).toEqual([
      'failed to prepare database at start, will try again',
    ])
    expect(remaining).toBeTypeOf('function')
  })
})
