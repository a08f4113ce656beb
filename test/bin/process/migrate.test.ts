import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'
import { createPlainDatabase } from '#test/support/plain-database.ts'
import { unreachableStorage } from '#test/support/storage.ts'

const folder = join(import.meta.dirname, '../../../bin')

const run = (
  script: string,
  environment: Record<string, string>,
  ...args: string[]
): Promise<{ stdout: string; stderr: string; code?: number }> =>
  promisify(execFile)(process.execPath, [join(folder, script), ...args], {
    env: { PATH: process.env.PATH, ...environment },
  }).catch((error) => error)

const migrate = (databaseUrl: string, ...args: string[]) =>
  run('migrate.ts', { DATABASE_URL: databaseUrl }, ...args)

// Each test starts several processes in turn, and each process loads the sources again.
describe('npm run migrate', { timeout: 60_000 }, () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())

  const urlWith = (part: 'pathname' | 'password', value: string) => {
    const url = new URL(database.url)
    url[part] = value
    return url.href
  }

  it('reports success', async () => {
    expect(await migrate(database.url)).toMatchObject({ stdout: 'the database is up to date\n', stderr: '' })
  })

  it('connects to DATABASE_DIRECT_URL if it is set, and names it in errors', async () => {
    const unreachable = 'postgres://u:se-kr-et@127.0.0.1:1/x'
    const direct = { DATABASE_URL: unreachable, DATABASE_DIRECT_URL: database.url }
    expect(await run('migrate.ts', direct)).toMatchObject({ stdout: 'the database is up to date\n' })
    const { stderr } = await run('migrate.ts', {
      DATABASE_URL: database.url,
      DATABASE_DIRECT_URL: unreachable,
    })
    expect(stderr).toContain('connection refused (ECONNREFUSED); check DATABASE_DIRECT_URL')
  })

  it('applies nothing with --check, and with --baseline adopts a database that has no migration record', async () => {
    const { url, sql } = await createPlainDatabase()
    expect(await migrate(url, '--check')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^the database lacks the migrations 0000_.*: run npm run migrate\n$/),
    })
    expect((await migrate(url)).stdout).toMatch(/^applied 0000_.*\nthe database is up to date\n$/s)
    expect(await migrate(url, '--check')).toMatchObject({
      stdout: 'the database is up to date\n',
      stderr: '',
    })

    await sql`drop schema crossfade cascade`
    expect(await migrate(url)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^db\/migrations\/0000_.*relation "accounts" already exists.*--baseline.*\n$/,
      ),
    })
    expect(await migrate(url, '--baseline')).toMatchObject({
      stdout: expect.stringMatching(/^the database matches .*\nthe database is up to date\n$/),
      stderr: '',
    })
  })

  it('accepts only one flag at a time', async () => {
    const { code, stderr } = await migrate(database.url, '--check', '--baseline')
    expect([code, stderr]).toEqual([1, expect.stringContaining('use --check or --baseline, not both')])
  })

  it('is suggested by a process with MIGRATE_ON_START=off if its database lacks migrations', async () => {
    const { url } = await createPlainDatabase()
    const environment = { ...unreachableStorage, DATABASE_URL: url, MIGRATE_ON_START: 'off' }
    const { code, stderr } = await run('jobs.ts', environment)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^the database lacks the migrations 0000_.*: run npm run migrate\n$/),
    ])
    expect((await run('jobs.ts', { ...environment, MIGRATE_ON_START: 'no' })).stderr).toContain(
      'MIGRATE_ON_START must be on or off',
    )
  })

  it.each([
    ['is unset', () => '', 'DATABASE_URL is missing'],
    ['is malformed', () => 'postgres://u:se/kr#et@127.0.0.1:1/x', 'DATABASE_URL must be a PostgreSQL URL'],
    ['has a wrong scheme', () => 'http://u:se-kr-et@127.0.0.1:1/x', 'DATABASE_URL must be a PostgreSQL URL'],
    ['has a closed port', () => 'postgres://u:se-kr-et@127.0.0.1:1/x', 'connection refused'],
    ['has a wrong database', () => urlWith('pathname', '/no-such-database'), 'the database does not exist'],
    ['has a wrong password', () => urlWith('password', 'se-kr-et'), 'wrong user or password'],
  ])('reports a DATABASE_URL that %s, without revealing it', async (_, createUrl, message) => {
    const { code, stdout, stderr } = await migrate(createUrl())
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('DATABASE_URL')
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/kr.et|no-such-database|\bat /)
  })
})
