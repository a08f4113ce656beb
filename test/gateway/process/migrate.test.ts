import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts'

const script = join(import.meta.dirname, '../../../gateway/migrate.ts')

const migrate = (databaseUrl: string): Promise<{ stdout: string; stderr: string; code?: number }> =>
  promisify(execFile)(process.execPath, [script], {
    env: { PATH: process.env.PATH, DATABASE_URL: databaseUrl },
  }).catch((error) => error)

describe('npm run migrate', () => {
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

  it.each([
    ['unset', () => '', 'DATABASE_URL is missing'],
    ['malformed', () => 'postgres://u:se/kr#et@127.0.0.1:1/x', 'DATABASE_URL must be a PostgreSQL URL'],
    ['of another scheme', () => 'http://u:se-kr-et@127.0.0.1:1/x', 'DATABASE_URL must be a PostgreSQL URL'],
    ['of a closed port', () => 'postgres://u:se-kr-et@127.0.0.1:1/x', 'connection refused'],
    ['of an unknown database', () => urlWith('pathname', '/no-such-database'), 'the database does not exist'],
    ['with a wrong password', () => urlWith('password', 'se-kr-et'), 'wrong user or password'],
  ])('reports a DATABASE_URL that is %s without revealing it', async (_, createUrl, message) => {
    const { code, stdout, stderr } = await migrate(createUrl())
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('DATABASE_URL')
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/kr.et|no-such-database|\bat /)
  })
})
