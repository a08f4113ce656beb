import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { childEnvironment } from '#test/support/child-environment.ts'
import { sampleCases } from '#test/support/count-cases.ts'

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
})
