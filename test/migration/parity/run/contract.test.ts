import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { childEnvironment } from '#test/support/child-environment.ts'
import { itThoroughly, sampleCases } from '#test/support/count-cases.ts'
import { createPlainDatabase } from '#test/support/plain-database.ts'

const root = join(import.meta.dirname, '../../../..')

const runContract = (flags: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  new Promise<{ exitCode: number; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      ['dev/contract/contract.ts', ...flags],
      { cwd: root, env: { ...childEnvironment(), ...environment } },
      (_, __, stderr) => resolve({ exitCode: child.exitCode ?? -1, stderr }),
    )
  })

const rejected = [
  ['an unknown area', ['--area', 'nowhere'], 'no route in area nowhere is served by both sides'],
  ['--post and --area', ['--area', 'libraries', '--post'], '--post needs a run of all routes: remove --area'],
  ['an unknown flag', ['--speed', '9'], "Unknown option '--speed'"],
] as const

describe('npm run contract', () => {
  it.each(sampleCases(rejected, 1 / 3))('exits with 2 for %s', async (_, flags, reason) => {
    const { exitCode, stderr } = await runContract(flags)
    expect(exitCode).toBe(2)
    expect(stderr).toContain(`contract: ${reason}`)
  })

  itThoroughly(
    'uses no database or service that a setting of the shell names',
    { timeout: 180_000 },
    async () => {
      const out = await mkdtemp(join(tmpdir(), 'crossfade-contract-test-'))
      onTestFinished(() => rm(out, { recursive: true }))
      const { url, sql } = await createPlainDatabase()
      const { exitCode, stderr } = await runContract(['--area', 'tracks.rights', '--out', out], {
        DATABASE_DIRECT_URL: url,
        REDIS_URL: 'redis://127.0.0.1:1',
        GATEWAY_SECRET_FILE: join(out, 'missing'),
        GATEWAY_KILL: '*',
      })
      expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('contract: ')])
      // The run would have migrated it.
      expect(await sql`select from pg_namespace where nspname = 'crossfade'`).toHaveLength(0)
    },
  )
})
