import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { startJobs, startJobsAdmin } from '#bin/process/start-jobs.ts'
import { migrateDatabase } from '#db/migrate.ts'
import { readCaFile } from '#gateway/settings/read-files.ts'
import { readJobSettings, readMigrationSettings } from '#gateway/settings/settings.ts'
import { childEnvironment } from '#test/support/child-environment.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt } from '#test/support/request-at.ts'
import { unreachableStorage } from '#test/support/storage.ts'
import { databaseCaFile, otherCaFile, startTlsDatabase } from '#test/support/tls-database.ts'

const script = join(import.meta.dirname, '../../../bin/migrate.ts')

interface Result {
  readonly stdout: string
  readonly stderr: string
  readonly code?: number
}

const migrate = (environment: Record<string, string>): Promise<Result> =>
  promisify(execFile)(process.execPath, [script], {
    env: { ...childEnvironment(), ...environment },
  }).catch((error) => error)

describe("a process's connection to its database", () => {
  let server: Awaited<ReturnType<typeof startTlsDatabase>>
  beforeAll(async () => {
    server = await startTlsDatabase()
  })
  afterAll(() => server.close())

  const at = (host: string, query = '') => server.url.replace('127.0.0.1', host) + query
  const passwordOf = (url: string) => new URL(url).password

  it('is verified by npm run migrate', async () => {
    const environment = { DATABASE_URL: at('0.0.0.0'), DATABASE_CA: databaseCaFile }
    expect(await migrate(environment)).toMatchObject({
      stdout: expect.stringMatching(/\nthe database is up to date\n$/),
      stderr: '',
    })
  })

  it.each([
    [
      'an unknown CA',
      () => ({ DATABASE_URL: at('0.0.0.0') }),
      "its certificate is not signed by a trusted CA (UNABLE_TO_VERIFY_LEAF_SIGNATURE); set DATABASE_CA to the database's CA bundle",
    ],
    [
      'a different CA',
      () => ({ DATABASE_URL: at('0.0.0.0'), DATABASE_CA: otherCaFile }),
      "its certificate is not signed by a trusted CA (UNABLE_TO_VERIFY_LEAF_SIGNATURE); set DATABASE_CA to the database's CA bundle",
    ],
    [
      'a certificate for a different host',
      () => ({ DATABASE_URL: at('127.0.0.1', '?sslmode=verify-full'), DATABASE_CA: databaseCaFile }),
      'its certificate is for another host name (ERR_TLS_CERT_ALTNAME_INVALID); use that host name in DATABASE_URL',
    ],
    [
      'a server without TLS',
      () => ({ DATABASE_URL: inject('databaseServer').url.replace('127.0.0.1', '0.0.0.0') }),
      'if the server does not offer TLS, enable it there or add sslmode=disable to DATABASE_URL',
    ],
  ])('fails and says what to set, without the password: %s', async (_, environmentOf, message) => {
    const environment = environmentOf()
    const { code, stdout, stderr } = await migrate(environment)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`cannot connect to the database: `)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain(passwordOf(environment.DATABASE_URL))
    expect(stderr).not.toMatch(/\bat /)
  })

  const startJobsAt = async (environment: Record<string, string>) => {
    const log = createRecordingLog()
    const withCa = await readCaFile({ ...unreachableStorage, ...environment })
    const settings = readJobSettings(withCa, () => true)
    const worker = await startJobs(settings, log)
    await worker.stop()
    return log.lines
  }

  it('is verified by the job queues', async () => {
    await migrateDatabase(server.url)
    const url = at('0.0.0.0')
    expect(await startJobsAt({ DATABASE_URL: url, DATABASE_CA: databaseCaFile })).toEqual([])
    await expect(startJobsAt({ DATABASE_URL: url })).rejects.toMatchObject({
      cause: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    })
  })

  it("is verified by the jobs process's readiness check", async () => {
    const report = async (ca: string | undefined) => {
      const settings = {
        DATABASE_URL: at('0.0.0.0'),
        DATABASE_CA: ca,
        DATABASE_PREPARE: true,
        ADMIN_HOST: '127.0.0.1',
        JOBS_ADMIN_PORT: 0,
      }
      const admin = await startJobsAdmin(settings, createRecordingLog(), { phase: 'ready' })
      const { body } = await requestAt(admin.url ?? '', 'GET', '/readyz')
      await admin.close()
      return body.database
    }
    expect(await report(await readFile(databaseCaFile, 'utf8'))).toBe('up')
    expect(await report(await readFile(otherCaFile, 'utf8'))).toBe('down')
  })

  it('works without TLS for the job queues if sslmode=prefer and the server does not offer TLS', async () => {
    const database = await createTestDatabase()
    onTestFinished(database.close)
    expect(await startJobsAt({ DATABASE_URL: `${database.url}?sslmode=prefer` })).toEqual([])
  })
})

describe('DATABASE_CA', () => {
  const urlOf = (query = '') => `postgres://u:se-kr-et@db.test/app${query}`
  const readMessage = async (environment: Record<string, string>) => {
    const given = await readCaFile(environment)
    try {
      return readMigrationSettings(given)
    } catch (error) {
      return String(error)
    }
  }

  it("is read from a file, without the file's comments", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crossfade-ca-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const [path, bundle] = [join(folder, 'bundle.pem'), await readFile(databaseCaFile, 'utf8')]
    await writeFile(path, `# One CA\n${bundle}\n# The same\n${bundle}`)
    const settings = await readMessage({ DATABASE_URL: urlOf(), DATABASE_CA: path })
    expect(settings).toMatchObject({ DATABASE_CA: `${bundle.trim()}\n${bundle.trim()}` })
  })

  it.each([
    ['a missing file', null],
    ['a file without certificates', 'nothing'],
    ['a file with a bad certificate', '-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n'],
  ])('is rejected if it names %s', async (_, text) => {
    const folder = await mkdtemp(join(tmpdir(), 'crossfade-ca-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const path = join(folder, 'bundle.pem')
    if (text !== null) await writeFile(path, text)
    expect(await readMessage({ DATABASE_URL: urlOf(), DATABASE_CA: path })).toContain(
      'DATABASE_CA must be the path to a file of PEM certificates',
    )
  })

  it('is required for sslmode=verify-ca', async () => {
    expect(await readMessage({ DATABASE_URL: urlOf('?sslmode=verify-ca') })).toContain(
      'DATABASE_CA is missing: it is required for sslmode=verify-ca',
    )
  })

  it('is reported in the same error as DATABASE_URL if both are invalid', async () => {
    const environment = { DATABASE_URL: urlOf('?sslmode=no-verify'), DATABASE_CA: '/no/such/file.pem' }
    const message = await readMessage(environment)
    expect(message).toMatch(/DATABASE_URL must use one of these values for sslmode/)
    expect(message).toMatch(/DATABASE_CA must be the path/)
    expect(message).not.toContain('se-kr-et')
  })
})
